// What is wrong with launches and flags around the kernels of a source file, told from its text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// A compiled kernel of the file, for one architecture.
struct linted_kernel {
    std::string short_form;  ///< "a::merge<int, 256>"
    const kernel_info* info = nullptr;
    bool wanted = true;  ///< false: the user asks for other kernels, and nothing is said of this one
};

struct lint_request {
    std::string file;       ///< as the user gave it
    std::string_view text;  ///< of this file alone: what it includes is not read
    std::vector<linted_kernel> kernels;
    std::vector<std::string> flags;  ///< of the compiler
};

/// The findings that belong to the file and not to one kernel, by lines. It keeps silent where the text alone does not
/// tell: see docs/inspect.md.
std::vector<diagnosis> lint_source(const lint_request& request);

/// The name of the function alone: "merge" of "a::merge<int, 256>".
std::string function_name(std::string_view short_form);

}  // namespace launchbox
