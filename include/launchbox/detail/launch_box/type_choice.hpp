// launchbox: finds the table whose element sizes are nearest, and scales its rows. Plain C++, no CUDA needed. Internal:
// include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include <launchbox/detail/launch_box/size_classes.hpp>

namespace launchbox::detail {

template <class Tuning, std::int64_t From, std::int64_t To>
struct scaled_tuning : scaled_tuning<table_of<Tuning>, From, To> {};
template <std::int64_t From, std::int64_t To>
struct scaled_tuning<void, From, To> {
    static_assert(From < 0,
                  "by_type: a table is launch_box, only, strict or by_size, or a struct that derives from one");
};
template <template <int, auto> class Sm, int Number, auto Row, std::int64_t From, std::int64_t To>
struct scaled_tuning<Sm<Number, Row>, From, To> {
    using type = Sm<Number, launchbox::scaled(Row, From, To)>;
};
template <class Row, gpu_range... Gpus, std::int64_t From, std::int64_t To>
struct scaled_tuning<on_gpus<Row, Gpus...>, From, To> {
    using type = on_gpus<typename scaled_tuning<Row, From, To>::type, Gpus...>;
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
template <std::int64_t MaxElements, class Box, std::int64_t From, std::int64_t To>
struct scaled_tuning<upto<MaxElements, Box>, From, To> {
    using type = upto<MaxElements, typename scaled_tuning<Box, From, To>::type>;
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

// Exactly these sizes; else, among entries with (or without) values like this one, the next smaller, else the smallest;
// else the same among the other entries.
template <class... Entries>
constexpr std::size_t nearest_entry(std::int64_t key, std::int64_t value)
{
    constexpr std::array<std::int64_t, sizeof...(Entries)> keys{Entries::key...}, values{Entries::value...};
    const auto distance = [&](std::size_t i) {
        const std::int64_t step = key + value - keys[i] - values[i];
        const bool exact = keys[i] == key && values[i] == value;
        const std::int64_t above = std::int64_t{1} << 50, other_kind = above << 2;  // larger than any type
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
    // A table for exactly these sizes is not scaled.
    using type = typename std::conditional_t<exact, std::type_identity<typename entry::box>,
                                             scaled_tuning<typename entry::box, entry::all, bytes>>::type;
};

}  // namespace launchbox::detail
