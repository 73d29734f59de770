// The report of `advise`: at most fifteen lines per kernel, and the forms for programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

#include "advice/advise/kernel_advice.hpp"
#include "report/core/document.hpp"

namespace launchbox {

struct advice_report {
    std::string file;      ///< as the user named it
    std::string compiler;  ///< version of nvcc
    std::vector<kernel_advice> kernels;
    std::vector<std::string> errors = {};  ///< why an architecture has no result
};

/// `all`: with the reasons.
document advice_document(const advice_report& found, bool all, const output_style& style);

/// launchbox.advice/1.
nlohmann::ordered_json advice_json(const advice_report& found);

/// One row per kernel and architecture.
table advice_table(const advice_report& found);

}  // namespace launchbox
