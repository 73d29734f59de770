// NVML's data on a GPU at work; NVML is loaded at run time and may be missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace launchbox {

struct nvml_reading {
    std::optional<int> sm_clock_mhz, memory_clock_mhz, temperature_celsius, power_milliwatts;
    std::optional<std::uint64_t> slowed_by;  ///< bits of nvmlClocksEventReasons
};

/// Reasons for reduced clocks: bits of nvmlClocksEventReasons, as documented by NVIDIA.
inline constexpr std::uint64_t slowed_by_power_cap = 0x4, slowed_by_hardware = 0x8, slowed_by_software_thermal = 0x20,
                               slowed_by_hardware_thermal = 0x40, slowed_by_power_brake = 0x80;

/// Whether times taken now are unreliable because the GPU is throttled. A power cap alone is normal under load.
bool is_throttled(const nvml_reading& reading);
/// "thermal, power cap"; empty for none.
std::string throttling_text(const nvml_reading& reading);

/// One GPU. Only reads: changes no setting and needs no privileges.
class nvml_device {
public:
    /// `bus`: its PCI address, "0000:3b:00.0". Readings are empty without NVML, or if it does not know that GPU.
    explicit nvml_device(const std::string& bus);
    [[nodiscard]] bool there() const { return device_ != nullptr; }
    [[nodiscard]] nvml_reading read() const;
    [[nodiscard]] std::optional<std::int64_t> free_memory_bytes() const;
    /// Only `slowed_by`: each of the five queries of `read` may take longer than a short kernel.
    [[nodiscard]] nvml_reading read_slowdown() const;
    /// Energy used since the driver was loaded. The counter advances in steps, every 20 to 100 ms. `nullopt` if the GPU
    /// has no such counter (before Volta).
    [[nodiscard]] std::optional<double> energy_joules() const;

private:
    void* device_ = nullptr;
};

}  // namespace launchbox
