// Saves the results of a benchmark as JSON, so that figures in the documentation can name their source.
#pragma once

#include <cstdlib>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

namespace launchbox::bench {

/// Writes `figures` to the file named by LAUNCHBOX_RECORD, with the command, place and time of the run, and
/// LAUNCHBOX_COMMIT. Without that variable it writes nothing.
inline void record(const std::string& command, const nlohmann::ordered_json& figures)
{
    const char* path = std::getenv("LAUNCHBOX_RECORD");
    if (path == nullptr) return;
    const char* commit = std::getenv("LAUNCHBOX_COMMIT");
    std::string processor = "unknown";
    std::ifstream cpuinfo("/proc/cpuinfo");
    for (std::string line; std::getline(cpuinfo, line);)
        if (line.starts_with("model name")) processor = line.substr(line.find(':') + 2);
    char date[16]{};
    const std::time_t now = std::time(nullptr);
    std::strftime(date, sizeof date, "%Y-%m-%d", std::gmtime(&now));

    nlohmann::ordered_json json{{"schema", "launchbox.record/1"},
                                {"cpu", processor},
                                {"date", date},
                                {"commit", commit == nullptr ? "unknown" : commit},
                                {"command", command}};
    json.update(figures);
    std::ofstream(path) << json.dump(2) << '\n';
}

}  // namespace launchbox::bench
