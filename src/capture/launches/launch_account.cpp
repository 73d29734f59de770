// SPDX-License-Identifier: Apache-2.0
#include "capture/launches/launch_account.hpp"

#include <algorithm>
#include <array>
#include <cstdint>

#include "advice/model/kernel_question.hpp"

namespace launchbox {

namespace {

std::int64_t product(const std::array<std::uint32_t, 3>& sizes)
{
    // A launch has fewer; a record may say anything.
    std::int64_t result = 1;
    for (const std::uint32_t size : sizes) result = std::min<std::int64_t>(result * size, std::int64_t{1} << 31);
    return result;
}

}  // namespace

void calculate(observed_launches& launches, const observed_gpu& gpu)
{
    if (launches.kernel.capability != gpu.capability)
        set_architecture(launches.kernel, std::string(architecture_name(gpu.capability).view()));
    const std::int64_t grid = product(launches.key.grid), cluster = product(launches.key.cluster);
    auto question = question_for(launches.kernel, static_cast<int>(product(launches.key.block)));
    if (!question) return;
    question->dynamic_shared_known = true;
    set_dynamic_shared(*question, launches.key.dynamic_shared_bytes);
    question->settings.carveout_percent = std::clamp(launches.key.carveout_percent, -1, 100);
    question->shape.cluster_blocks = static_cast<int>(std::clamp<std::int64_t>(cluster, 1, 16));
    question->grid = grid;
    question->sms = gpu.sms;
    launches.account = explain(*question);
    if (grid < gpu.sms) launches.sms_used = static_cast<int>(grid);
    launches.findings = findings_of(launches, gpu);
}

}  // namespace launchbox
