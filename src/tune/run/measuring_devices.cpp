// SPDX-License-Identifier: Apache-2.0
#include "tune/run/measuring_devices.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace launchbox {

namespace {

// After a candidate has cost this many devices, no other is risked for it.
constexpr int losses_that_settle = 2;

}  // namespace

measuring_devices::measuring_devices(const tune_backend& backend)
    : records_(backend.devices),
      lost_(backend.measurers.size()),
      calibrated_(backend.measurers.size(), backend.recorded || backend.measurers.size() < 2)
{
    for (std::size_t i = records_.size(); i < backend.measurers.size(); ++i)
        records_.push_back({.name = fmt::format("device {}", i)});
}

bool measuring_devices::are_worth_keeping() const
{
    return records_.size() > 1 ||
           std::ranges::any_of(records_, [](const device_record& device) { return device.hardware.has_value(); });
}

bool measuring_devices::lose(std::size_t device, const std::string& why)
{
    lost_[device] = true;
    records_[device].lost = why;
    return left().empty();
}

std::vector<std::size_t> measuring_devices::left() const
{
    std::vector<std::size_t> left;
    for (std::size_t device = 0; device < lost_.size(); ++device)
        if (!lost_[device]) left.push_back(device);
    return left;
}

bool measuring_devices::is_settled_by_loss(const job_key& job)
{
    return ++losses_[job] >= losses_that_settle;
}

void measuring_devices::note(std::size_t device, const measurement& measured, double seconds)
{
    records_[device].busy_seconds += seconds;
    ++(measured.status == outcome::measured ? records_[device].measured : records_[device].failed);
}

bool measuring_devices::begin_calibration(std::size_t device)
{
    if (calibrated_[device]) return false;
    calibrated_[device] = true;
    return true;
}

void measuring_devices::note_calibration(std::size_t device, const measurement& reference)
{
    if (reference.status != outcome::measured) return;
    records_[device].calibration_ns = reference.samples_ns;
    records_[device].state = reference.device;
}

void measuring_devices::finish(double seconds)
{
    for (device_record& device : records_) device.seconds = seconds;
}

}  // namespace launchbox
