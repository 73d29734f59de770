// Reads the figures in a line of a compiler's log.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <limits>
#include <type_traits>

#include "compiler/log/log_line.hpp"
#include "support/text/ascii.hpp"

namespace launchbox {

namespace {

// A count, or two joined by a plus: before compute capability 2.0, ptxas printed "28+16 bytes smem", the source's part
// and the system's.
std::optional<std::int64_t> take_amount(std::string_view& text)
{
    // No figure of a kernel comes near this; it keeps every sum within 64 bits.
    constexpr std::int64_t cap = std::int64_t{1} << 48;
    std::int64_t sum = 0;
    for (;;) {
        std::int64_t value = 0;
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (failure != std::errc() || !is_digit(text.front()) || value > cap) return std::nullopt;
        text.remove_prefix(static_cast<std::size_t>(end - text.data()));
        sum += value;
        if (sum > cap) return std::nullopt;
        if (!text.starts_with('+')) return sum;
        text.remove_prefix(1);
    }
}

bool read_constant_bank(std::string_view unit, std::int64_t bytes, resource_figures& figures)
{
    if (!take_prefix(unit, "bytes cmem[") || !unit.ends_with(']')) return false;
    const bool is_sum = unit.find('+') != std::string_view::npos;
    const auto bank = take_amount(unit);
    if (!bank || is_sum || unit != "]" || *bank > 31) return false;  // the hardware has 18
    const int number = static_cast<int>(*bank);
    const auto position = std::ranges::lower_bound(figures.constant_banks, number, {}, &constant_bank::bank);
    if (position != figures.constant_banks.end() && position->bank == number) return false;
    figures.constant_banks.insert(position, {number, bytes});
    return true;
}

bool read_field(std::string_view field, resource_figures& figures)
{
    field = trimmed(field);
    if (!take_prefix(field, "used ")) take_prefix(field, "Used ");
    const auto amount = take_amount(field);
    if (!amount || !field.starts_with(' ')) return false;
    const std::string_view unit = trimmed(field);
    // The same field twice: two lines were merged.
    const auto keep = [&](auto& figure) {
        using number = typename std::remove_reference_t<decltype(figure)>::value_type;
        if (figure || *amount > std::numeric_limits<number>::max()) return false;
        figure = static_cast<number>(*amount);
        return true;
    };
    if (unit == "registers") return keep(figures.registers);
    if (unit == "barriers" || unit == "bar") return keep(figures.barriers);
    if (unit == "bytes cumulative stack size" || unit == "stack") return keep(figures.cumulative_stack);
    if (unit == "bytes lmem") return keep(figures.local);
    if (unit == "bytes smem") return keep(figures.shared);
    if (unit == "bytes gmem") return keep(figures.global);
    if (unit == "textures" || unit == "samplers" || unit == "surfaces") return true;
    return read_constant_bank(unit, *amount, figures);
}

// nvJitLink writes `ptxas         .     0 bytes stack frame`.
std::string_view before_dot(std::string_view prefix)
{
    const std::string_view dotted = trimmed(prefix);
    if (!dotted.ends_with('.')) return prefix;
    const std::string_view tool = trimmed(dotted.substr(0, dotted.size() - 1));
    return tool.ends_with("ptxas") ? tool.substr(0, tool.size() - 5) : prefix;
}

}  // namespace

resource_figures read_figures(std::string_view list)
{
    resource_figures figures;
    for (;;) {
        const std::size_t comma = list.find(',');
        const std::string_view field = list.substr(0, comma);
        if (!read_field(field, figures) && figures.diagnostic.empty())
            figures.diagnostic = "cannot read \"" + std::string(trimmed(field).substr(0, 60)) + "\"";
        if (comma == std::string_view::npos) return figures;
        list.remove_prefix(comma + 1);
    }
}

std::optional<stack_figures> find_stack_figures(std::string_view line)
{
    const std::size_t unit = line.find(" bytes stack frame");
    if (unit == std::string_view::npos) return std::nullopt;
    std::size_t begin = unit;
    while (begin > 0 && line[begin - 1] != ' ' && line[begin - 1] != '\t') --begin;

    stack_figures figures;
    figures.prefix = before_dot(line.substr(0, begin));
    std::string_view rest = trimmed(line.substr(begin));
    const auto take = [&](std::optional<std::int64_t>& figure, std::string_view words) {
        if (!figures.diagnostic.empty()) return;
        const std::string_view field = rest.substr(0, 60);
        const auto amount = take_amount(rest);
        if (amount && take_prefix(rest, words))
            figure = amount;
        else
            figures.diagnostic = "cannot read \"" + std::string(field) + "\"";
    };
    take(figures.frame, " bytes stack frame, ");
    take(figures.spill_stores, " bytes spill stores, ");
    take(figures.spill_loads, " bytes spill loads");
    return figures;
}

}  // namespace launchbox
