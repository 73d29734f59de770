// launchbox: a row as the launch passes it to the kernel, which compares it with its own. Internal: include
// launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <launchbox/detail/launch_box/fnv.hpp>

namespace launchbox::detail {

template <class Row>
concept is_comparable_by_bits = std::has_unique_object_representations_v<Row>;

template <class Row>
concept has_seal = is_comparable_by_bits<Row> || std::equality_comparable<Row>;

/// A row that is passed by value and compared with its own operator==.
template <class Row>
struct whole_row {
    Row row;
};

/// What the launch passes for a row: a hash of its bits, or the row itself if equal rows can have different bits. The
/// hash keeps the row's type out of the kernel's name, since each letter costs a nanosecond at each launch.
template <class Row>
using row_seal = std::conditional_t<is_comparable_by_bits<Row>, std::uint64_t, whole_row<Row>>;

__device__ constexpr bool is_same_seal(std::uint64_t own, std::uint64_t of_launch)
{
    return own == of_launch;
}
template <class Row>
__device__ constexpr bool is_same_seal(const whole_row<Row>& own, const whole_row<Row>& of_launch)
{
    return own.row == of_launch.row;
}

template <class Row>
constexpr row_seal<Row> sealed(const Row& row)
{
    if constexpr (is_comparable_by_bits<Row>)
        return fnv1a(std::bit_cast<std::array<unsigned char, sizeof(Row)>>(row));
    else
        return {row};
}

// For device code, which cannot call constexpr host functions.
template <auto Row>
consteval auto sealed_constant()
{
    return sealed(Row);
}

}  // namespace launchbox::detail
