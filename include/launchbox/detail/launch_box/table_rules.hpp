// launchbox: the rules for tables of rows. Plain C++, no CUDA needed. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>

#include <launchbox/detail/launch_box/fnv.hpp>
#include <launchbox/detail/launch_box/row_rules.hpp>

namespace launchbox::detail {

/// The GPUs that a row is for; empty: all.
template <class Row>
constexpr std::span<const gpu_range> gpus_of()
{
    if constexpr (requires { Row::gpus; })
        return Row::gpus;
    else
        return {};
}

template <class Row>
concept has_no_range = requires { Row::gpus; } && gpus_of<Row>().empty();

template <class... Rows>
constexpr bool has_empty_range()
{
    bool found = (has_no_range<Rows> || ...);
    for (const std::span<const gpu_range> gpus : {gpus_of<Rows>()...})
        for (const gpu_range& range : gpus) found = found || is_empty(range);
    return found;
}

// The row for every GPU comes first among those of its architecture.
template <class... Rows>
constexpr bool are_ascending()
{
    const std::array<int, sizeof...(Rows)> ranks{rank_of(Rows::architecture)...};
    const std::array<bool, sizeof...(Rows)> for_some{!gpus_of<Rows>().empty()...};
    for (std::size_t i = 1; i < ranks.size(); ++i)
        if (ranks[i - 1] > ranks[i] || (ranks[i - 1] == ranks[i] && !for_some[i])) return false;
    return true;
}

template <class... Rows>
constexpr bool share_gpus()
{
    const std::array<int, sizeof...(Rows)> ranks{rank_of(Rows::architecture)...};
    const std::array<std::span<const gpu_range>, sizeof...(Rows)> gpus{gpus_of<Rows>()...};
    for (std::size_t i = 0; i < ranks.size(); ++i)
        for (std::size_t j = 0; j < i; ++j)
            if (ranks[i] == ranks[j] && overlap(gpus[i], gpus[j])) return true;
    return false;
}

template <class Type>
concept is_row = requires {
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

// P<short> and P<double>: rows that differ in the types that they name. Rows of unrelated types are a mistake.
template <class, class>
inline constexpr bool are_of_one_template_of_types = false;
template <template <class...> class Template, class... One, class... Other>
inline constexpr bool are_of_one_template_of_types<Template<One...>, Template<Other...>> = true;

template <class First, class... Others>
constexpr bool are_of_one_template()
{
    return (are_of_one_template_of_types<row_type_of<First>, row_type_of<Others>> && ...);
}

/// What is wrong with a table on every architecture; the first that applies.
enum class table_error {
    none,
    empty,
    not_rows,
    two_types,
    bits,
    no_threads,
    no_items,
    no_min_blocks,
    form_of_shared,
    form_of_tile,
    not_ascending,
    empty_range,
    shared_gpus
};

// Whether a type has a member of some name, in any form: with a second base that has the name, it is ambiguous. A
// member whose form cannot be used must be an error, and not be ignored.
struct optional_names {
    int dynamic_shared_bytes, tile;
};
template <class Type>
struct with_optional_names : Type, optional_names {};
template <class Type>
concept names_shared =
    std::is_class_v<Type> && !std::is_final_v<Type> && !requires { &with_optional_names<Type>::dynamic_shared_bytes; };
template <class Type>
concept names_tile = std::is_class_v<Type> && !std::is_final_v<Type> && !requires { &with_optional_names<Type>::tile; };

template <class Row>
concept has_shared = requires(const Row& row) { row.dynamic_shared_bytes(); } ||
                     requires(const Row& row) { row.dynamic_shared_bytes + 0; };
template <class Row>
concept has_tile_of_row = requires(const Row& row) { row.tile(); } || requires(const Row& row) { row.tile + 0; };

template <class Row>
constexpr table_error find_member_error()
{
    if (!has_threads<Row>) return table_error::no_threads;
    if (!has_items<Row>) return table_error::no_items;
    if (!has_min_blocks<Row>) return table_error::no_min_blocks;
    if (names_shared<Row> && !has_shared<Row>) return table_error::form_of_shared;
    if (names_tile<Row> && !has_tile_of_row<Row>) return table_error::form_of_tile;
    return table_error::none;
}

// For rows of several types: the first error. Their bits must identify them, since the host passes only a hash of these
// to the kernel.
template <class... Types>
constexpr table_error find_error_of_types()
{
    table_error error = table_error::none;
    const auto note = [&](table_error found) {
        if (error == table_error::none) error = found;
    };
    (note(find_member_error<Types>()), ...);
    (note(std::has_unique_object_representations_v<Types> ? table_error::none : table_error::bits), ...);
    return error;
}

template <class... Rows>
constexpr table_error find_table_error()
{
    if constexpr (sizeof...(Rows) == 0)
        return table_error::empty;
    else if constexpr (!(is_row<Rows> && ...))
        return table_error::not_rows;
    else if constexpr (!are_of_one_type<Rows...>() && !are_of_one_template<Rows...>())
        return table_error::two_types;
    else if constexpr (!are_ascending<Rows...>())
        return table_error::not_ascending;
    else if constexpr (has_empty_range<Rows...>())
        return table_error::empty_range;
    else if constexpr (share_gpus<Rows...>())
        return table_error::shared_gpus;
    else if constexpr (are_of_one_type<Rows...>())
        return find_member_error<std::common_type_t<row_type_of<Rows>...>>();
    else
        return find_error_of_types<row_type_of<Rows>...>();
}

/// Fails to compile for an invalid table. Code that uses a table checks `fine` first and does nothing if it is false,
/// so that the compiler prints this one sentence and no errors that follow from it.
template <table_error Error>
struct table_check {
    static_assert(Error != table_error::empty, "launch_box: give at least one row, such as sm<80, row{256, 11, 0}>");
    static_assert(Error != table_error::not_rows,
                  "launch_box: each row is written as sm<90, row{...}>, sm_a<90, row{...}> or sm_f<100, row{...}>");
    static_assert(Error != table_error::two_types,
                  "launch_box: all rows of a box are of one type, or of one class template whose parameters are types");
    static_assert(Error != table_error::bits,
                  "launch_box: rows of several types have no bool, floating-point number or gap between members");
    static_assert(Error != table_error::no_threads,
                  "launch_box: the type of the rows has no member 'threads' (int, threads per block)");
    static_assert(Error != table_error::no_items,
                  "launch_box: the type of the rows has no member 'items' (int, items per thread)");
    static_assert(Error != table_error::no_min_blocks,
                  "launch_box: the type of the rows has no member 'min_blocks' (int, wanted resident blocks on an SM; "
                  "'int min_blocks = 0;' for none)");
    static_assert(Error != table_error::form_of_shared,
                  "launch_box: 'dynamic_shared_bytes' of the rows is a number, or a constexpr const function without "
                  "arguments");
    static_assert(Error != table_error::form_of_tile,
                  "launch_box: 'tile' of the rows is a number, or a constexpr const function without arguments");
    static_assert(Error != table_error::not_ascending,
                  "launch_box: rows name architectures in strictly ascending order: sm<80>, sm<90>, sm_a<90>, sm<100>, "
                  "sm_f<100>, sm_a<100>; after the row of an architecture, on_gpus<...> gives others to some GPUs");
    static_assert(Error != table_error::empty_range,
                  "launch_box: on_gpus has one range of GPUs or more, each with no minimum above its maximum: "
                  "on_gpus<sm<90, row{...}>, gpu_range{.min_memory_bytes = 110'000'000'000}>");
    static_assert(Error != table_error::shared_gpus,
                  "launch_box: two rows of one architecture are for the same GPUs; let their ranges not overlap");
    static constexpr bool fine = Error == table_error::none;
};

template <class... Rows>
constexpr bool rows_fit()
{
    return (row_on_architecture<figures_of(Rows::row, Rows::architecture), Rows::architecture>::fits && ...);
}

// The row type of an invalid table, so that code which uses its rows compiles.
struct no_row {
    int threads = 1, items = 1, min_blocks = 0;
};

template <bool HaveType, class... Rows>
struct table_rows {
    using row_type = no_row;
    static constexpr std::array<compute_capability, 1> architectures{};
    static constexpr std::array<std::span<const gpu_range>, 1> gpus{std::span<const gpu_range>{}};
    static constexpr std::array<row_type, 1> rows{};
};

template <class... Rows>
struct places_of_rows {
    static constexpr std::array<compute_capability, sizeof...(Rows)> architectures{Rows::architecture...};
    static constexpr std::array<std::span<const gpu_range>, sizeof...(Rows)> gpus{gpus_of<Rows>()...};
};

template <class First, class... Others>
struct table_rows<true, First, Others...> : places_of_rows<First, Others...> {
    using row_type = row_type_of<First>;
    static constexpr std::array<row_type, 1 + sizeof...(Others)> rows{First::row, Others::row...};
};

/// A row of a table whose rows have several types: the common members, which are all that the host needs.
struct row_of_several_types {
    int threads, items, min_blocks;
    int place;  ///< in the table
    std::int64_t dynamic_shared_bytes, tile = 1;
    std::uint64_t hash;  ///< of the row

    friend constexpr bool operator==(const row_of_several_types&, const row_of_several_types&) = default;
};

template <class Row>
constexpr row_of_several_types without_type(const Row& row, std::size_t place)
{
    const row_figures figures = figures_of(row, {});
    return {.threads = figures.threads,
            .items = figures.items,
            .min_blocks = figures.min_blocks,
            .place = static_cast<int>(place),
            .dynamic_shared_bytes = figures.dynamic_shared_bytes,
            .tile = figures.tile,
            .hash = fnv1a(std::bit_cast<std::array<unsigned char, sizeof(Row)>>(row))};
}

template <class First, class... Others>
    requires(!are_of_one_type<First, Others...>())
struct table_rows<true, First, Others...> : places_of_rows<First, Others...> {
    using row_type = row_of_several_types;
    static constexpr std::array<row_type, 1 + sizeof...(Others)> rows = [] {
        std::size_t place = 0;
        return std::array<row_type, 1 + sizeof...(Others)>{without_type(First::row, place++),
                                                           without_type(Others::row, place++)...};
    }();
    /// The row at a place of the table, with its type.
    template <std::size_t Place>
    static constexpr auto typed_row = std::tuple_element_t<Place, std::tuple<First, Others...>>::row;
};

/// Whether the rows of a table are of several types.
template <class Box>
concept has_typed_rows = std::is_same_v<typename Box::row_type, row_of_several_types>;

template <class... Rows>
constexpr bool have_type()
{
    constexpr table_error error = find_table_error<Rows...>();
    if constexpr (error == table_error::empty || error == table_error::not_rows || error == table_error::two_types)
        return false;
    else
        return are_of_one_type<Rows...>() || error == table_error::none;
}

}  // namespace launchbox::detail
