// SPDX-License-Identifier: Apache-2.0
#include "image/names/launch_box_name.hpp"

#include <charconv>
#include <cstddef>
#include <vector>

namespace launchbox {

namespace {

constexpr std::string_view kernel = "launchbox::tuned<",
                           probe = "launchbox::detail::architecture_probe<launchbox::detail::unit_",
                           name_of_probe = "launchbox::architecture_probe";

// The template arguments that begin here, up to the last one needed. Comparisons are in parentheses.
std::vector<std::string_view> arguments_from(std::string_view text, std::size_t wanted)
{
    std::vector<std::string_view> arguments;
    std::size_t begin = 0;
    int angles = 0, others = 0;
    for (std::size_t i = 0; i < text.size() && arguments.size() < wanted; ++i) {
        const char c = text[i];
        if (c == '(' || c == '[' || c == '{') ++others;
        if (c == ')' || c == ']' || c == '}') --others;
        if (others > 0) continue;
        if (c == '<') ++angles;
        const bool closes = c == '>' && angles-- == 0;
        if (closes || (c == ',' && angles == 0)) {
            arguments.push_back(text.substr(begin, i - begin));
            begin = i + 2;  // ", "
        }
        if (closes) break;
    }
    return arguments;
}

}  // namespace

bool is_architecture_probe(std::string_view demangled)
{
    if (demangled.starts_with("void ")) demangled.remove_prefix(5);
    return demangled.starts_with(probe);
}

std::string without_unit(std::string_view demangled)
{
    const std::size_t name = demangled.starts_with("void ") ? 5 : 0;
    const std::string_view rest = demangled.substr(name);
    if (rest.starts_with(probe)) return std::string(name_of_probe);
    if (!rest.starts_with(kernel)) return std::string(demangled);
    const auto arguments = arguments_from(rest.substr(kernel.size()), 2);
    if (arguments.size() < 2) return std::string(demangled);
    const std::size_t begin = name + kernel.size() + arguments[0].size();
    return std::string(demangled.substr(0, begin)) +
           std::string(demangled.substr(begin + 2 + arguments[1].size()));  // ", "
}

std::optional<std::string> launch_box_name(std::string_view demangled)
{
    if (demangled.starts_with("void ")) demangled.remove_prefix(5);
    if (demangled.starts_with(probe)) return std::string(name_of_probe);
    if (!demangled.starts_with(kernel)) return std::nullopt;
    const auto arguments = arguments_from(demangled.substr(kernel.size()), 3);
    if (arguments.size() < 3 || arguments[0].empty()) return std::nullopt;
    std::string_view number = arguments[2];
    if (number.starts_with("(unsigned long)")) number.remove_prefix(15);
    std::size_t size_class = 0;
    if (std::from_chars(number.data(), number.data() + number.size(), size_class).ec != std::errc{})
        return std::nullopt;
    std::string name(arguments[0]);
    if (size_class > 0) name += " (size class " + std::to_string(size_class) + ")";
    return name;
}

}  // namespace launchbox
