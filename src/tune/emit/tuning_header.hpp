// Headers with tables of rows (docs/tunings.md): reads them, and changes single rows while everything else stays.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>
#include <launchbox/tuning_row.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

struct header_row {
    compute_capability architecture;
    std::vector<gpu_range> gpus = {};   ///< that it is for; empty: all
    std::vector<std::string> values;    ///< as they stand in the source: "256", "true"
    std::vector<std::string> comments;  ///< the lines above it, each beginning with "//"
    std::size_t line = 0;               ///< from 1; 0: not in a file

    /// Compares rows regardless of their place in the file.
    friend bool operator==(const header_row& one, const header_row& other)
    {
        return one.architecture == other.architecture && one.gpus == other.gpus && one.values == other.values &&
               one.comments == other.comments;
    }
};

/// A GPU on which rows of a table were measured, as launch_box knows it.
struct header_gpu {
    std::string name;
    int architecture = 0;  ///< 90 for sm_90
    std::int64_t sms = 0, memory_bytes = 0, l2_bytes = 0;
    std::int64_t memory_gb_per_second = 0;  ///< 0: the table does not tell GPUs apart by it

    friend bool operator==(const header_gpu&, const header_gpu&) = default;
};

struct header_table {
    std::string name, text, macro = {}, row_type;
    std::vector<header_row> rows = {};
    std::vector<header_gpu> measured = {};
    std::size_t begin = 0, end = 0;  ///< the lines from "struct NAME : " to its end, from 0
};

/// The tables of a header; `name` is used in messages. Throws `error` with file and line for anything that
/// docs/tunings.md does not allow.
std::vector<header_table> parse_tuning_header(std::string_view text, const std::string& name);

/// The header with other rows in one of its tables, which was read from it.
std::string with_rows(std::string_view text, const header_table& table);

/// A table as it stands in a header, with a line end.
std::string table_text(const header_table& table);

/// "{256, 15, 2}".
std::string row_text(const std::vector<std::string>& values);

/// The order of rows in a table: sm<90>, sm_a<90>, sm<100>, sm_f<100>, sm_a<100>.
int rank_of(const header_row& row);

/// ".min_sms = 120 or .max_memory_bytes = 50'000'000'000".
std::string range_text(const std::vector<gpu_range>& gpus);
/// "sm_90", "sm_90 with .min_sms = 120".
std::string place_text(const header_row& row);

/// Whether a range of the table is one of memory bandwidth: then its rows record that of their GPUs.
bool asks_for_bandwidth(const header_table& table);

/// The row that code compiled for this architecture uses on a GPU without a row of its own; `nullptr`: it does not
/// compile.
const header_row* row_used_by(const header_table& table, const compute_capability& architecture);

/// 64-bit FNV-1a of these bytes, 16 digits: the hash by which a header names a record.
std::string fnv1a64(std::string_view bytes);

inline constexpr std::string_view unmeasured_row = "// baseline, not measured";
inline bool is_unmeasured(const header_row& row)
{
    return row.comments.size() == 1 && row.comments.front() == unmeasured_row;
}

}  // namespace launchbox
