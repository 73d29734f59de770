// launchbox: the limits of one SM, one row per compute capability.
// SPDX-License-Identifier: Apache-2.0
//
// Where the figures come from (docs/limits.md names the source of every cell, and where sources disagree):
//   threads, blocks, registers, shared memory
//       7.5-12.1  CUDA Programming Guide 13.x, "Compute Capabilities", tables 30-32, and CCCL's arch_traits; the
//                 threads, blocks and registers of every target of nvcc 13.0 also follow from ptxas itself
//       5.0-7.2   the same guide for CUDA 11
//       2.0-3.7   CUDA_Occupancy_Calculator.xls 11.1 and the CUDA 7.0 toolkit
//   dimensions of blocks and grids
//       the same guides; for 2.x the guide for CUDA 8
//   register and shared memory units, sub-partitions, valid shared memory configurations, barriers
//       cuda_occupancy.h: 3.0-12.1 of CUDA 13.0; 2.x of CUDA 7.0; 10.7 of CUDA 13.4 and 13.5
//   10.7: threads, blocks and registers follow from ptxas 13.5; no other source is public
//   clusters      measured on an H200 for 9.0; public reports for 10.0 and 10.1; unknown where none is published
// Row 9.0 is confirmed by the CUDA runtime on an H200 in every column that the runtime exposes.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>

#include <launchbox/compute_capability.hpp>

namespace launchbox {

/// Threads in a warp, on every compute capability.
inline constexpr int warp_size = 32;

/// Threads that one block can have, on every compute capability from 2.0 on.
inline constexpr int max_threads_per_block = 1024;

/// Threads that one block can have in x, y and z, on every compute capability from 2.0 on.
inline constexpr std::array<int, 3> max_block_dimensions{1024, 1024, 64};

/// Blocks that one grid can have in x, y and z.
[[nodiscard]] constexpr std::array<int, 3> max_grid_dimensions(compute_capability capability)
{
    return {capability.major >= 3 ? 2147483647 : 65535, 65535, 65535};
}

/// Named barriers that one block can use (`bar.sync 0` to `bar.sync 15`).
inline constexpr int max_barriers_per_block = 16;

/// The sizes to which the shared memory of an SM can be set, in bytes, ascending. A single size cannot be changed.
struct shared_configurations {
    std::array<int, 11> bytes{};
    int count = 0;

    [[nodiscard]] constexpr std::span<const int> sizes() const
    {
        return {bytes.data(), static_cast<std::size_t>(count)};
    }
    friend constexpr bool operator==(const shared_configurations&, const shared_configurations&) = default;
};

/// Values in the table of NVIDIA's retired spreadsheet (CUDA_Occupancy_Calculator.xls 11.1) that differ from the
/// hardware, or that only the sheet uses.
struct spreadsheet_limits {
    int registers_per_block = 65536;
    int warp_granularity = 4;  ///< the warps that fit by registers are rounded down to a multiple of this

    friend constexpr bool operator==(const spreadsheet_limits&, const spreadsheet_limits&) = default;
};

/// The limits of one SM. Sizes are bytes, registers are 32-bit. A value without a public source is `nullopt`.
struct sm_limits {
    compute_capability capability = {};
    int threads_per_sm = 0;
    int blocks_per_sm = 0;
    int registers_per_sm = 0;
    int registers_per_block = 0;   ///< the most that one block can have at launch
    int registers_per_thread = 0;  ///< the most that the compiler can assign: 63 or 255
    int launchable_registers = 0;  ///< accepted by a launch per thread: 256 from 7.0 on, where setmaxnreg can reach it
    int register_unit = 0;         ///< registers are allocated to a warp in multiples of this
    int sub_partitions = 0;        ///< warp schedulers, each with its share of the registers
    int shared_per_sm = 0;
    int shared_per_block = 49152;         ///< without opting in to more
    int shared_per_block_opt_in = 49152;  ///< after cudaFuncSetAttribute(MaxDynamicSharedMemorySize)
    int reserved_shared_per_block = 0;    ///< reserved by the system for every resident block
    int shared_unit = 0;                  ///< shared memory is allocated to a block in multiples of this
    shared_configurations shared_sizes = {};
    std::optional<int> barriers_per_sm = std::nullopt;  ///< counted by the hardware from 9.0 on; before, not a limit
    /// Blocks in a cluster, without and with cudaFuncAttributeNonPortableClusterSizeAllowed. 0: there are no clusters.
    std::optional<int> portable_cluster = 0;
    std::optional<int> non_portable_cluster = 0;
    bool partitioned_global_caching = false;  ///< global loads cached per half SM (5.2, 5.3, 6.1, 6.2)
    int virtual_resources_per_sm = 0;         ///< from 10.0 on, in cuda_occupancy.h; not documented by NVIDIA
    std::optional<spreadsheet_limits> spreadsheet =
        std::nullopt;  ///< nullopt: the sheet has no row for this compute capability

    [[nodiscard]] constexpr int warps_per_sm() const
    {
        return static_cast<int>(static_cast<unsigned>(threads_per_sm) / warp_size);
    }

    friend constexpr bool operator==(const sm_limits&, const sm_limits&) = default;
};

namespace detail {

constexpr int kib(int value)
{
    return value * 1024;
}

template <class... Size>
constexpr shared_configurations configurations(Size... size_in_kib)
{
    return {{kib(size_in_kib)...}, sizeof...(size_in_kib)};
}

inline constexpr auto fermi_sizes = configurations(16, 48);
inline constexpr auto kepler_sizes = configurations(16, 32, 48);
inline constexpr auto volta_sizes = configurations(0, 8, 16, 32, 64, 96);
inline constexpr auto ga10x_sizes = configurations(0, 8, 16, 32, 64, 100);
inline constexpr auto ga100_sizes = configurations(0, 8, 16, 32, 64, 100, 132, 164);
inline constexpr auto hopper_sizes = configurations(0, 8, 16, 32, 64, 100, 132, 164, 196, 228);

// The common row of each generation; the table below states how chips differ from it.
inline constexpr sm_limits fermi{
    .threads_per_sm = 1536,
    .blocks_per_sm = 8,
    .registers_per_sm = 32768,
    .registers_per_block = 32768,
    .registers_per_thread = 63,
    .launchable_registers = 63,
    .register_unit = 64,
    .sub_partitions = 2,
    .shared_per_sm = kib(48),
    .shared_unit = 128,
    .shared_sizes = fermi_sizes,
    .spreadsheet = spreadsheet_limits{.registers_per_block = 32768, .warp_granularity = 2}};

inline constexpr sm_limits kepler{.threads_per_sm = 2048,
                                  .blocks_per_sm = 16,
                                  .registers_per_sm = 65536,
                                  .registers_per_block = 65536,
                                  .registers_per_thread = 255,
                                  .launchable_registers = 255,
                                  .register_unit = 256,
                                  .sub_partitions = 4,
                                  .shared_per_sm = kib(48),
                                  .shared_unit = 256,
                                  .shared_sizes = kepler_sizes,
                                  .spreadsheet = spreadsheet_limits{}};

inline constexpr sm_limits maxwell{.threads_per_sm = 2048,
                                   .blocks_per_sm = 32,
                                   .registers_per_sm = 65536,
                                   .registers_per_block = 65536,
                                   .registers_per_thread = 255,
                                   .launchable_registers = 255,
                                   .register_unit = 256,
                                   .sub_partitions = 4,
                                   .shared_per_sm = kib(64),
                                   .shared_unit = 256,
                                   .shared_sizes = configurations(64),
                                   .spreadsheet = spreadsheet_limits{}};

inline constexpr sm_limits volta{.threads_per_sm = 2048,
                                 .blocks_per_sm = 32,
                                 .registers_per_sm = 65536,
                                 .registers_per_block = 65536,
                                 .registers_per_thread = 255,
                                 .launchable_registers = 256,
                                 .register_unit = 256,
                                 .sub_partitions = 4,
                                 .shared_per_sm = kib(96),
                                 .shared_per_block_opt_in = kib(96),
                                 .shared_unit = 256,
                                 .shared_sizes = volta_sizes};

inline constexpr sm_limits ga100{.threads_per_sm = 2048,
                                 .blocks_per_sm = 32,
                                 .registers_per_sm = 65536,
                                 .registers_per_block = 65536,
                                 .registers_per_thread = 255,
                                 .launchable_registers = 256,
                                 .register_unit = 256,
                                 .sub_partitions = 4,
                                 .shared_per_sm = kib(164),
                                 .shared_per_block_opt_in = kib(163),
                                 .reserved_shared_per_block = kib(1),
                                 .shared_unit = 128,
                                 .shared_sizes = ga100_sizes};

inline constexpr sm_limits ga10x{.threads_per_sm = 1536,
                                 .blocks_per_sm = 16,
                                 .registers_per_sm = 65536,
                                 .registers_per_block = 65536,
                                 .registers_per_thread = 255,
                                 .launchable_registers = 256,
                                 .register_unit = 256,
                                 .sub_partitions = 4,
                                 .shared_per_sm = kib(100),
                                 .shared_per_block_opt_in = kib(99),
                                 .reserved_shared_per_block = kib(1),
                                 .shared_unit = 128,
                                 .shared_sizes = ga10x_sizes};

inline constexpr sm_limits hopper{.threads_per_sm = 2048,
                                  .blocks_per_sm = 32,
                                  .registers_per_sm = 65536,
                                  .registers_per_block = 65536,
                                  .registers_per_thread = 255,
                                  .launchable_registers = 256,
                                  .register_unit = 256,
                                  .sub_partitions = 4,
                                  .shared_per_sm = kib(228),
                                  .shared_per_block_opt_in = kib(227),
                                  .reserved_shared_per_block = kib(1),
                                  .shared_unit = 128,
                                  .shared_sizes = hopper_sizes,
                                  .barriers_per_sm = 64,
                                  .portable_cluster = 8,
                                  .non_portable_cluster = std::nullopt};

inline constexpr sm_limits blackwell_consumer{.threads_per_sm = 1536,
                                              .blocks_per_sm = 24,
                                              .registers_per_sm = 65536,
                                              .registers_per_block = 65536,
                                              .registers_per_thread = 255,
                                              .launchable_registers = 256,
                                              .register_unit = 256,
                                              .sub_partitions = 4,
                                              .shared_per_sm = kib(100),
                                              .shared_per_block_opt_in = kib(99),
                                              .reserved_shared_per_block = kib(1),
                                              .shared_unit = 128,
                                              .shared_sizes = ga10x_sizes,
                                              .barriers_per_sm = 24,
                                              .portable_cluster = 8,
                                              .non_portable_cluster = std::nullopt,
                                              .virtual_resources_per_sm = 128};

template <class Change>
constexpr sm_limits row(sm_limits base, int major, int minor, Change change)
{
    base.capability = {major, minor};
    change(base);
    return base;
}
constexpr sm_limits row(sm_limits base, int major, int minor)
{
    return row(base, major, minor, [](sm_limits&) {});
}

constexpr void jetson_thor(sm_limits& l)  // 10.1, which CUDA 13 renamed 11.0
{
    l.threads_per_sm = 1536;
    l.blocks_per_sm = 24;
    l.barriers_per_sm = 24;
    l.non_portable_cluster = 8;
    l.virtual_resources_per_sm = 128;
}
}  // namespace detail

/// Every known compute capability, ascending. A new chip is one row here.
inline constexpr std::array sm_limits_table{
    detail::row(detail::fermi, 2, 0),
    detail::row(detail::fermi, 2, 1),
    detail::row(detail::kepler, 3, 0, [](sm_limits& l) { l.registers_per_thread = l.launchable_registers = 63; }),
    detail::row(detail::kepler, 3, 2, [](sm_limits& l) { l.registers_per_block = 32768; }),
    detail::row(detail::kepler, 3, 5),
    detail::row(detail::kepler, 3, 7,
                [](sm_limits& l) {
                    l.registers_per_sm = 131072;
                    l.shared_per_sm = detail::kib(112);
                    l.shared_sizes = detail::configurations(80, 96, 112);
                }),
    detail::row(detail::maxwell, 5, 0),
    detail::row(detail::maxwell, 5, 2,
                [](sm_limits& l) {
                    l.shared_per_sm = detail::kib(96);
                    l.shared_sizes = detail::configurations(96);
                    l.partitioned_global_caching = true;
                    l.spreadsheet = spreadsheet_limits{.registers_per_block = 32768, .warp_granularity = 2};
                }),
    detail::row(detail::maxwell, 5, 3,
                [](sm_limits& l) {
                    l.registers_per_block = 32768;
                    l.partitioned_global_caching = true;
                    l.spreadsheet = spreadsheet_limits{.registers_per_block = 32768, .warp_granularity = 2};
                }),
    detail::row(detail::maxwell, 6, 0,
                [](sm_limits& l) {
                    l.sub_partitions = 2;
                    l.spreadsheet = spreadsheet_limits{.warp_granularity = 2};
                }),
    detail::row(detail::maxwell, 6, 1,
                [](sm_limits& l) {
                    l.shared_per_sm = detail::kib(96);
                    l.shared_sizes = detail::configurations(96);
                    l.partitioned_global_caching = true;
                }),
    detail::row(detail::maxwell, 6, 2,
                [](sm_limits& l) {
                    l.registers_per_block = 32768;
                    l.partitioned_global_caching = true;
                }),
    detail::row(detail::volta, 7, 0, [](sm_limits& l) { l.spreadsheet = spreadsheet_limits{}; }),
    detail::row(detail::volta, 7, 2),
    detail::row(detail::volta, 7, 5,
                [](sm_limits& l) {
                    l.threads_per_sm = 1024;
                    l.blocks_per_sm = 16;
                    l.shared_per_sm = detail::kib(64);
                    l.shared_per_block_opt_in = detail::kib(64);
                    l.shared_sizes = detail::configurations(32, 64);
                    l.spreadsheet = spreadsheet_limits{};
                }),
    detail::row(detail::ga100, 8, 0, [](sm_limits& l) { l.spreadsheet = spreadsheet_limits{}; }),
    detail::row(detail::ga10x, 8, 6, [](sm_limits& l) { l.spreadsheet = spreadsheet_limits{}; }),
    detail::row(detail::ga100, 8, 7,
                [](sm_limits& l) {
                    l.threads_per_sm = 1536;
                    l.blocks_per_sm = 16;
                }),
    detail::row(detail::ga10x, 8, 8),
    detail::row(detail::ga10x, 8, 9, [](sm_limits& l) { l.blocks_per_sm = 24; }),
    detail::row(detail::hopper, 9, 0, [](sm_limits& l) { l.non_portable_cluster = 16; }),
    detail::row(detail::hopper, 10, 0,
                [](sm_limits& l) {
                    l.non_portable_cluster = 16;
                    l.virtual_resources_per_sm = 128;
                }),
    detail::row(detail::hopper, 10, 1, detail::jetson_thor),
    detail::row(detail::hopper, 10, 3, [](sm_limits& l) { l.virtual_resources_per_sm = 128; }),
    detail::row(detail::hopper, 10, 7,
                [](sm_limits& l) {
                    l.threads_per_sm = 1024;
                    l.blocks_per_sm = 16;
                    l.shared_per_sm = detail::kib(328);
                    l.shared_sizes = detail::configurations(0, 8, 16, 32, 64, 100, 132, 164, 196, 228, 328);
                    l.barriers_per_sm = 16;
                    l.virtual_resources_per_sm = 128;
                }),
    detail::row(detail::hopper, 11, 0, detail::jetson_thor),
    detail::row(detail::blackwell_consumer, 12, 0),
    detail::row(detail::blackwell_consumer, 12, 1),
};

namespace detail {

/// The index of a compute capability's row, or the number of rows. For constant expressions, in which GCC cannot
/// compare the address of a row with null under -fsanitize=undefined.
constexpr std::size_t place_of_sm_limits(const compute_capability& capability)
{
    std::size_t place = 0;
    for (; place < sm_limits_table.size(); ++place) {
        const compute_capability& known = sm_limits_table[place].capability;
        if (known.major == capability.major && known.minor == capability.minor) break;
    }
    return place;
}

}  // namespace detail

/// The row of a compute capability; null if there is none. There is no fallback to a similar chip, since limits change
/// even within a generation (8.0 to 8.6, 10.0 to 10.1).
constexpr const sm_limits* find_sm_limits(const compute_capability& capability)
{
    const std::size_t place = detail::place_of_sm_limits(capability);
    return place < sm_limits_table.size() ? &sm_limits_table[place] : nullptr;
}

/// @name The rows by name, for code that knows its architecture: `resident_blocks(sm_90, kernel, shape)`.
///@{
inline constexpr const sm_limits& sm_20 = *find_sm_limits({2, 0});
inline constexpr const sm_limits& sm_21 = *find_sm_limits({2, 1});
inline constexpr const sm_limits& sm_30 = *find_sm_limits({3, 0});
inline constexpr const sm_limits& sm_32 = *find_sm_limits({3, 2});
inline constexpr const sm_limits& sm_35 = *find_sm_limits({3, 5});
inline constexpr const sm_limits& sm_37 = *find_sm_limits({3, 7});
inline constexpr const sm_limits& sm_50 = *find_sm_limits({5, 0});
inline constexpr const sm_limits& sm_52 = *find_sm_limits({5, 2});
inline constexpr const sm_limits& sm_53 = *find_sm_limits({5, 3});
inline constexpr const sm_limits& sm_60 = *find_sm_limits({6, 0});
inline constexpr const sm_limits& sm_61 = *find_sm_limits({6, 1});
inline constexpr const sm_limits& sm_62 = *find_sm_limits({6, 2});
inline constexpr const sm_limits& sm_70 = *find_sm_limits({7, 0});
inline constexpr const sm_limits& sm_72 = *find_sm_limits({7, 2});
inline constexpr const sm_limits& sm_75 = *find_sm_limits({7, 5});
inline constexpr const sm_limits& sm_80 = *find_sm_limits({8, 0});
inline constexpr const sm_limits& sm_86 = *find_sm_limits({8, 6});
inline constexpr const sm_limits& sm_87 = *find_sm_limits({8, 7});
inline constexpr const sm_limits& sm_88 = *find_sm_limits({8, 8});
inline constexpr const sm_limits& sm_89 = *find_sm_limits({8, 9});
inline constexpr const sm_limits& sm_90 = *find_sm_limits({9, 0});
inline constexpr const sm_limits& sm_100 = *find_sm_limits({10, 0});
inline constexpr const sm_limits& sm_101 = *find_sm_limits({10, 1});
inline constexpr const sm_limits& sm_103 = *find_sm_limits({10, 3});
inline constexpr const sm_limits& sm_107 = *find_sm_limits({10, 7});
inline constexpr const sm_limits& sm_110 = *find_sm_limits({11, 0});
inline constexpr const sm_limits& sm_120 = *find_sm_limits({12, 0});
inline constexpr const sm_limits& sm_121 = *find_sm_limits({12, 1});
///@}

}  // namespace launchbox
