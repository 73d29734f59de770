// The steps of a GPU's energy counter with their times, polled by a thread while others use the GPU.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/nvml.hpp"

namespace launchbox {

/// A new value of the counter, and when it appeared: seconds since the watch began.
struct energy_step {
    double seconds = 0, joules = 0;
};

class energy_watch {
public:
    /// Begins polling; `gpu` must have a counter and outlive the watch.
    explicit energy_watch(const nvml_device& gpu);
    ~energy_watch();
    energy_watch(const energy_watch&) = delete;
    energy_watch& operator=(const energy_watch&) = delete;

    /// So far. Times are accurate to some milliseconds, since a query to NVML may take that long.
    [[nodiscard]] std::vector<energy_step> steps() const;
    [[nodiscard]] double seconds() const;

private:
    void follow();

    const nvml_device& gpu_;
    const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    mutable std::mutex lock_;
    std::vector<energy_step> steps_;
    std::atomic<bool> stop_ = false;
    std::thread thread_;
};

/// Watts over windows of `size` steps each, from the step number `first` on. Empty if there is no complete window.
std::vector<double> watts_of_windows(const std::vector<energy_step>& steps, std::size_t first, std::size_t size);

}  // namespace launchbox
