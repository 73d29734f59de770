// The cells that tables of kernels share: architecture, spills, launch bounds, and what stands for what is not known.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advice/inspect/inspected_kernel.hpp"
#include "report/core/document.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

/// What the signs in the cells of a page's tables mean.
struct cell_signs {
    bool unknown = false;        ///< "?"
    bool inferred = false;       ///< "≈"
    bool at_most = false;        ///< "≤"
    bool at_least = false;       ///< "≥"
    bool shared_spills = false;  ///< "+" behind a space
    bool runs_on = false;        ///< "→" between two architectures

    /// Looks for them in a table that is to be shown, before it has names of kernels in it.
    void note(const table& shown);

    /// A line for each sign that occurred.
    void explain(document& page) const;
};

/// "sm_90", "sm_90 -rdc", "compute_90"; "?" when the input does not tell.
std::string architecture_label(const kernel_info& info);

/// "1,024"; "–" for what PTX does not decide, else "?".
template <class Value>
std::string known_or_sign(const std::optional<Value>& value, const kernel_info& info);

/// "23,552", and behind + the dynamic part, where there is one: "0+196,608", "0+?".
std::string shared_text(const kernel_info& info);

/// "4x256", "≤4x256".
std::string resident_text(int blocks, int threads, bool at_most);

/// "50 %", "≤50 %".
std::string occupancy_text(double occupancy, bool at_most);

/// "96", and behind / the stack with the functions that it calls, where that is more: "0/304".
std::string stack_text(const kernel_info& info);

/// "116/156"; "≥116/≥156" where that is all that is known; behind it what is spilled to shared memory, where that is
/// anything: "116/156 +152/156".
cell spills_cell(const kernel_info& info);

/// "256,8" or "256,8,4": the launch bounds; "–" when there are none.
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
