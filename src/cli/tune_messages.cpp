// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_messages.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string_view>

#include "support/process/clock.hpp"
#include "support/text/rounded_number.hpp"
#include "support/text/terminal.hpp"
#include "tune/run/device_comparison.hpp"

namespace launchbox::cli {

namespace {

constexpr double seconds_between_lines = 60;
// If there are more GPUs than lines on a screen, only those that were idle longest are shown.
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
        if (seconds_since(told_) >= seconds_between_lines) print_log_lines();
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
void fleet_progress::print_log_lines()
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

void report_device_comparison(const std::vector<device_record>& devices)
{
    if (devices.size() < 2) return;
    for (std::size_t i = 0; i < std::min(devices.size(), max_devices_shown); ++i)
        say("  " + device_text(devices[i], devices[i].seconds));
    if (devices.size() > max_devices_shown) say(fmt::format("  and {} more", devices.size() - max_devices_shown));
    if (const auto comparison = compare_devices(devices)) {
        say(fmt::format("{} GPUs timed the reference: they differ by {:.1f} %", comparison->compared,
                        100 * comparison->spread));
        for (const slow_device& slow : comparison->slow)
            say(
                fmt::format("{} is {:.1f} % slower than the others: check its clocks, its temperature and other users; "
                            "leave it out, or measure again without it",
                            slow.name, 100 * slow.behind));
    }
    for (const device_record& device : devices)
        if (!device.lost.empty()) say(device.lost + "; another one gets its candidate");
}

namespace {

// "12.3 s", "120 ms": short phases are shown in milliseconds.
std::string shortly(double seconds)
{
    return seconds >= 0.9995 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.0f} ms", 1000 * seconds);
}

// `starting`: from the start of the call to the first work.
void report_cost(const tune_summary& summary, const tune_backend& backend, double starting)
{
    std::string outcomes;
    const auto add = [&](std::size_t count, std::string_view words) {
        outcomes +=
            fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", with_commas(static_cast<std::int64_t>(count)), words);
    };
    for (const auto& [what, count] : summary.outcomes) add(count, words_of(what));
    for (const auto& [status, count] : summary.builds) add(count, words_of(status));
    if (outcomes.empty()) outcomes = "nothing new";
    if (summary.shared > 0) outcomes += fmt::format("; {} of them with code that was already measured", summary.shared);
    say(backend.recorded ? fmt::format("{}: {:.1f} s of recorded compiling and measuring: {}", backend.label,
                                       summary.recorded_seconds, outcomes)
                         : fmt::format("{}: {:.1f} s: {}", backend.label, summary.seconds, outcomes));
    if (summary.measured == 0 || backend.recorded) return;
    const auto measurers = static_cast<double>(backend.measurers.size());
    const double searching = std::max(summary.seconds - summary.race_seconds, 1e-9);
    const double busy = summary.measuring_seconds / searching / measurers;
    say(fmt::format("{} to start, {} of search, {} of final race; compiling took {} on {}", shortly(starting),
                    shortly(searching), shortly(summary.race_seconds), shortly(summary.compile_seconds),
                    plural(backend.preparers, "core")));
    std::string phases;
    if (const phase_seconds& in = summary.phases; in != phase_seconds{}) {
        const double rest =
            summary.measuring_seconds - (in.reference + in.load + in.prepare + in.verify + in.time + in.check);
        // A time of zero means that there was no program.
        const std::string reference =
            in.reference < 0.001 ? "" : fmt::format("{} waiting for the reference, ", shortly(in.reference));
        phases = fmt::format(
            ": {}{} loading modules, {} preparing buffers, {} first launches and comparison, {} timing, {} "
            "checking, {} starting processes and asking them",
            reference, shortly(in.load), shortly(in.prepare), shortly(in.verify), shortly(in.time), shortly(in.check),
            shortly(std::max(rest, 0.0)));
    }
    say(fmt::format("measuring took {}, {:.0f} % of the search{}; samples are {} of it",
                    shortly(summary.measuring_seconds), 100 * busy, phases, shortly(summary.sample_seconds)));
}

void report_begin(const tune_call& call, const tune_backend& backend, const search_space& space)
{
    const std::string workloads = plural(call.spec().workloads.size(), "workload");
    if (call.is_partial()) {
        say(fmt::format("{} on {}: the header's row and the baseline × {}", call.spec().name, backend.label,
                        workloads));
        return;
    }
    say(fmt::format("{} on {}: {} points, {} × {}{}", call.spec().name, backend.label,
                    rounded_with_commas(space.raw_size()), plural(space.size(), "candidate"), workloads,
                    call.keeps_results() ? ", kept in " + call.store() : ""));
}

void report_end(const tune_call& call, const tune_backend& backend, const tune_summary& summary,
                double starting_seconds)
{
    report_cost(summary, backend, starting_seconds);
    if (!summary.device_lost.empty())
        say("the GPU is lost: " + summary.device_lost + "; finished results are in " + call.store());
    for (const std::string& warning : summary.warnings) say("warning: " + warning);
    report_device_comparison(summary.devices);
    if (summary.left > 0)
        say(fmt::format("the machine ran out of a resource for {}, which the next call will measure: {}",
                        plural(summary.left, "result"), summary.machine_failure));
    if (summary.out_of_budget)
        say(call.keeps_results() ? "the budget is spent; the same command continues from here" : "the budget is spent");
}

}  // namespace

std::string plural(std::size_t count, const std::string& what)
{
    return with_commas(static_cast<std::int64_t>(count)) + " " + what + (count == 1 ? "" : "s");
}

tune_listener terminal_tune_listener()
{
    return {.news = terminal_listener(),
            .begun = report_begin,
            .watch =
                [](const std::string& name, std::size_t backends) {
                    return [shown = std::make_shared<fleet_progress>(name, backends)](
                               std::size_t place, const std::string& label, const tune_progress& now) {
                        shown->show(place, label, now);
                    };
                },
            .ended = report_end};
}

}  // namespace launchbox::cli
