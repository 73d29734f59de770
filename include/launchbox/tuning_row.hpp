// launchbox: rows of launch parameters, each for an architecture, and their scaling to other element sizes. Plain C++,
// no CUDA needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>

#include <launchbox/compute_capability.hpp>

namespace launchbox {

/// A set of GPUs, by their properties and not their names: each property lies between its minimum and its maximum, both
/// inclusive. A property that is left out may have any value.
struct gpu_range {
    std::int64_t min_sms = 0, max_sms = std::numeric_limits<std::int64_t>::max();
    std::int64_t min_l2_bytes = 0, max_l2_bytes = std::numeric_limits<std::int64_t>::max();
    std::int64_t min_memory_bytes = 0, max_memory_bytes = std::numeric_limits<std::int64_t>::max();
    /// In 10^9 B/s, from the highest memory clock and the bus width that the driver reports: 3352 for an H100.
    std::int64_t min_memory_gb_per_second = 0;
    std::int64_t max_memory_gb_per_second = std::numeric_limits<std::int64_t>::max();

    friend constexpr bool operator==(const gpu_range&, const gpu_range&) = default;
};

/// A GPU on which the rows of a table were measured; launchbox emit writes them. The name is only shown: GPUs are
/// recognised by the other figures.
struct measured_gpu {
    const char* name;
    int architecture;  ///< 90 for sm_90
    int sms;
    std::int64_t memory_bytes, l2_bytes;    ///< 0: not known
    std::int64_t memory_gb_per_second = 0;  ///< set if a range of the table uses it
};

/// The row for code compiled for compute capability `Number` / 10 and for later ones, up to the next row. `Row` is any
/// structural aggregate with the members `threads` (per block), `items` (per thread) and `min_blocks` (wanted resident
/// blocks on an SM; 0: not given), and any others.
template <int Number, auto Row>
struct sm {
    static constexpr compute_capability architecture{.major = Number / 10, .minor = Number % 10};
    static constexpr auto row = Row;
};

/// The row for `sm_90a` and similar architectures: code for exactly this chip.
template <int Number, auto Row>
struct sm_a {
    static constexpr compute_capability architecture{
        .major = Number / 10, .minor = Number % 10, .variant = architecture_variant::accelerated};
    static constexpr auto row = Row;
};

/// The row for `sm_100f` and similar architectures: code for this chip and the later ones of its family, including
/// `sm_103f` and `sm_103a`.
template <int Number, auto Row>
struct sm_f {
    static constexpr compute_capability architecture{
        .major = Number / 10, .minor = Number % 10, .variant = architecture_variant::family};
    static constexpr auto row = Row;
};

/// A row only for some GPUs of its architecture: those in one of the ranges. It comes after the row without ranges,
/// which is used if no such row matches the current GPU: `launch_box<sm<90, row{256, 15}>, on_gpus<sm<90, row{512,
/// 11}>, gpu_range{.min_memory_bytes = 110'000'000'000}>>`.
template <class Row, gpu_range... Gpus>
struct on_gpus : Row {
    static constexpr std::array<gpu_range, sizeof...(Gpus)> gpus{Gpus...};
};

namespace detail {

/// The items for elements of another size, with the same bytes per thread: `items` * from / to, rounded down to an odd
/// number, at least 1; unchanged for the same size. Odd, because threads that are an odd number of words apart access
/// different banks of shared memory.
constexpr int scaled_items(int items, std::int64_t from_bytes, std::int64_t to_bytes)
{
    if (from_bytes == to_bytes) return items;
    const std::int64_t scaled = items * from_bytes / (to_bytes < 1 ? 1 : to_bytes);
    return scaled < 1 ? 1 : static_cast<int>(scaled % 2 == 0 ? scaled - 1 : scaled);
}

}  // namespace detail

/// `row`, which is for elements of `from_bytes`, scaled to elements of `to_bytes`: the same bytes per thread, with
/// `items` odd and at least 1. If `Row::fitting_items(items)` exists, it turns that number into one that fits.
template <class Row>
constexpr Row scaled(Row row, std::int64_t from_bytes, std::int64_t to_bytes)
{
    static_assert(
        !requires { row.tile + 0; },
        "scaled: the tile of this row is a member, which would stay as it is; make it a function of items");
    int items = detail::scaled_items(static_cast<int>(row.items), from_bytes, to_bytes);
    if constexpr (requires { Row::fitting_items(items); })
        if (from_bytes != to_bytes) items = Row::fitting_items(items);
    row.items = static_cast<decltype(row.items)>(items);
    return row;
}

}  // namespace launchbox
