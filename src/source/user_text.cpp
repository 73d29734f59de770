// SPDX-License-Identifier: Apache-2.0
#include "source/user_text.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>

namespace launchbox {

namespace {

// "include/" of CUDA's own headers, which nvcc does not treat as a system folder.
std::string_view folder_of_runtime(std::string_view file)
{
    constexpr std::string_view name = "cuda_runtime.h";
    if (!file.ends_with(name)) return {};
    return file.substr(0, file.size() - name.size());
}

}  // namespace

std::optional<line_marker> read_line_marker(std::string_view text)
{
    if (text.starts_with("#line "))
        text.remove_prefix(6);
    else if (text.starts_with("# "))
        text.remove_prefix(2);
    else
        return std::nullopt;
    line_marker marker;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), marker.line);
    if (failure != std::errc{}) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    if (!text.starts_with(" \"")) return std::nullopt;
    std::size_t at = 2;
    for (; at < text.size() && text[at] != '"'; ++at) {
        if (text[at] != '\\' || at + 1 == text.size()) {
            marker.file += text[at];
            continue;
        }
        int code = 0, digits = 0;
        for (; digits < 3 && at + 1 < text.size() && text[at + 1] >= '0' && text[at + 1] <= '7'; ++digits)
            code = code * 8 + (text[++at] - '0');
        marker.file += digits > 0 ? static_cast<char>(code) : text[++at];
    }
    const std::string_view flags = text.substr(std::min(at, text.size()));
    marker.system = flags.find(" 3") != std::string_view::npos;
    return marker;
}

source_location user_text::place(int line) const
{
    const auto index = static_cast<std::size_t>(std::max(line, 1)) - 1;
    return index < lines.size() ? lines[index] : source_location{};
}

user_text read_user_text(std::string_view preprocessed)
{
    user_text result;
    std::unordered_map<std::string, bool> is_user;
    std::string runtime;
    line_marker now;
    bool wanted = false;
    while (!preprocessed.empty()) {
        const std::string_view line = preprocessed.substr(0, preprocessed.find('\n'));
        preprocessed.remove_prefix(std::min(preprocessed.size(), line.size() + 1));
        if (line.starts_with("#"))
            if (auto marker = read_line_marker(line)) {
                if (runtime.empty()) runtime = folder_of_runtime(marker->file);
                const bool own = !marker->system && !marker->file.empty() && marker->file.front() != '<' &&
                                 (runtime.empty() || !marker->file.starts_with(runtime));
                const auto [known, is_new] = is_user.emplace(marker->file, own);
                if (is_new && own) result.files.push_back(marker->file);
                wanted = own && known->second;
                now = *std::move(marker);
                continue;
            }
        if (wanted) {
            result.text.append(line) += '\n';
            result.lines.push_back({now.file, now.line});
        }
        ++now.line;
    }
    return result;
}

}  // namespace launchbox
