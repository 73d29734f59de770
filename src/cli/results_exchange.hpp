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

/// Writes the runs of all files to the new store `path`, and says what came of it. Throws `error` where a file cannot
/// be read: half of a fleet is not what was asked for.
void merge_results(const std::vector<std::string>& files, const std::string& path);

/// Writes all that `files` hold to a new store, and returns its name. What was left out of them goes to `diagnostics`,
/// and a file that cannot be read, where there are others, changes `status`. Throws `error` where the store is there
/// already.
std::string import_results(const exchange_options& options, const std::vector<std::string>& files,
                           std::vector<std::string>& diagnostics, exit_status& status);

}  // namespace launchbox::cli
