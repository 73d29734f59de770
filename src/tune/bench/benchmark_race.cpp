// SPDX-License-Identifier: Apache-2.0
#include "tune/bench/benchmark_race.hpp"

#include <fmt/format.h>

#include "support/error.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/subprocess.hpp"
#include "support/sample_statistics.hpp"
#include "tune/bench/benchmark_output.hpp"

namespace launchbox {

namespace {

// The end of a program's output, shortened for a message.
std::string said_last(const std::string& output)
{
    constexpr std::size_t enough = 200;
    return last_line(output).substr(0, enough);
}

void run_once(const contestant& who, const race_options& options, bool counts, race_result& result)
{
    subprocess_result ran;
    try {
        ran = run(who.command, {.directory = {}, .environment = who.environment, .time_limit = options.time_limit});
    } catch (const error& failure) {
        result.failure = failure.what();
        return;
    }
    if (interrupted()) return;
    if (ran.timed_out) {
        result.failure = fmt::format("did not end within {:g} s", options.time_limit);
        return;
    }
    if (ran.exit_code != 0) {
        const std::string said = said_last(ran.output);
        result.failure = ending_of(ran) + (said.empty() ? "" : ": " + said);
        return;
    }
    const benchmark_time time = read_benchmark_output(ran.output);
    if (!time.found()) {
        const std::string said = said_last(ran.output);
        result.failure = time.diagnostic + (said.empty() ? "; it prints nothing" : "; its last line is: " + said);
        return;
    }
    if (counts) result.times_ns.push_back(summarise(time.samples_ns).median);
}

}  // namespace

std::vector<race_result> run_race(const std::vector<contestant>& contestants, const race_options& options,
                                  const std::function<void(std::size_t done, std::size_t total)>& progress)
{
    const std::size_t count = contestants.size(), rounds = static_cast<std::size_t>(options.runs) + 1;
    std::vector<race_result> results(count);
    for (std::size_t round = 0; round < rounds; ++round)
        for (std::size_t turn = 0; turn < count; ++turn) {
            const std::size_t i = (round + turn) % count;
            if (results[i].failure.empty() && !interrupted()) run_once(contestants[i], options, round > 0, results[i]);
            if (progress) progress(round * count + turn + 1, rounds * count);
        }
    return results;
}

}  // namespace launchbox
