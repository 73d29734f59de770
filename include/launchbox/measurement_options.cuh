// launchbox: how a measurement is taken.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox {

/// The L2 at the beginning of a sample: flushed, or as the previous sample left it.
enum class [[gnu::visibility("default")]] l2_state{cold, hot};

struct [[gnu::visibility("default")]] measurement_options {
    l2_state l2 = l2_state::cold;
    int launches = 1;  ///< calls per sample, which is their mean; above 1 only hot and without `prepare`
    std::function<void(cudaStream_t)> prepare = {};  ///< called before each sample, not timed: for fresh inputs
    cudaStream_t stream = nullptr;
    bool block = true;       ///< hold the GPU until everything of a sample is launched; false for profilers
    std::int64_t bytes = 0;  ///< processed by one call, for the bandwidth
    int min_samples = 10;    ///< 3 or more
    int max_samples = 1000;
    double relative_error = 0.005;  ///< standard error over the mean, at which sampling ends; 0: take `max_samples`
    double max_seconds = 2;         ///< wall time after which sampling ends; at least one sample is taken
};

}  // namespace launchbox
#pragma GCC visibility pop
