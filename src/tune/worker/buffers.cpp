// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/buffers.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "support/error.hpp"
#include "support/files/mapped_file.hpp"
#include "tune/worker/compare/half.hpp"
#include "tune/worker/npy.hpp"

namespace launchbox {

namespace {

// 256 TiB: more than any GPU has, and far from overflow.
constexpr std::int64_t max_bytes = std::int64_t{1} << 48;

// SplitMix64: the i-th number of a seed without the ones before it.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index)
{
    std::uint64_t x = seed * 0xd1342543de82ef95 + (index + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

template <class Value>
void put(char* to, Value value)
{
    std::memcpy(to, &value, sizeof value);
}

void put_integer(char* to, std::uint64_t bits, int bytes)
{
    std::memcpy(to, &bits, static_cast<std::size_t>(std::min(bytes, 8)));
    if (bytes > 8) std::memset(to + 8, 0, static_cast<std::size_t>(bytes - 8));
}

void put_floating(char* to, double value, const element_type& type)
{
    if (type.what == element_type::kind::half)
        put(to, half_bits(value));
    else if (type.what == element_type::kind::bfloat16)
        put(to, bfloat16_bits(static_cast<float>(value)));
    else if (type.bytes == 4)
        put(to, static_cast<float>(value));
    else
        put(to, value);
}

double floating_at(const char* from, const element_type& type)
{
    if (type.bytes == 8) {
        double value = 0;
        std::memcpy(&value, from, 8);
        return value;
    }
    if (type.bytes == 4) {
        float value = 0;
        std::memcpy(&value, from, 4);
        return static_cast<double>(value);
    }
    std::uint16_t bits = 0;
    std::memcpy(&bits, from, 2);
    return type.what == element_type::kind::half ? half_value(bits) : bfloat16_value(bits);
}

bool is_floating(const element_type& type)
{
    return type.what == element_type::kind::floating || type.what == element_type::kind::half ||
           type.what == element_type::kind::bfloat16;
}

void put_number(char* to, const task_argument& argument, const element_type& type)
{
    if (is_floating(type))
        put_floating(to, argument.number, type);
    else
        put_integer(to, static_cast<std::uint64_t>(argument.integer), type.bytes);
}

struct integer_range {
    std::uint64_t low = 0, size = 0;  // size 0: the whole range
};

// The type's own range, and within it that of the argument, both ends included.
integer_range range_of(const task_argument& argument, const element_type& type)
{
    if (!argument.low && !argument.high) return argument.type == "bool" ? integer_range{0, 2} : integer_range{};
    const int bits = std::min(type.bytes, 8) * 8;
    const bool is_signed = type.what == element_type::kind::signed_integer;
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
    return {low, high - low + 1};
}

}  // namespace

std::size_t bytes_of(const task_argument& argument)
{
    const element_type type = element_type_of(argument.type);
    if (argument.count < 0 || argument.count > max_bytes / type.bytes)
        throw error("'" + argument.name + "': " + std::to_string(argument.count) +
                    " elements are not a valid buffer size");
    return static_cast<std::size_t>(argument.count) * static_cast<std::size_t>(type.bytes);
}

std::array<char, 16> scalar_bytes(const task_argument& argument)
{
    std::array<char, 16> bytes{};
    put_number(bytes.data(), argument, element_type_of(argument.type));
    return bytes;
}

bool is_poison(const char* from, std::size_t bytes, std::size_t position)
{
    for (std::size_t i = 0; i < bytes; ++i)
        if (static_cast<unsigned char>(from[i]) != static_cast<unsigned char>(poison_word >> 8 * ((position + i) % 4)))
            return false;
    return true;
}

struct argument_filler::impl {
    task_argument argument;
    element_type type;
    integer_range range;
    std::unique_ptr<mapped_file> file;
    std::string_view data;  // of the file

    void random(std::int64_t first, std::int64_t count, char* to) const;
    void poison(std::int64_t first, std::int64_t count, char* to) const;
};

argument_filler::~argument_filler() = default;
argument_filler::argument_filler(argument_filler&&) noexcept = default;

argument_filler::argument_filler(const task_argument& argument)
    : impl_(new impl{argument, element_type_of(argument.type), {}, nullptr, {}})
{
    const std::size_t wanted = bytes_of(argument);
    if (argument.fill == fill_kind::random && !is_floating(impl_->type)) impl_->range = range_of(argument, impl_->type);
    if (argument.fill != fill_kind::file) return;
    impl_->file = std::make_unique<mapped_file>(argument.file);
    impl_->data = impl_->file->bytes();
    if (is_npy(impl_->data)) {
        const npy_array array = read_npy(impl_->data, argument.file);
        if (!holds(array, impl_->type))
            throw error(argument.file + " has elements of type " + array.type + ", and '" + argument.name + "' is " +
                        argument.type);
        impl_->data = array.data;
    }
    if (impl_->data.size() != wanted)
        throw error(argument.file + " has " + std::to_string(impl_->data.size()) + " bytes of data, and '" +
                    argument.name + "' takes " + std::to_string(wanted));
}

void argument_filler::fill(std::int64_t first, std::int64_t count, char* to) const
{
    const element_type& type = impl_->type;
    const std::size_t element = static_cast<std::size_t>(type.bytes), bytes = static_cast<std::size_t>(count) * element;
    switch (impl_->argument.fill) {
        case fill_kind::zeros:
            std::memset(to, 0, bytes);
            break;
        case fill_kind::constant:
            for (std::size_t at = 0; at < bytes; at += element) put_number(to + at, impl_->argument, type);
            break;
        case fill_kind::sequence:
            for (std::int64_t i = 0; i < count; ++i, to += element) {
                if (is_floating(type))
                    put_floating(to, static_cast<double>(first + i), type);
                else
                    put_integer(to, static_cast<std::uint64_t>(first + i), type.bytes);
            }
            break;
        case fill_kind::random:
            impl_->random(first, count, to);
            break;
        case fill_kind::poison:
            impl_->poison(first, count, to);
            break;
        case fill_kind::file:
            std::memcpy(to, impl_->data.data() + static_cast<std::size_t>(first) * element, bytes);
            break;
    }
}

void argument_filler::impl::random(std::int64_t first, std::int64_t count, char* to) const
{
    const std::uint64_t seed = static_cast<std::uint64_t>(argument.seed);
    const double low = argument.low.value_or(0), high = argument.high.value_or(1);
    // As many bits as the type has: more would round up to `high`.
    const int bits = type.what == element_type::kind::half       ? 11
                     : type.what == element_type::kind::bfloat16 ? 8
                     : type.bytes == 4                           ? 24
                                                                 : 53;
    for (std::int64_t i = 0; i < count; ++i, to += type.bytes) {
        const std::uint64_t number = random_bits(seed, static_cast<std::uint64_t>(first + i));
        if (is_floating(type)) {
            const double part = std::ldexp(static_cast<double>(number >> (64 - bits)), -bits);
            put_floating(to, low + part * (high - low), type);
            if (floating_at(to, type) >= high) put_floating(to, low, type);  // rounding reached the end
        } else if (range.size == 0) {
            put_integer(to, number, type.bytes);
            for (int more = 8; more < type.bytes; more += 8)
                put_integer(to + more, random_bits(~seed, static_cast<std::uint64_t>(first + i)),
                            std::min(type.bytes - more, 8));
        } else {
            const auto wide = static_cast<unsigned __int128>(number) * range.size;
            put_integer(to, range.low + static_cast<std::uint64_t>(wide >> 64), type.bytes);
        }
    }
}

void argument_filler::impl::poison(std::int64_t first, std::int64_t count, char* to) const
{
    std::array<char, 4> word{};
    std::memcpy(word.data(), &poison_word, 4);
    const std::size_t element = static_cast<std::size_t>(type.bytes);
    const std::size_t start = static_cast<std::size_t>(first) * element;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count) * element; ++i) to[i] = word[(start + i) % 4];
}

std::uint64_t checksum(std::string_view bytes, std::uint64_t first_word)
{
    std::uint64_t sum = 0;
    for (std::size_t at = 0; at < bytes.size(); at += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes.data() + at, std::min<std::size_t>(8, bytes.size() - at));
        word += (first_word + at / 8 + 1) * 0x9e3779b97f4a7c15;
        word ^= word >> 32;
        word *= 0xbf58476d1ce4e5b9;
        word ^= word >> 29;
        sum += word;
    }
    return sum;
}

std::string checksum_text(std::uint64_t sum)
{
    constexpr std::string_view digits = "0123456789abcdef";
    std::string text(16, '0');
    for (std::size_t i = 16; i-- > 0; sum >>= 4) text[i] = digits[sum & 15];
    return text;
}

}  // namespace launchbox
