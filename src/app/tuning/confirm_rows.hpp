// Measures whether the rows of a header are as good as the baseline on this machine's GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "report/tune/results_report.hpp"
#include "tune/emit/tuning_header.hpp"
#include "tune/run/backend.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// A header and the spec of its rows. Throws `error` if they do not go together.
class row_confirmation {
public:
    /// `box`: the name of its table, or the common part of its tables' names; empty: the tables whose text begins with
    /// the spec's name.
    row_confirmation(std::string header, const std::string& box, const tune_spec& spec);

    /// The rows that a launch box selects on the backend's GPU.
    [[nodiscard]] std::vector<assignment> candidates_on(const tune_backend& backend) const;

    struct verdict {
        std::vector<std::string> lines;  ///< a sentence, and one line for each workload
        bool is_confirmed = false;
    };
    /// The verdict for each table, from the measurements.
    [[nodiscard]] std::vector<verdict> verdicts(const results_report& measured) const;

private:
    struct used_row {
        assignment candidate;
        std::string text;  ///< "{256, 15, 2}, the row of sm_90, measured on NVIDIA H200, inherited"
    };
    [[nodiscard]] used_row row_on(const header_table& table, const environment_info& where,
                                  const std::vector<device_record>& devices) const;
    [[nodiscard]] verdict verdict_of(const header_table& table, const shown_run& shown) const;

    std::string header_;
    tune_spec spec_;
    std::vector<header_table> tables_;
};

}  // namespace launchbox
