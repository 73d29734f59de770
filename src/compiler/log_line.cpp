// SPDX-License-Identifier: Apache-2.0
#include "compiler/log_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <type_traits>
#include <utility>

#include "compiler/log_capitals.hpp"
#include "support/text/ascii.hpp"

namespace launchbox {

namespace {

std::size_t skip_blanks(std::string_view text, std::size_t at)
{
    while (at < text.size() && (text[at] == ' ' || text[at] == '\t')) ++at;
    return at;
}

std::optional<int> read_line_number(std::string_view digits)
{
    int value = 0;
    const auto [end, failure] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (digits.empty() || !is_digit(digits.front()) || failure != std::errc() || end != digits.data() + digits.size())
        return std::nullopt;
    return value;
}

struct severity_word {
    std::string_view text;
    log_severity severity;
};

// What ptxas, nvlink and nvcc put between their name and the colon.
constexpr std::array tool_severities{
    severity_word{"info", log_severity::info}, severity_word{"warning", log_severity::warning},
    severity_word{"error", log_severity::error}, severity_word{"fatal", log_severity::error}};

// What front ends put after the place. The longer ones first: "error" is also the end of the others.
constexpr std::array source_severities{
    severity_word{"catastrophic error", log_severity::error}, severity_word{"fatal error", log_severity::error},
    severity_word{"internal error", log_severity::error},     severity_word{"error", log_severity::error},
    severity_word{"warning", log_severity::warning},          severity_word{"remark", log_severity::info}};

constexpr std::array<std::string_view, 4> tools{"ptxas", "nvlink", "nvcc", "fatbinary"};

// `info    : TEXT` at the front of `rest`.
bool take_severity(std::string_view rest, log_statement& statement)
{
    for (const severity_word& word : tool_severities) {
        if (!rest.starts_with(word.text)) continue;
        const std::size_t colon = skip_blanks(rest, word.text.size());
        if (colon >= rest.size() || rest[colon] != ':') return false;
        statement.severity = word.severity;
        statement.text = trimmed(rest.substr(colon + 1));
        return true;
    }
    return false;
}

// `FILE, line 12; error   : TEXT` at the front of `rest`.
bool take_ptx_place(std::string_view rest, log_statement& statement)
{
    const std::size_t comma = rest.find(", line ");
    if (comma == std::string_view::npos) return false;
    const std::string_view after = rest.substr(comma + 7);
    const std::size_t semicolon = after.find(';');
    if (semicolon == std::string_view::npos) return false;
    const auto number = read_line_number(after.substr(0, semicolon));
    if (!number || !take_severity(trimmed(after.substr(semicolon + 1)), statement)) return false;
    statement.source_file = trimmed(rest.substr(0, comma));
    statement.source_line = number;
    return true;
}

std::optional<log_statement> find_tool_statement(std::string_view line, std::string_view tool)
{
    log_statement statement{.tool = tool};
    const std::size_t first = line.find(tool);
    for (std::size_t at = first; at != std::string_view::npos; at = line.find(tool, at + tool.size())) {
        std::size_t rest = skip_blanks(line, at + tool.size());
        if (rest < line.size() && line[rest] == ':') rest = skip_blanks(line, rest + 1);  // "ptxas : info : ..."
        if (rest == at + tool.size()) continue;
        if (take_severity(line.substr(rest), statement)) return statement;
        // Looked for once a line, so that the time stays linear.
        if (at == first && tool == "ptxas" && take_ptx_place(line.substr(rest), statement)) return statement;
    }
    return std::nullopt;
}

// What build tools print in front of a compiler's line: "[ 50%] ", "[3/7] ", "1>".
std::string_view without_build_prefix(std::string_view text)
{
    text = trimmed(text);
    const std::size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    if (digits > 0 && digits < text.size() && text[digits] == '>') return trimmed(text.substr(digits + 1));
    const std::size_t bracket = text.find(']');
    if (text.starts_with('[') && bracket != std::string_view::npos && bracket < 16)
        return trimmed(text.substr(bracket + 1));
    return text;
}

// Splits "foo.cu(12)", "foo.cu:12:5" and "foo.cu:12" into the file and its line.
void read_source_place(std::string_view place, log_statement& statement)
{
    if (place.ends_with(')')) {
        const std::size_t open = place.rfind('(');
        if (open == std::string_view::npos) return;
        std::string_view digits = place.substr(open + 1, place.size() - open - 2);
        digits = digits.substr(0, digits.find(','));  // MSVC may give a column
        statement.source_line = read_line_number(digits);
        if (statement.source_line) statement.source_file = trimmed(place.substr(0, open));
        return;
    }
    for (int fields = 0; fields < 2; ++fields) {
        const std::size_t colon = place.rfind(':');
        if (colon == std::string_view::npos) return;
        const auto number = read_line_number(place.substr(colon + 1));
        if (!number) return;
        place = place.substr(0, colon);
        statement.source_line = number;
        statement.source_file = place;
    }
}

// `PLACE: error #20-D: TEXT`: where the number ends and the text begins, or std::string_view::npos when this is no such
// line.
std::size_t text_after_severity(std::string_view line, std::size_t at)
{
    if (at < line.size() && line[at] == ':') return at + 1;
    if (at >= line.size() || line[at] != ' ') return std::string_view::npos;
    const std::size_t number = skip_blanks(line, at);
    const std::size_t end = line.find_first_of(": ", number);  // "#20169-D", "C2065"
    if (end == std::string_view::npos || end == number) return std::string_view::npos;
    const std::size_t colon = skip_blanks(line, end);
    return colon < line.size() && line[colon] == ':' ? colon + 1 : std::string_view::npos;
}

std::optional<log_statement> find_source_statement(std::string_view line)
{
    for (std::size_t colon = line.find(": "); colon != std::string_view::npos; colon = line.find(": ", colon + 1)) {
        const std::string_view rest = line.substr(colon + 2);
        for (const severity_word& word : source_severities) {
            if (!rest.starts_with(word.text)) continue;
            const std::size_t text = text_after_severity(rest, word.text.size());
            if (text == std::string_view::npos) break;
            log_statement statement{.tool = "front end", .severity = word.severity};
            const std::string_view place = without_build_prefix(line.substr(0, colon));
            read_source_place(place, statement);
            // Without a place the name in front is a program's, and part of what it says: "cc1plus: fatal error: ..."
            const std::size_t begin = place.empty() ? 0 : static_cast<std::size_t>(place.data() - line.data());
            statement.text = trimmed(statement.source_line ? rest.substr(text) : line.substr(begin));
            return statement;
        }
    }
    return std::nullopt;
}

// A count, or two with a plus between them: before compute capability 2.0 ptxas printed "28+16 bytes smem", what the
// source declares and what the system adds.
std::optional<std::int64_t> take_amount(std::string_view& text)
{
    // Nothing in a kernel comes near this; it keeps every sum of figures within 64 bits.
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
    const auto bank = read_line_number(unit.substr(0, unit.size() - 1));
    if (!bank || *bank > 31) return false;  // the hardware has 18
    const auto position = std::ranges::lower_bound(figures.constant_banks, *bank, {}, &constant_bank::bank);
    if (position != figures.constant_banks.end() && position->bank == *bank) return false;
    figures.constant_banks.insert(position, {*bank, bytes});
    return true;
}

bool read_field(std::string_view field, resource_figures& figures)
{
    field = trimmed(field);
    if (!take_prefix(field, "used ")) take_prefix(field, "Used ");
    const auto amount = take_amount(field);
    if (!amount || !field.starts_with(' ')) return false;
    const std::string_view unit = trimmed(field);
    // The same field twice: two lines have run into each other.
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

}  // namespace

std::optional<log_statement> find_statement(std::string_view line)
{
    for (std::string_view tool : tools)
        if (auto statement = find_tool_statement(line, tool)) return statement;
    return find_source_statement(line);
}

std::string_view named_kernel(std::string_view sentence)
{
    for (std::string_view before : {"function '", " for '"}) {
        const std::size_t at = sentence.find(before);
        if (at == std::string_view::npos) continue;
        const std::string_view name = sentence.substr(at + before.size());
        const std::size_t quote = name.find('\'');
        return quote == std::string_view::npos ? std::string_view() : name.substr(0, quote);
    }
    const std::size_t at = sentence.find("or entry ");  // "for entry k is out of range", "For entry k adjusting ..."
    if (at == std::string_view::npos) return {};
    const std::string_view name = sentence.substr(at + 9);
    return name.substr(0, name.find_first_of(" ,"));
}

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

std::string_view plain_text(std::string_view line, std::string& buffer)
{
    if (line.find('\x1b') != std::string_view::npos) {
        buffer.clear();
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] != '\x1b') {
                buffer += line[i];
            } else if (i + 1 < line.size() && line[i + 1] == '[') {  // ESC [ parameters letter
                i += 2;
                while (i < line.size() && (line[i] < '@' || line[i] > '~')) ++i;
            } else if (i + 1 < line.size() && line[i + 1] == ']') {  // ESC ] link BEL, or ESC ] link ESC backslash
                i += 2;
                while (i < line.size() && line[i] != '\a' && line[i] != '\\') ++i;
            }
        }
        line = buffer;
    }
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (!is_in_capitals(line)) return line;
    std::string changed = out_of_capitals(line);
    return buffer = std::move(changed);
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<std::string_view> take_quoted(std::string_view& text)
{
    const std::size_t quote = text.find('\'');
    if (quote == std::string_view::npos) return std::nullopt;
    const std::string_view result = text.substr(0, quote);
    text.remove_prefix(quote + 1);
    return result;
}

bool take_prefix(std::string_view& text, std::string_view prefix)
{
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

}  // namespace launchbox
