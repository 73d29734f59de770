// The sentences of `bounds`: why an attribute is recommended, and further remarks.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/bounds/bounds_answer.hpp"

namespace launchbox {

/// "__launch_bounds__(256, 2)", "no attribute".
std::string attribute_text(const launch_attribute& attribute);

/// Nanoseconds for people: "1.31 ms", "840 ns".
std::string time_text(double nanoseconds);

/// What a row gains over the unchanged source: "4 instead of 3 blocks, no spills instead of 300 B". Empty if nothing,
/// or if the unchanged source cannot be launched with this block size.
std::string gain_of(const block_size_answer& size, const bounds_row& row);

/// One sentence. `chosen` is complete except for its reason.
std::string reason_for(const bounds_answer& answer, const block_size_answer& size, const bounds_recommendation& chosen);

/// About bounds that ptxas drops, and figures that are not final.
std::vector<std::string> findings_of_kernel(const kernel_info& written);

/// About the cost of the written attribute, caps without benefit, one-argument bounds that collapse, and trade-offs.
std::vector<std::string> findings_of_block_size(const bounds_answer& answer, const block_size_answer& size);

/// "2 blocks".
std::string blocks_text(int blocks);

/// "392 B of spills", "no spills"; with "about" for figures from PTX.
std::string spills_text(const bounds_row& row);

/// The row of the unchanged source; null if its bound does not allow this block size.
const bounds_row* written_row(const block_size_answer& size);

}  // namespace launchbox
