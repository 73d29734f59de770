// The devices of a run: which are left, how fast each is relative to the others, and what each has done.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "tune/run/backend.hpp"
#include "tune/run/job_key.hpp"

namespace launchbox {

/// Not thread-safe.
class measuring_devices {
public:
    explicit measuring_devices(const tune_backend& backend);

    /// By measurer.
    [[nodiscard]] const std::vector<device_record>& records() const { return records_; }
    /// Whether there are several devices, which are compared, or something is known of the only one.
    [[nodiscard]] bool are_worth_keeping() const;
    [[nodiscard]] bool is_lost(std::size_t device) const { return lost_[device]; }
    /// The devices that are not lost.
    [[nodiscard]] std::vector<std::size_t> left() const;

    /// Takes a device out of the run. True: it was the last.
    bool lose(std::size_t device, const std::string& why);
    /// A device was lost with this job. True: this happened so often that no other device is risked for it.
    bool is_settled_by_loss(const job_key& job);

    void note(std::size_t device, const measurement& measured, double seconds);

    /// True once for each device, if there are several: it times the reference before any other candidate.
    bool begin_calibration(std::size_t device);
    void note_calibration(std::size_t device, const measurement& reference);
    /// Adds time in which the device was busy with anything but measuring a candidate.
    void note_preparation(std::size_t device, double seconds) { records_[device].busy_seconds += seconds; }

    /// Completes the records; `seconds`: the duration of the run.
    void finish(double seconds);

private:
    std::vector<device_record> records_;
    std::vector<bool> lost_, calibrated_;
    std::map<job_key, int> losses_;
};

}  // namespace launchbox
