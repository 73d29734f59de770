// The workloads that a table is for: all, those of one element size, or those of a range of sizes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tune/emit/tuned_rows.hpp"

namespace launchbox {

/// The workload values for the type and the number of elements; empty: none.
struct split_names {
    std::string type = {}, size = {};
};

struct table_part {
    std::string type;               ///< the workload value, with `bytes`
    std::optional<int> bytes = {};  ///< of an element
    std::string size = {};          ///< the workload value, with the two below
    std::optional<std::int64_t> above = {}, upto = {};

    [[nodiscard]] bool holds(const assignment& workload) const;
    [[nodiscard]] std::string suffix() const;       ///< of the table's name: "_4_upto_1000"
    [[nodiscard]] std::string description() const;  ///< ", type of 4 bytes, n up to 1000"
    friend bool operator==(const table_part&, const table_part&) = default;
};

/// The part that a table's text describes; `names` supply the values that it does not name.
table_part part_of_text(const std::string& text, const split_names& names);

enum class split_kind { automatic, type, size, none };

/// Finds the workload values to split by: words are types, whole numbers sizes. Throws `error` if several of a kind
/// vary and `asked` names none of them.
split_names find_split_names(const std::vector<const recorded_run*>& runs, const split_names& asked, split_kind split);

/// The parts that deserve tables of their own; a single part with everything if there are none.
std::vector<table_part> find_parts(const std::vector<const recorded_run*>& runs, const split_names& names,
                                   split_kind split);

}  // namespace launchbox
