// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/compare/compare_outputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tune/worker/buffers.hpp"
#include "tune/worker/compare/half.hpp"

namespace launchbox {

namespace {

template <class Value>
Value value_at(const char* from)
{
    Value value{};
    std::memcpy(&value, from, sizeof value);
    return value;
}

std::uint64_t unsigned_at(const char* from, int bytes)
{
    std::uint64_t value = 0;
    std::memcpy(&value, from, static_cast<std::size_t>(std::min(bytes, 8)));
    return value;
}

std::int64_t signed_at(const char* from, int bytes)
{
    const int unused = 64 - 8 * std::min(bytes, 8);
    return static_cast<std::int64_t>(unsigned_at(from, bytes) << unused) >> unused;
}

double number_at(const char* from, const element_type& type)
{
    switch (type.what) {
        case element_type::kind::signed_integer:
            return static_cast<double>(signed_at(from, type.bytes));
        case element_type::kind::unsigned_integer:
            return static_cast<double>(unsigned_at(from, type.bytes));
        case element_type::kind::half:
            return half_value(value_at<std::uint16_t>(from));
        case element_type::kind::bfloat16:
            return bfloat16_value(value_at<std::uint16_t>(from));
        default:
            return type.bytes == 4 ? static_cast<double>(value_at<float>(from)) : value_at<double>(from);
    }
}

std::string grouped(std::int64_t number)
{
    std::string text = std::to_string(number);
    for (std::size_t at = text.size(); at > 3;) text.insert(at -= 3, ",");
    return text;
}

}  // namespace

void output_comparison::add(std::string_view output, std::string_view reference)
{
    const std::size_t element = static_cast<std::size_t>(type_.bytes);
    for (std::size_t at = 0; at < output.size(); at += element, ++compared_) {
        const char *const mine = output.data() + at, *const wanted = reference.data() + at;
        if (std::memcmp(mine, wanted, element) == 0) continue;
        const bool untouched = is_poison(mine, element, static_cast<std::size_t>(compared_) * element);
        bool same = false;
        const double distance = distance_of(mine, wanted, same);
        if (same && !(untouched && poison_is_invalid(type_))) continue;
        if (result_.differing++ == 0) result_.first = compared_;
        result_.unwritten += untouched ? 1 : 0;
        result_.largest = std::max(result_.largest, distance);
    }
}

// `same`: within the tolerance.
double output_comparison::distance_of(const char* output, const char* reference, bool& same) const
{
    same = false;
    if (type_.what == element_type::kind::opaque) return 0;
    const double is = number_at(output, type_), wanted = number_at(reference, type_);
    if (std::isnan(is) || std::isnan(wanted)) {
        same = std::isnan(is) && std::isnan(wanted);
        return INFINITY;
    }
    if (std::isinf(is) || std::isinf(wanted)) {
        same = is == wanted;
        return INFINITY;
    }
    // Integers beyond 2^53 are inexact as double, but their difference is exact.
    double distance = std::abs(is - wanted);
    const bool integers =
        type_.what == element_type::kind::signed_integer || type_.what == element_type::kind::unsigned_integer;
    if (integers && type_.bytes >= 8) {
        const std::uint64_t one = static_cast<std::uint64_t>(signed_at(output, type_.bytes)),
                            other = static_cast<std::uint64_t>(signed_at(reference, type_.bytes));
        distance = static_cast<double>(is < wanted || (is == wanted && one < other) ? other - one : one - other);
    }
    same = distance <= absolute_ + relative_ * std::abs(wanted);
    return distance;
}

std::string element_text(const char* from, const element_type& type)
{
    switch (type.what) {
        case element_type::kind::signed_integer:
            return std::to_string(signed_at(from, type.bytes));
        case element_type::kind::unsigned_integer:
            return std::to_string(unsigned_at(from, type.bytes));
        case element_type::kind::opaque:
            break;
        case element_type::kind::floating:
            if (type.bytes == 4) return fmt::format("{}", value_at<float>(from));
            [[fallthrough]];
        default:
            return fmt::format("{}", number_at(from, type));
    }
    std::string text = "0x";
    for (int i = type.bytes; i-- > 0;) text += fmt::format("{:02x}", static_cast<unsigned char>(from[i]));
    return text;
}

std::string difference_sentence(const std::string& name, const element_type& type, const output_difference& difference,
                                std::int64_t count, const char* output, const char* reference, bool held_zeros)
{
    const bool as_before = held_zeros && std::all_of(output, output + type.bytes, [](char byte) { return byte == 0; });
    const bool unwritten = is_poison(output, static_cast<std::size_t>(type.bytes),
                                     static_cast<std::size_t>(difference.first) * static_cast<std::size_t>(type.bytes));
    std::string text = fmt::format("{}[{}] {}{}, and the reference is {}; {} of {} differ", name, difference.first,
                                   unwritten ? "was not written" : "is " + element_text(output, type),
                                   as_before ? ", as before the launch" : "", element_text(reference, type),
                                   grouped(difference.differing), grouped(count));
    if (difference.unwritten == difference.differing && difference.differing > 1)
        text += ", none of which was written";
    else if (difference.unwritten > 0 && difference.differing > 1)
        text += fmt::format(", {} of them not written", grouped(difference.unwritten));
    if (difference.largest > 0 && std::isfinite(difference.largest))
        text += fmt::format(", by {:.6g} at most", difference.largest);
    return text;
}

}  // namespace launchbox
