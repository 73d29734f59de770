// Makes a question about occupancy from the data of a compiled kernel.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include "advice/model/account.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// The resources of a kernel that the model needs. A launch bound above 1,024 counts as 1,024, the largest block.
kernel_resources resources_of(const kernel_info& kernel);

/// The question for a launch of this kernel with `threads` threads, by default those of its bound. `nullopt` if neither
/// is known, or if the architecture is unknown. Dynamic shared memory is that of `kernel_info`.
std::optional<occupancy_question> question_for(const kernel_info& kernel, std::optional<int> threads);

/// Whether a program with this much static shared memory can be built: ptxas rejects more than 48 KB, and nvlink does
/// for relocatable code (-rdc). No attribute raises that limit.
bool links(const sm_limits& limits, const kernel_resources& kernel);

/// The limit of dynamic shared memory that a working program would set: the GPU's maximum, as far as the launch needs
/// it.
std::int64_t raised_shared_limit(const sm_limits& limits, const kernel_resources& kernel, std::int64_t dynamic_bytes);

/// Sets this much dynamic shared memory for the launch of a compiled kernel, and opts in to it as far as the GPU
/// allows.
void set_dynamic_shared(occupancy_question& question, std::int64_t bytes);

}  // namespace launchbox
