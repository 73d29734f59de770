// A source as its compiler sees it: the host pass, that of each architecture, and the user's files in them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include <launchbox/compute_capability.hpp>

#include "compiler/run/toolchain.hpp"
#include "source/user_text.hpp"

namespace launchbox {

struct source_unit {
    struct file {
        std::string name, text;
    };
    struct pass {
        std::string architecture;  ///< "sm_90"
        user_text text;
    };
    user_text host;
    std::vector<pass> devices;               ///< only if some file reads __CUDA_ARCH__
    std::vector<file> headers;               ///< the user's other files, before preprocessing
    std::unordered_set<std::string> macros;  ///< all macros defined anywhere for the host, including the command line
};

/// Runs the preprocessor for the host, and for the architectures if their view may differ. `nullopt` if it fails, or if
/// the user's part is too large to be handwritten.
std::optional<source_unit> read_source_unit(const toolchain& tools, const std::string& source,
                                            const std::vector<std::string>& flags,
                                            const std::vector<compute_capability>& architectures);

}  // namespace launchbox
