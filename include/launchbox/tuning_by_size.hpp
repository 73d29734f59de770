// launchbox: chooses one of several tables by the number of elements, at run time. Plain C++, no CUDA needed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <limits>

#include <launchbox/detail/launch_box/size_class_rules.hpp>
#include <launchbox/tuning_table.hpp>

namespace launchbox {

/// The table for up to and including `MaxElements` elements; see by_size.
template <std::int64_t MaxElements, class Box>
struct upto {
    static constexpr std::int64_t max_elements = MaxElements;
    using box = Box;
};

/// The table for more elements than in all other classes; see by_size.
template <class Box>
struct otherwise {
    static constexpr std::int64_t max_elements = std::numeric_limits<std::int64_t>::max();
    using box = Box;
};

/// Tables by the number of elements, chosen at each launch: `by_size<upto<(1 << 20), small>, otherwise<large>>`. Every
/// size class has its own kernel. Sizes ascend, and `otherwise` is the last.
template <class... Classes>
struct by_size
    : detail::classes_rows<detail::find_classes_error<Classes...>() == detail::classes_error::none, Classes...> {
    static constexpr bool is_valid = [] {
        if constexpr (detail::classes_check<detail::find_classes_error<Classes...>()>::fine)
            return (Classes::box::is_valid && ...);
        return false;
    }();
};

}  // namespace launchbox
