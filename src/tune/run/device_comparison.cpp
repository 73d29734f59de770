// SPDX-License-Identifier: Apache-2.0
#include "tune/run/device_comparison.hpp"

#include <algorithm>

#include "support/sample_statistics.hpp"

namespace launchbox {

namespace {

// A larger difference between GPUs of one model is reported.
constexpr double usual_difference = 0.03;

}  // namespace

std::optional<device_comparison> compare_devices(const std::vector<device_record>& devices)
{
    struct entry {
        const device_record* device;
        sample_summary time;
    };
    std::vector<entry> all;
    for (const device_record& device : devices)
        if (!device.calibration_ns.empty()) all.push_back({&device, summarise(device.calibration_ns)});
    if (all.size() < 2) return std::nullopt;
    std::ranges::sort(all, {}, [](const entry& one) { return one.time.median; });
    // The faster of the middle two, if the number is even: with two GPUs, the slow one is not compared with itself.
    const sample_summary middle = all[(all.size() - 1) / 2].time;
    device_comparison comparison{.compared = all.size(), .spread = 0};
    if (const double fastest = all.front().time.median; fastest > 0)
        comparison.spread = all.back().time.median / fastest - 1;
    for (auto one = all.rbegin(); one != all.rend(); ++one)
        if (one->time.median > middle.median * (1 + usual_difference) && differs(one->time, middle))
            comparison.slow.push_back({.name = one->device->name, .behind = one->time.median / middle.median - 1});
    return comparison;
}

}  // namespace launchbox
