// Spills of a kernel whose image does not list them, distinguished from arrays in local memory by the form of the code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "image/code/spills.hpp"

namespace launchbox {

/// For a section of code that ptxas made for compute capability 7.0 to 9.0, up to CUDA 12.5. The instructions from
/// `begin` to `end` are the kernel's own, the rest belong to functions that it calls. `nullopt` if the code does not
/// set up a stack as ptxas does.
///
/// Assumptions about ptxas, compared with what it prints (`spill_inference.*`) and with its own lists of later releases
/// (`libraries.*`):
/// - a spill is stored and loaded relative to the stack pointer, R1, and what is stored is loaded again;
/// - a load with the cache operator .LU ("last use") that is relative to R1 is one of a spill;
/// - spills lie behind the arrays of the frame.
/// So what lies behind the first place that is loaded with .LU is a spill, and what lies before it and is never loaded
/// relative to R1 belongs to an array. The rest is unknown and counted only in `at_most`.
///
/// `offsets`: receives the places of the spills of `at_least`; unchanged if there is no answer.
std::optional<spill_limits> infer_spills(std::string_view code, std::size_t begin, std::size_t end,
                                         std::vector<std::uint32_t>& offsets);

}  // namespace launchbox
