// `inspect --nvcc A,B` and `--flags`: compares the kernels compiled by several compilers, or with several sets of
// flags, side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"
#include "report/core/document.hpp"

namespace launchbox {

/// The result of one compiler.
struct compiler_result {
    std::string name;                  ///< "13.0.88"; as the user wrote it if it did not run
    std::optional<std::string> flags;  ///< in addition to the common flags; `nullopt` if none
    std::vector<inspected_kernel> kernels;
    std::vector<std::string> errors;  ///< why kernels are missing
};

/// "CUDA 13.0.88", "CUDA 13.0.88 -O1".
std::string column_name(const compiler_result& result);

/// One row per kernel and architecture, one column per compiler; rows that differ come first.
document compilers_document(const std::vector<compiler_result>& results);

/// launchbox.compilers/1.
nlohmann::ordered_json compilers_json(const std::vector<compiler_result>& results);

table compilers_table(const std::vector<compiler_result>& results);

}  // namespace launchbox
