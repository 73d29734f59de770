// Writes tuned rows as C++, from records and the existing header.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <optional>
#include <string>
#include <vector>

#include "tune/emit/emit_forms.hpp"
#include "tune/emit/emit_records.hpp"
#include "tune/emit/emit_tables.hpp"
#include "tune/emit/tuning_header.hpp"

namespace launchbox {

enum class emit_form { box, constexpr_rows, defines, json, cub };

struct emit_request {
    std::vector<std::string> files;   ///< records
    std::string header;               ///< that is written, or compared; empty: none
    bool header_is_replaced = false;  ///< even where it has no table of this name
    bool header_is_compared = false;  ///< and not written
    emit_form form = emit_form::box;
    std::string box, row;  ///< names of the table and of the type of its rows; empty: launchbox emit's own
    std::string name, gpu;
    std::vector<std::string> workload;
    std::string spec;  ///< a file: results are of it as it is now; empty: not asked
    std::string root = ".";
    split_kind split = split_kind::automatic;
    split_names names;
    launch_box_members members;
    std::optional<compute_capability> baseline = {};  ///< a row with the spec's baseline for it
    std::vector<compute_capability> predicted = {};   ///< a row without a measurement for each
    bool allow_unverified = false;
    std::optional<fleet_wish> fleet = {};  ///< one table for several GPUs
};

struct emitted_header {
    emit_records chosen;  ///< the records that count
    emitted_tables emitted;
    std::string old_text;     ///< of the header; empty: it is new
    bool is_updated = false;  ///< it has tables of this name already
    std::string text;         ///< to be written
};

/// Throws `error` if records, options and header do not go together.
emitted_header emit_header(const emit_request& request);

}  // namespace launchbox
