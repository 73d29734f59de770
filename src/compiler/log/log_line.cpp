// SPDX-License-Identifier: Apache-2.0
#include "compiler/log/log_line.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "compiler/log/log_capitals.hpp"
#include "compiler/log/log_writer.hpp"
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

// What ptxas, nvlink and nvcc print between their name and the colon.
constexpr std::array tool_severities{
    severity_word{"info", log_severity::info}, severity_word{"warning", log_severity::warning},
    severity_word{"error", log_severity::error}, severity_word{"fatal", log_severity::error}};

// What front ends print after the place. Longer ones first: "error" is also the end of others.
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

// A statement by the tool whose name is at `at`. `place_window`: how much of the line may be a place in PTX; 0 if none.
std::optional<log_statement> tool_statement_at(std::string_view line, std::size_t at, std::string_view tool,
                                               std::size_t place_window)
{
    log_statement statement{.tool = tool, .prefix = line.substr(0, at)};
    std::size_t rest = skip_blanks(line, at + tool.size());
    if (rest < line.size() && line[rest] == ':') rest = skip_blanks(line, rest + 1);  // "ptxas : info : ..."
    if (rest == at + tool.size()) return std::nullopt;
    if (take_severity(line.substr(rest), statement)) return statement;
    if (tool == "ptxas" && place_window > 0 && take_ptx_place(line.substr(rest, place_window), statement))
        return statement;
    return std::nullopt;
}

std::optional<log_statement> find_tool_statement(std::string_view line, std::string_view tool)
{
    const std::size_t first = line.find(tool);
    for (std::size_t at = first; at != std::string_view::npos; at = line.find(tool, at + tool.size())) {
        // A place is searched for once per line, so that the time stays linear.
        const std::size_t place_window = at == first ? std::string_view::npos : 0;
        if (auto statement = tool_statement_at(line, at, tool, place_window)) return statement;
    }
    return std::nullopt;
}

// Sentences that only nvlink writes.
bool is_nvlinks(std::string_view text, log_severity severity)
{
    constexpr std::array<std::string_view, 5> sentences{"ntry function '", "Undefined reference to '",
                                                        "Multiple definition of '", "Stack size for ", "Function '"};
    constexpr std::array<std::string_view, 2> reports{"unction properties for '", "sed "};
    const auto begins = [&](std::string_view beginning) {
        return text.starts_with(beginning) || (!text.empty() && text.substr(1).starts_with(beginning));
    };
    if (severity != log_severity::info) return std::ranges::any_of(sentences, begins);
    const std::size_t digits = text.find_first_not_of("0123456789");
    if (digits != 0 && digits != std::string_view::npos && text.substr(digits).starts_with(" bytes gmem")) return true;
    constexpr std::size_t number = 24;  // "used 109 registers"
    return std::ranges::any_of(reports, begins) &&
           (std::string_view("Ff").find(text.front()) != std::string_view::npos ||
            text.substr(0, number).find(" registers") != std::string_view::npos);
}

// `info    : TEXT`, `error   : TEXT`: nvlink's lines without its name. If text precedes one, the sentence must be a
// known one.
std::optional<log_statement> find_nameless_statement(std::string_view line)
{
    constexpr std::size_t padded = 8;  // all severities have this width
    bool first = true;                 // text in front is examined once, so that the time stays linear
    for (std::size_t blank = line.find(" : "); blank != std::string_view::npos; blank = line.find(" : ", blank + 1)) {
        if (blank + 1 < padded) continue;
        const std::size_t at = blank + 1 - padded;
        log_statement statement{.tool = "nvlink", .prefix = line.substr(0, at)};
        if (at > 0 && (is_letter(line[at - 1]) || is_digit(line[at - 1]))) continue;
        if (!take_severity(line.substr(at), statement)) continue;
        const bool alone =
            std::exchange(first, false) && without_prefix(line.substr(0, blank)).data() == line.data() + at;
        const bool known = is_nvlinks(statement.text, statement.severity);
        if (known || (alone && statement.severity != log_severity::info)) return statement;
    }
    return std::nullopt;
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

// `PLACE: error #20-D: TEXT`: the position after the number, where the text begins; std::string_view::npos for any
// other line.
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
            const std::string_view place = without_prefix(line.substr(0, colon));
            read_source_place(place, statement);
            // Without a place, the name in front is a program's, and part of the message: "cc1plus: fatal error: ..."
            const std::size_t begin = place.empty() ? 0 : static_cast<std::size_t>(place.data() - line.data());
            statement.text = trimmed(statement.source_line ? rest.substr(text) : line.substr(begin));
            return statement;
        }
    }
    return std::nullopt;
}

}  // namespace

std::optional<log_statement> find_statement(std::string_view line)
{
    if (line.find(':') == std::string_view::npos) return std::nullopt;
    for (std::string_view tool : tools)
        if (auto statement = find_tool_statement(line, tool)) return statement;
    if (auto statement = find_nameless_statement(line)) return statement;
    return find_source_statement(line);
}

std::vector<std::size_t> find_tool_marks(std::string_view line)
{
    constexpr std::size_t longest_place = 4096;  // which keeps the time linear
    std::vector<std::size_t> marks;
    for (const std::string_view tool : {"ptxas", "nvlink"})
        for (std::size_t at = line.find(tool); at != std::string_view::npos; at = line.find(tool, at + tool.size()))
            if (tool_statement_at(line, at, tool, longest_place)) marks.push_back(at);
    return marks;
}

std::string_view named_kernel(std::string_view sentence)
{
    for (std::string_view before : {"function '", " for '"}) {
        const std::size_t at = sentence.find(before);
        if (at == std::string_view::npos) continue;
        return quoted_name(sentence.substr(at + before.size() - 1)).value_or(std::string_view());
    }
    const std::size_t at = sentence.find("or entry ");  // "for entry k is out of range", "For entry k adjusting ..."
    if (at == std::string_view::npos) return {};
    const std::string_view name = sentence.substr(at + 9);
    // Demangled names contain blanks and commas.
    for (std::string_view behind : {" is out of range", " adjusting per thread", ", will be ignored"})
        if (const std::size_t end = name.find(behind); end != std::string_view::npos) return name.substr(0, end);
    const std::size_t end = name.find_first_of(" ,");
    return end == std::string_view::npos ? std::string_view() : name.substr(0, end);  // else it may be incomplete
}

namespace {

// What web pages and word processors turn quotes, brackets and blanks into.
constexpr std::array<std::pair<std::string_view, std::string_view>, 11> written_otherwise{{{"&#39;", "'"},
                                                                                           {"&#x27;", "'"},
                                                                                           {"&apos;", "'"},
                                                                                           {"\u2018", "'"},
                                                                                           {"\u2019", "'"},
                                                                                           {"&lt;", "<"},
                                                                                           {"&gt;", ">"},
                                                                                           {"&amp;", "&"},
                                                                                           {"&quot;", "\""},
                                                                                           {"&nbsp;", " "},
                                                                                           {"\u00a0", " "}}};

std::string as_tools_write(std::string_view line)
{
    std::string text;
    while (!line.empty()) {
        const auto other =
            std::ranges::find_if(written_otherwise, [&](const auto& one) { return line.starts_with(one.first); });
        text += other == written_otherwise.end() ? line.substr(0, 1) : other->second;
        line.remove_prefix(other == written_otherwise.end() ? 1 : other->first.size());
    }
    return text;
}

}  // namespace

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
            } else if (i + 2 < line.size() && std::string_view("()*+-./ #%").find(line[i + 1]) != line.npos) {
                i += 2;  // ESC ( letter, a character set
            } else {
                ++i;  // ESC letter
            }
        }
        line = buffer;
    }
    if (std::ranges::any_of(written_otherwise,
                            [&](const auto& one) { return line.find(one.first) != std::string_view::npos; })) {
        std::string changed = as_tools_write(line);
        line = buffer = std::move(changed);
    }
    if (!is_in_capitals(line)) return line;
    std::string changed = without_capitals(line);
    return buffer = std::move(changed);
}

std::string_view trimmed(std::string_view text)
{
    const std::size_t begin = text.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::optional<std::string_view> quoted_name(std::string_view text)
{
    if (!take_prefix(text, "'")) return std::nullopt;
    std::optional<std::string_view> in_brackets;  // after "operator<" opened one that is never closed
    int brackets = 0;
    bool inner = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i], before = i > 0 ? text[i - 1] : '\0', after = i + 1 < text.size() ? text[i + 1] : ' ';
        if (c == '(' || c == '<' || c == '[' || c == '{') ++brackets;
        if ((c == ')' || c == '>' || c == ']' || c == '}') && brackets > 0) --brackets;
        if (c != '\'') continue;
        const bool opens = before == ':' || before == '<' || before == '(' || (before == ' ' && brackets > 0);
        if (inner || opens) {
            inner = !inner;
            continue;
        }
        if (std::string_view(" ,.:;").find(after) == std::string_view::npos) continue;
        if (brackets == 0) return text.substr(0, i);
        if (!in_brackets) in_brackets = text.substr(0, i);
    }
    return in_brackets;
}

bool take_prefix(std::string_view& text, std::string_view prefix)
{
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

}  // namespace launchbox
