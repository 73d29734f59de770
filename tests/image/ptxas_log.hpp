// A second, separate reader of `ptxas -v`, only used to compare cubins with it.
#pragma once

#include <cstdint>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace launchbox {

struct logged_kernel {
    std::map<std::string, std::int64_t> used;  // "registers" -> 24; missing means 0
    std::int64_t frame = 0, stores = 0, loads = 0;
    std::int64_t callee_stores = 0, callee_loads = 0;  // of the functions listed after it
};

struct ptxas_log {
    std::map<std::string, logged_kernel> kernels;
    std::map<std::string, std::int64_t> module;  // "gmem", "cmem[3]"
};

inline std::map<std::string, std::int64_t> parse_amounts(const std::string& text)
{
    // "Used 24 registers, used 1 barriers, 80 bytes cumulative stack size, 48000 bytes smem, 372 bytes cmem[0]"
    std::map<std::string, std::int64_t> amounts;
    std::istringstream parts(text);
    for (std::string part; std::getline(parts, part, ',');) {
        std::istringstream words(part);
        std::string word, last;
        std::int64_t amount = 0;
        while (words >> word) {
            if (word.find_first_not_of("0123456789") == std::string::npos) amount = std::stoll(word);
            last = word;
        }
        if (part.find("cumulative stack size") != std::string::npos) last = "cumulative";
        amounts[last] = amount;
    }
    return amounts;
}

inline ptxas_log parse_ptxas_log(const std::string& text)
{
    ptxas_log log;
    std::string entry, function;
    std::istringstream lines(text);
    const auto quoted = [](const std::string& line) {
        const auto from = line.find('\'') + 1;
        return line.substr(from, line.find('\'', from) - from);
    };
    for (std::string line; std::getline(lines, line);) {
        const std::string properties = "Function properties for ";
        if (line.find("Compiling entry function") != std::string::npos) {
            entry = quoted(line);
            log.kernels[entry];
        } else if (const auto at = line.find(properties); at != std::string::npos) {
            function = line.substr(at + properties.size());
        } else if (long long frame = 0, stores = 0, loads = 0;
                   std::sscanf(line.c_str(), " %lld bytes stack frame, %lld bytes spill stores, %lld bytes spill loads",
                               &frame, &stores, &loads) == 3) {
            logged_kernel& kernel = log.kernels[entry];
            if (function == entry) {
                kernel.frame = frame;
                kernel.stores = stores;
                kernel.loads = loads;
            } else {
                kernel.callee_stores += stores;
                kernel.callee_loads += loads;
            }
        } else if (const auto used = line.find("Used "); used != std::string::npos) {
            log.kernels[entry].used = parse_amounts(line.substr(used));
        } else if (const auto colon = line.find("bytes gmem"); colon != std::string::npos) {
            log.module = parse_amounts(line.substr(line.find(": ") + 2));
        }
    }
    log.kernels.erase("");
    return log;
}

}  // namespace launchbox
