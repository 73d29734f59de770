// SPDX-License-Identifier: Apache-2.0
#include "report/core/own_file.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "support/text/ascii.hpp"

namespace launchbox {

namespace {

constexpr std::string_view picture_start =
    "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" class=\"picture\" viewBox=\"0 0 ";
constexpr std::string_view mark_start = "Written by launchbox ";

std::string_view last_line(std::string_view text)
{
    while (text.ends_with('\n')) text.remove_suffix(1);
    const std::size_t line = text.rfind('\n');
    return line == std::string_view::npos ? text : text.substr(line + 1);
}

// The verb, such as "inspect", in the mark of the last line; empty if there is none.
std::string_view marked_verb(std::string_view line)
{
    if (line.starts_with("<!-- ") && line.ends_with(" -->")) line = line.substr(5, line.size() - 9);
    if (!line.starts_with(mark_start)) return {};
    line.remove_prefix(mark_start.size());
    return std::ranges::all_of(line, [](char c) { return is_letter(c) || c == '-'; }) ? line : std::string_view();
}

void skip_space(std::string_view& text)
{
    while (!text.empty() && (text.front() == ' ' || text.front() == '\n')) text.remove_prefix(1);
}

bool skip(std::string_view& text, std::string_view word)
{
    skip_space(text);
    if (!text.starts_with(word)) return false;
    text.remove_prefix(word.size());
    return true;
}

// "launchbox.results" from the schema, which is the first member; empty if the file is not ours.
std::string_view schema_of(std::string_view json)
{
    if (!skip(json, "{") || !skip(json, "\"schema\"") || !skip(json, ":") || !skip(json, "\"")) return {};
    if (!json.starts_with("launchbox.")) return {};
    return json.substr(0, json.find_first_of("/\""));
}

std::optional<own_file> own_json(std::string_view beginning)
{
    const std::string_view schema = schema_of(beginning);
    if (schema.empty()) return std::nullopt;
    constexpr std::array records{"launchbox.results", "launchbox.launches", "launchbox.capture"};
    if (schema == "launchbox.rows") return own_file{own_kind::rows, std::string(schema)};
    if (std::ranges::find(records, schema) != records.end()) return own_file{own_kind::record, std::string(schema)};
    return own_file{own_kind::report};
}

// Output of `emit`: "// Rows of sort_rows, kept by launchbox emit; ...", or, with --format defines, lines of macros for
// each architecture.
std::optional<own_file> own_rows(std::string_view beginning)
{
    const std::string_view line = beginning.substr(0, beginning.find('\n'));
    if (line.starts_with("// Rows of "))
        for (const std::string_view form :
             {", kept by launchbox emit;", ", written by launchbox emit --format constexpr"})
            if (line.find(form) != std::string_view::npos) return own_file{own_kind::rows, std::string(form)};
    if (line.starts_with("sm_") && line.find(" -D") != std::string_view::npos)
        return own_file{own_kind::rows, "defines"};
    return std::nullopt;
}

// The first two columns and the last one of each table that is written as CSV, which cannot hold a mark. The columns
// between may depend on what was measured.
struct table_columns {
    std::string_view first, last;
};
constexpr std::array own_tables{table_columns{"file,name,", ",optimisation"},
                                table_columns{"file,kind,", ",shared_spill_load_bytes"},
                                table_columns{"file,by,", ",repeated_bytes"},
                                table_columns{"gpu,sms,", ",kernel"},
                                table_columns{"verdict,decided_by,", ",code_hash_after"},
                                table_columns{"kernel,architecture,", ",shared_spill_load_bytes"},
                                table_columns{"architecture,kernel,", ",at_most"},
                                table_columns{"architecture,kernel,", ",warp_occupancy"},
                                table_columns{"name,demangled,", ",shared_spill_load_bytes"},
                                table_columns{"identity,name,", ",input"},
                                table_columns{"kernel,gpu,", ",shared_spill_load_bytes"},
                                table_columns{"tunable,architecture,", ",registers"},
                                table_columns{"file,number,", ",shared_spill_load_bytes"},
                                table_columns{"file,number,", ",gap"},
                                table_columns{"a,b,", ",shared"},
                                table_columns{"file,run,", ",seconds_to_1_p90"},
                                table_columns{"compute_capability,architecture,", ",grid_dimensions"},
                                table_columns{"gpu,name,", ",known"}};

bool is_own_table(std::string_view beginning)
{
    const std::string_view line = beginning.substr(0, beginning.find("\r\n"));
    return std::ranges::any_of(own_tables, [&](const table_columns& columns) {
        return line.starts_with(columns.first) && line.ends_with(columns.last);
    });
}

bool is_marked(std::string_view beginning, std::string_view start, std::string_view mark)
{
    return beginning.starts_with(start) && beginning.find(mark) != std::string_view::npos;
}

}  // namespace

own_file own_file_of(std::string_view beginning, std::string_view end)
{
    beginning = beginning.substr(0, own_file_beginning);
    if (!marked_verb(last_line(end)).empty()) return {own_kind::report};
    if (beginning.starts_with("launchbox.baseline/")) return {own_kind::baseline};
    if (is_own_table(beginning) || is_marked(beginning, picture_start, "<style>.c0{stroke:#") ||
        is_marked(beginning, "<?xml ", "<testsuites name=\"launchbox\"") ||
        is_marked(beginning, "{\n  \"$schema\": \"https://json.schemastore.org/sarif-", "\"name\": \"launchbox\""))
        return {own_kind::report};
    for (const auto& known : {own_json(beginning), own_rows(beginning)})
        if (known) return *known;
    return {};
}

bool may_replace(const own_file& old, const own_file& made)
{
    return old.kind != own_kind::none && old == made;
}

std::string own_mark(std::string_view verb)
{
    return std::string(mark_start) + std::string(verb) + "\n";
}

std::string own_markup_mark(std::string_view verb)
{
    return "<!-- " + std::string(mark_start) + std::string(verb) + " -->\n";
}

}  // namespace launchbox
