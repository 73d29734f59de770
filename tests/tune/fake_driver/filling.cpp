#include "filling.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>

namespace fake {

namespace {

template <class Value>
Value parameter(void** parameters, int number)
{
    Value value{};
    std::memcpy(&value, parameters[number], sizeof value);
    return value;
}

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t i)
{
    std::uint64_t x = seed * 0xd1342543de82ef95 + (i + 1) * 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// A value rounded to `mantissa` bits after the leading one, ties to even; subnormal numbers below 2^lowest.
double rounded(double value, int mantissa, int lowest)
{
    if (value == 0 || !std::isfinite(value)) return value;
    int exponent = 0;
    std::frexp(value, &exponent);
    const int last = std::max(exponent - 1, lowest) - mantissa;
    return std::ldexp(std::nearbyint(std::ldexp(value, -last)), last);
}

std::uint64_t half(double value)
{
    value = rounded(value, 10, -14);
    const std::uint64_t sign = std::signbit(value) ? 0x8000 : 0;
    value = std::fabs(value);
    if (value >= 65536) return sign | 0x7c00;
    if (value < 0x1p-14) return sign | static_cast<std::uint64_t>(value * 0x1p24);
    int exponent = 0;
    const double part = std::frexp(value, &exponent);
    return sign | static_cast<std::uint64_t>(exponent + 14) << 10 | static_cast<std::uint64_t>(part * 2048 - 1024);
}

}  // namespace

void fill(const std::string& type, void** parameters)
{
    auto* const data = parameter<unsigned char*>(parameters, 0);
    const auto count = parameter<std::uint64_t>(parameters, 1), bytes = parameter<std::uint64_t>(parameters, 2),
               seed = parameter<std::uint64_t>(parameters, 3), smallest = parameter<std::uint64_t>(parameters, 6),
               range = parameter<std::uint64_t>(parameters, 7);
    const bool sequence = parameter<std::uint32_t>(parameters, 4) != 0, whole = parameter<std::uint32_t>(parameters, 5);
    const auto low = parameter<double>(parameters, 8), span = parameter<double>(parameters, 9),
               high = parameter<double>(parameters, 10);
    const auto bits_and_value = [&](double value) -> std::pair<std::uint64_t, double> {
        if (type == "f64") return {std::bit_cast<std::uint64_t>(value), value};
        const auto single = static_cast<float>(value);
        if (type == "f32") return {std::bit_cast<std::uint32_t>(single), single};
        if (type == "f16") return {half(value), rounded(value, 10, -14)};
        const double shorter = rounded(single, 7, -126);
        return {std::bit_cast<std::uint32_t>(static_cast<float>(shorter)) >> 16, shorter};
    };
    const int kept = type == "f64" ? 53 : type == "f32" ? 24 : type == "f16" ? 11 : 8;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::uint64_t number = random_bits(seed, i);
        std::uint64_t words[4] = {number, 0, 0, 0};
        if (type != "integer") {
            const double part = static_cast<double>(number >> (64 - kept)) * std::ldexp(1, -kept);
            const auto [bits, value] = bits_and_value(sequence ? static_cast<double>(i) : low + part * span);
            words[0] = value >= high ? smallest : bits;
        } else if (sequence) {
            words[0] = i;
        } else if (range != 0) {
            words[0] = smallest + static_cast<std::uint64_t>((static_cast<unsigned __int128>(number) * range) >> 64);
        }
        if (whole)
            for (std::uint64_t more = 1; more < 4; ++more) words[more] = random_bits(~seed, i);
        std::memcpy(data + i * bytes, words, bytes);
    }
}

}  // namespace fake
