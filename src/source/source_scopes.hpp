// The functions that parts of CUDA C++ text belong to, and whether they run on the host.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "source/source_tokens.hpp"

namespace launchbox {

enum class scope_kind {
    file,      ///< outside of all braces, or in a namespace or extern "C"
    type,      ///< in a class, struct, union or enum
    host,      ///< in a function that is certainly host-only
    device,    ///< in a __global__, __device__ or __host__ __device__ function
    uncertain  ///< in a constexpr function (which device code may call), after an unknown macro, or not understood
};

/// One pair of braces.
struct source_scope {
    scope_kind kind = scope_kind::file;
    int outer = -1;
    std::string_view name;  ///< of the function; empty for others
    bool global = false;    ///< of a __global__ function
    int line = 0;           ///< of the name; without one, of the brace
    /// Tokens. `head`: the first one after the previous statement or brace; `open` and `close`: the braces.
    std::size_t head = 0, open = 0, close = 0;

    [[nodiscard]] bool holds(std::size_t token) const { return token > open && token < close; }
};

struct source_scopes {
    std::vector<source_scope> scopes;
    std::vector<int> of_token;  ///< for each token its enclosing scope, for a } that of its {; -1: the file

    /// The kind of scope around a token; after the last token, that of the file.
    [[nodiscard]] scope_kind kind_at(std::size_t token) const
    {
        if (token >= of_token.size()) return scope_kind::file;
        const int scope = of_token[token];
        return scope < 0 ? scope_kind::file : scopes[static_cast<std::size_t>(scope)].kind;
    }
};

/// Works by words and braces alone: templates, macros and includes are not expanded.
source_scopes read_source_scopes(const source_text& source);

}  // namespace launchbox
