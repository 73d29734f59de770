// SPDX-License-Identifier: Apache-2.0
#include "app/tuning/gpu_groups.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "support/error.hpp"

namespace launchbox {

std::string host_name()
{
    std::array<char, 256> name{};
    return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string processor_name()
{
    std::ifstream facts("/proc/cpuinfo");
    for (std::string line; std::getline(facts, line);)
        if (line.starts_with("model name"))
            if (const std::size_t colon = line.find(": "); colon != std::string::npos) return line.substr(colon + 2);
    return "unknown processor";
}

std::vector<gpu_group> groups_of(const gpu_list& found, const std::vector<int>& wanted)
{
    std::vector<gpu_group> groups;
    for (const int index : wanted)
        if (std::ranges::none_of(found.devices, [&](const gpu_device& gpu) { return gpu.index == index; }))
            throw error(fmt::format("this machine has no GPU {}", index),
                        found.devices.empty() ? found.reason : "launchbox devices --here lists the GPUs");
    for (const gpu_device& gpu : found.devices) {
        if (!wanted.empty() && std::ranges::find(wanted, gpu.index) == wanted.end()) continue;
        const auto same =
            std::ranges::find_if(groups, [&](const auto& group) { return are_alike(group.front(), gpu); });
        if (same == groups.end())
            groups.push_back({gpu});
        else
            same->push_back(gpu);
    }
    return groups;
}

std::string energies_differ(std::size_t gpus, const std::string& model)
{
    return fmt::format(
        "energies are measured on {} {}, and cards of one model differ by up to 10 %: a candidate may win because "
        "of the card that measured it; use one GPU",
        gpus, model);
}

std::string label_of(const gpu_group& group)
{
    return group.size() == 1 ? group.front().name : fmt::format("{} x {}", group.size(), group.front().name);
}

std::vector<device_record> devices_of(const gpu_group& group)
{
    std::vector<device_record> devices;
    for (const gpu_device& gpu : group)
        devices.push_back({.name = fmt::format("GPU {}", gpu.index),
                           .host = host_name(),
                           .uuid = gpu.uuid,
                           .ecc = gpu.ecc != 0,
                           .hardware = gpu.hardware});
    return devices;
}

std::vector<int> indices_of(const gpu_group& group)
{
    std::vector<int> indices;
    for (const gpu_device& gpu : group) indices.push_back(gpu.index);
    return indices;
}

std::vector<std::string> visible_names(const gpu_group& group)
{
    std::vector<std::string> names;
    for (const gpu_device& gpu : group) {
        const bool is_part = gpu.name.find(" MIG ") != std::string::npos;
        names.push_back(gpu.uuid.empty()                          ? std::to_string(gpu.index)
                        : is_part && gpu.uuid.starts_with("GPU-") ? "MIG-" + gpu.uuid.substr(4)
                                                                  : gpu.uuid);
    }
    return names;
}

environment_info environment_of(const gpu_device& gpu, const gpu_list& all, const target& on, std::string toolkit)
{
    return {.gpu = gpu.name,
            .processor = {},
            .architecture = std::string(architecture_name(on.architecture).view()),
            .sms = gpu.sms,
            .memory_bytes = gpu.memory_bytes,
            .driver = all.driver_version,
            .toolkit = std::move(toolkit),
            .host = host_name()};
}

}  // namespace launchbox
