// launchbox: which of several rows code for an architecture uses, and whether that architecture can hold it. Plain C++,
// no CUDA needed. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>

#include <launchbox/launch_bounds.hpp>
#include <launchbox/occupancy.hpp>
#include <launchbox/sm_limits.hpp>
#include <launchbox/tuning_row.hpp>

namespace launchbox::detail {

// For the order 90, 90a, 100, 100f, 100a: plain, then the family, then the single chip.
constexpr int rank_of(const compute_capability& architecture)
{
    const int variant = architecture.variant == architecture_variant::plain    ? 0
                        : architecture.variant == architecture_variant::family ? 1
                                                                               : 2;
    return architecture.number() * 4 + variant;
}

/// Whether code for `code` can use the row of `row`: a plain row serves its own and all later architectures.
constexpr bool serves(const compute_capability& row, const compute_capability& code)
{
    switch (row.variant) {
        case architecture_variant::plain:
            return row.number() <= code.number();
        case architecture_variant::family:
            return code.variant != architecture_variant::plain && row.major == code.major && row.minor <= code.minor;
        case architecture_variant::accelerated:
            return code == row;
    }
    return false;
}

/// The architecture and the GPUs of each row, in the order of the table. A row without ranges is for every GPU.
struct row_places {
    std::span<const compute_capability> architectures;
    std::span<const std::span<const gpu_range>> gpus;
};

/// The place in the table of a variant for `code`; -1 if there is none. Variant 0 is the newest row for all GPUs that
/// serves the code, the last resort; the rows after it that also serve the code are variants 1, 2 and so on. A kernel
/// is compiled once for each variant.
constexpr int select_row(const row_places& rows, const compute_capability& code, std::size_t variant = 0)
{
    std::size_t last_resort = rows.architectures.size();
    for (std::size_t i = rows.architectures.size(); i-- > 0 && last_resort == rows.architectures.size();)
        if (rows.gpus[i].empty() && serves(rows.architectures[i], code)) last_resort = i;
    for (std::size_t i = last_resort; i < rows.architectures.size(); ++i)
        if (serves(rows.architectures[i], code) && variant-- == 0) return static_cast<int>(i);
    return -1;
}

/// How many variants the code has; 0 if there is not even a last resort.
constexpr std::size_t count_variants(const row_places& rows, const compute_capability& code)
{
    std::size_t count = 0;
    while (select_row(rows, code, count) >= 0) ++count;
    return count;
}

/// Properties of the current GPU.
struct gpu_properties {
    std::int64_t sms = 0, l2_bytes = 0, memory_bytes = 0, memory_gb_per_second = 0;
};

constexpr bool holds(const gpu_range& range, const gpu_properties& gpu)
{
    return range.min_sms <= gpu.sms && gpu.sms <= range.max_sms && range.min_l2_bytes <= gpu.l2_bytes &&
           gpu.l2_bytes <= range.max_l2_bytes && range.min_memory_bytes <= gpu.memory_bytes &&
           gpu.memory_bytes <= range.max_memory_bytes && range.min_memory_gb_per_second <= gpu.memory_gb_per_second &&
           gpu.memory_gb_per_second <= range.max_memory_gb_per_second;
}

constexpr bool holds(std::span<const gpu_range> ranges, const gpu_properties& gpu)
{
    for (const gpu_range& range : ranges)
        if (holds(range, gpu)) return true;
    return ranges.empty();
}

/// Chooses the variant for a GPU: the newest row that applies to it. Rows of one architecture never apply to the same
/// GPU.
constexpr std::size_t select_variant(const row_places& rows, const compute_capability& code, const gpu_properties& gpu)
{
    std::size_t variant = count_variants(rows, code);
    while (variant > 1 && !holds(rows.gpus[static_cast<std::size_t>(select_row(rows, code, variant - 1))], gpu))
        --variant;
    return variant - (variant > 0 ? 1 : 0);
}

constexpr bool is_empty(const gpu_range& range)
{
    return range.min_sms > range.max_sms || range.min_l2_bytes > range.max_l2_bytes ||
           range.min_memory_bytes > range.max_memory_bytes ||
           range.min_memory_gb_per_second > range.max_memory_gb_per_second;
}

constexpr bool overlap(const gpu_range& one, const gpu_range& other)
{
    return one.min_sms <= other.max_sms && other.min_sms <= one.max_sms && one.min_l2_bytes <= other.max_l2_bytes &&
           other.min_l2_bytes <= one.max_l2_bytes && one.min_memory_bytes <= other.max_memory_bytes &&
           other.min_memory_bytes <= one.max_memory_bytes &&
           one.min_memory_gb_per_second <= other.max_memory_gb_per_second &&
           other.min_memory_gb_per_second <= one.max_memory_gb_per_second;
}

constexpr bool overlap(std::span<const gpu_range> some, std::span<const gpu_range> others)
{
    for (const gpu_range& one : some)
        for (const gpu_range& other : others)
            if (overlap(one, other)) return true;
    return false;
}

template <class Row>
concept has_threads = requires(const Row& row) {
    {
        row.threads
    } -> std::convertible_to<int>;
};
template <class Row>
concept has_items = requires(const Row& row) {
    {
        row.items
    } -> std::convertible_to<int>;
};
template <class Row>
concept has_min_blocks = requires(const Row& row) {
    {
        row.min_blocks
    } -> std::convertible_to<int>;
};

/// Dynamic shared memory of a block, in bytes: the row's member or function; 0 if it has none.
template <class Row>
constexpr std::int64_t dynamic_shared_bytes_of(const Row& row)
{
    if constexpr (requires { row.dynamic_shared_bytes(); })
        return static_cast<std::int64_t>(row.dynamic_shared_bytes());
    else if constexpr (requires { row.dynamic_shared_bytes; })
        return static_cast<std::int64_t>(row.dynamic_shared_bytes);
    else
        return 0;
}

/// Elements that a block takes: the row's member or function, or threads * items.
template <class Row>
constexpr std::int64_t tile_of(const Row& row)
{
    if constexpr (requires { row.tile(); })
        return static_cast<std::int64_t>(row.tile());
    else if constexpr (requires { row.tile; })
        return static_cast<std::int64_t>(row.tile);
    else
        return static_cast<std::int64_t>(row.threads) * static_cast<std::int64_t>(row.items);
}

/// The figures that every row has, whatever else its type contains.
struct row_figures {
    compute_capability architecture = {};
    int threads = 0;
    int items = 0;
    int min_blocks = 0;
    std::int64_t dynamic_shared_bytes = 0;  ///< of a block
    std::int64_t tile = 0;                  ///< elements that a block takes

    friend constexpr bool operator==(const row_figures&, const row_figures&) = default;
};

template <class Row>
constexpr row_figures figures_of(const Row& row, const compute_capability& architecture)
{
    return {.architecture = architecture,
            .threads = static_cast<int>(row.threads),
            .items = static_cast<int>(row.items),
            .min_blocks = static_cast<int>(row.min_blocks),
            .dynamic_shared_bytes = dynamic_shared_bytes_of(row),
            .tile = tile_of(row)};
}

/// What is wrong with a row on an architecture; the first that applies.
enum class row_error {
    none,
    unknown_architecture,
    threads,               ///< not 1 to 1,024
    items,                 ///< less than 1
    tile,                  ///< less than 1
    negative,              ///< min_blocks or shared memory
    threads_of_sm,         ///< more than the SM has
    min_blocks_dropped,    ///< ptxas would ignore it
    shared_of_block,       ///< more than a block can have
    shared_of_min_blocks,  ///< min_blocks blocks need more than the SM has
};

/// Uses the occupancy model. Registers and static shared memory are not known yet and count as 0.
constexpr row_error find_row_error(const row_figures& row, const compute_capability& code)
{
    const std::size_t place = place_of_sm_limits(code);
    if (place == sm_limits_table.size()) return row_error::unknown_architecture;
    const sm_limits& limits = sm_limits_table[place];
    if (row.threads < 1 || row.threads > max_threads_per_block) return row_error::threads;
    if (row.items < 1) return row_error::items;
    if (row.tile < 1) return row_error::tile;
    if (row.min_blocks < 0 || row.dynamic_shared_bytes < 0) return row_error::negative;
    switch (check_launch_bounds(limits, row.threads, row.min_blocks)) {
        case launch_bounds_verdict::honoured:
            break;
        case launch_bounds_verdict::too_many_threads:
            return row_error::threads_of_sm;
        default:
            return row_error::min_blocks_dropped;
    }
    if (row.dynamic_shared_bytes > limits.shared_per_block_opt_in) return row_error::shared_of_block;
    const launch_shape shape{.threads = row.threads, .dynamic_shared_bytes = row.dynamic_shared_bytes};
    const launch_settings settings{.max_dynamic_shared_bytes = limits.shared_per_block_opt_in};
    if (resident_blocks(limits, {}, shape, settings) < row.min_blocks) return row_error::shared_of_min_blocks;
    return row_error::none;
}

/// Fails to compile for an invalid row. Compilers print the name of this template, and with it the row.
template <row_figures Row, compute_capability Code>
struct row_on_architecture {
    static constexpr row_error error = find_row_error(Row, Code);
    static_assert(
        error != row_error::unknown_architecture,
        "launch_box: launchbox has no limits for the architecture of this row; is it written as sm<90, ...>?");
    static_assert(error != row_error::threads, "launch_box: a row has 1 to 1,024 threads");
    static_assert(error != row_error::items, "launch_box: a row has 1 item per thread or more");
    static_assert(error != row_error::tile, "launch_box: the tile of a row is 1 element or more");
    static_assert(error != row_error::negative,
                  "launch_box: min_blocks and dynamic_shared_bytes of a row are 0 or more");
    static_assert(error != row_error::threads_of_sm,
                  "launch_box: an SM of this architecture has fewer threads than this row; give the architecture a row "
                  "with fewer");
    static_assert(error != row_error::min_blocks_dropped,
                  "launch_box: ptxas would ignore min_blocks: that many blocks exceed the block or warp slots of an SM "
                  "of this architecture; give the architecture a row with a smaller min_blocks");
    static_assert(error != row_error::shared_of_block,
                  "launch_box: a block of this architecture cannot have as much dynamic shared memory as this row; "
                  "give the architecture a row with less");
    static_assert(error != row_error::shared_of_min_blocks,
                  "launch_box: min_blocks blocks of this row need more shared memory than an SM of this architecture "
                  "has, so that registers would be capped for nothing; give the architecture a row with fewer blocks");
    static constexpr bool fits = error == row_error::none;
};

}  // namespace launchbox::detail
