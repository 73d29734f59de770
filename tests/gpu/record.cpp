#include "record.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <nlohmann/json.hpp>

#include "support/files/files.hpp"

namespace launchbox {

namespace {

nlohmann::ordered_json& figures()
{
    static nlohmann::ordered_json json = nlohmann::ordered_json::object();
    return json;
}

std::string environment(const char* name)
{
    const char* value = std::getenv(name);
    return value == nullptr ? "unknown" : value;
}

class writer : public testing::Environment {
public:
    void TearDown() override
    {
        const char* path = std::getenv("LAUNCHBOX_RECORD");
        if (path == nullptr || figures().empty()) return;
        cudaDeviceProp properties{};
        int driver = 0, runtime = 0;
        cudaGetDeviceProperties(&properties, 0);
        cudaDriverGetVersion(&driver);
        cudaRuntimeGetVersion(&runtime);
        const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
        std::tm utc{};
        gmtime_r(&now, &utc);

        nlohmann::ordered_json json;
        json["schema"] = "launchbox.record/1";
        json["device"] = properties.name;
        json["compute_capability"] = fmt::format("{}.{}", properties.major, properties.minor);
        json["sms"] = properties.multiProcessorCount;
        json["driver_cuda"] = fmt::format("{}.{}", driver / 1000, driver % 1000 / 10);
        json["driver"] = environment("LAUNCHBOX_DRIVER");
        json["runtime_cuda"] = fmt::format("{}.{}", runtime / 1000, runtime % 1000 / 10);
        json["date"] = fmt::format("{:04}-{:02}-{:02}", utc.tm_year + 1900, utc.tm_mon + 1, utc.tm_mday);
        json["commit"] = environment("LAUNCHBOX_COMMIT");
        json["command"] = "ctest --preset gpu";
        for (const auto& [section, values] : figures().items()) json[section] = values;
        write_file_atomically(path, json.dump(2) + '\n');
    }
};

[[maybe_unused]] const testing::Environment* const registered = testing::AddGlobalTestEnvironment(new writer);

}  // namespace

void record(const std::string& section, const std::string& name, const std::string& value)
{
    figures()[section][name] = value;
}

void record(const std::string& section, const std::string& name, double value)
{
    // Integers are written as such.
    if (value == static_cast<double>(static_cast<long long>(value)))
        figures()[section][name] = static_cast<long long>(value);
    else
        figures()[section][name] = value;
}

}  // namespace launchbox
