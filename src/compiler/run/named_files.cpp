// SPDX-License-Identifier: Apache-2.0
#include "compiler/run/named_files.hpp"

#include <cctype>
#include <set>
#include <string_view>
#include <system_error>

#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// A larger file, or one with a zero byte, is not a list of options.
constexpr std::uintmax_t largest_list = std::uintmax_t{1} << 20;
constexpr std::size_t max_files = 1000;
constexpr std::size_t longest_name = 4096;

constexpr std::string_view separators = "=,@";

// The word, the text after each separator in it, and each piece between two.
std::vector<std::string_view> parts_of(std::string_view word)
{
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin < word.size();) {
        const std::string_view rest = word.substr(begin);
        const std::size_t end = rest.find_first_of(separators);
        parts.push_back(rest);
        if (end == std::string_view::npos) break;
        parts.push_back(rest.substr(0, end));
        begin += end + 1;
    }
    return parts;
}

class name_collector {
public:
    explicit name_collector(const fs::path& folder) : folder_(folder) {}

    void add(const std::vector<std::string>& words)
    {
        for (const std::string& word : words)
            for (const std::string_view part : parts_of(word)) add_file(part);
    }
    [[nodiscard]] std::vector<fs::path> files() const { return {files_.begin(), files_.end()}; }

private:
    void add_file(std::string_view name)
    {
        if (name.empty() || name.size() > longest_name || files_.size() >= max_files) return;
        std::error_code failure;
        const fs::path file = folder_ / name;
        if (!fs::is_regular_file(file, failure) || !files_.insert(file).second) return;
        if (const std::uintmax_t size = fs::file_size(file, failure); failure || size > largest_list) return;
        try {
            const std::string text = read_file(file, largest_list);
            if (text.find('\0') == std::string::npos) add(words_in(text));
        } catch (const error&) {
            return;  // the compiler will report it
        }
    }

    const fs::path& folder_;
    std::set<fs::path> files_;
};

}  // namespace

std::vector<std::string> words_in(const std::string& text)
{
    std::vector<std::string> words(1);
    for (const char c : text) {
        if (std::isspace(static_cast<unsigned char>(c)) != 0) {
            if (!words.back().empty()) words.emplace_back();
        } else if (c != '"' && c != '\'' && c != '\\') {
            words.back() += c;
        }
    }
    if (words.back().empty()) words.pop_back();
    return words;
}

std::vector<fs::path> named_files(const std::vector<std::string>& words, const fs::path& folder)
{
    name_collector names(folder);
    names.add(words);
    return names.files();
}

}  // namespace launchbox
