// SPDX-License-Identifier: Apache-2.0
#include "advice/model/occupancy_answer.hpp"

namespace launchbox {

occupancy_answer answer_of(const occupancy_question& question)
{
    const occupancy_result result = occupancy(*question.limits, question.resources, question.shape, question.settings);
    occupancy_answer given{.architecture = question.architecture,
                           .resident_blocks = result.resident_blocks,
                           .resident_warps = result.resident_warps,
                           .warp_slots = result.warp_slots,
                           .occupancy = result.occupancy(),
                           .limits = {},
                           .limiters = result.limiters,
                           .obstacle = obstacle_text(question, result)};
    for (std::size_t i = 0; i < given.limits.size(); ++i) given.limits[i] = result.limit_of(static_cast<resource>(i));
    return given;
}

}  // namespace launchbox
