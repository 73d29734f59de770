// launchbox: the name of a kernel as written in a launch, merge<int>, without return type and parameters. Internal:
// include launch.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace launchbox::detail {

// Where the last top-level parameter list of a demangled function begins; npos if there is none.
inline std::size_t parameters_of(std::string_view demangled)
{
    int depth = 0;
    for (std::size_t i = demangled.size(); i-- > 0;) {
        if (demangled[i] == ')') ++depth;
        if (demangled[i] == '(' && --depth == 0) return i;
    }
    return std::string_view::npos;
}

// Where the name begins: after the last space outside of brackets, which ends the return type of a template.
inline std::size_t name_of(std::string_view before_parameters)
{
    int depth = 0;
    for (std::size_t i = before_parameters.size(); i-- > 0;) {
        const char c = before_parameters[i];
        if (c == '>' || c == ')') ++depth;
        if (c == '<' || c == '(') --depth;
        if (c == ' ' && depth == 0) return i + 1;
    }
    return 0;
}

/// `merge<int>` for `void merge<int>(int const*, int)`; a name without parameters is returned unchanged.
inline std::string short_kernel_name(std::string_view demangled)
{
    const std::size_t parameters = parameters_of(demangled);
    if (parameters == std::string_view::npos || parameters == 0) return std::string(demangled);
    const std::string_view front = demangled.substr(0, parameters);
    return std::string(front.substr(name_of(front)));
}

/// The demangled form of a symbol or of a type's name; the argument itself if it is neither.
inline std::string demangled(const char* symbol)
{
    int status = 0;
    // Not a std::unique_ptr: including <memory> would make each compile with launch.cuh half a second longer.
    struct malloced {
        char* text;
        ~malloced() { std::free(text); }
    } const name{abi::__cxa_demangle(symbol, nullptr, nullptr, &status)};
    return name.text != nullptr ? name.text : symbol;
}

}  // namespace launchbox::detail
