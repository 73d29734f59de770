// From what is known of a compiled kernel to a question about its occupancy.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "advice/model/account.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// What the model needs of a kernel. A launch bound above 1,024 is 1,024, as no block is larger.
kernel_resources resources_of(const kernel_info& kernel);

/// The question for a launch of this kernel with `threads` threads, by default those of its bound. `nullopt` if neither
/// is known, or if the architecture is unknown. Dynamic shared memory is that of `kernel_info`.
std::optional<occupancy_question> question_for(const kernel_info& kernel, std::optional<int> threads);

/// Whether a program with a kernel of so much static shared memory can be made: ptxas refuses more than 48 KB, and
/// nvlink what ptxas leaves to it (-rdc). No attribute raises that limit.
bool links(const sm_limits& limits, const kernel_resources& kernel);

/// The limit of dynamic shared memory that a working program sets: as far as the GPU allows, and as the launch needs.
std::int64_t raised_shared_limit(const sm_limits& limits, const kernel_resources& kernel, std::int64_t dynamic_bytes);

/// The question for a launch of a compiled kernel with this much dynamic shared memory, allowed as far as the GPU does.
void set_dynamic_shared(occupancy_question& question, std::int64_t bytes);

}  // namespace launchbox
