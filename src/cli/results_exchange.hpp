// The part of `results` that exchanges files with other tuners: --export and --import.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

#include "cli/output_file.hpp"
#include "report/tune/results_report.hpp"
#include "support/error.hpp"

namespace launchbox::cli {

struct exchange_options {
    std::string format;  ///< of --export; empty: none
    bool import = false;
    bool merge = false;
    std::string store;

    void add_to(CLI::App& app);
};

/// Writes what the report shows of `files` to `output`: a file (compressed where it ends in .gz), a folder (ends in /,
/// or is one) for one file a run and workload, or standard output where it is empty. Throws `error` where one file
/// cannot hold it.
void export_results(const exchange_options& options, const std::vector<std::string>& files, const output_file& output,
                    const results_report& report);

}  // namespace launchbox::cli
