// launchbox: takes samples until there are enough. Internal: include measure.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>

#include <launchbox/detail/launch/kernel_queries.cuh>
#include <launchbox/detail/measure/measure_failure.cuh>
#include <launchbox/detail/measure/measure_gpu.cuh>
#include <launchbox/detail/measure/measure_statistics.hpp>
#include <launchbox/detail/measure/sampling.hpp>
#include <launchbox/measurement.hpp>
#include <launchbox/measurement_options.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

using wall_clock = std::chrono::steady_clock;

struct timed_call {
    void (*function)(const void* what, cudaStream_t stream);
    const void* what;
};

/// Everything that is set up once per measurement.
struct measuring_set {
    const timed_call& call;
    const measurement_options& options;
    l2_flush flush{options.l2 == l2_state::cold};
    timing_event begin{}, end{};
    shared_flags flags{};
    bool block = options.block;
    std::chrono::nanoseconds limit{};  ///< the longest time to hold the stream

    ~measuring_set() { cudaStreamSynchronize(options.stream); }  // before the members that it uses are destroyed
};

static inline measurement_result measure_set(measuring_set& set);
static inline void warm_up(measuring_set& set);
static inline std::optional<double> take_sample(measuring_set& set);
inline void check_options(const measurement_options& options);

static inline measurement_result measure_call(const timed_call& call, const measurement_options& options)
{
    check_options(options);
    measurement_result result;
    try {
        require(cudaPeekAtLastError(), measuring::before);
        measuring_set set{.call = call, .options = options};
        result = measure_set(set);
    } catch (const measuring_failure& failure) {
        result = failed_measurement(failure);
    } catch (const launch_error& refused) {
        result = failed_measurement({.code = refused.code, .when = measuring::launching});
        result.reason = refused.what();
    }
    if (!result.measured()) cudaGetLastError();  // reported in the result
    result.cold = options.l2 == l2_state::cold;
    result.launches = options.launches;
    result.bytes = options.bytes;
    return result;
}

static inline measurement_result measure_set(measuring_set& set)
{
    const measurement_options& options = set.options;
    const sampling_rules rules{.min_samples = options.min_samples,
                               .max_samples = options.max_samples,
                               .relative_error = options.relative_error,
                               .max_seconds = options.max_seconds};
    warm_up(set);
    sample_series series(rules);
    sampling_state state = sampling_state::more;
    wall_clock::time_point begin = wall_clock::now();
    for (int late = 0; state == sampling_state::more;) {
        if (const std::optional<double> sample = take_sample(set)) {
            late = 0;
            series.add(*sample);
            state = series.state(std::chrono::duration<double>(wall_clock::now() - begin).count());
        } else if (++late == 2) {  // a single miss may only mean that the host was busy
            set.block = false;
            series = sample_series(rules);
            begin = wall_clock::now();
        }
    }
    const median_estimate estimate = estimate_median(series.samples_ns());
    return {.samples_ns = series.samples_ns(),
            .median_ns = estimate.median,
            .low_ns = estimate.low,
            .high_ns = estimate.high,
            .blocked = set.block,
            .out_of_time = state == sampling_state::out_of_time};
}

// Loads the code of all kernels (that waits for the GPU, so it must not happen while the GPU is held), lets the clocks
// rise, and measures how long the callable takes on the host.
static inline void warm_up(measuring_set& set)
{
    const measurement_options& options = set.options;
    constexpr auto enough = std::chrono::milliseconds(10), longest = std::chrono::milliseconds(1000);
    std::chrono::nanoseconds on_host = longest;
    const wall_clock::time_point begin = wall_clock::now();
    for (int i = 0; i == 0 || (i < 20 && wall_clock::now() - begin < enough); ++i) {
        if (options.prepare) options.prepare(options.stream);
        require(cudaGetLastError(), measuring::preparing);
        const wall_clock::time_point called = wall_clock::now();
        set.call.function(set.call.what, options.stream);
        on_host = std::min<std::chrono::nanoseconds>(on_host, wall_clock::now() - called);
        require(cudaGetLastError(), measuring::launching);
        require(cudaStreamSynchronize(options.stream), measuring::running);
    }
    // Long enough for a busy host, short enough to notice soon that a callable waits for the GPU.
    set.limit =
        std::min<std::chrono::nanoseconds>(longest, std::chrono::milliseconds(50) + 20 * options.launches * on_host);
    if (set.block) launch_hold(set.flags, options.stream, set.limit);  // released: ends at once
    require(cudaStreamSynchronize(options.stream), measuring::setting_up);
}

// In ns; nullopt if the stream was not held until everything was launched.
static inline std::optional<double> take_sample(measuring_set& set)
{
    const measurement_options& options = set.options;
    if (options.prepare) options.prepare(options.stream);
    require(cudaGetLastError(), measuring::preparing);
    set.flush.enqueue(options.stream);
    {
        const held_stream held(set.block ? &set.flags : nullptr);
        if (set.block) launch_hold(set.flags, options.stream, set.limit);
        set.begin.record(options.stream);
        for (int i = 0; i < options.launches; ++i) set.call.function(set.call.what, options.stream);
        require(cudaGetLastError(), measuring::launching);
        set.end.record(options.stream);
    }
    set.end.wait();
    if (set.block && set.flags.timed_out()) return std::nullopt;
    return set.end.ns_since(set.begin) / options.launches;
}

inline void check_options(const measurement_options& options)
{
    const auto demand = [](bool holds, const char* what) {
        if (!holds) throw std::invalid_argument(std::string("launchbox::measure: ") + what);
    };
    demand(options.launches >= 1, "launches is below 1");
    demand(options.launches == 1 || options.l2 == l2_state::hot,
           "several launches in a sample find the L2 as the one before left it: ask for l2_state::hot");
    demand(options.launches == 1 || !options.prepare, "several launches in a sample cannot each have fresh inputs");
    demand(options.min_samples >= 3, "min_samples is below 3");
    demand(options.max_samples >= 1, "max_samples is below 1");
    demand(options.relative_error >= 0, "relative_error is below 0");
    demand(options.max_seconds >= 0, "max_seconds is below 0");
    demand(options.bytes >= 0, "bytes is below 0");
}

}  // namespace launchbox::detail
#pragma GCC visibility pop
