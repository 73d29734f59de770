// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <vector>

#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/spec/cub_files.hpp"

namespace launchbox {

std::string_view cub_file_named(std::string_view name)
{
    for (const cub_file& file : cub_files())
        if (file.name == name) return file.text;
    return {};
}

std::string cub_algorithm(std::string_view name, const std::string& where)
{
    constexpr std::string_view ending = ".toml";
    std::vector<std::string> all;
    for (const cub_file& file : cub_files())
        if (file.name.ends_with(ending)) all.emplace_back(file.name.substr(0, file.name.size() - ending.size()));
    for (const std::string& known : all)
        if (known == name) return known;
    throw error(name.empty() ? escape_for_terminal(where) + " needs the name of an algorithm"
                             : escape_for_terminal(where) + " is not an algorithm of CUB that can be tuned",
                fmt::format("there are cub:{}", fmt::join(all, ", cub:")));
}

}  // namespace launchbox
