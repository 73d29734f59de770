// SPDX-License-Identifier: Apache-2.0
#include "report/occupancy/answers_report.hpp"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <ostream>
#include <string>

#include "report/occupancy/limiter_ids.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

using text = fmt::memory_buffer;

void add_limit(text& to, const occupancy_answer& answer, resource which)
{
    const int blocks = answer.limits[static_cast<std::size_t>(which)];
    if (blocks != unlimited) fmt::format_to(std::back_inserter(to), "{}", blocks);
}

// What each column shows of an answer; nothing if unknown or not limiting.
struct answer_column {
    const char* name;
    bool is_text;
    void (*add)(text& to, const occupancy_answer& answer);
};

constexpr answer_column columns[] = {
    {"architecture", true,
     [](text& to, const occupancy_answer& answer) { to.append(architecture_name(answer.architecture).view()); }},
    {"resident_blocks", false,
     [](text& to, const occupancy_answer& answer) {
         fmt::format_to(std::back_inserter(to), "{}", answer.resident_blocks);
     }},
    {"resident_warps", false,
     [](text& to, const occupancy_answer& answer) {
         fmt::format_to(std::back_inserter(to), "{}", answer.resident_warps);
     }},
    {"warp_slots", false,
     [](text& to, const occupancy_answer& answer) { fmt::format_to(std::back_inserter(to), "{}", answer.warp_slots); }},
    {"occupancy", false,
     [](text& to, const occupancy_answer& answer) { to.append(nlohmann::json(answer.occupancy).dump()); }},
    {"limit_warps", false, [](text& to, const occupancy_answer& answer) { add_limit(to, answer, resource::warps); }},
    {"limit_blocks", false, [](text& to, const occupancy_answer& answer) { add_limit(to, answer, resource::blocks); }},
    {"limit_registers", false,
     [](text& to, const occupancy_answer& answer) { add_limit(to, answer, resource::registers); }},
    {"limit_shared", false, [](text& to, const occupancy_answer& answer) { add_limit(to, answer, resource::shared); }},
    {"limit_barriers", false,
     [](text& to, const occupancy_answer& answer) { add_limit(to, answer, resource::barriers); }},
    {"limiters", true,
     [](text& to, const occupancy_answer& answer) { to.append(limiter_ids_text({.limiters = answer.limiters})); }},
    {"obstacle", true, [](text& to, const occupancy_answer& answer) { to.append(answer.obstacle); }},
};

std::string cell_text(const answer_column& column, const occupancy_answer& answer)
{
    text cell;
    column.add(cell, answer);
    return fmt::to_string(cell);
}

table table_of(const std::vector<occupancy_answer>& answers, std::size_t most)
{
    table rows;
    for (const answer_column& column : columns) rows.columns.push_back({column.name, !column.is_text});
    for (std::size_t i = 0; i < std::min(answers.size(), most); ++i) {
        std::vector<cell>& row = rows.rows.emplace_back();
        for (const answer_column& column : columns) row.emplace_back(cell_text(column, answers[i]));
    }
    return rows;
}

// Unknown text is null.
void add_json_text(text& to, const std::string& value)
{
    if (value.empty()) {
        to.append(std::string_view("null"));
        return;
    }
    to.append(nlohmann::json(value).dump());
}

}  // namespace

document answers_document(const std::vector<occupancy_answer>& answers)
{
    constexpr std::size_t most = 200;
    document page;
    page.add(table_of(answers, most));
    if (answers.size() > most)
        page.line(fmt::format("{} of {} launches; --format csv and json have all", most,
                              with_commas(static_cast<std::int64_t>(answers.size()))),
                  tone::faint);
    return page;
}

void write_answers_json(const std::vector<occupancy_answer>& answers, std::ostream& out)
{
    out << "{\n  \"schema\": \"launchbox.occupancies/1\",\n  \"launches\": " << answers.size() << ",\n  \"columns\": {";
    const char* separator = "\n";
    for (const answer_column& column : columns) {
        text line, cell;
        fmt::format_to(std::back_inserter(line), "{}    \"{}\": [", separator, column.name);
        separator = ",\n";
        for (const occupancy_answer& answer : answers) {
            if (&answer != answers.data()) line.push_back(',');
            cell.clear();
            column.add(cell, answer);
            if (column.is_text)
                add_json_text(line, fmt::to_string(cell));
            else
                line.append(cell.size() == 0 ? std::string_view("null") : std::string_view(cell.data(), cell.size()));
        }
        line.push_back(']');
        out.write(line.data(), static_cast<std::streamsize>(line.size()));
    }
    out << "\n  }\n}\n";
}

void write_answers_csv(const std::vector<occupancy_answer>& answers, std::ostream& out)
{
    const table header = table_of({}, 0);
    std::vector<cell> row;
    for (const table::column& column : header.columns) row.emplace_back(column.title);
    out << csv_line(row);
    for (const occupancy_answer& answer : answers) {
        row.clear();
        for (const answer_column& column : columns) row.emplace_back(cell_text(column, answer));
        out << csv_line(row);
    }
}

}  // namespace launchbox
