// Infers the spills of a kernel whose image does not list them, by telling them from local arrays by the form of the
// code.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "image/code/spills.hpp"

namespace launchbox {

/// For a section of code that ptxas compiled for compute capability 7.0 to 9.0, up to CUDA 12.5. The instructions from
/// `begin` to `end` are the kernel's own, the rest belong to functions that it calls. `nullopt` if the code does not
/// set up a stack as ptxas does.
///
/// Assumptions about ptxas, verified against its output (`spill_inference.*`) and the lists of later releases
/// (`libraries.*`):
/// - a spill is stored and loaded relative to the stack pointer, R1, and everything stored is loaded again;
/// - a load relative to R1 with the cache operator .LU ("last use") belongs to a spill;
/// - spills follow the arrays of the frame. So everything from the first place that is loaded with .LU on is a spill,
///   and anything before it that is never loaded relative to R1 belongs to an array. The rest is unknown and counted
///   only in `at_most`.
///
/// `offsets`: receives the offsets of the spills of `at_least`; unchanged if there is no answer.
std::optional<spill_limits> infer_spills(std::string_view code, std::size_t begin, std::size_t end,
                                         std::vector<std::uint32_t>& offsets);

}  // namespace launchbox
