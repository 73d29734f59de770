// Rows for architectures that were not measured, predicted from the records of others (docs/emit.md).
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tune/emit/emit_records.hpp"
#include "tune/emit/row_fields.hpp"
#include "tune/emit/tuned_parts.hpp"
#include "tune/emit/tuning_header.hpp"

namespace launchbox {

/// An architecture that gets a predicted row, and what is known of candidates there without records.
struct prediction_wish {
    compute_capability architecture;
    std::function<std::string(const assignment&)> why_not = {};   ///< why one cannot run there; empty: it may
    std::function<std::string(const assignment&)> compiled = {};  ///< what the compiler made of it; empty: not compiled
};

struct prediction {
    compute_capability architecture;
    assignment parameters = {};
    double share = 0;                       ///< expected, of the best there
    std::size_t candidates = 0;             ///< that it was chosen from
    bool verified = false;                  ///< its outputs were compared wherever it was measured
    std::vector<std::string> gpus = {};     ///< "NVIDIA A100 (sm_80)": whose records these are
    std::vector<std::string> records = {};  ///< "PATH HASH"
    std::string compiled = {};
    std::string rejected = {};  ///< "threads=1024: ...", the first better one that cannot run there
};

/// The candidate with the best expected share that may run there; with `only`, the expectation for that one. Throws
/// `error` if the records are of one GPU only, or if none of their candidates may run.
prediction predict_row(const std::vector<emit_record>& records, const table_part& part, const prediction_wish& wish,
                       const std::optional<assignment>& only = {});

/// The comment lines above it.
std::vector<std::string> comments_of(const prediction& row);

bool is_predicted(const header_row& row);

/// Why the row is not the one that its records predict; empty: it is. Compiled figures are not compared.
std::string prediction_difference(const std::vector<emit_record>& records, const header_table& table,
                                  const header_row& row, const split_names& names);

}  // namespace launchbox
