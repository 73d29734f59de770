// Source text with everything read from it: its tokens, scopes, names, values and launches.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "source/source_declarations.hpp"
#include "source/source_launches.hpp"
#include "source/source_reach.hpp"
#include "source/source_scopes.hpp"
#include "source/source_values.hpp"
#include "source/user_text.hpp"

namespace launchbox {

/// Its parts refer to each other, and to the text, which must outlive it.
struct source_view {
    explicit source_view(std::string_view text)
        : source(read_source_text(text)),
          scopes(read_source_scopes(source)),
          names(source, scopes),
          values(names),
          launches(read_source_launches(source)),
          opt_ins(read_opt_ins(source))
    {
        std::erase_if(launches, [&](const source_launch& one) { return is_never_reached(values, one.first); });
    }
    source_view(const source_view&) = delete;
    source_view& operator=(const source_view&) = delete;

    source_text source;
    source_scopes scopes;
    source_declarations names;
    source_values values;
    std::vector<source_launch> launches;  ///< without those that are never reached
    std::vector<source_opt_in> opt_ins;
};

}  // namespace launchbox
