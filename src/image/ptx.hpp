// Kernels and their launch attributes from PTX text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "image/image_problem.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

struct ptx_contents {
    std::string version;  ///< of the PTX language: "9.0"; empty when the text does not tell
    std::string target;   ///< "sm_90a"; empty when the text does not tell
    std::vector<kernel_info> kernels;
    std::vector<image_problem> problems;
};

/// Whether text begins as a PTX module: with `.version`, behind comments and space.
bool is_ptx(std::string_view text);

/// Reads one PTX module. PTX tells launch attributes and parameters exactly. Registers, spills, barriers and the shared
/// memory in all are decided later, by ptxas, and stay unknown here. Never throws on bad input.
/// `entry_lines`: say in `source.entry` at which line each kernel starts, which costs a pass over the text.
ptx_contents read_ptx(std::string_view text, const std::string& file, bool entry_lines = true);

}  // namespace launchbox
