// SPDX-License-Identifier: Apache-2.0
#include "app/input/kernel_pattern.hpp"

#include <algorithm>
#include <cstddef>

#include "app/input/kernel_input.hpp"
#include "support/error.hpp"
#include "support/text/matching.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

void sort_out_doubles(std::vector<std::string>& names)
{
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
}

// "DeviceReduceKernel" for "cub::detail::reduce::DeviceReduceKernel<int, plus<int>>".
std::string name_of_template(const std::string& short_form)
{
    const std::size_t end = std::min(short_form.find('<'), short_form.size());
    const std::size_t colons = end > 0 ? short_form.rfind("::", end - 1) : std::string::npos;
    const std::size_t begin = colons == std::string::npos ? 0 : colons + 2;
    return begin < end ? short_form.substr(begin, end - begin) : short_form;
}

// "kQuantizeBlockwise*" for "kQantize*": the part before the first star is the beginning of a name.
std::string nearest_template(const std::string& pattern, const std::vector<std::string>& names)
{
    const std::size_t star = pattern.find('*', 1);
    std::string word = pattern.substr(0, star);
    std::erase(word, '*');
    constexpr std::size_t shortest = 4;  // with fewer letters, every name is near
    if (word.size() < shortest) return {};
    std::vector<std::string> beginnings = names;
    if (star != std::string::npos)
        for (std::string& name : beginnings) name.resize(std::min(name.size(), word.size() + 1));
    const std::string meant = nearest(word, beginnings);
    const auto found = std::ranges::find(beginnings, meant);
    if (meant.empty() || found == beginnings.end()) return {};
    return names[static_cast<std::size_t>(found - beginnings.begin())] + "*";
}

}  // namespace

void keep_matching(const std::string& pattern, kernel_input& input)
{
    if (pattern.empty() || input.kernels.empty()) return;
    std::vector<std::string> names;
    for (const found_kernel& kernel : input.kernels) names.push_back(kernel.info.short_form);
    std::erase_if(input.kernels, [&](const found_kernel& kernel) {
        return !matches_kernel(pattern, kernel.info.name, kernel.info.demangled, kernel.info.short_form);
    });
    bool missing = false;
    for (input_summary& summary : input.inputs) {
        std::erase_if(summary.missing, [&](const missing_kernel& kernel) {
            return !matches_kernel(pattern, kernel.name, kernel.demangled, kernel.short_form);
        });
        missing |= !summary.missing.empty();
    }
    if (!input.kernels.empty() || missing) return;
    refuse_pattern(pattern, std::move(names));
}

void refuse_pattern(const std::string& pattern, std::vector<std::string> names)
{
    sort_out_doubles(names);
    std::string meant = nearest(pattern, names);
    // A library has hundreds of instances of few templates.
    for (std::string& name : names) name = name_of_template(name);
    sort_out_doubles(names);
    if (meant.empty()) meant = nearest_template(pattern, names);
    std::string list;
    for (std::size_t i = 0; i < std::min<std::size_t>(names.size(), 10); ++i)
        list += (i > 0 ? ", " : "") + escape_for_terminal(names[i]);
    throw error(
        "no kernel matches '" + escape_for_terminal(pattern) + "'",
        meant.empty() ? "there are: " + list + (names.size() > 10 ? ", …" : "") : "did you mean " + meant + "?");
}

}  // namespace launchbox
