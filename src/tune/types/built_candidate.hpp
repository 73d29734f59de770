// A candidate that was built to be looked at, not to be measured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "image/kernel_info.hpp"
#include "support/expression/parameter_value.hpp"
#include "tune/types/build_status.hpp"

namespace launchbox {

struct built_candidate {
    assignment parameters, workload;
    build_status status = build_status::built;
    std::string reason = {};                 ///< one line; empty when it is built
    std::optional<kernel_info> kernel = {};  ///< what the compiler made; `nullopt`: nothing, or a program
    bool from_cache = false;
    std::string log = {};  ///< the compiler's, where there is something to read
};

}  // namespace launchbox
