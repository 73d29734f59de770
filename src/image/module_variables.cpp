// SPDX-License-Identifier: Apache-2.0
#include "image/module_variables.hpp"

#include <set>

#include "image/container/elf.hpp"

namespace launchbox {

std::vector<std::string> module_variables(std::string_view cubin)
{
    std::vector<image_diagnostic> ignored;
    const auto image = read_elf(cubin, ignored);
    if (!image) return {};
    std::vector<std::string> names;
    std::set<std::string_view> seen;
    for (const elf_symbol& symbol : image->symbols) {
        if (symbol.type != elf::symbol_object || symbol.section >= image->sections.size()) continue;
        if (!image->sections[symbol.section].name.starts_with(".nv.global")) continue;
        const std::string_view name = image->symbol_name(symbol);
        if (name.empty() || name.starts_with('$') || !seen.insert(name).second) continue;
        names.emplace_back(name);
    }
    return names;
}

}  // namespace launchbox
