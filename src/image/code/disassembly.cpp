// SPDX-License-Identifier: Apache-2.0
#include "image/code/disassembly.hpp"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <tuple>

#include "image/code/instruction_names.hpp"

namespace launchbox {

namespace {

constexpr std::string_view section_start = ".text.";
constexpr std::size_t max_not_known = 32;

std::string_view without_blanks(std::string_view text)
{
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(begin);
    return text;
}

bool is_name_letter(char c)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/// Loops as ranges of bytes: from the target of a backward branch to the branch. Branches to one target are one loop.
std::vector<std::pair<std::uint64_t, std::uint64_t>> loops_of(const disassembled_code& code)
{
    std::map<std::uint64_t, std::uint64_t> ends;  // by beginning
    for (const disassembled_instruction& one : code.instructions) {
        if (one.label.empty() || one.name.starts_with("CALL") || one.name.starts_with("BSSY")) continue;
        const auto target = code.labels.find(one.label);
        // A branch to itself is padding at the end.
        if (target == code.labels.end() || target->second >= one.byte) continue;
        std::uint64_t& end = ends[target->second];
        end = std::max(end, one.byte);
    }
    return {ends.begin(), ends.end()};
}

}  // namespace

std::optional<std::pair<std::uint64_t, std::string_view>> address_and_rest(std::string_view text)
{
    const std::size_t at = text.find_first_not_of(" \t");
    if (at == std::string_view::npos || !text.substr(at).starts_with("/*")) return std::nullopt;
    const std::size_t end = text.find("*/", at);
    if (end == std::string_view::npos) return std::nullopt;
    std::uint64_t value = 0;
    const char* const last = text.data() + end;
    if (const auto [stopped, failure] = std::from_chars(text.data() + at + 2, last, value, 16);
        failure != std::errc() || stopped != last)
        return std::nullopt;
    return std::pair(value, text.substr(end + 2));
}

void disassembly_reader::line(std::string_view text)
{
    if (text.starts_with(section_start) && text.ends_with(':')) {
        finish();
        code_.section = text.substr(0, text.size() - 1);
        return;
    }
    if (text.starts_with(".L_") && text.ends_with(':')) {
        waiting_.emplace_back(text.substr(0, text.size() - 1));
        return;
    }
    const auto found = address_and_rest(text);
    if (!found || code_.section.empty()) return;
    std::string_view rest = without_blanks(found->second);
    if (rest.starts_with('{')) rest = without_blanks(rest.substr(1));  // two instructions issued together, before 5.0
    if (rest.starts_with('@')) rest = without_blanks(rest.substr(std::min(rest.find(' '), rest.size())));
    const std::size_t end =
        static_cast<std::size_t>(std::find_if_not(rest.begin(), rest.end(), is_name_letter) - rest.begin());
    if (end == 0) return;
    disassembled_instruction one{.byte = found->first, .name = std::string(rest.substr(0, end)), .label = {}};
    if (const std::size_t at = rest.find("`("); at != std::string_view::npos) {
        const std::size_t close = std::min(rest.find(')', at), rest.size());
        one.label = rest.substr(at + 2, close - at - 2);
    }
    for (std::string& label : waiting_) code_.labels.emplace(std::move(label), found->first);
    waiting_.clear();
    code_.instructions.push_back(std::move(one));
}

void disassembly_reader::finish()
{
    if (!code_.section.empty()) found_(code_);
    code_ = {};
    waiting_.clear();
}

code_traffic traffic_of(const disassembled_code& code, const std::function<std::uint32_t(std::uint64_t)>& place_of)
{
    code_traffic traffic;
    const auto loops = loops_of(code);
    traffic.loops = static_cast<int>(loops.size());
    std::vector<std::uint64_t> begins, ends;
    for (const auto& [begin, end] : loops) {
        begins.push_back(begin);
        ends.push_back(end);
    }
    std::sort(ends.begin(), ends.end());  // the beginnings are in order
    // Padding at the end: empty instructions after the last real one.
    std::size_t last = code.instructions.size();
    while (last > 0 && (code.instructions[last - 1].name == "NOP" ||
                        (code.instructions[last - 1].name == "BRA" && last == code.instructions.size())))
        --last;
    using key = std::tuple<std::uint32_t, memory_space, access_kind, int, int>;
    std::map<key, std::uint32_t> counts;
    std::set<std::string> not_known;
    for (std::size_t i = 0; i < last; ++i) {
        const disassembled_instruction& one = code.instructions[i];
        if (one.name == "BRA" && !one.label.empty()) {
            const auto target = code.labels.find(one.label);
            if (target != code.labels.end() && target->second == one.byte) continue;
        }
        const instruction_kind kind = kind_of_instruction(one.name);
        ++traffic.instructions;
        ++traffic.mix[static_cast<std::size_t>(kind.which)];
        if (!kind.known && not_known.size() < max_not_known) not_known.insert(one.name);
        if (one.name == "BAR" || one.name.starts_with("BAR.")) ++traffic.barriers;
        traffic.waits_for_grid |= one.name == "ACQBULK";
        traffic.lets_next_grid_begin |= one.name == "PREEXIT";
        // Loops that have begun, minus those that have ended.
        const auto depth =
            static_cast<int>((std::upper_bound(begins.begin(), begins.end(), one.byte) - begins.begin()) -
                             (std::lower_bound(ends.begin(), ends.end(), one.byte) - ends.begin()));
        traffic.deepest_loop = std::max(traffic.deepest_loop, depth);
        if (kind.memory)
            ++counts[{place_of(one.byte), kind.memory->space, kind.memory->access, kind.memory->bytes, depth}];
    }
    for (const auto& [of, instructions] : counts) {
        const auto& [place, space, access, bytes, depth] = of;
        traffic.uses.push_back({place, space, access, bytes, depth, instructions});
    }
    std::stable_sort(traffic.uses.begin(), traffic.uses.end(), [](const memory_use& a, const memory_use& b) {
        const auto all = [](const memory_use& use) { return std::int64_t{use.bytes} * use.instructions; };
        return std::tuple(-a.loop_depth, -all(a)) < std::tuple(-b.loop_depth, -all(b));
    });
    traffic.not_known.assign(not_known.begin(), not_known.end());
    return traffic;
}

}  // namespace launchbox
