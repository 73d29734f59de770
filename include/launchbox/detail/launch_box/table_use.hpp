// launchbox: the row of a table for code of one architecture. Plain C++, no CUDA needed. Internal: include
// launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <span>

#include <launchbox/tuning_table.hpp>

namespace launchbox::detail {

#ifdef LAUNCHBOX_ROW
// A tuner compiles a candidate with LAUNCHBOX_ROW, which replaces every table of the unit. nvcc splits -D at commas,
// which therefore need a backslash: -DLAUNCHBOX_ROW='{256\,15\,2}'. The row is a variable, since nvcc 13.0 crashes on
// {.threads = 256} in the template argument.
template <class Row>
static constexpr Row given_row LAUNCHBOX_ROW;
template <class Box>
using box_in_use = only<given_row<typename Box::row_type>>;
#else
template <class Box>
using box_in_use = Box;
#endif

template <class Box>
constexpr row_places places_of()
{
    return {Box::architectures, Box::gpus};
}

/// Whether some rows of a table are only for some GPUs.
template <class Box>
constexpr bool has_rows_for_some_gpus()
{
    for (const std::span<const gpu_range> gpus : Box::gpus)
        if (!gpus.empty()) return true;
    return false;
}

/// The kind of a type that is used as a table.
enum class table_kind {
    none,
    by_architecture,  ///< launch_box, only, strict
    by_size
};

template <class Box>
constexpr table_kind kind_of_table()
{
    if constexpr (!requires {
                      typename Box::row_type;
                      Box::is_valid;
                  })
        return table_kind::none;
    else if constexpr (requires { Box::architectures; })
        return table_kind::by_architecture;
    else
        return table_kind::by_size;
}

/// Fails to compile for a type that is not a table.
template <class Box>
struct some_table {
    static constexpr table_kind kind = kind_of_table<Box>();
    static_assert(kind != table_kind::none,
                  "launch_box: this is neither a body, which has a 'tuning', nor a table such as launch_box<...>");
    static constexpr bool fine = [] {
        if constexpr (kind == table_kind::none)
            return false;
        else
            return Box::is_valid;
    }();
};

/// Fails to compile for anything but a single table with rows by architecture.
template <class Box>
struct one_table {
    static constexpr table_kind kind = some_table<Box>::kind;
    static_assert(kind != table_kind::by_size,
                  "launch_box: a __global__ function has one table, and by_size is several: give each size class a "
                  "function of its own, or write a body");
    static constexpr bool fine = [] {
        if constexpr (kind != table_kind::by_architecture)
            return false;
        else
            return Box::is_valid;
    }();
};

/// The row that functions return for an invalid table, for which the compiler has already printed its sentence.
template <class Tuning>
constexpr auto row_of_wrong_table()
{
    if constexpr (requires { typename Tuning::row_type; })
        return typename Tuning::row_type{};
    else
        return no_row{};
}

/// Fails to compile for a table with rows for some GPUs.
template <class Box>
struct table_of_function {
    static constexpr bool has_one_row = !has_rows_for_some_gpus<box_in_use<Box>>();
    static_assert(has_one_row,
                  "launch_box: a __global__ function has one row per architecture, but this table has rows for some "
                  "GPUs only (on_gpus); write a body, whose kernel is compiled with each of them");
};

template <class Box>
consteval bool function_has_table()
{
    if constexpr (one_table<Box>::fine)
        return table_of_function<Box>::has_one_row;
    else
        return false;
}

/// Fails to compile for an architecture without a row, or one that cannot hold its row. `row` is the row of the
/// variant; -1 if the architecture has no such variant.
template <class Box, compute_capability Code, std::size_t Variant = 0>
struct box_on_architecture {
    static constexpr int selected = Box::is_valid ? select_row(places_of<Box>(), Code) : -2;
    static_assert(selected != -1,
                  "launch_box: this code is compiled for an architecture older than every row of its table that is for "
                  "all GPUs; add a row for it, or take it off the -gencode list");
    static constexpr int row = selected < 0 ? -1 : select_row(places_of<Box>(), Code, Variant);
    static constexpr bool has_own = [] {
        if constexpr (selected < 0) return true;
        return Box::architectures[static_cast<std::size_t>(selected)].number() == Code.number();
    }();
    static_assert(!Box::is_strict || has_own,
                  "launch_box: this code is compiled for an architecture that has no row of its own, and the table is "
                  "strict; add the row, or take the architecture off the -gencode list");
    static constexpr bool fits = [] {
        if constexpr (row < 0)
            return false;
        else
            return row_on_architecture<figures_of(Box::rows[static_cast<std::size_t>(row)],
                                                  Box::architectures[static_cast<std::size_t>(row)]),
                                       Code>::fits;
    }();
};

}  // namespace launchbox::detail
