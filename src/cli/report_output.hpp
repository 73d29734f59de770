// Writes reports in the format and to the place that the user asks for.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <functional>
#include <iosfwd>
#include <map>
#include <string>
#include <vector>

#include "cli/output_file.hpp"
#include "report/core/document.hpp"

namespace launchbox::cli {

/// Where a report goes and in which format: the options --format, --output and --overwrite.
struct output_options {
    std::string format = "table";
    output_file file = {};
    std::string verb = {};  ///< that writes the report

    /// `more`: formats of this verb besides table, json, csv and markdown.
    void add_to(CLI::App& app, const std::vector<std::string>& more = {});
};

/// One report in all its forms; only the requested one is made.
struct report_forms {
    std::function<document(const output_style&)> page;
    std::function<nlohmann::ordered_json()> json;
    std::function<table()> rows;

    // Replaces the two above if the report may be too large to keep in memory.
    std::function<void(std::ostream&)> write_json = {};
    std::function<void(std::ostream&)> write_csv = {};
    std::function<void(std::ostream&)> write_json_lines = {};         ///< "jsonl", if supported
    std::map<std::string, std::function<std::string()>> others = {};  ///< by format
};

/// For --run: the number of a run, from 1.
CLI::Validator run_number();

/// `beside_a_program`: standard output belongs to the user's program, and the report goes to standard error.
void write_report(const output_options& options, const report_forms& forms, bool beside_a_program = false);

}  // namespace launchbox::cli
