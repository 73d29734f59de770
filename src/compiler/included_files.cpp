// SPDX-License-Identifier: Apache-2.0
#include "compiler/included_files.hpp"

#include <set>
#include <string_view>
#include <system_error>

#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_files = 10'000;
constexpr std::size_t largest_source = std::size_t{64} << 20;

struct directive {
    std::string_view name;
    bool quoted = false;
};

std::string_view without_space(std::string_view text)
{
    const std::size_t first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view() : text.substr(first);
}

// `#include "name"` or `#include <name>`; one whose name is a macro is not told.
directive include_in(std::string_view line)
{
    line = without_space(line);
    if (!line.starts_with('#')) return {};
    line = without_space(line.substr(1));
    constexpr std::string_view word = "include";
    if (!line.starts_with(word)) return {};
    line = without_space(line.substr(word.size()));
    if (line.empty() || (line[0] != '"' && line[0] != '<')) return {};
    const std::size_t end = line.find(line[0] == '"' ? '"' : '>', 1);
    if (end == std::string_view::npos) return {};
    return {line.substr(1, end - 1), line[0] == '"'};
}

fs::path found(const directive& wanted, const fs::path& beside, const std::vector<fs::path>& folders)
{
    std::error_code failure;
    std::vector<fs::path> places = folders;
    if (wanted.quoted) places.insert(places.begin(), beside);
    for (const fs::path& folder : places)
        if (const fs::path file = folder / wanted.name; fs::is_regular_file(file, failure))
            return fs::weakly_canonical(file, failure);
    return {};
}

}  // namespace

std::vector<fs::path> included_files(const std::vector<fs::path>& first, const std::vector<fs::path>& folders)
{
    std::vector<fs::path> files;
    std::set<fs::path> seen;
    const auto add = [&](const fs::path& file) {
        if (!file.empty() && files.size() < max_files && seen.insert(file).second) files.push_back(file);
    };
    std::error_code failure;
    for (const fs::path& file : first) add(fs::weakly_canonical(file, failure));
    for (std::size_t next = 0; next < files.size(); ++next) {
        std::string text;
        try {
            text = read_file(files[next], largest_source);
        } catch (const error&) {
            continue;  // the compiler will say so
        }
        const fs::path beside = files[next].parent_path();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = std::min(text.find('\n', at), text.size());
            const directive wanted = include_in(std::string_view(text).substr(at, end - at));
            if (!wanted.name.empty()) add(found(wanted, beside, folders));
            at = end + 1;
        }
    }
    return files;
}

}  // namespace launchbox
