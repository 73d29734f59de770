// Floating point of 16 bits, on the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace launchbox {

/// To the nearest half, ties to even; infinite beyond 65,519.
inline std::uint16_t half_bits(double value)
{
    const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
    if (std::isnan(value)) return static_cast<std::uint16_t>(sign | 0x7e00);
    const double magnitude = std::abs(value);
    if (magnitude >= 65520) return static_cast<std::uint16_t>(sign | 0x7c00);
    int exponent = 0;
    std::frexp(magnitude, &exponent);
    // Ten bits behind the leading one; below 2^-14 all numbers are multiples of 2^-24.
    const int last = magnitude < 0x1p-14 ? -24 : exponent - 11;
    const double multiple = std::nearbyint(std::ldexp(magnitude, -last));
    if (last == -24) return static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(multiple));
    // A carry out of the mantissa raises the exponent, as it should.
    return static_cast<std::uint16_t>(sign | (((last + 24) << 10) + static_cast<int>(multiple)));
}

inline double half_value(std::uint16_t bits)
{
    const double sign = (bits & 0x8000) != 0 ? -1 : 1;
    const int exponent = bits >> 10 & 0x1f, mantissa = bits & 0x3ff;
    if (exponent == 0x1f)
        return mantissa == 0 ? sign * std::numeric_limits<double>::infinity()
                             : std::numeric_limits<double>::quiet_NaN();
    if (exponent == 0) return sign * std::ldexp(mantissa, -24);
    return sign * std::ldexp(mantissa + 1024, exponent - 25);
}

/// To the nearest bfloat16, ties to even. `value` is to be a float, so that it is rounded once.
inline std::uint16_t bfloat16_bits(float value)
{
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(value);
    if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
    return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

inline double bfloat16_value(std::uint16_t bits)
{
    return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits) << 16));
}

}  // namespace launchbox
