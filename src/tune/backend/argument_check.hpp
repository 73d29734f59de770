// Whether a spec's arguments are those that its kernel takes.
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

/// The types of the parameters in "void scale<float>(float*, int)"; `nullopt`: it names none.
std::optional<std::vector<std::string>> parameters_of_signature(std::string_view signature);

/// The same from the text of the one __global__ function of this name ("a::scale<{type}>") in these files, where types
/// may be those of templates. `nullopt`: there is none, or there are several that differ.
std::optional<std::vector<std::string>> parameters_in_source(const std::vector<std::filesystem::path>& files,
                                                             const std::string& name);

/// One sentence, or empty where nothing speaks against them: a number that differs, a scalar for a pointer, elements of
/// another size or kind. Types that are not known, and vectors (float4), are taken for right.
std::string why_arguments_differ(const std::vector<std::string>& types, const std::vector<task_argument>& arguments);

/// The same of a compiled kernel. One without a C++ name (extern "C") tells the bytes of all its parameters alone.
std::string why_arguments_differ(const kernel_info& kernel, const std::vector<task_argument>& arguments);

}  // namespace launchbox
