// launchbox: tables of rows: launch_box, only, strict. Plain C++, no CUDA needed. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>

#include <launchbox/detail/tuning_row.hpp>

namespace launchbox {

namespace detail {

template <class... Rows>
constexpr bool are_ascending()
{
    const std::array<int, sizeof...(Rows)> ranks{rank_of(Rows::architecture)...};
    for (std::size_t i = 1; i < ranks.size(); ++i)
        if (ranks[i - 1] >= ranks[i]) return false;
    return true;
}

// Each is said once, and nothing that follows from it.
template <class Row>
constexpr bool has_row_members()
{
    static_assert(has_threads<Row>,
                  "launch_box: the type of the rows has no member 'threads' (int, threads per block)");
    static_assert(has_items<Row>, "launch_box: the type of the rows has no member 'items' (int, items per thread)");
    static_assert(has_min_blocks<Row>,
                  "launch_box: the type of the rows has no member 'min_blocks' (int, wanted resident blocks on an SM; "
                  "'int min_blocks = 0;' for none)");
    return has_threads<Row> && has_items<Row> && has_min_blocks<Row>;
}

template <class... Rows>
constexpr bool rows_fit()
{
    return (row_on_architecture<figures_of(Rows::row, Rows::architecture), Rows::architecture>::fits && ...);
}

template <class First, class...>
struct first_of {
    using type = First;
};

template <class Row>
using row_type_of = std::remove_cvref_t<decltype(Row::row)>;

}  // namespace detail

/// Launch parameters with one row an architecture, in ascending order: `launch_box<sm<80, row{256, 11}>,
/// sm<90, row{256, 15, 2}>>`. Code uses the newest row that is not newer than what it was compiled for. A row that its
/// architecture cannot hold, or whose min_blocks ptxas would ignore, does not compile.
template <class... Rows>
struct launch_box {
    static_assert(sizeof...(Rows) > 0, "launch_box: give at least one row, such as sm<80, row{256, 11, 0}>");
};

template <class First, class... Others>
struct launch_box<First, Others...> {
    using row_type = detail::row_type_of<First>;
    static_assert((std::is_same_v<row_type, detail::row_type_of<Others>> && ...),
                  "launch_box: all rows of a box are of one type");
    static_assert(detail::are_ascending<First, Others...>(),
                  "launch_box: rows name architectures in strictly ascending order: sm<80>, sm<90>, sm_a<90>, sm<100>, "
                  "sm_f<100>, sm_a<100>");

    static constexpr std::array<compute_capability, 1 + sizeof...(Others)> architectures{First::architecture,
                                                                                         Others::architecture...};
    static constexpr std::array<row_type, 1 + sizeof...(Others)> rows{First::row, Others::row...};
    static constexpr bool is_strict = false;

    static constexpr bool is_valid = [] {
        if constexpr (detail::has_row_members<row_type>()) return detail::rows_fit<First, Others...>();
        return false;
    }();
};

/// One row for every architecture.
template <auto Row>
struct only {
    using row_type = std::remove_cvref_t<decltype(Row)>;
    static constexpr std::array<compute_capability, 1> architectures{};  // 0.0 is older than all
    static constexpr std::array<row_type, 1> rows{Row};
    static constexpr bool is_strict = false;
    static constexpr bool is_valid = detail::has_row_members<row_type>();
};

/// The same table, but code for an architecture that has no row of its own does not compile.
template <class Box>
struct strict : Box {
    static constexpr bool is_strict = true;
};

namespace detail {

#ifdef LAUNCHBOX_ROW
// The candidate of a tuner: it replaces every table of the unit. On nvcc's command line it is
// '-DLAUNCHBOX_ROW={256\,15\,2}': nvcc takes what follows a bare comma for the next macro.
// A variable, since nvcc 13.0 crashes on {.threads = 256} written into the argument.
template <class Row>
static constexpr Row given_row LAUNCHBOX_ROW;
template <class Box>
using box_in_use = only<given_row<typename Box::row_type>>;
#else
template <class Box>
using box_in_use = Box;
#endif

/// The row of a table for code that is compiled for `code`.
template <class Box>
constexpr typename Box::row_type row_in(const compute_capability& code)
{
    return Box::rows[static_cast<std::size_t>(select_row(Box::architectures, code))];
}

/// Not compiled for an architecture that the table has no row for, or whose row it cannot hold.
template <class Box, compute_capability Code>
struct box_on_architecture {
    static constexpr int selected = Box::is_valid ? select_row(Box::architectures, Code) : -2;
    static_assert(selected != -1,
                  "launch_box: this code is compiled for an architecture older than every row of its table; add a row "
                  "for it, or take it off the -gencode list");
    static constexpr bool has_own = [] {
        if constexpr (selected < 0) return true;
        return Box::architectures[static_cast<std::size_t>(selected)].number() == Code.number();
    }();
    static_assert(!Box::is_strict || has_own,
                  "launch_box: this code is compiled for an architecture that has no row of its own, and the table is "
                  "strict; add the row, or take the architecture off the -gencode list");
    static constexpr bool fits = [] {
        if constexpr (selected < 0)
            return false;
        else
            return row_on_architecture<
                figures_of(row_in<Box>(Code), Box::architectures[static_cast<std::size_t>(selected)]), Code>::fits;
    }();
};

}  // namespace detail
}  // namespace launchbox
