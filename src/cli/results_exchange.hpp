// The exchange of files with other tuners in `results`: --export and --import.
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
    std::string format;  ///< of --export; empty if none
    bool import = false;
    bool merge = false;
    std::string store;

    void add_to(CLI::App& app);
};

/// Writes the reported part of `files` to `output`: a file (compressed if it ends in .gz), a folder (exists, or ends in
/// /) for one file per run and workload, or standard output if empty. Throws `error` if a single file cannot contain
/// it.
void export_results(const exchange_options& options, const std::vector<std::string>& files, const output_file& output,
                    const results_report& report);

}  // namespace launchbox::cli
