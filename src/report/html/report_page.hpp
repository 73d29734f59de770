// The page of `launchbox report`: runs, the runs against each other, kernels, two builds against each other.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/inspect/kernel_diff.hpp"
#include "advice/inspect/kernel_findings.hpp"
#include "capture/launches/observed_run.hpp"
#include "report/bounds/advice_report.hpp"
#include "report/kernels/kernels_report.hpp"
#include "report/tune/comparison_report.hpp"

namespace launchbox {

/// What a program launched, and the file that says so.
struct page_launches {
    std::string file;
    observed_run run;
};

/// What goes onto a page; what is empty is left out.
struct page_content {
    std::string title;
    comparison_report runs;  ///< `others` where there are several
    std::optional<inspection> kernels;
    std::vector<kernel_account> accounts = {};   ///< of `kernels`, where they are few
    std::vector<kernel_findings> findings = {};  ///< of `kernels`, which it points into
    std::vector<advice_report> advice = {};      ///< of the sources, where it was asked for
    const kernel_diff* changes = nullptr;        ///< from `against` to `kernels`
    std::string against = {};                    ///< the file of the earlier build
    std::vector<page_launches> launches = {};
    std::vector<std::string> errors = {};  ///< what could not be read
};

std::string report_page(const page_content& content);

}  // namespace launchbox
