// What the driver's double should do: the JSON file named by $FAKE_GPU_PLAN. See README.md in this folder.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

namespace fake {

using nlohmann::json;

inline const json& plan()
{
    static const json whole = [] {
        const char* file = std::getenv("FAKE_GPU_PLAN");
        if (file == nullptr) return json::object();
        std::ifstream in(file);
        return json::parse(in);
    }();
    return whole;
}

/// How often this was called with that name, including this call: over all processes if the plan names a "state" file.
inline long count_of(const std::string& name)
{
    static std::map<std::string, long> counts;
    if (!plan().contains("state")) return ++counts[name];
    const std::string file = plan().at("state");
    const int lock = ::open((file + ".lock").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    ::flock(lock, LOCK_EX);
    json all = json::object();
    if (std::ifstream in(file); in) all = json::parse(in, nullptr, false);
    if (!all.is_object()) all = json::object();
    const long count = all.value(name, 0L) + 1;
    all[name] = count;
    std::ofstream(file) << all;
    ::close(lock);
    return count;
}

/// The fault to raise: its stage and kernel match, and its number of matches is between "skip" and "times". Null: none.
inline const json* fault_at(const std::string& stage, const std::string& kernel)
{
    if (!plan().contains("faults")) return nullptr;
    int number = 0;
    for (const json& value : plan().at("faults")) {
        ++number;
        if (value.at("stage") != stage) continue;
        if (!std::regex_search(kernel, std::regex(value.value("match", std::string())))) continue;
        if (value.contains("skip") || value.contains("times")) {
            const long skip = value.value("skip", 0L), times = value.value("times", 1L << 40);
            const long count = count_of("fault " + std::to_string(number));
            if (count <= skip || count > skip + times) continue;
        }
        return &value;
    }
    return nullptr;
}

}  // namespace fake
