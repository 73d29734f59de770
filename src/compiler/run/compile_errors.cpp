// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/compile_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

namespace launchbox {

namespace {

constexpr std::string_view its_name = "\x01";  // placeholder in a text for the architectures with the error

std::string replaced(std::string text, std::string_view from, std::string_view to)
{
    const auto is_part_of_word = [&](std::size_t at) {
        return at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_');
    };
    for (std::size_t at = 0; (at = text.find(from, at)) != text.npos;) {
        // "sm_90" is not in "sm_90a".
        const bool whole =
            from == its_name || !(is_part_of_word(at + from.size()) || (at > 0 && is_part_of_word(at - 1)));
        if (whole) text.replace(at, from.size(), to);
        at += whole ? to.size() : from.size();
    }
    return text;
}

}  // namespace

void compile_errors::add(const compile_result& result)
{
    ++compiles_;
    if (result.succeeded) return;
    const std::string name(architecture_name(result.architecture).view());
    std::vector<std::string> errors = error_lines(result);
    if (errors.size() > 1)
        std::erase_if(errors, [](const std::string& text) { return text == "Ptx assembly aborted due to errors"; });
    if (errors.empty())
        errors.push_back("nvcc failed" +
                         (result.log.empty() ? "" : ": " + result.log.substr(0, result.log.find('\n'))));
    for (std::string& text : errors) {
        if (text.find("Unsupported gpu architecture") != std::string::npos)
            text = fmt::format("nvcc {} cannot compile for {}", nvcc_version_, name);
        if (text.find("No such file or directory") != std::string::npos)
            text += "; flags for the compiler follow --, as in -- -I FOLDER";
        text = replaced(std::move(text), name, its_name);
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
        const bool says_which = text.find(its_name) != text.npos;
        const bool is_for_all = compiles_ > 1 && architectures.size() == compiles_;
        lines.push_back((says_which || is_for_all ? "" : names + ": ") + replaced(text, its_name, names));
    }
    return lines;
}

}  // namespace launchbox
