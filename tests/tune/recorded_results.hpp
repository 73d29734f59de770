// A small made-up run with every kind of result, always the same.
#pragma once

#include <string>
#include <vector>

#include "tune/store/result_store.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

inline assignment tuning_values(std::int64_t threads, std::int64_t items)
{
    return {{{"threads", threads}, {"items", items}}};
}

inline assignment sizes(std::int64_t n)
{
    return {{{"type", std::string("int")}, {"n", n}}};
}

/// `count` samples around a median, a few thousandths apart, always the same.
inline std::vector<double> samples_around(double median, std::size_t count = 15)
{
    std::vector<double> samples;
    const std::size_t middle = count / 2;
    for (std::size_t i = 0; i < count; ++i)
        samples.push_back(median * (1 + 0.001 * (static_cast<double>(i * 7 % count) - static_cast<double>(middle))));
    return samples;
}

inline run_info example_run()
{
    return {.name = "block_sort",
            .spec_text = "[tunable]\nname = \"block_sort\"\n",
            .spec_hash = "5a5a",
            .task_hash = "7a7a",
            .source_hash = "50ce",
            .command = "launchbox tune block_sort.toml",
            .version = "0.1.0",
            .started = "2026-11-21T09:30:00Z",
            .call = 1,
            .environment = {.gpu = "Example GPU",
                            .processor = "",
                            .architecture = "sm_90",
                            .sms = 132,
                            .memory_bytes = 150'000'000'000,
                            .driver = "13.0",
                            .toolkit = "NVRTC 13.0",
                            .host = "node7"},
            .baseline = tuning_values(256, 11)};
}

inline stored_result example_result(std::int64_t threads, std::int64_t items, std::int64_t n, double median)
{
    kernel_info kernel;
    kernel.name = "_Z10block_sortIiLi256ELi11EEvPKT_PS0_i";
    set_architecture(kernel, "sm_90");
    kernel.figures.registers = static_cast<int>(24 + items);
    kernel.figures.spill_store_bytes = 0;
    kernel.figures.spill_load_bytes = 0;
    kernel.figures.stack_frame_bytes = 0;
    kernel.figures.static_shared_bytes = threads * items * 4;
    kernel.figures.barriers = 1;
    kernel.bounds.max_threads = {static_cast<int>(threads), 1, 1};
    kernel.figures.code_bytes = 9000 + items;
    stored_result result;
    result.run = 1;
    result.parameters = tuning_values(threads, items);
    result.workload = sizes(n);
    result.measured.samples_ns = samples_around(median);
    result.measured.verified = true;
    result.measured.checksum = "c0ffee";
    result.measured.device = device_state{1980, 2619, 45, 310'000, ""};
    result.measured.seconds = 0.25;
    result.kernel = kernel;
    result.code = "code-" + std::to_string(threads) + "-" + std::to_string(items);
    result.compile_seconds = 0.75;
    result.finished = "2026-11-21T09:31:00Z";
    return result;
}

inline stored_result failed(std::int64_t threads, std::int64_t items, std::int64_t n, outcome what, std::string reason)
{
    stored_result result = example_result(threads, items, n, 1);
    result.measured = {.status = what, .reason = std::move(reason), .seconds = 0.01};
    if (what == outcome::compile_error || what == outcome::rejected) result.kernel.reset();
    if (what == outcome::compile_error) {
        result.code.clear();
        result.log = "block_sort.cu(12): error: too much shared data (0xc400 bytes, 0xc000 max)\n\tin line 2\n";
    }
    return result;
}

/// Two workloads. n = 1,048,576: a winner by race, one equal to it, one with the same code, one stopped early, one not
/// verified, failures. n = 134,217,728: no race, and the baseline is the fastest.
inline recorded_run example_results()
{
    recorded_run run{1, example_run(), {}, {}};
    const std::int64_t small = 1 << 20, large = 1 << 27;
    run.results.push_back(example_result(256, 11, small, 125'000));
    run.results.push_back(example_result(128, 15, small, 100'000));
    run.results.push_back(example_result(128, 17, small, 100'400));
    run.results.push_back(example_result(512, 7, small, 110'000));
    run.results.push_back(example_result(512, 9, small, 110'000));
    run.results.back().same_as = tuning_values(512, 7);
    run.results.back().code = "code-512-7";
    run.results.push_back(example_result(64, 3, small, 400'000));
    run.results.back().measured.samples_ns.resize(3);
    run.results.back().measured.stopped_early = true;
    run.results.push_back(example_result(64, 5, small, 90'000));
    run.results.back().measured.verified = false;
    run.results.back().measured.dropped = 2;
    run.results.push_back(failed(1024, 15, small, outcome::compile_error, "too much shared data (0xc400 bytes)"));
    run.results.push_back(failed(1024, 17, small, outcome::rejected, "1,024 threads need 2,048 registers too many"));
    run.results.push_back(failed(1024, 19, small, outcome::rejected, "1,024 threads need 4,096 registers too many"));
    run.results.push_back(failed(64, 31, small, outcome::wrong_result, "out[17] is 3, must be 4"));
    run.results.push_back(failed(64, 29, small, outcome::worker_died, "killed by signal 11 (Segmentation fault)"));
    run.results.back().deaths = 2;
    run.results.push_back(example_result(256, 11, large, 12'500'000));
    run.results.push_back(example_result(128, 15, large, 14'000'000));
    run.races.push_back({1,
                         sizes(small),
                         {{tuning_values(128, 17), samples_around(100'100, 31), 100'400.0},
                          {tuning_values(128, 15), samples_around(100'700, 31), 100'000.0},
                          {tuning_values(256, 11), samples_around(125'500, 31), 125'000.0}},
                         "equal",
                         0.004});
    return run;
}

inline std::int64_t save_all(result_store& store, recorded_run run)
{
    const std::int64_t number = store.begin_run(run.info);
    for (stored_result& result : run.results) {
        result.run = number;
        store.save(result);
    }
    for (race_result_info& race : run.races) {
        race.run = number;
        store.save(race);
    }
    return number;
}

}  // namespace launchbox
