// How busy the coordinator of launchbox-mpi keeps many GPUs. The engine, the store, the protocol and the servers of all
// ranks are real and run in one process, with queues instead of MPI. GPUs that measure and compilers that compile are
// replaced by sleeps of the same length. All ranks share this machine's processor with the coordinator, which would
// normally have its own, so the result is a lower limit.
//
//     cluster_bench [--seconds MEASURING] [--compile SECONDS] [--each CANDIDATES] [RANKS...]
#include <fmt/format.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "cluster/cluster_backend.hpp"
#include "cluster/local_ranks.hpp"
#include "record.hpp"
#include "support/process/clock.hpp"
#include "tune/run/tune_run.hpp"

namespace {

using namespace launchbox;

struct simulation {
    double measuring = 1, compiling = 0.5;
    int each = 30;  ///< candidates per GPU
};

// Between 0.5 and 1.5 times the mean; the same for a candidate in all runs.
double spread_around(double mean, std::size_t candidate)
{
    return mean * (0.5 + static_cast<double>(candidate * 2654435761U % 1000) / 1000);
}

void sleep_for(double seconds)
{
    std::this_thread::sleep_for(std::chrono::duration<double>(seconds));
}

double processor_seconds()
{
    rusage used{};
    ::getrusage(RUSAGE_SELF, &used);
    const auto seconds = [](const timeval& time) {
        return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
    };
    return seconds(used.ru_utime) + seconds(used.ru_stime);
}

tune_backend simulated(const simulation& how)
{
    tune_backend backend;
    backend.source_hash = "source";
    backend.environment.gpu = "simulated GPU";
    backend.prepare = [how](const tune_job& job) {
        sleep_for(spread_around(how.compiling, job.candidate));
        prepared_job made;
        made.same_when_equal = made.build.code = parameter_text(job.parameters);
        made.build.compile_seconds = how.compiling;
        kernel_info kernel;
        kernel.name = "kernel";
        made.build.kernel = kernel;
        return made;
    };
    backend.measurers.push_back([how](const tune_job& job, const prepared_job&, const measure_request& request) {
        const double seconds = request.samples > 0 ? 0.01 : spread_around(how.measuring, job.candidate);
        sleep_for(seconds);
        measurement measured;
        measured.verified = true;
        measured.seconds = seconds;
        for (int i = 0; i < 30; ++i)
            measured.samples_ns.push_back(1e6 * (1 + 1e-3 * i) * (1 + static_cast<double>(job.candidate % 977)));
        return measured;
    });
    return backend;
}

// The share of the GPUs' time, from the first candidate to the last, that was spent measuring.
nlohmann::ordered_json measure(const simulation& how, int gpus)
{
    const temporary_directory folder;
    const std::string text = fmt::format(R"(
[tunable]
name = "simulated"
baseline = {{ a = 1 }}
[parameters]
a = {{ from = 1, to = {} }}
[[workload]]
n = 1
[program]
run = ["true", "{{a}}"]
)",
                                         gpus * how.each);
    const tune_spec spec = parse_tune_spec("simulated.toml", text);
    const search_space space(spec, {});
    local_ranks ranks(gpus + 1);
    std::vector<std::jthread> servers;
    std::map<int, nlohmann::ordered_json> roles;
    cluster_backend_options options;
    for (int rank = 1; rank <= gpus; ++rank) {
        roles[rank] = json_of(rank_role{.gpu = 0, .gpus = {}, .driver = {}, .jobs = 1, .silence_seconds = 120});
        options.measuring.push_back({.rank = rank, .jobs = 1});
        servers.emplace_back([&, rank] {
            rank_facts facts;
            facts.rank = rank;
            rank_server_options server;
            server.folder = folder.path();
            server.open = [&](const rank_role&) { return std::vector<tune_backend>{simulated(how)}; };
            serve_rank(ranks.link(rank), facts, server);
        });
    }
    const auto calls = std::make_shared<rank_calls>(ranks.link(0), rank_calls_options{.silence_seconds = 120});
    calls->wait_for_facts(120, 0);
    calls->begin(roles);
    result_store store((folder.path() / "simulated.db").string());
    run_info run;
    run.name = "simulated";
    run.task_hash = run.source_hash = "simulated";
    run.started = "2026-01-01T00:00:00Z";
    run.environment.gpu = "simulated GPU";
    const double before = processor_seconds();
    const tune_summary summary =
        run_tune(spec, space, cluster_backend(simulated(how), calls, options), store, run, {.workloads = {0}});
    const double used = processor_seconds() - before;
    const double search = summary.seconds - summary.race_seconds;
    double measuring = 0;
    for (const stored_result& result : store.results(summary.run)) measuring += result.measured.seconds;
    return {{"gpus", gpus},
            {"measuring_seconds", how.measuring},
            {"compiling_seconds", how.compiling},
            {"candidates", summary.measured},
            {"seconds", search},
            {"candidates_per_second", static_cast<double>(summary.measured) / search},
            {"busy", measuring / search / gpus},
            {"processor_milliseconds_per_candidate", 1000 * used / static_cast<double>(summary.measured)}};
}

}  // namespace

int main(int count, char** arguments)
{
    simulation how;
    std::vector<int> gpus;
    for (int i = 1; i < count; ++i) {
        const std::string word = arguments[i];
        if (word == "--seconds" && i + 1 < count)
            how.measuring = std::atof(arguments[++i]);
        else if (word == "--compile" && i + 1 < count)
            how.compiling = std::atof(arguments[++i]);
        else if (word == "--each" && i + 1 < count)
            how.each = std::atoi(arguments[++i]);
        else
            gpus.push_back(std::atoi(arguments[i]));
    }
    if (gpus.empty()) gpus = {1, 8, 32, 64, 128, 256};
    nlohmann::ordered_json figures{{"cores", std::thread::hardware_concurrency()},
                                   {"rows", nlohmann::ordered_json::array()}};
    fmt::print("{:>6} {:>12} {:>12} {:>8} {:>14}\n", "GPUs", "candidates", "a second", "busy", "ms of CPU each");
    for (const int number : gpus) {
        const nlohmann::ordered_json row = measure(how, number);
        figures["rows"].push_back(row);
        fmt::print("{:>6} {:>12} {:>12.1f} {:>7.1f}% {:>14.3f}\n", number, row["candidates"].get<std::size_t>(),
                   row["candidates_per_second"].get<double>(), 100 * row["busy"].get<double>(),
                   row["processor_milliseconds_per_candidate"].get<double>());
    }
    std::string command = "cluster_bench";
    for (int i = 1; i < count; ++i) command += std::string(" ") + arguments[i];
    bench::record(command, figures);
}
