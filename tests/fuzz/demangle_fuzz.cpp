// Names, one per line. For any name the call returns, and its result is bounded. Child processes that die leave crash-*
// files too; only a finding makes the run itself fail.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "image/names/demangle.hpp"
#include "image/names/demangle_bound.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::vector<std::string> names;
    std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
    for (std::string line; std::getline(lines, line);) names.push_back(line);
    const std::vector<std::string> results = launchbox::demangle_all(names);
    if (results.size() != names.size()) std::abort();
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string &name = names[i], &result = results[i];
        if (result == name) continue;
        if (!name.starts_with("_Z") || result.size() > 65536) std::abort();
        if (name.size() <= 1024 && result.size() > launchbox::demangling_bound(name)) std::abort();
        if (launchbox::short_name(result).size() > result.size()) std::abort();
    }
    return 0;
}
