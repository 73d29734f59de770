// Virtual addresses of captured launches, reserved before the worker maps anything else.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "gpu/cuda_driver.hpp"

namespace launchbox {

struct address_range {
    std::uint64_t begin = 0, end = 0;

    friend bool operator==(const address_range&, const address_range&) = default;
};

/// The pages of `bytes` that hold these ranges; ranges that share or touch pages are one.
std::vector<address_range> pages_of(std::vector<address_range> ranges, std::uint64_t page_bytes);

/// Lives as long as the process. Without captures it does nothing.
class reserved_addresses {
public:
    /// Reserves the addresses of these captures (files capture.json) on this device. Unreadable files are left to the
    /// task that needs them.
    reserved_addresses(int device, const std::vector<std::string>& captures);

    /// Empty: everything was reserved. Otherwise the ranges that were not available, "0x7f0000000000 to
    /// 0x7f0000200000".
    [[nodiscard]] const std::string& missing() const { return missing_; }
    [[nodiscard]] std::uint64_t page_bytes() const { return page_bytes_; }
    /// Whether the range lies within a reservation.
    [[nodiscard]] bool holds(const address_range& range) const;

private:
    bool reserve(const std::vector<address_range>& ranges);

    std::vector<address_range> held_;
    std::string missing_;
    std::uint64_t page_bytes_ = std::uint64_t{2} << 20;
};

}  // namespace launchbox
