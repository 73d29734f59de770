// Reads kernels and their launch attributes from PTX text.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "image/container/image_diagnostic.hpp"
#include "image/kernel_info.hpp"
#include "image/kernel_memory.hpp"

namespace launchbox {

/// Where a kernel's launch directives are in the text.
struct ptx_directives {
    struct range {
        std::size_t from = 0, to = 0;
    };
    std::size_t begin = 0;               ///< after the name and the parameters
    std::vector<range> register_limits;  ///< each `.maxnreg` and `.minnctapersm` with its number
    std::vector<range> block_limits;     ///< each `.maxntid` and `.maxclusterrank` with its numbers
};

struct ptx_contents {
    std::string version;  ///< of the PTX language: "9.0"; empty if unknown
    std::string target;   ///< "sm_90a"; empty if unknown
    bool debug = false;   ///< made by nvcc -G
    std::vector<kernel_info> kernels;
    std::vector<ptx_directives> directives;  ///< of `kernels[i]`
    std::size_t functions = 0;               ///< device functions with a body, which kernels may share
    std::vector<image_diagnostic> diagnostics;
};

/// Whether the text is a PTX module: it begins with `.version`, after comments and blanks.
bool is_ptx(std::string_view text);

/// Reads one PTX module. PTX gives launch attributes and parameters exactly. Registers, spills, barriers and total
/// shared memory are decided later by ptxas, and stay unknown here. Never throws on bad input. `entry_lines`: store in
/// `source.entry` the line at which each kernel starts, which costs a pass over the text. `memory`: when it is used up,
/// the rest is not read, and the caller reports it; null: no limit.
ptx_contents read_ptx(std::string_view text, const std::string& file, bool entry_lines = true,
                      kernel_memory* memory = nullptr);

/// The module without the contents of its outermost braces: a small part of the text with all that `read_ptx` reads.
std::string ptx_outline(std::string_view text);

}  // namespace launchbox
