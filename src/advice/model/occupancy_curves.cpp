// SPDX-License-Identifier: Apache-2.0
#include "advice/model/occupancy_curves.hpp"

#include <algorithm>

namespace launchbox {

namespace {

std::int64_t total_shared(const occupancy_question& q)
{
    return q.resources.static_shared_bytes + q.shape.dynamic_shared_bytes;
}

int warps_of(const occupancy_question& q)
{
    return resident_blocks(*q.limits, q.resources, q.shape, q.settings) * detail::warps_of(q.shape.threads);
}

occupancy_curve over_threads(const occupancy_question& q)
{
    occupancy_curve curve{"threads", {}, q.shape.threads};
    occupancy_question point = q;
    for (int threads = warp_size; threads <= max_threads_per_block; threads += warp_size) {
        const std::optional<std::int64_t> dynamic = dynamic_shared_with(q, threads);
        if (!dynamic) continue;
        point.shape.threads = threads;
        point.shape.dynamic_shared_bytes = *dynamic;
        curve.points.push_back({threads, warps_of(point)});
    }
    return curve;
}

occupancy_curve over_registers(const occupancy_question& q)
{
    occupancy_curve curve{"registers", {}, q.resources.registers};
    occupancy_question point = q;
    for (int registers = 1; registers <= q.limits->registers_per_thread; ++registers) {
        point.resources.registers = registers;
        curve.points.push_back({registers, warps_of(point)});
    }
    return curve;
}

// The static part is kept as long as it fits into the value, and the dynamic part is the rest: with another split, the
// limit of dynamic shared memory, which the static part reduces, would end the curve too early.
occupancy_curve over_shared(const occupancy_question& q)
{
    occupancy_curve curve{"shared", {}, total_shared(q)};
    occupancy_question point = q;
    const bool spreadsheet = q.settings.mode == model_mode::spreadsheet;
    const std::int64_t end =
        spreadsheet ? q.limits->shared_per_sm - q.limits->reserved_shared_per_block : q.limits->shared_per_block_opt_in;
    const int step = q.limits->capability.major < 7 ? 512 : 1024;
    for (std::int64_t bytes = 0; bytes <= end; bytes += step) {
        point.resources.static_shared_bytes = std::min(bytes, q.resources.static_shared_bytes);
        point.shape.dynamic_shared_bytes = bytes - point.resources.static_shared_bytes;
        curve.points.push_back({bytes, warps_of(point)});
    }
    return curve;
}

}  // namespace

std::vector<occupancy_curve> curves_of(const occupancy_question& question)
{
    return {over_threads(question), over_registers(question), over_shared(question)};
}

}  // namespace launchbox
