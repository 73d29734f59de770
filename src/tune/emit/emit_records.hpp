// The records that rows come from: stores or their JSON, which runs of them count, and how a header names them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
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

/// Reads files below `root`; paths are relative to it, or to the working directory where it has none of that name.
emit_records read_emit_records(const std::vector<std::string>& paths, const std::filesystem::path& root);

/// Which runs count.
struct run_filter {
    std::string name;      ///< of the tunable; empty: there must be one
    std::string gpu = {};  ///< part of its name; empty: any
    std::vector<std::string> workload;
    const tune_spec* spec = nullptr;                            ///< a run of another task is stale
    std::function<bool(const run_info&)> has_sources_now = {};  ///< and so is one of other sources; empty: not asked
    bool of_each_gpu = false;                                   ///< and not of each architecture
};

/// The run of the latest call of the tunable on each architecture or GPU, rising: by the numbers of calls within a
/// file, and between files by the clock. Throws `error` where several tunables are there, none is left, or all of an
/// architecture are stale.
emit_records chosen_runs(const emit_records& read, const run_filter& wishes);

/// The hash of a store's runs, whatever their order and numbers, and however often the file was opened.
std::string content_hash(const std::vector<recorded_run>& runs);

}  // namespace launchbox
