// The functions that a launch may be of: the one that it names, or those assigned to the launched variable.
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
        std::size_t at = 0;  ///< the token where the name is looked up
        /// The calls through whose arguments it reached the launch, the innermost first.
        std::vector<source_values::call_in_text> calls = {};
    };
    std::vector<one> all;
    bool through_pointer = false;  ///< through a variable, a parameter, a table, or a function's result
    bool is_complete = true;       ///< false: other functions are possible that the text does not tell
};

/// `is_kernel`: whether a kernel has this name. A launch through a pointer can only be of kernels: all values that its
/// variable has at this place or, if unknown, anywhere.
launched_functions functions_launched(const source_view& view, const source_launch& launch,
                                      const std::function<bool(std::string_view name)>& is_kernel);

/// Whether the text takes the address of the function of this name: uses it for anything but a launch, a call, or a
/// query to the runtime.
bool takes_address_of(const source_view& view, std::string_view name);

}  // namespace launchbox
