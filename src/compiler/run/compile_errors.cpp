// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/compile_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace launchbox {

namespace {

// Said of the architectures, and not behind them.
constexpr const char* unsupported = "cannot compile for";

}  // namespace

void compile_errors::add(const compile_result& result)
{
    ++compiles_;
    if (result.succeeded) return;
    const std::string name(architecture_name(result.architecture).view());
    std::vector<std::string> errors = error_lines(result);
    if (errors.empty())
        errors.push_back("nvcc failed" +
                         (result.log.empty() ? "" : ": " + result.log.substr(0, result.log.find('\n'))));
    for (std::string& text : errors) {
        if (text.find("Unsupported gpu architecture") != std::string::npos) text = unsupported;
        if (text.find("No such file or directory") != std::string::npos)
            text += "; flags for the compiler follow --, as in -- -I FOLDER";
        auto found = std::ranges::find(entries_, text, &entry::text);
        if (found == entries_.end()) found = entries_.insert(found, {.text = std::move(text)});
        std::vector<std::string>& names = found->architectures;
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    }
}

std::vector<std::string> compile_errors::lines() const
{
    std::vector<std::string> lines;
    for (const auto& [text, architectures] : entries_) {
        const std::string names = fmt::format("{}", fmt::join(architectures, ", "));
        if (text == unsupported)
            lines.push_back(fmt::format("nvcc {} {} {}", nvcc_version_, text, names));
        else if (compiles_ > 1 && architectures.size() == compiles_)
            lines.push_back(text);
        else
            lines.push_back(names + ": " + text);
    }
    return lines;
}

}  // namespace launchbox
