// The page of `launchbox report`: runs, comparisons of runs, kernels, comparison of two builds.
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

/// The launches of a program, and the file that recorded them.
struct page_launches {
    std::string file;
    observed_run run;
};

/// The content of a page; empty parts are left out.
struct page_content {
    std::string title;
    comparison_report runs;  ///< `others` if there are several
    std::optional<inspection> kernels;
    std::vector<kernel_account> accounts = {};   ///< of `kernels`, if they are few
    std::vector<kernel_findings> findings = {};  ///< for `kernels`; points into it
    std::vector<advice_report> advice = {};      ///< for the sources, if asked for
    const kernel_diff* changes = nullptr;        ///< from `against` to `kernels`
    std::string against = {};                    ///< the file of the earlier build
    std::vector<page_launches> launches = {};
    std::vector<std::string> errors = {};  ///< what could not be read
};

std::string report_page(const page_content& content);

}  // namespace launchbox
