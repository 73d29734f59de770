// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/launch_box_members.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

struct member {
    const char *name, *option;
    bool needed;
    std::string launch_box_members::*given;
    std::array<std::string_view, 5> also;  ///< in lower case: the names that moderngpu, CUB and others use
};

constexpr std::array<member, 3> members{{
    {"threads",
     "--threads-name",
     true,
     &launch_box_members::threads,
     {"nt", "block_threads", "threads_per_block", "num_threads", "block_size"}},
    {"items", "--items-name", true, &launch_box_members::items, {"vt", "items_per_thread", "grain", "grain_size"}},
    {"min_blocks",
     "--min-blocks-name",
     false,
     &launch_box_members::min_blocks,
     {"occ", "min_blocks_per_sm", "min_blocks_per_multiprocessor"}},
}};

std::string in_small_letters(std::string text)
{
    for (char& letter : text)
        if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
    return text;
}

using found_fields = std::vector<row_field*>;

found_fields fields_of(std::vector<row_field>& fields, const member& wanted, const std::string& given)
{
    found_fields exact, known;
    for (row_field& field : fields) {
        const std::string name = in_small_letters(field.parameter);
        if (given.empty() ? field.parameter == wanted.name : field.parameter == given) exact.push_back(&field);
        if (!name.empty() && std::ranges::find(wanted.also, name) != wanted.also.end()) known.push_back(&field);
    }
    return exact.empty() && given.empty() ? known : exact;
}

void refuse_missing(const std::vector<row_field>& fields, const member& wanted, const std::string& given)
{
    std::string names;
    for (const row_field& field : fields) names += (names.empty() ? "" : ", ") + escape_for_terminal(field.parameter);
    if (!given.empty())
        throw error(fmt::format("{}: the spec has no parameter '{}'", wanted.option, escape_for_terminal(given)),
                    "it has " + names);
    throw error(fmt::format("a row of launch_box has '{}', and the spec has no such parameter", wanted.name),
                fmt::format("choose one of {1} with {0}, give your own row type with --row, or use --format constexpr",
                            wanted.option, names));
}

}  // namespace

void name_launch_box_members(std::vector<row_field>& fields, const launch_box_members& given)
{
    std::array<row_field*, members.size()> chosen{};
    for (std::size_t i = 0; i < members.size(); ++i) {
        const member& wanted = members[i];
        const found_fields found = fields_of(fields, wanted, given.*wanted.given);
        if (found.empty() && (wanted.needed || !(given.*wanted.given).empty()))
            refuse_missing(fields, wanted, given.*wanted.given);
        if (found.size() > 1)
            throw error(
                fmt::format("'{}' and '{}' could both be the {} of a row", escape_for_terminal(found[0]->parameter),
                            escape_for_terminal(found[1]->parameter), wanted.name),
                fmt::format("choose one with {}", wanted.option));
        if (found.empty()) continue;
        chosen[i] = found.front();
        if (found.front()->what != row_field::kind::int32)
            throw error(fmt::format("'{}' is the {} of a row, but not always a 32-bit number",
                                    escape_for_terminal(found.front()->parameter), wanted.name),
                        "give your own row type with --row, or use --format constexpr");
    }
    for (std::size_t i = 0; i < members.size(); ++i)
        for (const row_field& field : fields) {
            const bool is_another = &field != chosen[i] && field.name == members[i].name;
            if (chosen[i] != nullptr && is_another && std::ranges::find(chosen, &field) == chosen.end())
                throw error(fmt::format("'{}' is the {} of a row, and the spec has a parameter of that name too",
                                        escape_for_terminal(chosen[i]->parameter), members[i].name),
                            "rename one in the spec, or give your own row type with --row");
        }
    for (std::size_t i = 0; i < members.size(); ++i)
        if (chosen[i] != nullptr) chosen[i]->name = members[i].name;
}

}  // namespace launchbox
