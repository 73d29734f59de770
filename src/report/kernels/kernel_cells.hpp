// Cells common to the tables of kernels: architecture, spills, launch bounds, and the signs for unknown values.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "advice/inspect/inspected_kernel.hpp"
#include "report/core/document.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

/// Collects the signs used in a page's tables, to explain them.
struct cell_signs {
    bool unknown = false;        ///< "?"
    bool inferred = false;       ///< "≈"
    bool at_most = false;        ///< "≤"
    bool at_least = false;       ///< "≥"
    bool shared_spills = false;  ///< "+" after a space
    bool runs_on = false;        ///< "→" between two architectures

    /// Looks for signs in a table, before names of kernels are added to it.
    void note(const table& shown);

    /// A line for each sign that occurred.
    void explain(document& page) const;
};

/// "sm_90", "sm_90 -rdc", "compute_90"; "?" if the input does not tell.
std::string architecture_label(const kernel_info& info);

/// "1,024"; "–" if PTX does not determine it, else "?".
template <class Value>
std::string known_or_sign(const std::optional<Value>& value, const kernel_info& info);

/// "23,552", followed by + and the dynamic part if there is one: "0+196,608", "0+?".
std::string shared_text(const kernel_info& info);

/// "4x256", "≤4x256".
std::string resident_text(int blocks, int threads, bool at_most);

/// "50 %", "≤50 %".
std::string occupancy_text(double occupancy, bool at_most);

/// "96", followed by / and the stack including called functions if that is more: "0/304".
std::string stack_text(const kernel_info& info);

/// "116/156"; "≥116/≥156" if only a lower bound is known; followed by bytes spilled to shared memory, if any: "116/156
/// +152/156".
cell spills_cell(const kernel_info& info);

/// "256,8" or "256,8,4": the launch bounds; "–" if there are none.
std::string bounds_text(const kernel_info& info);

/// "13.0" for 130.
std::string toolkit_name(int version);

template <class Value>
std::string known_or_sign(const std::optional<Value>& value, const kernel_info& info)
{
    if (value) return with_commas(*value);
    return is_ptx(info) ? "–" : "?";
}

}  // namespace launchbox
