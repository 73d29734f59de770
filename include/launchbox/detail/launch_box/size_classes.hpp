// launchbox: a tuning as a list of tables by size. Plain C++, no CUDA needed. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <tuple>
#include <type_traits>

#include <launchbox/tuning_by_size.hpp>

namespace launchbox::detail {

// The table that a named struct derives from (`struct tuning : launch_box<...> {}`), or a table itself; otherwise void.
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

/// A tuning as a list of tables, each for a range of sizes; a plain table is a list of one.
template <class Tuning, class Table = table_of<Tuning>>
struct classes_of {
    static constexpr std::size_t count = 1;
    static constexpr bool depends_on_size = false;
    template <std::size_t>
    using box = Tuning;
    static constexpr std::int64_t max_elements(std::size_t) { return std::numeric_limits<std::int64_t>::max(); }
};

template <class Tuning, class... Classes>
struct classes_of<Tuning, by_size<Classes...>> {
    static_assert(!(classes_of<typename Classes::box>::depends_on_size || ...),
                  "by_size: a size class has one table, and not another by_size");
    static constexpr std::size_t count = sizeof...(Classes);
    static constexpr bool depends_on_size = true;
    template <std::size_t Class>
    using box = typename std::tuple_element_t<Class, std::tuple<Classes...>>::box;
    static constexpr std::int64_t max_elements(std::size_t at) { return by_size<Classes...>::max_elements[at]; }
};

// strict<by_size<...>> makes each class strict.
template <class Tuning, class Box>
    requires classes_of<Box>::depends_on_size
struct classes_of<Tuning, strict<Box>> : classes_of<Box> {
    template <std::size_t Class>
    using box = strict<typename classes_of<Box>::template box<Class>>;
};

}  // namespace launchbox::detail
