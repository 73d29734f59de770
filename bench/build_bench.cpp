// How much faster kernel_builder compiles the candidates of examples/block_sort on all cores than with one worker, and
// what that costs in processor time. Goal: a speedup of at least 0.8 x cores. Three rounds, in which the two alternate;
// the medians are divided. LAUNCHBOX_RECORD=FILE writes the figures to FILE as JSON.
//
//     build_bench [candidates] [nvrtc|nvcc]
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "record.hpp"
#include "support/error.hpp"
#include "support/process/parallel.hpp"
#include "tune/build/kernel_builder.hpp"

using namespace launchbox;

namespace {

struct cost {
    double wall_seconds = 0, cpu_seconds = 0;
};

double cpu_of_children()
{
    rusage usage{};
    ::getrusage(RUSAGE_CHILDREN, &usage);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

cost build_all(const tune_spec& spec, const std::string& compiler, std::size_t candidates, unsigned jobs)
{
    const double cpu = cpu_of_children();
    auto builder = std::make_unique<kernel_builder>(spec, builder_options{.compiler = compiler, .jobs = jobs});
    const auto start = std::chrono::steady_clock::now();
    run_parallel(
        candidates,
        [&](std::size_t i) {
            assignment values;
            values.values = {{"items", static_cast<std::int64_t>(3 + 2 * (i % 10))},
                             {"threads", std::int64_t{i / 10 % 2 == 0 ? 256 : 512}},
                             {"min_blocks", static_cast<std::int64_t>(i / 20)}};
            const build_result result = builder->build(values, {9, 0});
            if (result.build.status != build_status::built) throw error(result.build.reason);
        },
        jobs);
    const double wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    builder.reset();  // processor time is known once the workers have ended
    return {wall, cpu_of_children() - cpu};
}

double median(std::vector<double> values)
{
    std::sort(values.begin(), values.end());
    return values[values.size() / 2];
}

}  // namespace

int main(int count, char** arguments)
{
    if (count >= 3 && std::string(arguments[1]) == "--worker") return run_compile_worker();
    try {
        const std::size_t candidates = count > 1 ? std::strtoul(arguments[1], nullptr, 10) : 40;
        const std::string compiler = count > 2 ? arguments[2] : "nvrtc";
        tune_spec spec;
        spec.folder = LAUNCHBOX_SOURCE_DIR "/examples/block_sort";
        spec.kernel.emplace();
        spec.kernel->source = "block_sort.cu";
        spec.kernel->name = "block_sort<int, {threads}, {items}, {min_blocks}>";
        const unsigned cores = std::max(1u, std::thread::hardware_concurrency());
        std::vector<double> one_wall, one_cpu, all_wall, all_cpu;
        for (int round = 0; round < 3; ++round) {
            const cost one = build_all(spec, compiler, candidates, 1),
                       all = build_all(spec, compiler, candidates, cores);
            one_wall.push_back(one.wall_seconds);
            one_cpu.push_back(one.cpu_seconds);
            all_wall.push_back(all.wall_seconds);
            all_cpu.push_back(all.cpu_seconds);
        }
        const double speedup = median(one_wall) / median(all_wall);
        std::printf(
            "%zu candidates with %s, %u cores: one worker %.2f s (processor %.2f s), all cores %.2f s (%.2f s): "
            "%.2f times as fast (goal %.2f)\n",
            candidates, compiler.c_str(), cores, median(one_wall), median(one_cpu), median(all_wall), median(all_cpu),
            speedup, 0.8 * cores);
        bench::record("build_bench " + std::to_string(candidates) + " " + compiler,
                      {{"cores", cores},
                       {"candidates", candidates},
                       {"compiler", kernel_builder(spec, {.compiler = compiler}).compiler()},
                       {"one_worker_seconds", median(one_wall)},
                       {"one_worker_cpu_seconds", median(one_cpu)},
                       {"all_cores_seconds", median(all_wall)},
                       {"all_cores_cpu_seconds", median(all_cpu)},
                       {"speedup", speedup},
                       {"goal", 0.8 * cores}});
    } catch (const error& problem) {
        std::fprintf(stderr, "build_bench: %s\n", problem.what());
        return static_cast<int>(problem.status());
    }
    return 0;
}
