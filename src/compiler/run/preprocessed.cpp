// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/preprocessed.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <system_error>
#include <unordered_set>
#include <utility>

#include "compiler/run/compile_cache.hpp"
#include "source/user_text.hpp"

namespace launchbox {

namespace {

bool is_marker(std::string_view line)
{
    if (line.starts_with("#line ")) return true;
    return line.size() > 2 && line.starts_with("# ") && line[2] >= '0' && line[2] <= '9';
}

// "Nov  5 2026" and "19:07:57", as the preprocessor writes them, in any locale.
std::pair<std::string, std::string> date_and_time(std::time_t time)
{
    constexpr std::array months{"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    std::tm parts{};
    ::localtime_r(&time, &parts);
    return {fmt::format("\"{} {:2} {}\"", months.at(static_cast<std::size_t>(parts.tm_mon)), parts.tm_mday,
                        parts.tm_year + 1900),
            fmt::format("\"{:02}:{:02}:{:02}\"", parts.tm_hour, parts.tm_min, parts.tm_sec)};
}

// Replaced by the same number of blanks.
void blank_out(std::string& text, const std::string& what)
{
    for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + what.size()))
        std::fill_n(text.begin() + static_cast<std::ptrdiff_t>(at), what.size(), ' ');
}

}  // namespace

std::vector<std::string> files_in(const std::string& preprocessed)
{
    std::unordered_set<std::string> files;
    std::string last;  // most markers only return to the current file
    for (std::size_t at = 0; at < preprocessed.size();) {
        const std::size_t end = std::min(preprocessed.find('\n', at), preprocessed.size());
        if (preprocessed[at] == '#')
            if (auto marker = read_line_marker(std::string_view(preprocessed).substr(at, end - at));
                marker && !marker->file.empty() && marker->file != last)
                files.insert(last = std::move(marker->file));
        at = end + 1;
    }
    std::vector<std::string> sorted(files.begin(), files.end());
    std::ranges::sort(sorted);
    return sorted;
}

std::string hash_of_preprocessed(std::string_view preprocessed, std::time_t from, std::time_t to)
{
    std::string text;
    text.reserve(preprocessed.size());
    while (!preprocessed.empty()) {
        const std::string_view line = preprocessed.substr(0, preprocessed.find('\n'));
        preprocessed.remove_prefix(std::min(preprocessed.size(), line.size() + 1));
        if (!line.empty() && !is_marker(line)) text.append(line) += '\n';
    }
    constexpr std::time_t longest = 3600;  // of one run of a preprocessor; each second is searched for
    std::set<std::string> moments;
    for (std::time_t second = from; second <= std::min(to, from + longest); ++second) {
        auto [date, time] = date_and_time(second);
        moments.insert({std::move(date), std::move(time)});
    }
    for (const std::string& moment : moments) blank_out(text, moment);
    return key_of({text});
}

std::vector<std::string> files_traced_in(std::string_view trace)
{
    std::set<std::string> files;
    while (!trace.empty()) {
        std::string_view line = trace.substr(0, trace.find('\n'));
        trace.remove_prefix(std::min(trace.size(), line.size() + 1));
        // The name may begin with blanks.
        for (std::string_view name = line; !name.empty(); name.remove_prefix(1)) {
            std::error_code ignored;
            if (std::filesystem::is_regular_file(name, ignored)) files.emplace(name);
            if (name.front() != ' ') break;
        }
    }
    return {files.begin(), files.end()};
}

}  // namespace launchbox
