// Keys, values and orders for tests of sorts, on host and device.
#pragma once

#include <cstdint>

#include "sort_inputs.hpp"

namespace sort_types {

/// Sorted only by `number`; `tag` distinguishes equal keys.
template <int Bytes>
struct tagged {
    std::int32_t number;
    std::uint32_t tag[Bytes / 4 - 1];
};
struct by_number {
    template <class Key>
    SORT_INPUTS_HD bool operator()(const Key& a, const Key& b) const
    {
        return a.number < b.number;
    }
};

/// A byte with three significant bits; 2 bytes, of which the lower is significant.
struct by_lower_bits {
    unsigned mask;
    template <class Key>
    SORT_INPUTS_HD bool operator()(Key a, Key b) const
    {
        return (static_cast<unsigned>(a) & mask) < (static_cast<unsigned>(b) & mask);
    }
};

struct by_absolute_value {
    template <class Key>
    SORT_INPUTS_HD bool operator()(Key a, Key b) const
    {
        return (a < 0 ? -a : a) < (b < 0 ? -b : b);
    }
};

/// No default constructor, 3 bytes.
struct color {
    std::uint8_t red, green, blue;
    color() = delete;
    SORT_INPUTS_HD color(std::uint8_t r, std::uint8_t g, std::uint8_t b) : red(r), green(g), blue(b) {}
};

/// An order with state: the colour channel to compare.
struct by_color {
    int channel;
    SORT_INPUTS_HD std::uint8_t of(const color& word) const
    {
        return channel == 0 ? word.red : channel == 1 ? word.green : word.blue;
    }
    SORT_INPUTS_HD bool operator()(const color& a, const color& b) const { return of(b) < of(a); }
};

template <int Bytes>
struct bytes {
    std::uint8_t data[Bytes];
};

template <class Type>
struct make {
    static SORT_INPUTS_HD Type key(std::uint64_t of, std::uint64_t) { return sort_inputs::key<Type>(of); }
    static SORT_INPUTS_HD Type value(std::uint64_t i) { return static_cast<Type>(sort_inputs::hash(i)); }
};
/// Integers from -3 to 3, including zeros of both signs.
struct signed_zeros {
    static SORT_INPUTS_HD float key(std::uint64_t of, std::uint64_t i)
    {
        const float whole = static_cast<float>(static_cast<int>(of >> 61) % 7 - 3);
        return whole == 0 && i % 2 == 1 ? -0.0f : whole;
    }
};
template <int Bytes>
struct make<tagged<Bytes>> {
    static SORT_INPUTS_HD tagged<Bytes> key(std::uint64_t of, std::uint64_t i)
    {
        tagged<Bytes> made{};
        made.number = sort_inputs::key<std::int32_t>(of);
        for (std::uint32_t& part : made.tag) part = static_cast<std::uint32_t>(i);
        return made;
    }
    static SORT_INPUTS_HD tagged<Bytes> value(std::uint64_t i) { return key(sort_inputs::hash(i), i); }
};
template <>
struct make<color> {
    static SORT_INPUTS_HD color key(std::uint64_t of, std::uint64_t i)
    {
        return {static_cast<std::uint8_t>(of >> 56), static_cast<std::uint8_t>(i), static_cast<std::uint8_t>(i >> 8)};
    }
};
template <int Bytes>
struct make<bytes<Bytes>> {
    static SORT_INPUTS_HD bytes<Bytes> value(std::uint64_t i)
    {
        bytes<Bytes> made{};
        for (int b = 0; b < Bytes; ++b)
            made.data[b] =
                static_cast<std::uint8_t>(sort_inputs::hash(i + static_cast<std::uint64_t>(b / 8)) >> b % 8 * 8);
        return made;
    }
};

}  // namespace sort_types
