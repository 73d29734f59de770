// `inspect --nvcc A,B` and `--flags`: what several compilers, or one with several flags, make of the same kernels, side
// by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"
#include "report/core/document.hpp"

namespace launchbox {

/// What one compiler made of the sources.
struct compiler_result {
    std::string name;                  ///< "13.0.88"; as the user wrote it where it did not run
    std::optional<std::string> flags;  ///< beside those of all; none: it has no others
    std::vector<inspected_kernel> kernels;
    std::vector<std::string> errors;  ///< why there are none, or not all
};

/// "CUDA 13.0.88", "CUDA 13.0.88 -O1".
std::string column_name(const compiler_result& result);

/// A row for each kernel and architecture, a column for each compiler; rows that differ first.
document compilers_document(const std::vector<compiler_result>& results);

/// launchbox.compilers/1.
nlohmann::ordered_json compilers_json(const std::vector<compiler_result>& results);

table compilers_table(const std::vector<compiler_result>& results);

}  // namespace launchbox
