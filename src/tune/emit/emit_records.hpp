// The records for rows: stores or their JSON, the selection of their runs, and how a header names them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tune/spec/tune_spec.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

struct emit_record {
    std::string path;  ///< as a header names it, from the root
    std::string hash;  ///< "fnv1a64:..." of a file's bytes, "results-fnv1a64:..." of a store's content
    recorded_run run;

    [[nodiscard]] std::string comment() const { return "// record: " + path + " " + hash; }
};

struct emit_records {
    std::vector<emit_record> all;
    std::vector<std::string> notes;  ///< what was left out: one sentence each
};

/// Reads files below `root`; paths are relative to it, or to the working directory if the file is not below `root`.
emit_records read_emit_records(const std::vector<std::string>& paths, const std::filesystem::path& root);

/// The selection of runs.
struct run_filter {
    std::string name;      ///< of the tunable; empty: there must be one
    std::string gpu = {};  ///< part of its name; empty: any
    std::vector<std::string> workload;
    const tune_spec* spec = nullptr;                            ///< a run of another task is stale
    std::function<bool(const run_info&)> has_sources_now = {};  ///< and so is one of other sources; empty: not asked
    bool of_each_gpu = false;                                   ///< and not of each architecture
};

/// The run of the tunable's latest call on each architecture or GPU, in ascending order: within a file by call number,
/// between files by the clock. Throws `error` if there are several tunables, no run is left, or all runs of an
/// architecture are stale.
emit_records chosen_runs(const emit_records& read, const run_filter& wishes);

/// A hash of the store's runs that does not depend on their order, their numbers, or how often the file was opened.
std::string content_hash(const std::vector<recorded_run>& runs);

}  // namespace launchbox
