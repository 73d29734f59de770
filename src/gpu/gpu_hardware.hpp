// Properties of a GPU besides its SMs: clocks, memory, bus. For people who compare times.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <tuple>

#include "support/fields.hpp"

namespace launchbox {

/// Unknown if neither the driver nor NVML tells.
struct gpu_hardware {
    std::optional<std::int64_t> sm_clock_mhz, memory_clock_mhz;  ///< the highest possible
    std::optional<std::int64_t> memory_bus_bits;
    std::optional<std::int64_t> l2_bytes;
    std::optional<std::int64_t> free_memory_bytes;  ///< at the time of the query
    std::string pci_bus = {};                       ///< "0000:3b:00.0"; empty if unknown

    friend bool operator==(const gpu_hardware&, const gpu_hardware&) = default;
};

inline constexpr std::array<field<gpu_hardware, std::optional<std::int64_t>>, 5> hardware_figures{
    {{"sm_clock_mhz", &gpu_hardware::sm_clock_mhz},
     {"memory_clock_mhz", &gpu_hardware::memory_clock_mhz},
     {"memory_bus_bits", &gpu_hardware::memory_bus_bits},
     {"l2_bytes", &gpu_hardware::l2_bytes},
     {"free_memory_bytes", &gpu_hardware::free_memory_bytes}}};
constexpr auto fields_of(const gpu_hardware&)
{
    return std::tuple_cat(hardware_figures, std::tuple(field("pci_bus", &gpu_hardware::pci_bus)));
}

/// Peak memory bandwidth in GB (10^9 B) per second: two transfers of the bus width per clock, as the driver counts
/// clocks for every kind of memory.
inline std::optional<double> memory_gb_per_second(const gpu_hardware& of)
{
    if (!of.memory_clock_mhz || !of.memory_bus_bits) return std::nullopt;
    return 2.0 * static_cast<double>(*of.memory_clock_mhz) * static_cast<double>(*of.memory_bus_bits) / 8 / 1000;
}

}  // namespace launchbox
