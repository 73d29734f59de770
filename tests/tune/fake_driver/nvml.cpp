// The double of NVML: readings from the plan's "nvml", one list entry per reading; the last one repeats.
#include <dlfcn.h>

#include <algorithm>

#include "plan.hpp"

using fake::json;

namespace {

json reading(bool next)
{
    static std::size_t at = 0;
    const json& all = fake::plan().at("nvml");
    if (next) ++at;
    return all.at(std::clamp<std::size_t>(at, 1, all.size()) - 1);
}

int answer(unsigned* to, const char* name)
{
    const json now = reading(false);
    if (!now.contains(name)) return 3;  // NVML_ERROR_NOT_SUPPORTED
    *to = now.at(name);
    return 0;
}

}  // namespace

extern "C" {

[[gnu::visibility("default")]] int nvmlInit_v2()
{
    return fake::plan().contains("nvml") ? 0 : 9;  // NVML_ERROR_DRIVER_NOT_LOADED
}

[[gnu::visibility("default")]] int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device)
{
    *device = const_cast<json*>(&fake::plan());
    return 0;
}

[[gnu::visibility("default")]] int nvmlDeviceGetClockInfo(void*, unsigned kind, unsigned* clock)
{
    return answer(clock, kind == 1 ? "sm_clock" : "memory_clock");
}

struct memory {
    unsigned long long total, free, used;
};

[[gnu::visibility("default")]] int nvmlDeviceGetMemoryInfo(void*, memory* found)
{
    const json now = reading(false);
    if (!now.contains("free_bytes")) return 3;
    found->free = now.at("free_bytes");
    return 0;
}

[[gnu::visibility("default")]] int nvmlDeviceGetTemperature(void*, unsigned, unsigned* celsius)
{
    return answer(celsius, "temperature");
}

[[gnu::visibility("default")]] int nvmlDeviceGetPowerUsage(void*, unsigned* milliwatts)
{
    return answer(milliwatts, "power");
}

// The counter advances at every tenth call: by "idle" for each call, and by "launch" for each launch since then.
[[gnu::visibility("default")]] int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules)
{
    if (!fake::plan().contains("energy")) return 3;
    const json& energy = fake::plan().at("energy");
    static unsigned long long shown = 0;
    static long questions = 0;
    if (++questions % 10 == 0) {
        void* const driver = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_NOLOAD);
        const auto launches = reinterpret_cast<long (*)()>(::dlsym(driver, "fake_gpu_launches"));
        shown = static_cast<unsigned long long>(1e3 * (energy.value("idle", 0.0) * static_cast<double>(questions) +
                                                       energy.value("launch", 0.0) * static_cast<double>(launches())));
    }
    *millijoules = shown;
    return 0;
}

[[gnu::visibility("default")]] int nvmlDeviceGetCurrentClocksEventReasons(void*, unsigned long long* reasons)
{
    reading(true);  // every reading asks for this exactly once
    unsigned bits = 0;
    const int code = answer(&bits, "reasons");
    *reasons = bits;
    return code;
}
}
