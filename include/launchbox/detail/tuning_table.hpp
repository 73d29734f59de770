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

template <class Type>
concept is_row = requires
{
    Type::architecture;
    Type::row;
};

template <class Row>
using row_type_of = std::remove_cvref_t<decltype(Row::row)>;

template <class First, class... Others>
constexpr bool are_of_one_type()
{
    return (std::is_same_v<row_type_of<First>, row_type_of<Others>> && ...);
}

/// What is wrong with a table, whatever it is compiled for; the first that applies.
enum class table_problem {
    none,
    empty,
    not_rows,
    two_types,
    no_threads,
    no_items,
    no_min_blocks,
    form_of_shared,
    form_of_tile,
    not_ascending
};

// A class that inherits a name twice cannot be asked for it: so a type has a member of the name, of whatever form. One
// that cannot be used must not count as one that is not there.
struct optional_names {
    int dynamic_shared_bytes, tile;
};
template <class Type>
struct with_optional_names : Type, optional_names {
};
template <class Type>
concept names_shared = std::is_class_v<Type> && !std::is_final_v<Type> && !requires
{
    &with_optional_names<Type>::dynamic_shared_bytes;
};
template <class Type>
concept names_tile = std::is_class_v<Type> && !std::is_final_v<Type> && !requires
{
    &with_optional_names<Type>::tile;
};

template <class Row>
concept has_shared = requires(const Row& row)
{
    row.dynamic_shared_bytes();
}
|| requires(const Row& row)
{
    row.dynamic_shared_bytes + 0;
};
template <class Row>
concept has_tile_of_row = requires(const Row& row)
{
    row.tile();
}
|| requires(const Row& row)
{
    row.tile + 0;
};

template <class Row>
constexpr table_problem find_member_problem()
{
    if (!has_threads<Row>) return table_problem::no_threads;
    if (!has_items<Row>) return table_problem::no_items;
    if (!has_min_blocks<Row>) return table_problem::no_min_blocks;
    if (names_shared<Row> && !has_shared<Row>) return table_problem::form_of_shared;
    if (names_tile<Row> && !has_tile_of_row<Row>) return table_problem::form_of_tile;
    return table_problem::none;
}

template <class... Rows>
constexpr table_problem find_table_problem()
{
    if constexpr (sizeof...(Rows) == 0)
        return table_problem::empty;
    else if constexpr (!(is_row<Rows> && ...))
        return table_problem::not_rows;
    else if constexpr (!are_of_one_type<Rows...>())
        return table_problem::two_types;
    else if constexpr (!are_ascending<Rows...>())
        return table_problem::not_ascending;
    else
        return find_member_problem<std::common_type_t<row_type_of<Rows>...>>();
}

/// Not compiled for a table that is wrong. Whoever uses a table asks `fine` and does nothing with a wrong one, so that
/// the sentence here is all that the compiler says.
template <table_problem Problem>
struct table_check {
    static_assert(Problem != table_problem::empty,
                  "launch_box: give at least one row, such as sm<80, row{256, 11, 0}>");
    static_assert(Problem != table_problem::not_rows,
                  "launch_box: each row is written as sm<90, row{...}>, sm_a<90, row{...}> or sm_f<100, row{...}>");
    static_assert(Problem != table_problem::two_types, "launch_box: all rows of a box are of one type");
    static_assert(Problem != table_problem::no_threads,
                  "launch_box: the type of the rows has no member 'threads' (int, threads per block)");
    static_assert(Problem != table_problem::no_items,
                  "launch_box: the type of the rows has no member 'items' (int, items per thread)");
    static_assert(Problem != table_problem::no_min_blocks,
                  "launch_box: the type of the rows has no member 'min_blocks' (int, wanted resident blocks on an SM; "
                  "'int min_blocks = 0;' for none)");
    static_assert(Problem != table_problem::form_of_shared,
                  "launch_box: 'dynamic_shared_bytes' of the rows is a number, or a constexpr const function without "
                  "arguments");
    static_assert(Problem != table_problem::form_of_tile,
                  "launch_box: 'tile' of the rows is a number, or a constexpr const function without arguments");
    static_assert(Problem != table_problem::not_ascending,
                  "launch_box: rows name architectures in strictly ascending order: sm<80>, sm<90>, sm_a<90>, sm<100>, "
                  "sm_f<100>, sm_a<100>");
    static constexpr bool fine = Problem == table_problem::none;
};

template <class... Rows>
constexpr bool rows_fit()
{
    return (row_on_architecture<figures_of(Rows::row, Rows::architecture), Rows::architecture>::fits && ...);
}

// In the place of the rows that a wrong table does not have.
struct no_row {
    int threads = 1, items = 1, min_blocks = 0;
};

template <bool HaveType, class... Rows>
struct table_rows {
    using row_type = no_row;
    static constexpr std::array<compute_capability, 1> architectures{};
    static constexpr std::array<row_type, 1> rows{};
};

template <class First, class... Others>
struct table_rows<true, First, Others...> {
    using row_type = row_type_of<First>;
    static constexpr std::array<compute_capability, 1 + sizeof...(Others)> architectures{First::architecture,
                                                                                         Others::architecture...};
    static constexpr std::array<row_type, 1 + sizeof...(Others)> rows{First::row, Others::row...};
};

template <class... Rows>
constexpr bool have_type()
{
    constexpr table_problem problem = find_table_problem<Rows...>();
    return problem != table_problem::empty && problem != table_problem::not_rows && problem != table_problem::two_types;
}

}  // namespace detail

/// Launch parameters with one row an architecture, in ascending order: `launch_box<sm<80, row{256, 11}>,
/// sm<90, row{256, 15, 2}>>`. Code uses the newest row that is not newer than what it was compiled for. A row that its
/// architecture cannot hold, or whose min_blocks ptxas would ignore, does not compile.
template <class... Rows>
struct launch_box : detail::table_rows<detail::have_type<Rows...>(), Rows...> {
    static constexpr bool is_strict = false;
    static constexpr bool is_valid = [] {
        if constexpr (detail::table_check<detail::find_table_problem<Rows...>()>::fine)
            return detail::rows_fit<Rows...>();
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
    static constexpr bool is_valid = detail::table_check<detail::find_member_problem<row_type>()>::fine;
};

/// The same table, but code for an architecture that has no row of its own does not compile.
template <class Box>
struct strict : Box {
    static constexpr bool is_strict = true;
};

namespace detail {

#ifdef LAUNCHBOX_ROW
// The candidate of a tuner: it replaces every table of the unit. nvcc cuts -D at commas, which therefore need a
// backslash: -DLAUNCHBOX_ROW='{256\,15\,2}'. A variable, since nvcc 13.0 crashes on {.threads = 256} written into the
// argument.
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

/// What a type that is used as a table is.
enum class table_kind {
    none,
    by_architecture,  ///< launch_box, only, strict
    by_size
};

template <class Box>
constexpr table_kind kind_of_table()
{
    if constexpr (!requires { typename Box::row_type; })
        return table_kind::none;
    else if constexpr (!requires { Box::is_valid; })
        return table_kind::none;
    else if constexpr (requires { Box::architectures; })
        return table_kind::by_architecture;
    else
        return table_kind::by_size;
}

/// Not compiled for what is no table at all.
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

/// Not compiled for what is not one table with rows by architecture.
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

/// What a function returns that has to return a row, of a table that is wrong.
template <class Tuning>
constexpr auto row_of_wrong_table()
{
    if constexpr (requires { typename Tuning::row_type; })
        return typename Tuning::row_type{};
    else
        return no_row{};
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
