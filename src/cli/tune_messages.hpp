// Messages about a call of tune: progress, on one kind of GPU or several at once, its cost, and a comparison of its
// GPUs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <cstddef>
#include <mutex>
#include <string>
#include <vector>

#include "app/tuning/tune_call.hpp"
#include "cli/messages.hpp"
#include "tune/run/tune_run.hpp"

namespace launchbox::cli {

/// "1 candidate", "12,345 candidates"
std::string plural(std::size_t count, const std::string& what);

/// Prints them on standard error.
tune_listener terminal_tune_listener();

/// A line on a terminal; with several GPUs and no terminal (a batch job's log), lines once a minute. Thread-safe.
class fleet_progress {
public:
    /// `backends`: kinds of GPU that work at the same time.
    fleet_progress(std::string name, std::size_t backends);
    void show(std::size_t backend, const std::string& label, const tune_progress& now);
    void clear();

private:
    void print_log_lines();

    std::string name_;
    std::mutex lock_;
    progress_line line_;
    bool terminal_;
    struct state {
        std::string label;
        tune_progress now;
    };
    std::vector<state> states_;
    std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
};

/// "8 GPUs, 5.2/s, 93 % busy (least: rank 3 (node7, GPU 1), 71 %), 3 failed, 1 lost"; empty for a single one.
std::string fleet_text(const tune_progress& now);

/// Lines for a log: that line, and one for each of the most idle devices.
std::vector<std::string> fleet_lines(const std::string& name, const std::string& label, const tune_progress& now);

/// After a run on several GPUs: what each has done, which are slow, and which were lost.
void report_device_comparison(const std::vector<device_record>& devices);

}  // namespace launchbox::cli
