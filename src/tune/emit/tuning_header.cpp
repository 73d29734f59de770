// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/tuning_header.hpp"

#include <fmt/format.h>

#include <launchbox/detail/launch_box/fnv.hpp>
#include <launchbox/detail/launch_box/row_rules.hpp>

#include <algorithm>
#include <cctype>
#include <optional>

#include "support/error.hpp"

namespace launchbox {

namespace {

bool is_name(std::string_view text)
{
    if (text.empty() || std::isdigit(static_cast<unsigned char>(text.front())) != 0) return false;
    return std::all_of(text.begin(), text.end(),
                       [](unsigned char byte) { return byte < 128 && (std::isalnum(byte) != 0 || byte == '_'); });
}

// Allowed values of a row: 256, -1, true, 0.5, decltype(row::layout)::wide.
bool is_value(std::string_view text)
{
    return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char byte) {
        return byte < 128 && (std::isalnum(byte) != 0 ||
                              std::string_view("_:.+-()").find(static_cast<char>(byte)) != std::string_view::npos);
    });
}

std::optional<std::string_view> between(std::string_view text, std::string_view before, std::string_view after)
{
    if (text.size() < before.size() + after.size()) return std::nullopt;
    if (text.substr(0, before.size()) != before) return std::nullopt;
    if (text.substr(text.size() - after.size()) != after) return std::nullopt;
    return text.substr(before.size(), text.size() - before.size() - after.size());
}

struct range_member {
    std::string_view name;
    std::int64_t gpu_range::*value;
};
constexpr range_member range_members[] = {{"min_sms", &gpu_range::min_sms},
                                          {"max_sms", &gpu_range::max_sms},
                                          {"min_l2_bytes", &gpu_range::min_l2_bytes},
                                          {"max_l2_bytes", &gpu_range::max_l2_bytes},
                                          {"min_memory_bytes", &gpu_range::min_memory_bytes},
                                          {"max_memory_bytes", &gpu_range::max_memory_bytes},
                                          {"min_memory_gb_per_second", &gpu_range::min_memory_gb_per_second},
                                          {"max_memory_gb_per_second", &gpu_range::max_memory_gb_per_second}};

// 120'000'000'000
std::string count_text(std::int64_t value)
{
    std::string digits = fmt::to_string(value);
    for (std::size_t at = digits.size(); at > 3 && digits.size() > 4;) digits.insert(at -= 3, 1, '\'');
    return digits;
}

std::optional<std::int64_t> count_in(std::string_view text)
{
    std::int64_t value = 0;
    bool has_digit = false;
    for (const char letter : text) {
        if (letter == '\'' && has_digit) continue;
        if (letter < '0' || letter > '9' || value > (std::int64_t{1} << 59)) return std::nullopt;
        value = value * 10 + (letter - '0');
        has_digit = true;
    }
    return has_digit ? std::optional(value) : std::nullopt;
}

// ".min_sms = 120, .max_memory_bytes = 50'000'000'000"
std::string range_text(const gpu_range& range)
{
    std::string text;
    const gpu_range any;
    for (const range_member& member : range_members)
        if (range.*member.value != any.*member.value)
            text += fmt::format("{}.{} = {}", text.empty() ? "" : ", ", member.name, count_text(range.*member.value));
    return text;
}

std::optional<gpu_range> range_in(std::string_view text)
{
    gpu_range range;
    for (std::size_t m = 0; !text.empty(); ++m) {
        if (m == std::size(range_members)) return std::nullopt;
        const std::string start = fmt::format(".{} = ", range_members[m].name);
        if (!text.starts_with(start)) continue;
        text.remove_prefix(start.size());
        const std::size_t end = std::min(text.find(", "), text.size());
        const std::optional<std::int64_t> value = count_in(text.substr(0, end));
        if (!value) return std::nullopt;
        range.*range_members[m].value = *value;
        text.remove_prefix(std::min(end + 2, text.size()));
    }
    return range;
}

// "launchbox::sm<90, row{...}>, launchbox::gpu_range{...}, launchbox::gpu_range{...}" without the text after the row.
bool take_ranges(std::string_view& inside, std::vector<gpu_range>& into)
{
    constexpr std::string_view start = ", launchbox::gpu_range{";
    const std::size_t first = inside.find(start);
    if (first == std::string_view::npos) return false;
    std::string_view rest = inside.substr(first);
    inside = inside.substr(0, first);
    while (!rest.empty()) {
        const std::size_t end = rest.find('}');
        if (!rest.starts_with(start) || end == std::string_view::npos) return false;
        const std::optional<gpu_range> range = range_in(rest.substr(start.size(), end - start.size()));
        if (!range) return false;
        into.push_back(*range);
        rest.remove_prefix(end + 1);
    }
    return true;
}

// "    launchbox::sm<90, row{256, 15}>", with or without a comma; also within launchbox::on_gpus<...>.
std::optional<header_row> row_in_line(std::string_view line, std::string& type)
{
    if (!line.empty() && line.back() == ',') line.remove_suffix(1);
    header_row row;
    if (!line.starts_with("    ")) return std::nullopt;
    line.remove_prefix(4);
    std::optional<std::string_view> inside;
    if ((inside = between(line, "launchbox::on_gpus<", ">"))) {
        if (!take_ranges(*inside, row.gpus)) return std::nullopt;
        line = *inside;
    }
    if ((inside = between(line, "launchbox::sm<", "}>")))
        row.architecture.variant = architecture_variant::plain;
    else if ((inside = between(line, "launchbox::sm_a<", "}>")))
        row.architecture.variant = architecture_variant::accelerated;
    else if ((inside = between(line, "launchbox::sm_f<", "}>")))
        row.architecture.variant = architecture_variant::family;
    else
        return std::nullopt;
    const std::size_t comma = inside->find(", "), brace = inside->find('{');
    if (comma == std::string_view::npos || brace == std::string_view::npos || comma > brace) return std::nullopt;
    const std::string_view number = inside->substr(0, comma);
    const auto digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    if (number.size() < 2 || number.size() > 3 || !std::all_of(number.begin(), number.end(), digit))
        return std::nullopt;
    const auto read = parse_compute_capability(number);
    if (!read) return std::nullopt;
    row.architecture.major = read->major;
    row.architecture.minor = read->minor;
    type = inside->substr(comma + 2, brace - comma - 2);
    if (type.empty() || !is_value(type)) return std::nullopt;
    for (std::string_view rest = inside->substr(brace + 1);;) {
        const std::size_t next = rest.find(", ");
        if (!is_value(rest.substr(0, next))) return std::nullopt;
        row.values.emplace_back(rest.substr(0, next));
        if (next == std::string_view::npos) return row;
        rest.remove_prefix(next + 2);
    }
}

bool has_row(std::string_view line)
{
    for (std::string_view sm : {"sm<", "sm_a<", "sm_f<", "sm <"})
        if (const std::size_t at = line.find(sm); at != std::string_view::npos)
            if (at == 0 || (std::isalnum(static_cast<unsigned char>(line[at - 1])) == 0 && line[at - 1] != '_'))
                return true;
    return false;
}

// Lines as they are in the file: those of Windows end with a carriage return.
std::vector<std::string_view> lines_in(std::string_view text)
{
    std::vector<std::string_view> lines;
    for (std::size_t start = 0;;) {
        const std::size_t end = text.find('\n', start);
        lines.push_back(text.substr(start, end == std::string_view::npos ? end : end - start));
        if (end == std::string_view::npos) return lines;
        start = end + 1;
    }
}

class header_reader {
public:
    header_reader(std::string_view text, const std::string& name) : lines_(lines_in(text)), name_(name)
    {
        for (std::string_view& line : lines_)
            if (line.ends_with('\r')) line.remove_suffix(1);
    }

    std::vector<header_table> tables()
    {
        std::vector<header_table> found;
        while (at_ < lines_.size()) {
            if (starts_table())
                found.push_back(table());
            else if (has_row(lines_[at_]))
                fail("a row outside of a table: a table begins with '// table NAME: what it is for'");
            else
                ++at_;
        }
        return found;
    }

private:
    [[noreturn]] void fail(const std::string& what) const
    {
        throw error(name_ + ":" + std::to_string(std::min(at_, lines_.size() - 1) + 1) + ": " + what,
                    "the format of tables is described in docs/tunings.md");
    }
    [[nodiscard]] std::string_view line() const { return at_ < lines_.size() ? lines_[at_] : std::string_view(); }
    void expect(std::string_view text)
    {
        if (line() != text) fail("expected '" + std::string(text) + "'");
        ++at_;
    }
    bool starts_table() const
    {
        const auto rest = between(line(), "// table ", "");
        if (!rest) return false;
        const std::size_t colon = rest->find(": ");
        return colon != std::string_view::npos && is_name(rest->substr(0, colon)) && colon + 2 < rest->size();
    }

    header_table table()
    {
        header_table read;
        const std::string_view rest = line().substr(9);
        read.name = rest.substr(0, rest.find(": "));
        read.text = rest.substr(rest.find(": ") + 2);
        ++at_;
        const auto macro = between(line(), "#ifdef ", "");
        if (!macro || !is_name(*macro)) fail("expected '#ifdef' and the macro that gives this table one row");
        read.macro = *macro;
        ++at_;
        const auto type = between(line(), "using " + read.name + " = launchbox::only<", " " + read.macro + ">;");
        if (!type || !is_value(*type))
            fail("expected 'using " + read.name + " = launchbox::only<ROW_TYPE " + read.macro + ">;'");
        read.row_type = *type;
        ++at_;
        expect("#else");
        read.begin = at_;
        expect("struct " + read.name + " : launchbox::launch_box<");
        rows(read);
        if (line() == "> {};")
            ++at_;
        else
            measured(read);
        read.end = at_;
        expect("#endif");
        return read;
    }

    // {"NVIDIA H200", 90, 132, 150'109'945'856, 0}, and a fifth number if ranges need it.
    void measured(header_table& into)
    {
        expect("> {");
        expect("    static constexpr launchbox::measured_gpu measured[] = {");
        for (; line() != "    };"; ++at_) {
            const auto inside = between(line(), "        {\"", "},");
            const std::size_t quote = inside ? inside->rfind("\", ") : std::string_view::npos;
            if (quote == std::string_view::npos)
                fail("expected a GPU such as '{\"NVIDIA H200\", 90, 132, 150109945856, 0},'");
            header_gpu gpu{.name = std::string(inside->substr(0, quote))};
            std::int64_t figures[5] = {};
            std::string_view rest = inside->substr(quote + 3);
            for (std::int64_t& figure : figures) {
                if (rest.empty() && &figure == &figures[4]) break;
                const std::size_t end = std::min(rest.find(", "), rest.size());
                const std::optional<std::int64_t> value = count_in(rest.substr(0, end));
                if (!value) fail("expected four numbers after the name: architecture, SMs, bytes of memory and of L2");
                figure = *value;
                rest.remove_prefix(std::min(end + 2, rest.size()));
            }
            if (!rest.empty() || figures[0] > 999) fail("expected four numbers after the name of the GPU");
            gpu.architecture = static_cast<int>(figures[0]);
            gpu.sms = figures[1];
            gpu.memory_bytes = figures[2];
            gpu.l2_bytes = figures[3];
            gpu.memory_gb_per_second = figures[4];
            into.measured.push_back(std::move(gpu));
        }
        ++at_;
        expect("};");
    }

    void rows(header_table& into)
    {
        std::vector<std::string> comments;
        for (; at_ < lines_.size() && !lines_[at_].starts_with(">"); ++at_) {
            std::string type;
            if (auto row = row_in_line(lines_[at_], type)) {
                if (type != into.row_type) fail("a row of type " + type + " in a table of " + into.row_type);
                if (!into.rows.empty() && rank_of(into.rows.back()) >= rank_of(*row) + (row->gpus.empty() ? 0 : 1))
                    fail("not newer than the row above it");
                if (!into.rows.empty() && row->values.size() != into.rows.front().values.size())
                    fail("expected " + std::to_string(into.rows.front().values.size()) +
                         " values, as in the row above");
                row->comments = std::move(comments);
                row->line = at_ + 1;
                comments.clear();
                into.rows.push_back(std::move(*row));
                continue;
            }
            const std::size_t start = std::min(lines_[at_].find_first_not_of(" \t"), lines_[at_].size());
            const std::string_view text = lines_[at_].substr(start);
            if (text.substr(0, 3) != "// ")
                fail("expected a comment or a row such as 'launchbox::sm<90, " + into.row_type + "{256, 15, 2}>,'");
            comments.emplace_back(text);
        }
        if (!comments.empty() || into.rows.empty())
            fail(comments.empty() ? "no row in the table" : "no row below this comment");
    }

    std::vector<std::string_view> lines_;
    std::string name_;
    std::size_t at_ = 0;
};

// The text with the line ends that `line` has.
std::string with_ends_of(std::string_view line, const std::string& text)
{
    if (!line.ends_with('\r')) return text;
    std::string result;
    for (const char letter : text) result += letter == '\n' ? "\r\n" : std::string(1, letter);
    return result;
}

std::string rows_text(const header_table& table)
{
    std::string text;
    for (std::size_t i = 0; i < table.rows.size(); ++i) {
        const header_row& row = table.rows[i];
        for (const std::string& comment : row.comments) text += "    " + comment + "\n";
        const char* variant = row.architecture.variant == architecture_variant::accelerated ? "_a"
                              : row.architecture.variant == architecture_variant::family    ? "_f"
                                                                                            : "";
        std::string cell = fmt::format("launchbox::sm{}<{}, {}{}>", variant, row.architecture.number(), table.row_type,
                                       row_text(row.values));
        if (!row.gpus.empty()) {
            cell = "launchbox::on_gpus<" + cell;
            for (const gpu_range& range : row.gpus) cell += ", launchbox::gpu_range{" + range_text(range) + "}";
            cell += ">";
        }
        text += "    " + cell + (i + 1 < table.rows.size() ? ",\n" : "\n");
    }
    return text;
}

std::string box_text(const header_table& table)
{
    std::string text = "struct " + table.name + " : launchbox::launch_box<\n" + rows_text(table);
    if (table.measured.empty()) return text + "> {};\n";
    text += "> {\n    static constexpr launchbox::measured_gpu measured[] = {\n";
    for (const header_gpu& gpu : table.measured)
        text += fmt::format("        {{\"{}\", {}, {}, {}, {}{}}},\n", gpu.name, gpu.architecture, count_text(gpu.sms),
                            count_text(gpu.memory_bytes), count_text(gpu.l2_bytes),
                            gpu.memory_gb_per_second > 0 ? ", " + count_text(gpu.memory_gb_per_second) : std::string());
    return text + "    };\n};\n";
}

}  // namespace

std::vector<header_table> parse_tuning_header(std::string_view text, const std::string& name)
{
    return header_reader(text, name).tables();
}

std::string with_rows(std::string_view text, const header_table& table)
{
    std::string result;
    const std::vector<std::string_view> lines = lines_in(text);
    for (std::size_t i = 0; i < lines.size(); ++i) {
        if (i == table.begin) result += with_ends_of(lines[i], box_text(table));
        if (i >= table.begin && i < table.end) continue;
        result += lines[i];
        if (i + 1 < lines.size()) result += '\n';
    }
    return result;
}

std::string table_text(const header_table& table)
{
    return "// table " + table.name + ": " + table.text + "\n#ifdef " + table.macro + "\nusing " + table.name +
           " = launchbox::only<" + table.row_type + " " + table.macro + ">;\n#else\n" + box_text(table) + "#endif\n";
}

std::string row_text(const std::vector<std::string>& values)
{
    std::string text = "{";
    for (const std::string& value : values) text += (text.size() > 1 ? ", " : "") + value;
    return text + "}";
}

std::string place_text(const header_row& row)
{
    const std::string architecture(architecture_name(row.architecture).view());
    return row.gpus.empty() ? architecture : architecture + " with " + range_text(row.gpus);
}

std::string range_text(const std::vector<gpu_range>& gpus)
{
    std::string text;
    for (const gpu_range& range : gpus) text += (text.empty() ? "" : " or ") + range_text(range);
    return text;
}

bool asks_for_bandwidth(const header_table& table)
{
    const gpu_range any;
    for (const header_row& row : table.rows)
        for (const gpu_range& range : row.gpus)
            if (range.min_memory_gb_per_second != any.min_memory_gb_per_second ||
                range.max_memory_gb_per_second != any.max_memory_gb_per_second)
                return true;
    return false;
}

int rank_of(const header_row& row)
{
    return detail::rank_of(row.architecture);
}

const header_row* row_used_by(const header_table& table, const compute_capability& architecture)
{
    const header_row* used = nullptr;
    for (const header_row& row : table.rows) {
        if (!row.gpus.empty()) continue;
        const bool own = row.architecture == architecture;
        if (own || (row.architecture.variant == architecture_variant::plain &&
                    row.architecture.number() <= architecture.number()))
            used = &row;
    }
    return used;
}

std::string fnv1a64(std::string_view bytes)
{
    return fmt::format("{:016x}", detail::fnv1a(bytes));
}

}  // namespace launchbox
