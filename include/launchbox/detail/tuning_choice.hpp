// launchbox: one of several tables, by the size of the problem at run time or by the sizes of key and value at compile
// time. Plain C++, no CUDA needed. Internal: include launch_box.cuh. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

#include <launchbox/detail/tuning_table.hpp>

namespace launchbox {

/// The table for problems of up to and including `Most` elements; see by_size.
template <std::int64_t Most, class Box>
struct upto {
    static constexpr std::int64_t most = Most;
    using box = Box;
};

/// The table for all larger problems; see by_size.
template <class Box>
struct otherwise {
    static constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
    using box = Box;
};

namespace detail {

template <class Type>
concept is_size_class = requires
{
    Type::most;
    typename Type::box::row_type;
};

/// What is wrong with size classes; the first that applies.
enum class classes_problem { none, empty, not_classes, not_ascending, no_otherwise, two_types };

template <class... Classes>
constexpr bool sizes_ascend()
{
    constexpr std::array<std::int64_t, sizeof...(Classes)> most{Classes::most...};
    for (std::size_t i = 1; i < most.size(); ++i)
        if (most[i - 1] >= most[i]) return false;
    return true;
}

template <class First, class...>
struct first_class {
    using row_type = typename First::box::row_type;
};

template <class... Classes>
constexpr classes_problem find_classes_problem()
{
    if constexpr (sizeof...(Classes) == 0)
        return classes_problem::empty;
    else if constexpr (!(is_size_class<Classes> && ...))
        return classes_problem::not_classes;
    else if constexpr (!sizes_ascend<Classes...>())
        return classes_problem::not_ascending;
    else if constexpr (std::max({Classes::most...}) != std::numeric_limits<std::int64_t>::max())
        return classes_problem::no_otherwise;
    else if constexpr (!(std::is_same_v<typename first_class<Classes...>::row_type, typename Classes::box::row_type> &&
                         ...))
        return classes_problem::two_types;
    else
        return classes_problem::none;
}

/// Not compiled for size classes that are wrong, as table_check is not for a table.
template <classes_problem Problem>
struct classes_check {
    static_assert(Problem != classes_problem::empty, "by_size: give at least otherwise<box>");
    static_assert(Problem != classes_problem::not_classes,
                  "by_size: each class is upto<elements, box>, and the last otherwise<box>");
    static_assert(Problem != classes_problem::not_ascending, "by_size: sizes are in strictly ascending order");
    static_assert(Problem != classes_problem::no_otherwise, "by_size: the last class is otherwise<box>");
    static_assert(Problem != classes_problem::two_types, "by_size: the rows of all classes are of one type");
    static constexpr bool fine = Problem == classes_problem::none;
};

template <bool AreFine, class...>
struct classes_rows {
    using row_type = no_row;
};
template <class... Classes>
struct classes_rows<true, Classes...> : first_class<Classes...> {
    static constexpr std::array<std::int64_t, sizeof...(Classes)> most{Classes::most...};
};

}  // namespace detail

/// Tables by the size of the problem, chosen at each launch: `by_size<upto<(1 << 20), small>, otherwise<large>>`. Every
/// size class is a kernel of its own. Sizes ascend, and `otherwise` is the last.
template <class... Classes>
struct by_size
    : detail::classes_rows<detail::find_classes_problem<Classes...>() == detail::classes_problem::none, Classes...> {
    static constexpr bool is_valid = [] {
        if constexpr (detail::classes_check<detail::find_classes_problem<Classes...>()>::fine)
            return (Classes::box::is_valid && ...);
        return false;
    }();
};

/// A table for keys of `KeyBytes` and values of `ValueBytes` bytes (0: no values); see by_type.
template <std::int64_t KeyBytes, std::int64_t ValueBytes, class Box>
struct element_bytes {
    static constexpr std::int64_t key = KeyBytes, value = ValueBytes, all = KeyBytes + ValueBytes;
    using box = Box;
    static_assert(KeyBytes > 0 && ValueBytes >= 0, "element_bytes: keys have 1 byte or more, values 0 or more");
};

namespace detail {

// What a struct with a name of its own derives from (`struct tuning : launch_box<...> {}`); a table itself; else void.
template <class... Rows>
std::type_identity<launch_box<Rows...>> table_under(const launch_box<Rows...>*);
template <auto Row>
std::type_identity<only<Row>> table_under(const only<Row>*);
template <class Box>
std::type_identity<strict<Box>> table_under(const strict<Box>*);
template <class... Classes>
std::type_identity<by_size<Classes...>> table_under(const by_size<Classes...>*);
std::type_identity<void> table_under(...);

template <class Tuning>
using table_of = typename decltype(table_under(static_cast<const Tuning*>(nullptr)))::type;

/// A tuning as a list of tables, each for problems up to a size; a plain table is a list of one.
template <class Tuning, class Table = table_of<Tuning>>
struct classes_of {
    static constexpr std::size_t count = 1;
    static constexpr bool depends_on_size = false;
    template <std::size_t>
    using box = Tuning;
    static constexpr std::int64_t most(std::size_t) { return std::numeric_limits<std::int64_t>::max(); }
};

template <class Tuning, class... Classes>
struct classes_of<Tuning, by_size<Classes...>> {
    static_assert(!(classes_of<typename Classes::box>::depends_on_size || ...),
                  "by_size: a size class has one table, and not another by_size");
    static constexpr std::size_t count = sizeof...(Classes);
    static constexpr bool depends_on_size = true;
    template <std::size_t Class>
    using box = typename std::tuple_element_t<Class, std::tuple<Classes...>>::box;
    static constexpr std::int64_t most(std::size_t at) { return by_size<Classes...>::most[at]; }
};

// Strict sizes are strict in each class.
// clang-format off
template <class Tuning, class Box>
requires classes_of<Box>::depends_on_size
struct classes_of<Tuning, strict<Box>> : classes_of<Box> {
    // clang-format on
    template <std::size_t Class>
    using box = strict<typename classes_of<Box>::template box<Class>>;
};

template <class Tuning, std::int64_t From, std::int64_t To>
struct scaled_tuning : scaled_tuning<table_of<Tuning>, From, To> {
};
template <std::int64_t From, std::int64_t To>
struct scaled_tuning<void, From, To> {
    static_assert(From < 0,
                  "by_type: a table is launch_box, only, strict or by_size, or a struct that derives from one");
};
template <template <int, auto> class Sm, int Number, auto Row, std::int64_t From, std::int64_t To>
struct scaled_tuning<Sm<Number, Row>, From, To> {
    using type = Sm<Number, launchbox::scaled(Row, From, To)>;
};
template <class... Rows, std::int64_t From, std::int64_t To>
struct scaled_tuning<launch_box<Rows...>, From, To> {
    using type = launch_box<typename scaled_tuning<Rows, From, To>::type...>;
};
template <auto Row, std::int64_t From, std::int64_t To>
struct scaled_tuning<only<Row>, From, To> {
    using type = only<launchbox::scaled(Row, From, To)>;
};
template <class Box, std::int64_t From, std::int64_t To>
struct scaled_tuning<strict<Box>, From, To> {
    using type = strict<typename scaled_tuning<Box, From, To>::type>;
};
template <std::int64_t Most, class Box, std::int64_t From, std::int64_t To>
struct scaled_tuning<upto<Most, Box>, From, To> {
    using type = upto<Most, typename scaled_tuning<Box, From, To>::type>;
};
template <class Box, std::int64_t From, std::int64_t To>
struct scaled_tuning<otherwise<Box>, From, To> {
    using type = otherwise<typename scaled_tuning<Box, From, To>::type>;
};
template <class... Classes, std::int64_t From, std::int64_t To>
struct scaled_tuning<by_size<Classes...>, From, To> {
    using type = by_size<typename scaled_tuning<Classes, From, To>::type...>;
};
template <class Type>
constexpr std::int64_t bytes_of()
{
    if constexpr (std::is_void_v<Type>)
        return 0;
    else
        return static_cast<std::int64_t>(sizeof(Type));
}

// Exactly these sizes; else the next smaller of those that also have, or have not, values; else the smallest of them;
// else the same without regard to values.
template <class... Entries>
constexpr std::size_t nearest_entry(std::int64_t key, std::int64_t value)
{
    constexpr std::array<std::int64_t, sizeof...(Entries)> keys{Entries::key...}, values{Entries::value...};
    const auto distance = [&](std::size_t i) {
        const std::int64_t step = key + value - keys[i] - values[i];
        const bool exact = keys[i] == key && values[i] == value;
        const std::int64_t above = std::int64_t{1} << 50, other_kind = above << 2;  // beyond every type
        return exact ? -1 : (step >= 0 ? step : above - step) + ((values[i] == 0) == (value == 0) ? 0 : other_kind);
    };
    std::size_t best = 0;
    for (std::size_t i = 1; i < keys.size(); ++i)
        if (distance(i) < distance(best)) best = i;
    return best;
}

template <class Key, class Value, class... Entries>
struct type_choice {
    static_assert(sizeof...(Entries) > 0, "by_type: give at least one element_bytes<key, value, box>");
    static constexpr std::int64_t bytes = bytes_of<Key>() + bytes_of<Value>();
    using entry =
        std::tuple_element_t<nearest_entry<Entries...>(bytes_of<Key>(), bytes_of<Value>()), std::tuple<Entries...>>;
    static constexpr bool exact = entry::key == bytes_of<Key>() && entry::value == bytes_of<Value>();
    // What was measured for these sizes stays as it is.
    using type = typename std::conditional_t<exact, std::type_identity<typename entry::box>,
                                             scaled_tuning<typename entry::box, entry::all, bytes>>::type;
};

}  // namespace detail

/// The table for the sizes of `Key` and `Value` (`void`: no values), chosen while compiling: `by_type<int, void,
/// element_bytes<4, 0, box_32>, element_bytes<8, 0, box_64>>`. Sizes without a table take the next smaller one of those
/// with (or without) values, or else the smallest, with `items` scaled to the same bytes per thread and odd.
template <class Key, class Value, class... Entries>
using by_type = typename detail::type_choice<Key, Value, Entries...>::type;

}  // namespace launchbox
