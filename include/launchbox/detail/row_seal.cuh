// launchbox: a row as the launch hands it to the kernel, which compares it with its own. Internal: include
// launch_box.cuh. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace launchbox::detail {

template <class Row>
concept is_comparable_by_bits = std::has_unique_object_representations_v<Row>;

template <class Row>
concept has_seal = is_comparable_by_bits<Row> || std::equality_comparable<Row>;

/// By value where bits do not tell, by its own operator==.
template <class Row>
struct row_seal {
    Row row;
    __device__ constexpr bool fits(const row_seal& other) const { return row == other.row; }
};

template <is_comparable_by_bits Row>
struct row_seal<Row> {
    using word = std::conditional_t<sizeof(Row) % 4 == 0, std::uint32_t, unsigned char>;
    static constexpr std::size_t count = sizeof(Row) / sizeof(word);
    word words[count];
    __device__ constexpr bool fits(const row_seal& other) const
    {
        bool equal = true;
        for (std::size_t i = 0; i < count; ++i) equal &= words[i] == other.words[i];
        return equal;
    }
};

template <class Row>
constexpr row_seal<Row> sealed(const Row& row)
{
    if constexpr (is_comparable_by_bits<Row>)
        return std::bit_cast<row_seal<Row>>(row);
    else
        return {row};
}

// For device code, which calls no constexpr function of the host.
template <auto Row>
consteval auto sealed_constant()
{
    return sealed(Row);
}

}  // namespace launchbox::detail
