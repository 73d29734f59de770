// SPDX-License-Identifier: Apache-2.0
#include "image/names/readable_names.hpp"

#include <cstddef>
#include <unordered_map>

#include "image/names/demangle.hpp"
#include "support/process/parallel.hpp"

namespace launchbox {

// A name is the same for all architectures, and demangling it is most of the work, so it is done once.
std::vector<readable_name> readable_names(const std::vector<std::string_view>& names)
{
    std::unordered_map<std::string_view, std::size_t> place_of;
    std::vector<std::string> different;
    for (const std::string_view name : names)
        if (place_of.emplace(name, different.size()).second) different.emplace_back(name);
    const std::vector<std::string> demangled = demangle_all(different);
    std::vector<std::string> short_forms(different.size());
    run_parallel_ranges(different.size(), 64, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) short_forms[i] = short_name(demangled[i]);
    });
    std::vector<readable_name> result;
    result.reserve(names.size());
    for (const std::string_view name : names) {
        const std::size_t place = place_of.at(name);
        result.push_back({demangled[place], short_forms[place]});
    }
    return result;
}

}  // namespace launchbox
