// launchbox: the fast query from a precomputed table, for programs that call it millions of times.
// SPDX-License-Identifier: Apache-2.0
//
//     const launchbox::residency_table table(launchbox::sm_90);
//     for (...) best = std::max(best, resident_blocks(table, kernel, shape) * shape.threads);
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include <launchbox/occupancy.hpp>

namespace launchbox {

/// All results of `resident_blocks` for one SM and one set of settings: 11 KB, filled in about 0.1 ms. A query is then
/// three look-ups and no division. Copies what it needs from `limits`.
class residency_table {
public:
    constexpr explicit residency_table(const sm_limits& limits, const launch_settings& settings = {})
        : limits_(limits),
          settings_(settings),
          rounding_(static_cast<std::uint64_t>(limits.reserved_shared_per_block + limits.shared_unit - 1)),
          unit_shift_(std::countr_zero(static_cast<unsigned>(limits.shared_unit))),
          max_cluster_(detail::max_cluster_of(limits, settings.mode, settings.non_portable_clusters))
    {
        const bool driver = settings.mode == model_mode::driver;
        if (driver && settings.max_dynamic_shared_bytes)
            max_dynamic_ = static_cast<std::uint64_t>(std::max<std::int64_t>(0, *settings.max_dynamic_shared_bytes));
        if (!driver) ignored_bound_ = unlimited;
        if ((!driver && !limits.spreadsheet) || settings.max_dynamic_shared_bytes.value_or(0) < 0) return;  // all 0
        fill_threads();
        fill_shared();
        for (unsigned barriers = 0; barriers < barrier_entries; ++barriers)
            by_barriers_[barriers] =
                narrow(detail::barrier_limit_of(limits, static_cast<int>(barriers), settings.mode).blocks);
    }

    /// Equal to `resident_blocks(limits, kernel, shape, settings)` in every case.
    friend constexpr int resident_blocks(const residency_table& table, const kernel_resources& kernel,
                                         const launch_shape& shape)
    {
        // As unsigned numbers, negative ones are too large as well. One branch, which valid queries never take.
        const auto registers = static_cast<unsigned>(kernel.registers);
        const unsigned thread = static_cast<unsigned>(shape.threads) - 1;
        const auto barriers = static_cast<unsigned>(kernel.barriers);
        const auto fixed = static_cast<std::uint64_t>(kernel.static_shared_bytes);
        const auto dynamic = static_cast<std::uint64_t>(shape.dynamic_shared_bytes);
        if ((registers >= rows) | (thread >= max_threads_per_block) | (barriers >= barrier_entries) |
            ((fixed | dynamic) >= too_many_bytes)) [[unlikely]]
            return resident_blocks(table.limits_, kernel, shape, table.settings_);

        const auto units = static_cast<unsigned>(fixed + dynamic + table.rounding_) >> table.unit_shift_;
        const int by_threads = table.by_threads_[registers * columns + thread / warp_size];
        const int by_shared = table.by_shared_[std::min(units, shared_entries - 1)];
        const int by_barriers = table.by_barriers_[barriers];
        const bool launchable = (shape.threads <= (kernel.max_threads | table.ignored_bound_)) &
                                (dynamic <= table.max_dynamic_) & (shape.cluster_blocks <= table.max_cluster_);
        const int blocks = std::min(std::min(by_threads, by_shared), by_barriers);
        return launchable ? blocks : 0;
    }

private:
    static constexpr unsigned rows = 257;    // registers 0 to 256
    static constexpr unsigned columns = 32;  // 1 to 32 warps
    static constexpr unsigned shared_entries = 228 * 1024 / 128 + 2;
    static constexpr unsigned barrier_entries = max_barriers_per_block + 1;
    static constexpr std::uint64_t too_many_bytes = 1 << 30;

    static constexpr std::uint8_t narrow(int blocks) { return static_cast<std::uint8_t>(std::min(blocks, 255)); }

    constexpr void fill_threads()
    {
        const int others = std::min(limits_.blocks_per_sm, detail::virtual_limit_of(limits_, settings_));
        for (unsigned registers = 0; registers < rows; ++registers)
            for (unsigned column = 0; column < columns; ++column) {
                const int warps = static_cast<int>(column) + 1;
                const register_limit by_registers =
                    detail::register_limit_of(limits_, static_cast<int>(registers), warps, settings_);
                const warp_limit by_warps =
                    detail::warp_limit_of(limits_, warps * warp_size, warps, by_registers.caching);
                by_threads_[registers * columns + column] =
                    narrow(std::min(others, std::min(by_registers.blocks, by_warps.blocks)));
            }
    }

    constexpr void fill_shared()
    {
        const int preferred = detail::preferred_shared(limits_, settings_);
        // With max_dynamic_shared_bytes set, a block that is not opted in stays below the plain maximum anyway.
        int maximum = limits_.reserved_shared_per_block +
                      (settings_.max_dynamic_shared_bytes ? limits_.shared_per_block_opt_in : limits_.shared_per_block);
        if (settings_.mode == model_mode::spreadsheet) maximum = preferred;
        by_shared_[0] = narrow(unlimited);
        for (unsigned units = 1; units < shared_entries; ++units) {
            const int allocated = static_cast<int>(units) * limits_.shared_unit;
            if (allocated > maximum) break;
            by_shared_[units] = narrow(detail::offered_shared(limits_, preferred, allocated) / allocated);
        }
    }

    sm_limits limits_;
    launch_settings settings_;
    std::uint64_t rounding_;
    int unit_shift_;
    int max_cluster_;        // at least 1
    int ignored_bound_ = 0;  // all bits set if launch bounds do not count
    std::uint64_t max_dynamic_ = too_many_bytes;
    std::array<std::uint8_t, std::size_t{rows} * columns> by_threads_{};
    std::array<std::uint8_t, shared_entries> by_shared_{};  // by allocation units; 0 above a block's maximum
    std::array<std::uint8_t, barrier_entries> by_barriers_{};
};

}  // namespace launchbox
