// Tables of rows from records: new ones, or those of a header with the rows that records change.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tune/emit/emit_records.hpp"
#include "tune/emit/launch_box_members.hpp"
#include "tune/emit/predicted_rows.hpp"
#include "tune/emit/row_fields.hpp"
#include "tune/emit/tuned_parts.hpp"
#include "tune/emit/tuning_header.hpp"

namespace launchbox {

/// One table for several GPUs.
struct fleet_wish {
    double within = 0.02;        ///< the loss that is accepted on each, 0.02 for 2 %
    bool only_measured = false;  ///< other GPUs have the baseline
};

struct emit_settings {
    std::string box;            ///< name of the table
    std::string row_type = {};  ///< empty: a struct of our own, BOX_row
    bool allow_unverified = false;
    split_kind split = split_kind::automatic;
    split_names names = {};
    /// For a generated struct whose rows are those of a launch_box: the parameters that are its members.
    std::optional<launch_box_members> members = {};
    std::optional<compute_capability> baseline_architecture =
        {};  ///< gets the spec's baseline where older than all rows

    std::optional<fleet_wish> fleet = {};         ///< else the winner of each architecture
    std::vector<prediction_wish> predicted = {};  ///< architectures that get a row without a measurement

    [[nodiscard]] std::string row_name() const { return row_type.empty() ? box + "_row" : row_type; }
};

/// One row that a record gave.
struct emitted_row {
    compute_capability architecture;
    std::size_t record = 0;
    row_choice choice;
    std::string replaced;             ///< "{256, 11, 0}, the row of sm_80"; empty: there was none
    bool unchanged = false;           ///< no gain: the table is as it was
    std::optional<double> loss = {};  ///< against the GPU's best, in a table for several: 0.004 for 0.4 %
};

struct emitted_table {
    table_part part;
    header_table table;
    std::vector<emitted_row> rows;
    std::vector<std::optional<assignment>> values;  ///< of each row of `table`, where a record knows them
    std::vector<prediction> predicted = {};         ///< rows of `table` that no record measured
    bool changed = true;                            ///< else the rows are those that were there
};

struct emitted_tables {
    std::vector<row_field> fields;
    split_names names = {};
    std::vector<emitted_table> tables;
};

/// `existing`: the tables of the box in a header; empty: none.
emitted_tables emit_tables(const std::vector<emit_record>& records, const emit_settings& settings,
                           const std::vector<header_table>& existing);

/// The tables of a header that belong to this box: BOX itself, or its parts BOX_...
std::vector<header_table> tables_of_box(const std::vector<header_table>& all, const std::string& box);

/// A whole header.
std::string new_header(const emitted_tables& emitted, const emit_settings& settings);

/// The header with all rows that records give.
std::string updated_header(std::string text, const emitted_tables& emitted);

/// The row that a record gives in place of a header's row, with its comments, whose `// gain:` compares it with the
/// replaced row.
header_row row_again(const emit_record& record, const header_table& table, const header_row& row,
                     const split_names& names);

}  // namespace launchbox
