// SPDX-License-Identifier: Apache-2.0
#include "source/constant_edits.hpp"

#include <algorithm>
#include <cstddef>

#include "source/source_constants.hpp"
#include "support/error.hpp"

namespace launchbox {

namespace {

constexpr std::string_view prefix = "--launchbox-constant=";

}  // namespace

std::string source_constant_flag(std::string_view name, std::string_view value)
{
    return std::string(prefix) + std::string(name) + "=" + std::string(value);
}

constant_values take_source_constants(std::vector<std::string>& flags)
{
    constant_values values;
    std::erase_if(flags, [&](const std::string& flag) {
        if (!flag.starts_with(prefix)) return false;
        const std::string rest = flag.substr(prefix.size());
        const std::size_t equals = std::min(rest.find('='), rest.size());
        values.emplace_back(rest.substr(0, equals), equals < rest.size() ? rest.substr(equals + 1) : std::string());
        return true;
    });
    return values;
}

std::string with_constants(const std::string& text, const constant_values& values)
{
    struct edit {
        std::size_t begin = 0, end = 0;
        const std::string* value = nullptr;
    };
    const source_text source = read_source_text(text);
    const std::vector<constant_definition> constants = constant_definitions(source);
    std::vector<edit> edits;
    for (const auto& [name, value] : values) {
        std::size_t times = 0;
        for (const constant_definition& one : constants) {
            if (one.name != name || one.value.empty()) continue;
            ++times;
            edits.push_back({one.value.front().begin, one.value.back().end, &value});
        }
        if (times != 1)
            throw error(times == 0 ? "the source does not define " + name
                                   : "the source defines " + name + " " + std::to_string(times) + " times",
                        "constants can name what it defines once: #define " + name + " 256, or constexpr int " + name +
                            " = 256");
    }
    std::ranges::sort(edits, std::greater{}, &edit::begin);
    std::string edited = text;
    for (const edit& one : edits) edited.replace(one.begin, one.end - one.begin, *one.value);
    return edited;
}

}  // namespace launchbox
