// Host time of launchbox::launch, against <<<>>> and cudaLaunchKernelEx, in one process: each round times all ways to
// launch a kernel in a new random order. A ratio compares times of the same round; the median over the rounds is
// printed. Goal: at most 1.03 times <<<>>>. Needs a GPU; without one it reports that and exits with 3.
//
//     launch_bench [rounds]        LAUNCHBOX_RECORD=FILE writes the figures to FILE
#include "launch_bench.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "record.hpp"

namespace launchbox::bench {
namespace {

constexpr double goal = 1.03;
constexpr const char* ours = "launchbox::launch";

double median_ratio(const std::vector<double>& above, const std::vector<double>& below)
{
    std::vector<double> ratios(above.size());
    std::transform(above.begin(), above.end(), below.begin(), ratios.begin(), std::divides{});
    return median(ratios);
}

nlohmann::ordered_json report(const launch_times& measured)
{
    nlohmann::ordered_json json;
    std::printf("\n%-22s %-20s %12s %16s %8s\n", "kernel", "way", "ns a launch", "launchbox::launch", "goal");
    for (const auto& [kernel, ways] : measured)
        for (const auto& [way, values] : ways) {
            json["median_ns"][kernel][way] = median(values);
            std::printf("%-22s %-20s %12.0f", kernel.c_str(), way.c_str(), median(values));
            if (way != ours) {
                const double ratio = median_ratio(ways.at(ours), values);
                const bool promised = way == "<<<>>>";
                json["ratios"].push_back(
                    {{"kernel", kernel}, {"this", ours}, {"against", way}, {"times_as_long", ratio}});
                if (promised) json["ratios"].back()["goal"] = goal;
                std::printf(" %15.3fx", ratio);
                if (promised) std::printf(" %7.2fx%s", goal, ratio <= goal ? "" : "  missed");
            }
            std::printf("\n");
        }
    return json;
}

}  // namespace
}  // namespace launchbox::bench

int main(int count, char** arguments)
{
    using namespace launchbox::bench;
    const int rounds = count > 1 ? std::atoi(arguments[1]) : 501;
    if (rounds < 1) {
        std::fprintf(stderr, "launch_bench [rounds]: rounds are 1 or more\n");
        return 2;
    }
    const std::string gpu = gpu_name();
    if (gpu.empty()) {
        std::fprintf(stderr, "launch_bench needs a GPU, and there is none here\n");
        return 3;
    }
    std::printf("%s, %d rounds of %d launches\n", gpu.c_str(), rounds, launches_of_batch);
    const launch_times measured = measure(rounds);
    if (const std::string error = pending_error(); !error.empty()) {
        std::fprintf(stderr, "a launch failed: %s\n", error.c_str());
        return 1;
    }
    nlohmann::ordered_json json{{"device", gpu}, {"rounds", rounds}, {"launches_a_round", launches_of_batch}};
    json.update(report(measured));
    record("bench/launch_bench", json);
    return 0;
}
