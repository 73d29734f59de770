// launchbox: tables of rows, one for each architecture. Plain C++, no CUDA needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <span>
#include <type_traits>

#include <launchbox/detail/launch_box/table_rules.hpp>
#include <launchbox/tuning_row.hpp>

namespace launchbox {

/// Launch parameters with one row per architecture, in ascending order: `launch_box<sm<80, row{256, 11}>, sm<90,
/// row{256, 15, 2}>>`. Code uses the newest row that is not newer than the architecture it was compiled for. After the
/// row of an architecture there may be others for some GPUs: see on_gpus. A row that its architecture cannot hold, or
/// whose min_blocks ptxas would ignore, does not compile.
template <class... Rows>
struct launch_box : detail::table_rows<detail::have_type<Rows...>(), Rows...> {
    static constexpr bool is_strict = false;
    static constexpr bool is_valid = [] {
        if constexpr (detail::table_check<detail::find_table_error<Rows...>()>::fine)
            return detail::rows_fit<Rows...>();
        return false;
    }();
};

/// One row for every architecture.
template <auto Row>
struct only {
    using row_type = std::remove_cvref_t<decltype(Row)>;
    static constexpr std::array<compute_capability, 1> architectures{};  // 0.0: older than all others
    static constexpr std::array<std::span<const gpu_range>, 1> gpus{std::span<const gpu_range>{}};
    static constexpr std::array<row_type, 1> rows{Row};
    static constexpr bool is_strict = false;
    static constexpr bool is_valid = detail::table_check<detail::find_member_error<row_type>()>::fine;
};

/// The same table, but code for an architecture without a row of its own does not compile.
template <class Box>
struct strict : Box {
    static constexpr bool is_strict = true;
};

}  // namespace launchbox
