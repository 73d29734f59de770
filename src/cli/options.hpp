// What the verbs share: architectures, formats, numbers with units.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>
#include <launchbox/sm_limits.hpp>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cli/output_file.hpp"
#include "report/core/document.hpp"
#include "support/text/matching.hpp"

namespace launchbox::cli {

/// One architecture that the user named, with its limits.
struct target {
    compute_capability architecture;
    const sm_limits* limits = nullptr;
    std::string gpu = {};         ///< the model that was named: "GTX 480"; empty: an architecture was
    std::optional<int> sms = {};  ///< of that model, where its name tells
};

/// Reads "sm_80,sm_90a,12.0" or "all", which stands for `all`. Throws `error` naming the first that is not one, with
/// those that are.
std::vector<target> parse_targets(const std::string& text, const std::vector<compute_capability>& all);

/// The same, also with architectures that launchbox does not know, whose limits are null: of a compiled kernel the
/// compiler's figures can be read all the same.
std::vector<target> named_targets(const std::string& text, const std::vector<compute_capability>& all);

/// parse_targets, but two GPUs of one architecture are two targets: "H100 PCIe,H100", for figures that depend on SMs.
std::vector<target> parse_gpu_targets(const std::string& text, const std::vector<compute_capability>& all);

/// Where a kernel of this architecture, of which there are limits, is asked about: on those of the named GPUs that have
/// it, or on the architecture alone.
std::vector<target> targets_of_kernel(const compute_capability& architecture, const std::vector<target>& named);

/// Every compute capability of the table.
std::vector<compute_capability> known_capabilities();

/// The architecture of the first GPU here. Throws `error` when there is none and the user named no architecture.
target target_of_this_machine();

/// "11264", "48K", "227KB", "1MiB" in bytes (K = 1,024). Throws `error` for anything else and for negative sizes.
std::int64_t parse_bytes(const std::string& text, const std::string& option);

/// "64M" as bytes, 0 or more: also more than any GPU has of shared memory. Throws `error`, naming the option.
std::int64_t parse_size(const std::string& text, const std::string& option);

/// Throws `error` for a size below 0 or above 1 GiB.
void check_bytes(std::int64_t bytes, const std::string& option);

/// Where a report goes and how it looks: the options --format, --output and --overwrite.
struct output_options {
    std::string format = "table";
    output_file file = {};
    std::string verb = {};  ///< that writes it

    /// `more` are the formats of this verb besides table, json, csv and markdown.
    void add_to(CLI::App& app, const std::vector<std::string>& more = {});
};

/// One report in all its forms; only the one asked for is made.
struct report_forms {
    std::function<document(const output_style&)> page;
    std::function<nlohmann::ordered_json()> json;
    std::function<table()> rows;

    // Instead of the two above where the report can be too large to be held whole.
    std::function<void(std::ostream&)> write_json = {};
    std::function<void(std::ostream&)> write_csv = {};
    std::function<void(std::ostream&)> write_json_lines = {};         ///< "jsonl", where a report has that
    std::map<std::string, std::function<std::string()>> others = {};  ///< by format
};

/// `beside_a_program`: standard output belongs to the user's program, and the report goes to standard error.
void write_report(const output_options& options, const report_forms& forms, bool beside_a_program = false);

/// The two examples that end each verb's --help; the tests run them.
void add_examples(CLI::App& app, const std::string& first, const std::string& second);

}  // namespace launchbox::cli
