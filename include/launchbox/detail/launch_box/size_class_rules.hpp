// launchbox: the rules for the size classes of by_size. Plain C++, no CUDA needed. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>

#include <launchbox/detail/launch_box/table_rules.hpp>

namespace launchbox::detail {

template <class Type>
concept is_size_class = requires {
    Type::max_elements;
    typename Type::box::row_type;
};

/// What is wrong with size classes; the first that applies.
enum class classes_error { none, empty, not_classes, not_ascending, no_otherwise, two_types };

template <class... Classes>
constexpr bool sizes_ascend()
{
    constexpr std::array<std::int64_t, sizeof...(Classes)> max_elements{Classes::max_elements...};
    for (std::size_t i = 1; i < max_elements.size(); ++i)
        if (max_elements[i - 1] >= max_elements[i]) return false;
    return true;
}

template <class First, class...>
struct first_class {
    using row_type = typename First::box::row_type;
};

template <class... Classes>
constexpr classes_error find_classes_error()
{
    if constexpr (sizeof...(Classes) == 0)
        return classes_error::empty;
    else if constexpr (!(is_size_class<Classes> && ...))
        return classes_error::not_classes;
    else if constexpr (!sizes_ascend<Classes...>())
        return classes_error::not_ascending;
    else if constexpr (std::max({Classes::max_elements...}) != std::numeric_limits<std::int64_t>::max())
        return classes_error::no_otherwise;
    else if constexpr (!(std::is_same_v<typename first_class<Classes...>::row_type, typename Classes::box::row_type> &&
                         ...))
        return classes_error::two_types;
    else
        return classes_error::none;
}

/// Fails to compile for invalid size classes; see table_check.
template <classes_error Error>
struct classes_check {
    static_assert(Error != classes_error::empty, "by_size: give at least otherwise<box>");
    static_assert(Error != classes_error::not_classes,
                  "by_size: each class is upto<elements, box>, and the last otherwise<box>");
    static_assert(Error != classes_error::not_ascending, "by_size: sizes are in strictly ascending order");
    static_assert(Error != classes_error::no_otherwise, "by_size: the last class is otherwise<box>");
    static_assert(Error != classes_error::two_types, "by_size: the rows of all classes are of one type");
    static constexpr bool fine = Error == classes_error::none;
};

template <bool AreFine, class...>
struct classes_rows {
    using row_type = no_row;
};
template <class... Classes>
struct classes_rows<true, Classes...> : first_class<Classes...> {
    static constexpr std::array<std::int64_t, sizeof...(Classes)> max_elements{Classes::max_elements...};
};

}  // namespace launchbox::detail
