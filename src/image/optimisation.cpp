// SPDX-License-Identifier: Apache-2.0
#include "image/optimisation.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace launchbox {

namespace {

constexpr std::size_t note_head = 12;          // sizes of name and content, type
constexpr std::uint32_t tool_note = 2000;      // a tool, its version and its options
constexpr std::size_t max_notes = 100'000;     // one for each linked object
constexpr std::size_t max_options = 64 << 10;  // of one tool

std::size_t padded(std::size_t bytes)
{
    return (bytes + 3) / 4 * 4;
}

// The text at an offset given in the content of a note.
std::string_view text_at(std::string_view content, std::size_t which);

std::vector<std::string_view> words_of(std::string_view options);

}  // namespace

code_optimisation optimisation_of_options(std::string_view options)
{
    const std::vector<std::string_view> words = words_of(options.substr(0, max_options));
    code_optimisation found = code_optimisation::full;
    const auto level = [&](std::string_view text) {
        if (text == "0") found = code_optimisation::none;
        if (text == "1") found = code_optimisation::reduced;
        if (text == "2" || text == "3") found = code_optimisation::full;
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
        const std::string_view word = words[i], next = i + 1 < words.size() ? words[i + 1] : std::string_view{};
        if (word == "-g" || word == "--device-debug" || word == "-G") return code_optimisation::debug;
        if (word == "-O" || word == "--opt-level" || word == "-opt-level") level(next);
        if (word.starts_with("-O") && word.size() == 3) level(word.substr(2));
        // ptxas takes the permitted optimisation time as a separate option.
        const bool fast = word == "-Ofc" || word == "--Ofast-compile" || word == "-Ofast-compile";
        if (fast && (next == "max" || next == "mid")) found = code_optimisation::fast_compile;
    }
    return found;
}

image_optimisation read_optimisation(const elf_image& image)
{
    const auto section = std::ranges::find(image.sections, ".note.nv.tkinfo", &elf_section::name);
    if (section == image.sections.end()) return {};
    std::optional<code_optimisation> common;
    std::string_view rest = section->content;
    for (std::size_t notes = 0; rest.size() >= note_head && notes < max_notes; ++notes) {
        const std::uint64_t name = read_number<std::uint32_t>(rest, 0), size = read_number<std::uint32_t>(rest, 4);
        const auto content = slice(rest, note_head + padded(name), size);
        if (!content) return {};  // damaged: reported elsewhere
        if (read_number<std::uint32_t>(rest, 8) == tool_note && text_at(*content, 2) == "ptxas") {
            const std::string_view options = text_at(*content, 5);
            code_optimisation made = optimisation_of_options(options);
            // Code compiled with -G has debug information, unless that is suppressed, and is recognised by it.
            const bool shows = made != code_optimisation::debug;
            const bool hidden = !shows && options.find("-suppress-debug-info") != std::string_view::npos;
            if (shows || hidden) {
                if (common && *common != made) made = code_optimisation::unknown;
                common = made;
            }
        }
        const std::uint64_t length = note_head + padded(name) + padded(size);
        rest.remove_prefix(std::min<std::uint64_t>(rest.size(), length));
    }
    return {common.value_or(code_optimisation::unknown)};
}

namespace {

// Six numbers: 2, and the offsets of five texts after them.
std::string_view text_at(std::string_view content, std::size_t which)
{
    constexpr std::size_t numbers = 6;
    if (content.size() < numbers * 4) return {};
    const std::string_view texts = content.substr(numbers * 4);
    const auto begin = read_number<std::uint32_t>(content, which * 4);
    if (begin >= texts.size()) return {};
    return texts.substr(begin, texts.substr(begin).find('\0'));
}

std::vector<std::string_view> words_of(std::string_view options)
{
    constexpr std::string_view between = " \t,=";
    std::vector<std::string_view> words;
    for (std::size_t at = options.find_first_not_of(between); at != std::string_view::npos;) {
        const std::size_t end = std::min(options.find_first_of(between, at), options.size());
        words.push_back(options.substr(at, end - at));
        at = options.find_first_not_of(between, end);
    }
    return words;
}

}  // namespace

}  // namespace launchbox
