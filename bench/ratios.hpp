// Benchmarks that print ratios: each is measured beside its named peer, in one process, in rounds that alternate at
// random, and the medians are divided.
#pragma once

#include <benchmark/benchmark.h>

#include <cstdio>
#include <map>
#include <string>
#include <vector>

#include "record.hpp"

namespace launchbox::bench {

/// "ours is N times as fast as theirs", and the promised ratio.
struct promise {
    std::string ours, theirs;
    double at_least = 1;
};

class ratio_reporter : public benchmark::ConsoleReporter {
public:
    void ReportRuns(const std::vector<Run>& runs) override
    {
        for (const Run& run : runs)
            if (run.run_type == Run::RT_Aggregate && run.aggregate_name == "median")
                medians_[run.run_name.function_name] = run.GetAdjustedCPUTime();
        ConsoleReporter::ReportRuns(runs);
    }

    /// Prints a line for each promise. Does not set an exit status, as machines are noisy: the reader judges.
    void print(const std::vector<promise>& promises) const
    {
        std::printf("\n%-34s %-34s %8s %8s\n", "this", "against", "ratio", "goal");
        for (const promise& each : promises) {
            const auto ours = medians_.find(each.ours), theirs = medians_.find(each.theirs);
            if (ours == medians_.end() || theirs == medians_.end()) continue;
            const double ratio = theirs->second / ours->second;
            std::printf("%-34s %-34s %7.2fx %7.2fx%s\n", each.ours.c_str(), each.theirs.c_str(), ratio, each.at_least,
                        ratio >= each.at_least ? "" : "  missed");
        }
    }

    void keep(const std::vector<promise>& promises, const std::string& command) const
    {
        nlohmann::ordered_json json;
        json["unit"] = "median of 9 rounds, ns of processor time for one call of the benchmark (us where it says so)";
        for (const auto& [name, median] : medians_) json["medians"][name] = median;
        for (const promise& each : promises)
            if (medians_.contains(each.ours) && medians_.contains(each.theirs))
                json["ratios"].push_back({{"this", each.ours},
                                          {"against", each.theirs},
                                          {"times_as_fast", medians_.at(each.theirs) / medians_.at(each.ours)},
                                          {"goal", each.at_least}});
        record(command, json);
    }

private:
    std::map<std::string, double> medians_;
};

/// Runs the registered benchmarks in nine alternating rounds and prints the promises.
inline int run(int count, char** arguments, const std::string& command, const std::vector<promise>& promises)
{
    std::vector<char*> all(arguments, arguments + count);
    std::string rounds = "--benchmark_repetitions=9", interleaved = "--benchmark_enable_random_interleaving=true",
                aggregates = "--benchmark_report_aggregates_only=true";
    for (std::string* each : {&rounds, &interleaved, &aggregates}) all.insert(all.begin() + 1, each->data());
    int total = static_cast<int>(all.size());
    benchmark::Initialize(&total, all.data());
    if (benchmark::ReportUnrecognizedArguments(total, all.data())) return 2;
    ratio_reporter reporter;
    benchmark::RunSpecifiedBenchmarks(&reporter);
    reporter.print(promises);
    reporter.keep(promises, command);
    return 0;
}

}  // namespace launchbox::bench
