// Matches each launch of a source with a compiled kernel, and with the size of the launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "advice/lint/source_view.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// A compiled kernel of the file, for one architecture.
struct linted_kernel {
    std::string short_form;  ///< "a::merge<int, 256>"
    const kernel_info* info = nullptr;
    bool wanted = true;  ///< false: the user asked for other kernels; do not report this one
};

struct kernel_launch {
    const source_launch* launch = nullptr;
    std::size_t kernel = 0;  ///< index of the kernel
    /// The launch is of this kernel whenever it is reached; false: it may be of another.
    bool surely = false;
    /// It goes through a variable that has several kernels in turn as its value, including this one.
    bool in_turn = false;
    launch_figures figures;
};

/// The sizes of a launch: one for each instance that the text makes of the function template around it, as far as these
/// differ, without instances that never reach the launch. `instance`: arguments of that template that are known.
std::vector<launch_figures> sizes_of(const source_view& view, const source_launch& launch,
                                     const template_values& instance);

/// All launches in host code, in order. Omitted: launches of unknown kernels, and launches in a branch of an #if, which
/// preprocessed text does not have.
std::vector<kernel_launch> launched_kernels(const source_view& view, const std::vector<linted_kernel>& kernels);

/// Launches through a pointer that may be of kernels which the text does not tell.
std::vector<const source_launch*> untold_launches(const source_view& view, const std::vector<linted_kernel>& kernels);

/// The function that an expression names, directly or through a variable.
function_name_in_text function_meant(const source_view& view, const function_name_in_text& named, std::size_t at);

/// The name of the function itself, "merge" for "a::merge<int, 256>", and with its arguments, "merge<int, 256>".
std::string function_name(std::string_view short_form);
std::string instance_name(std::string_view short_form);

/// "int" and "256" for "a::merge<int, 256>"; and a whole number among them: "256", "256u", "true", "(unsigned char)3".
std::vector<std::string> template_arguments_of(std::string_view short_form);
std::optional<std::int64_t> integer_in_name(std::string_view argument);

}  // namespace launchbox
