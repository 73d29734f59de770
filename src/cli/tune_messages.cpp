// SPDX-License-Identifier: Apache-2.0
#include "cli/tune_messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string_view>

#include "cli/fleet_progress.hpp"
#include "cli/messages.hpp"
#include "support/text/terminal.hpp"

namespace launchbox::cli {

namespace {

// "12.3 s", "120 ms": what takes part in seconds may itself be thousandths.
std::string shortly(double seconds)
{
    return seconds >= 0.9995 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.0f} ms", 1000 * seconds);
}

// `starting`: from the start of the call to the first thing that was done.
void say_what_it_cost(const tune_summary& summary, const tune_backend& backend, double starting)
{
    std::string outcomes;
    const auto add = [&](std::size_t count, std::string_view words) {
        outcomes +=
            fmt::format("{}{} {}", outcomes.empty() ? "" : ", ", with_commas(static_cast<std::int64_t>(count)), words);
    };
    for (const auto& [what, count] : summary.outcomes) add(count, words_of(what));
    for (const auto& [status, count] : summary.builds) add(count, words_of(status));
    if (outcomes.empty()) outcomes = "nothing new";
    if (summary.shared > 0) outcomes += fmt::format("; {} of them with code that was measured already", summary.shared);
    say(backend.recorded ? fmt::format("{}: {:.1f} s of compiling and measuring then: {}", backend.label,
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
        // Where it is nothing there was no program.
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

void say_begin(const tune_call& call, const tune_backend& backend, const search_space& space)
{
    say(fmt::format("{} on {}: {:.0f} points, {} x {}{}", call.spec().name, backend.label, space.raw_size(),
                    plural(space.size(), "candidate"), plural(call.spec().workloads.size(), "workload"),
                    call.keeps_results() ? ", kept in " + call.store() : ""));
}

void say_end(const tune_call& call, const tune_backend& backend, const tune_summary& summary, double starting_seconds)
{
    say_what_it_cost(summary, backend, starting_seconds);
    if (!summary.device_lost.empty())
        say("the GPU is lost: " + summary.device_lost + "; what was measured is kept in " + call.store());
    for (const std::string& warning : summary.warnings) say("warning: " + warning);
    say_how_devices_compare(summary.devices);
    if (summary.left > 0)
        say(fmt::format("the machine lacked something for {}, which the next call measures: {}",
                        plural(summary.left, "result"), summary.machine_failure));
    if (summary.out_of_budget)
        say(call.keeps_results() ? "the budget is spent; the same command goes on where it stopped"
                                 : "the budget is spent");
}

}  // namespace

std::string plural(std::size_t count, const std::string& what)
{
    return with_commas(static_cast<std::int64_t>(count)) + " " + what + (count == 1 ? "" : "s");
}

tune_listener terminal_tune_listener()
{
    return {.news = terminal_listener(),
            .begun = say_begin,
            .watch =
                [](const std::string& name, std::size_t backends) {
                    return [shown = std::make_shared<fleet_progress>(name, backends)](
                               std::size_t place, const std::string& label, const tune_progress& now) {
                        shown->show(place, label, now);
                    };
                },
            .ended = say_end};
}

}  // namespace launchbox::cli
