// The steps of a GPU's energy counter, and when they were: a thread asks for it while others use the GPU.
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

/// The counter had this value from then on: seconds since the watch began.
struct energy_step {
    double seconds = 0, joules = 0;
};

class energy_watch {
public:
    /// Begins; `gpu` has a counter and outlives the watch.
    explicit energy_watch(const nvml_device& gpu);
    ~energy_watch();
    energy_watch(const energy_watch&) = delete;
    energy_watch& operator=(const energy_watch&) = delete;

    /// So far. Each is known to some milliseconds, since a question to NVML can take so long.
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

/// Watts over windows of `size` steps each, from the step with the number `first` on. Without whole windows: none.
std::vector<double> watts_of_windows(const std::vector<energy_step>& steps, std::size_t first, std::size_t size);

}  // namespace launchbox
