// The kernels in C++ text: where each is defined or declared, with its template parameters and parameters.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "source/constant_expression.hpp"
#include "source/source_declarations.hpp"

namespace launchbox {

struct parameter_in_text {
    std::string_view name;  ///< empty if it has none
    token_span type;        ///< its words without name and default; "class" or "typename" for a type
    token_span value;       ///< the default
    bool is_array = false;  ///< brackets follow the name: a pointer to the first element
    bool is_pack = false;

    [[nodiscard]] bool is_type() const;  ///< of a template parameter: whether it is a type, or a template
};

struct kernel_in_text {
    std::string_view name;
    std::string space;      ///< "a::b" for a::b::name
    int scope = -1;         ///< its body; -1: only a declaration
    std::size_t at = 0;     ///< token of its name
    std::size_t first = 0;  ///< first token of its declaration
    int line = 0;           ///< of its name
    bool is_template = false;
    std::vector<parameter_in_text> template_parameters, parameters;
};

/// All definitions and declarations with __global__, in order, without explicit instantiations.
std::vector<kernel_in_text> read_source_kernels(const source_declarations& names);

/// As patterns for --kernel, in order: "scale", "a::scale", and "merge<*" for a template, whose instances only a
/// compiler knows. Kernels defined by macros are missing.
std::vector<std::string> kernels_in_text(std::string_view text);

}  // namespace launchbox
