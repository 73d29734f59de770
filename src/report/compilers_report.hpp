// `inspect --nvcc A,B`: what several compilers make of the same kernels, side by side.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <optional>
#include <string>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"
#include "report/document.hpp"

namespace launchbox {

/// What one compiler made of the sources.
struct compiler_result {
    std::string name;  ///< "13.0.88"; as the user wrote it where it did not run
    std::vector<inspected_kernel> kernels;
    std::vector<std::string> errors;  ///< why there are none, or not all
};

/// A row for each kernel and architecture, a column for each compiler; rows that differ first.
document compilers_document(const std::vector<compiler_result>& results);

/// launchbox.compilers/1.
nlohmann::ordered_json compilers_json(const std::vector<compiler_result>& results);

table compilers_table(const std::vector<compiler_result>& results);

}  // namespace launchbox
