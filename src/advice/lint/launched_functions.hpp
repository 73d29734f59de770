// Which functions a launch may be of: the one that it names, or those that the launched variable is given.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string_view>
#include <vector>

#include "advice/lint/source_view.hpp"

namespace launchbox {

struct launched_functions {
    struct one {
        function_name_in_text function;
        std::size_t at = 0;  ///< the token that the name is seen from
    };
    std::vector<one> all;
    bool through_pointer = false;  ///< by a variable, a parameter, a table, or what a function returns
    bool is_complete = true;       ///< false: it may be of functions that the text does not tell
};

/// `is_kernel`: whether a kernel has this name. A launch through a pointer is of kernels only: of all values that its
/// variable has at this place or, if unknown, anywhere.
launched_functions functions_launched(const source_view& view, const source_launch& launch,
                                      const std::function<bool(std::string_view name)>& is_kernel);

/// Whether the text takes the address of the function of this name: uses it other than for a launch, a call, or a
/// question about it to the runtime.
bool takes_address_of(const source_view& view, std::string_view name);

}  // namespace launchbox
