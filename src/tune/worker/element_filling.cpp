// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/element_filling.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "support/error.hpp"
#include "tune/worker/compare/half.hpp"

namespace launchbox {

namespace {

// SplitMix64: the i-th number of a seed without the ones before it.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index)
{
    std::uint64_t x = seed * split_mix::seed_factor + (index + 1) * split_mix::index_factor;
    x = (x ^ x >> 30) * split_mix::first_mix;
    x = (x ^ x >> 27) * split_mix::second_mix;
    return x ^ x >> 31;
}

double floating_value(std::uint64_t bits, const element_type& type)
{
    if (type.bytes == 8) return std::bit_cast<double>(bits);
    if (type.bytes == 4) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
    const auto half = static_cast<std::uint16_t>(bits);
    return type.what == element_type::kind::half ? half_value(half) : bfloat16_value(half);
}

bool is_floating(const element_type& type)
{
    return type.what == element_type::kind::floating || type.what == element_type::kind::half ||
           type.what == element_type::kind::bfloat16;
}

void put_bits(char* to, std::uint64_t bits, int bytes)
{
    std::memcpy(to, &bits, static_cast<std::size_t>(std::min(bytes, 8)));
    if (bytes > 8) std::memset(to + 8, 0, static_cast<std::size_t>(bytes - 8));
}

// The range of the type, narrowed to that of the argument, both ends included.
void limit_range(element_filling& filling, const task_argument& argument)
{
    if (!argument.low && !argument.high) {
        if (argument.type == "bool") filling.range = 2;
        return;
    }
    const int bits = std::min(filling.type.bytes, 8) * 8;
    const bool is_signed = filling.type.what == element_type::kind::signed_integer;
    const double lowest = is_signed ? -std::ldexp(1, bits - 1) : 0, beyond = std::ldexp(1, is_signed ? bits - 1 : bits);
    const auto integer = [&](double value) {
        if (value >= beyond) return is_signed ? (~std::uint64_t{0} >> (65 - bits)) : (~std::uint64_t{0} >> (64 - bits));
        value = std::max(value, lowest);
        return value < 0 ? static_cast<std::uint64_t>(static_cast<std::int64_t>(value))
                         : static_cast<std::uint64_t>(value);
    };
    const std::uint64_t low = integer(std::ceil(argument.low.value_or(lowest)));
    const std::uint64_t high = integer(std::floor(argument.high.value_or(beyond)));
    const bool empty = is_signed ? static_cast<std::int64_t>(high) < static_cast<std::int64_t>(low) : high < low;
    if (empty) throw error("'" + argument.name + "': there is no number of its type between low and high");
    filling.smallest = low;
    filling.range = high - low + 1;
}

std::uint64_t floating_element(const element_filling& filling, std::int64_t index)
{
    if (filling.sequence) return floating_bits(static_cast<double>(index), filling.type);
    const int bits = random_bits_of(filling.type);
    const std::uint64_t number = random_bits(filling.seed, static_cast<std::uint64_t>(index));
    const double part = std::ldexp(static_cast<double>(number >> (64 - bits)), -bits);
    const double scaled = part * (filling.high - filling.low);
    const std::uint64_t element = floating_bits(filling.low + scaled, filling.type);
    // Rounding may have reached the excluded upper end.
    return floating_value(element, filling.type) >= filling.high ? floating_bits(filling.low, filling.type) : element;
}

std::uint64_t integer_element(const element_filling& filling, std::int64_t index)
{
    if (filling.sequence) return static_cast<std::uint64_t>(index);
    const std::uint64_t number = random_bits(filling.seed, static_cast<std::uint64_t>(index));
    if (filling.range == 0) return number;
    const auto wide = static_cast<unsigned __int128>(number) * filling.range;
    return filling.smallest + static_cast<std::uint64_t>(wide >> 64);
}

}  // namespace

int random_bits_of(const element_type& type)
{
    switch (type.what) {
        case element_type::kind::half:
            return 11;
        case element_type::kind::bfloat16:
            return 8;
        default:
            return type.bytes == 4 ? 24 : 53;
    }
}

std::uint64_t floating_bits(double value, const element_type& type)
{
    if (type.what == element_type::kind::half) return half_bits(value);
    if (type.what == element_type::kind::bfloat16) return bfloat16_bits(static_cast<float>(value));
    if (type.bytes == 4) return std::bit_cast<std::uint32_t>(static_cast<float>(value));
    return std::bit_cast<std::uint64_t>(value);
}

std::uint64_t number_bits(const task_argument& argument, const element_type& type)
{
    return is_floating(type) ? floating_bits(argument.number, type) : static_cast<std::uint64_t>(argument.integer);
}

std::optional<element_filling> element_filling_of(const task_argument& argument)
{
    element_filling filling{.type = element_type_of(argument.type)};
    switch (argument.fill) {
        case fill_kind::zeros:
            filling.range = 1;
            return filling;
        case fill_kind::constant:  // the only number in its range
            filling.smallest = number_bits(argument, filling.type);
            filling.range = 1;
            return filling;
        case fill_kind::sequence:
            filling.floating = is_floating(filling.type);
            filling.sequence = true;
            return filling;
        case fill_kind::random:
            break;
        case fill_kind::poison:
        case fill_kind::file:
            return std::nullopt;
    }
    filling.seed = static_cast<std::uint64_t>(argument.seed);
    filling.floating = is_floating(filling.type);
    if (!filling.floating) {
        limit_range(filling, argument);
        return filling;
    }
    filling.low = argument.low.value_or(0);
    filling.high = argument.high.value_or(1);
    if (!std::isfinite(filling.high - filling.low))
        throw error("'" + argument.name + "': low and high are further apart than the largest double");
    return filling;
}

void fill_elements(const element_filling& filling, std::int64_t first, std::int64_t count, char* to)
{
    const int bytes = filling.type.bytes;
    if (filling.floating) {
        for (std::int64_t i = first; i < first + count; ++i, to += bytes)
            put_bits(to, floating_element(filling, i), bytes);
        return;
    }
    // Elements longer than 64 bits are random throughout if the whole range of the type is wanted.
    const bool whole = !filling.sequence && filling.range == 0;
    for (std::int64_t i = first; i < first + count; ++i, to += bytes) {
        put_bits(to, integer_element(filling, i), bytes);
        if (!whole) continue;
        for (int more = 8; more < bytes; more += 8)
            put_bits(to + more, random_bits(~filling.seed, static_cast<std::uint64_t>(i)), std::min(bytes - more, 8));
    }
}

}  // namespace launchbox
