// launchbox: sizes as users write them in a launch: a number of any integer type, a list of up to three, or a dim3.
// Internal: include launch.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace launchbox {

namespace detail {

template <class Size>
concept has_three_dimensions = requires(const Size& size) {
    size.x;
    size.y;
    size.z;
};

// An int would wrap at 2^31, and dim3 at 2^32: a grid of 2^32 + 1 blocks would be launched as one block.
template <std::integral Value>
constexpr std::int64_t kept(Value value)
{
    return std::in_range<std::int64_t>(value) ? static_cast<std::int64_t>(value)
                                              : std::numeric_limits<std::int64_t>::max();
}

}  // namespace detail

/// Blocks of a grid, threads of a block, or blocks of a cluster, in up to three dimensions. Any integer type, and dim3.
/// Negative and too large values are kept, so that an error can name them.
struct launch_extent {
    std::int64_t x = 1, y = 1, z = 1;

    constexpr launch_extent() = default;
    template <std::integral X, std::integral Y = int, std::integral Z = int>
    constexpr launch_extent(X in_x, Y in_y = 1, Z in_z = 1)
        : x(detail::kept(in_x)), y(detail::kept(in_y)), z(detail::kept(in_z))
    {
    }
    template <detail::has_three_dimensions Size>
        requires std::negation_v<std::is_same<Size, launch_extent>>
    constexpr launch_extent(const Size& size)  // dim3
        : x(detail::kept(size.x)), y(detail::kept(size.y)), z(detail::kept(size.z))
    {
    }

    /// x * y * z; not exact, but at least 2^20, if one of them is above 2^20.
    [[nodiscard]] constexpr std::int64_t count() const
    {
        constexpr std::int64_t bound = 1 << 20;
        return std::min(x, bound) * std::min(y, bound) * std::min(z, bound);
    }
    [[nodiscard]] constexpr bool is_positive() const { return x > 0 && y > 0 && z > 0; }
    friend constexpr bool operator==(const launch_extent&, const launch_extent&) = default;
};

/// A size in bytes, from any integer type: a list initialiser would refuse an int for a std::size_t and vice versa.
struct byte_count {
    std::int64_t bytes = 0;

    constexpr byte_count() = default;
    template <std::integral Bytes>
    constexpr byte_count(Bytes given) : bytes(detail::kept(given))
    {
    }
    friend constexpr bool operator==(const byte_count&, const byte_count&) = default;
};

}  // namespace launchbox
