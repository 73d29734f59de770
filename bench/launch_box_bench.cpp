// Host time of launch_box, against <<<>>> of the same kernel with its row written into it, in one process. Warm
// launches: each round times all ways in a new random order; a difference compares times of the same round, and the
// median over the rounds is printed. Goal: at most 30 ns more. First launches: one kernel each time, out of many with
// the same code. Goal: at most 150 us more. Needs a GPU; without one it reports that and exits with 3.
//
//     launch_box_bench [rounds]        LAUNCHBOX_RECORD=FILE writes the figures to FILE
#include "launch_box_bench.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <random>

#include "launch_bench.hpp"
#include "record.hpp"

namespace launchbox::bench {
namespace {

constexpr double goal_more_ns = 30, goal_first_ns = 150000;
constexpr const char* peer = "<<<>>>";

nlohmann::ordered_json report(const launch_times& measured)
{
    nlohmann::ordered_json json;
    std::printf("\n%-36s %-28s %12s %14s %8s\n", "kernel", "way", "ns a call", "ns over <<<>>>", "goal");
    for (const auto& [kernel, ways] : measured)
        for (const auto& [way, values] : ways) {
            json["median_ns"][kernel][way] = median(values);
            std::printf("%-36s %-28s %12.1f", kernel.c_str(), way.c_str(), median(values));
            const auto peers = ways.find(peer);
            if (peers != ways.end() && way != peer) {
                std::vector<double> more(values.size()), ratio(values.size());
                for (std::size_t i = 0; i < values.size(); ++i) {
                    more[i] = values[i] - peers->second[i];
                    ratio[i] = values[i] / peers->second[i];
                }
                json["ratios"].push_back({{"kernel", kernel},
                                          {"this", way},
                                          {"against", peer},
                                          {"times_as_long", median(ratio)},
                                          {"ns_more", median(more)}});
                std::printf(" %14.1f", median(more));
                if (way.starts_with("launchbox")) {
                    json["ratios"].back()["goal_ns_more"] = goal_more_ns;
                    std::printf(" %8.0f%s", goal_more_ns, median(more) <= goal_more_ns ? "" : "  missed");
                }
            }
            std::printf("\n");
        }
    return json;
}

// The first third of the kernels run in a fresh context each, the others in one that has loaded their image.
nlohmann::ordered_json report_first(std::vector<first_way> ways)
{
    nlohmann::ordered_json json;
    std::mt19937 random(1);
    const std::size_t kernels = ways[0].calls.size();
    std::map<std::string, std::vector<double>> fresh, loaded;
    for (std::size_t i = 0; i < kernels; ++i) {
        std::shuffle(ways.begin(), ways.end(), random);
        const bool reset = i < kernels / 3;
        for (const first_way& each : ways)
            (reset ? fresh : loaded)[each.way].push_back(time_first(each.calls[i], reset));
    }
    std::printf("\n%-28s %22s %22s %10s\n", "first, us: median (most)", "image not loaded", "image loaded", "goal");
    for (const first_way& each : ways) {
        const auto most = [](const std::vector<double>& values) {
            return *std::max_element(values.begin(), values.end());
        };
        const auto &a = fresh.at(each.way), &b = loaded.at(each.way);
        json[each.way] = {{"image_not_loaded_median_ns", median(a)},
                          {"image_not_loaded_most_ns", most(a)},
                          {"image_loaded_median_ns", median(b)},
                          {"image_loaded_most_ns", most(b)}};
        std::printf("%-28s %12.1f (%7.1f) %12.1f (%7.1f)", each.way.c_str(), median(a) / 1000, most(a) / 1000,
                    median(b) / 1000, most(b) / 1000);
        if (each.ours) {
            json[each.way]["goal_ns"] = goal_first_ns;
            const double more = median(a) - median(fresh.at(peer));  // the peer loads the image too
            json[each.way]["image_not_loaded_ns_more"] = more;
            std::printf(" %10.0f%s", goal_first_ns / 1000, more <= goal_first_ns ? "" : "  missed");
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
        std::fprintf(stderr, "launch_box_bench [rounds]: rounds are 1 or more\n");
        return 2;
    }
    const std::string gpu = gpu_name();
    if (gpu.empty()) {
        std::fprintf(stderr, "launch_box_bench needs a GPU, and there is none here\n");
        return 3;
    }
    std::printf("%s, %d rounds of %d launches\n", gpu.c_str(), rounds, launches_of_batch);
    // First launches come before the others: each starts in its own context, which would undo earlier opt-ins.
    const nlohmann::ordered_json first = report_first(first_ways());
    const launch_times measured = measure(rounds);
    if (const std::string error = pending_error(); !error.empty()) {
        std::fprintf(stderr, "a launch failed: %s\n", error.c_str());
        return 1;
    }
    const std::string runtime = std::to_string(CUDART_VERSION / 1000) + '.' + std::to_string(CUDART_VERSION / 10 % 100);
    nlohmann::ordered_json json{
        {"device", gpu}, {"runtime_cuda", runtime}, {"rounds", rounds}, {"launches_a_round", launches_of_batch}};
    json.update(report(measured));
    json["first"] = first;
    record("bench/launch_box_bench", json);
    return 0;
}
