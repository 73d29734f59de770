// SPDX-License-Identifier: Apache-2.0
#include "capture/launches/launch_account.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "advice/model/kernel_question.hpp"

namespace launchbox {

namespace {

// No launch exceeds these; a record may contain anything, and must not cause overflow.
constexpr std::int64_t max_grid = std::int64_t{1} << 31, max_threads = 1 << 16, max_cluster = 16;

std::int64_t product(const std::array<std::uint32_t, 3>& sizes, std::int64_t most)
{
    std::int64_t result = 1;
    for (const std::uint32_t size : sizes) result = std::min<std::int64_t>(result * size, most);
    return result;
}

}  // namespace

void calculate(observed_launches& launches, const observed_gpu& gpu)
{
    if (launches.kernel.capability != gpu.capability)
        set_architecture(launches.kernel, std::string(architecture_name(gpu.capability).view()));
    const std::int64_t grid = product(launches.key.grid, max_grid);
    auto question = question_for(launches.kernel, static_cast<int>(product(launches.key.block, max_threads)));
    if (!question) return;
    question->dynamic_shared_known = true;
    set_dynamic_shared(*question, launches.key.dynamic_shared_bytes);
    question->settings.carveout_percent = std::clamp(launches.key.carveout_percent, -1, 100);
    question->shape.cluster_blocks =
        static_cast<int>(std::max<std::int64_t>(product(launches.key.cluster, max_cluster), 1));
    question->grid = grid;
    question->sms = gpu.sms;
    launches.account = explain(*question);
    if (grid < gpu.sms) launches.sms_used = static_cast<int>(grid);
    launches.findings = findings_of(launches, gpu);
}

}  // namespace launchbox
