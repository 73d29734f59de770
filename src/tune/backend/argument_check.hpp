// Checks that a spec's arguments match the parameters of its kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/kernel_info.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

struct parameter_type {
    bool is_pointer = false;
    std::string of;                     ///< what it points to, or is, without const and blanks at its ends
    std::optional<element_type> known;  ///< nullopt: a type of the user's
};
/// Of one parameter, as a signature or a source writes it: "float const*", "const int n" without its name.
parameter_type read_parameter_type(std::string text);

/// The types of the parameters in "void scale<float>(float*, int)"; `nullopt` if it lists none.
std::optional<std::vector<std::string>> parameters_of_signature(std::string_view signature);

/// The same from the text of the one __global__ function of this name ("a::scale<{type}>") in these files; the types
/// may be template parameters. `nullopt` if there is no such function, or several that differ.
std::optional<std::vector<std::string>> parameters_in_source(const std::vector<std::filesystem::path>& files,
                                                             const std::string& name);

/// One sentence about a mismatch, or empty: a different number, a scalar for a pointer, elements of another size or
/// kind. Unknown types and vectors (float4) are accepted.
std::string why_arguments_differ(const std::vector<std::string>& types, const std::vector<task_argument>& arguments);

/// The same for a compiled kernel. For one without a C++ name (extern "C"), only the total bytes of its parameters are
/// known.
std::string why_arguments_differ(const kernel_info& kernel, const std::vector<task_argument>& arguments);

}  // namespace launchbox
