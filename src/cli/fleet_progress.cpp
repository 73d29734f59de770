// SPDX-License-Identifier: Apache-2.0
#include "cli/fleet_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

#include "support/process/clock.hpp"
#include "tune/run/device_comparison.hpp"

namespace launchbox::cli {

namespace {

constexpr double seconds_between_lines = 60;
// More lines than a screen has are read by nobody: then those that were idle longest stand for all.
constexpr std::size_t max_devices_shown = 16;

double busy_share(const device_record& device, double seconds)
{
    return seconds > 0 ? std::min(1.0, device.busy_seconds / seconds) : 0;
}

std::string time_text(double seconds)
{
    if (seconds < 120) return fmt::format("{:.0f} s", seconds);
    return seconds < 7200 ? fmt::format("{:.0f} min", seconds / 60) : fmt::format("{:.1f} h", seconds / 3600);
}

std::string device_text(const device_record& device, double seconds)
{
    const auto done = static_cast<double>(device.measured + device.failed);
    return fmt::format("{}: {} measured, {} failed, {:.2f}/s, {:.0f} % idle{}", device.name, device.measured,
                       device.failed, seconds > 0 ? done / seconds : 0, 100 * (1 - busy_share(device, seconds)),
                       device.lost.empty() ? "" : ", lost");
}

// The most idle first.
std::vector<const device_record*> by_idleness(const std::vector<device_record>& devices, double seconds)
{
    std::vector<const device_record*> sorted;
    for (const device_record& device : devices) sorted.push_back(&device);
    std::ranges::stable_sort(sorted, {}, [&](const device_record* device) { return busy_share(*device, seconds); });
    return sorted;
}

}  // namespace

std::string fleet_text(const tune_progress& now)
{
    if (now.devices.size() < 2) return {};
    std::int64_t measured = 0, failed = 0;
    std::size_t lost = 0;
    double busy = 0;
    const device_record* least = nullptr;
    for (const device_record& device : now.devices) {
        measured += device.measured;
        failed += device.failed;
        busy += busy_share(device, now.seconds);
        if (!device.lost.empty())
            ++lost;
        else if (least == nullptr || device.busy_seconds < least->busy_seconds)
            least = &device;
    }
    std::string text = fmt::format("{} GPUs, {:.1f}/s, {:.0f} % busy", now.devices.size(),
                                   now.seconds > 0 ? static_cast<double>(measured + failed) / now.seconds : 0,
                                   100 * busy / static_cast<double>(now.devices.size()));
    if (least != nullptr)
        text += fmt::format(" (least: {}, {:.0f} %)", least->name, 100 * busy_share(*least, now.seconds));
    if (failed > 0) text += fmt::format(", {} failed", failed);
    if (lost > 0) text += fmt::format(", {} lost", lost);
    return text;
}

fleet_progress::fleet_progress(std::string name, std::size_t backends)
    : name_(std::move(name)), line_("results"), terminal_(::isatty(STDERR_FILENO) == 1), states_(backends)
{
}

void fleet_progress::clear()
{
    const std::lock_guard guard(lock_);
    line_.clear();
}

void fleet_progress::show(std::size_t backend, const std::string& label, const tune_progress& now)
{
    const std::lock_guard guard(lock_);
    for (std::size_t i = 0; i < now.devices.size(); ++i)
        if (!now.devices[i].lost.empty() &&
            (i >= states_[backend].now.devices.size() || states_[backend].now.devices[i].lost.empty())) {
            line_.clear();
            say(now.devices[i].lost);
        }
    states_[backend] = {label, now};
    if (!terminal_) {
        if (seconds_since(told_) >= seconds_between_lines) tell_in_lines();
        return;
    }
    const std::string fleet = fleet_text(now), rates = rates_text(now.best_rates);
    std::string best;
    if (now.best_ns > 0)
        best =
            fmt::format(", best {:.4g} ms{}{} with {}", now.best_ns * 1e-6, rates.empty() ? "" : ", ", rates, now.best);
    std::size_t done = 0, total = 0;
    for (const state& backend_state : states_) {
        done += backend_state.now.done;
        total += backend_state.now.total;
    }
    line_.show(fmt::format("{} on {}, {}{}{}", name_, label, now.doing, fleet.empty() ? "" : ", " + fleet, best), done,
               total);
}

// Under the lock.
void fleet_progress::tell_in_lines()
{
    told_ = std::chrono::steady_clock::now();
    for (const state& backend_state : states_)
        for (const std::string& line : fleet_lines(name_, backend_state.label, backend_state.now)) say(line);
}

std::vector<std::string> fleet_lines(const std::string& name, const std::string& label, const tune_progress& now)
{
    const std::string fleet = fleet_text(now);
    if (fleet.empty()) return {};
    std::vector<std::string> lines{fmt::format("{} on {}: {} of {} results, {} left; {}", name, label, now.done,
                                               now.total, time_text(now.seconds_left), fleet)};
    const auto devices = by_idleness(now.devices, now.seconds);
    for (std::size_t i = 0; i < std::min(devices.size(), max_devices_shown); ++i)
        lines.push_back("  " + device_text(*devices[i], now.seconds));
    return lines;
}

void say_how_devices_compare(const std::vector<device_record>& devices)
{
    if (devices.size() < 2) return;
    for (std::size_t i = 0; i < std::min(devices.size(), max_devices_shown); ++i)
        say("  " + device_text(devices[i], devices[i].seconds));
    if (devices.size() > max_devices_shown) say(fmt::format("  and {} more", devices.size() - max_devices_shown));
    if (const auto comparison = compare_devices(devices)) {
        say(fmt::format("{} GPUs timed the reference: they are {:.1f} % apart", comparison->compared,
                        100 * comparison->spread));
        for (const slow_device& slow : comparison->slow)
            say(fmt::format(
                "{} is {:.1f} % slower than its siblings: look at its clocks, temperature and who else uses "
                "it; leave it out, or measure again without it",
                slow.name, 100 * slow.behind));
    }
    for (const device_record& device : devices)
        if (!device.lost.empty()) say(device.lost + "; what it was measuring was given to another");
}

}  // namespace launchbox::cli
