// SPDX-License-Identifier: Apache-2.0
#include "gpu/nvml.hpp"

#include <dlfcn.h>

#include <utility>

#include "support/loaded_library.hpp"

namespace launchbox {

namespace {

// Not every toolkit has nvml.h, so the few functions in use are declared here.
using nvml_handle = void*;
constexpr int nvml_success = 0;
constexpr unsigned nvml_sm_clock = 1, nvml_memory_clock = 2, nvml_gpu_temperature = 0;

struct nvml_memory {
    unsigned long long total, free, used;
};

struct nvml_library {
    loaded_library library{::dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)};
    int (*init)() = library.need("nvmlInit_v2");
    int (*device_at_bus)(const char*, nvml_handle*) = library.need("nvmlDeviceGetHandleByPciBusId_v2");
    int (*clock)(nvml_handle, unsigned, unsigned*) = library.find("nvmlDeviceGetClockInfo");
    int (*temperature)(nvml_handle, unsigned, unsigned*) = library.find("nvmlDeviceGetTemperature");
    int (*power)(nvml_handle, unsigned*) = library.find("nvmlDeviceGetPowerUsage");
    int (*memory)(nvml_handle, nvml_memory*) = library.find("nvmlDeviceGetMemoryInfo");
    // The second name is for drivers before 535.
    int (*slowed_by)(nvml_handle, unsigned long long*) = library.need("nvmlDeviceGetCurrentClocksEventReasons",
                                                                      "nvmlDeviceGetCurrentClocksThrottleReasons");
    int (*energy)(nvml_handle, unsigned long long*) = library.find("nvmlDeviceGetTotalEnergyConsumption");
    bool ready = init != nullptr && device_at_bus != nullptr && init() == nvml_success;
};

const nvml_library& nvml()
{
    static const nvml_library library;
    return library;
}

constexpr std::uint64_t distress =
    slowed_by_hardware | slowed_by_software_thermal | slowed_by_hardware_thermal | slowed_by_power_brake;

}  // namespace

bool is_throttled(const nvml_reading& reading)
{
    return (reading.slowed_by.value_or(0) & distress) != 0;
}

std::string throttling_text(const nvml_reading& reading)
{
    const std::uint64_t bits = reading.slowed_by.value_or(0);
    std::string text;
    const auto note = [&](std::uint64_t which, const char* words) {
        if ((bits & which) != 0) text += (text.empty() ? "" : ", ") + std::string(words);
    };
    note(slowed_by_software_thermal | slowed_by_hardware_thermal, "thermal");
    note(slowed_by_hardware, "hardware slowdown");
    note(slowed_by_power_brake, "power brake");
    note(slowed_by_power_cap, "power cap");
    return text;
}

nvml_device::nvml_device(const std::string& bus)
{
    if (bus.empty() || !nvml().ready) return;
    if (nvml().device_at_bus(bus.c_str(), &device_) != nvml_success) device_ = nullptr;
}

nvml_reading nvml_device::read() const
{
    nvml_reading reading;
    if (device_ == nullptr) return reading;
    const auto ask = [&](std::optional<int>& value, auto function, auto... which) {
        unsigned answer = 0;
        if (function != nullptr && function(device_, which..., &answer) == nvml_success)
            value = static_cast<int>(answer);
    };
    ask(reading.sm_clock_mhz, nvml().clock, nvml_sm_clock);
    ask(reading.memory_clock_mhz, nvml().clock, nvml_memory_clock);
    ask(reading.temperature_celsius, nvml().temperature, nvml_gpu_temperature);
    ask(reading.power_milliwatts, nvml().power);
    reading.slowed_by = read_slowdown().slowed_by;
    return reading;
}

std::optional<std::int64_t> nvml_device::free_memory_bytes() const
{
    nvml_memory memory{};
    if (device_ == nullptr || nvml().memory == nullptr || nvml().memory(device_, &memory) != nvml_success ||
        !std::in_range<std::int64_t>(memory.free))
        return std::nullopt;
    return static_cast<std::int64_t>(memory.free);
}

std::optional<double> nvml_device::energy_joules() const
{
    unsigned long long millijoules = 0;
    if (device_ == nullptr || nvml().energy == nullptr || nvml().energy(device_, &millijoules) != nvml_success)
        return std::nullopt;
    return static_cast<double>(millijoules) * 1e-3;
}

nvml_reading nvml_device::read_slowdown() const
{
    nvml_reading reading;
    unsigned long long bits = 0;
    if (device_ != nullptr && nvml().slowed_by != nullptr && nvml().slowed_by(device_, &bits) == nvml_success)
        reading.slowed_by = bits;
    return reading;
}

}  // namespace launchbox
