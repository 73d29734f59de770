// SPDX-License-Identifier: Apache-2.0
#include "report/core/json_table.hpp"

#include <fmt/format.h>

namespace launchbox {

using nlohmann::ordered_json;

std::string json_cell(const ordered_json& value, int digits)
{
    if (value.is_null()) return "";
    if (value.is_string()) return value.get<std::string>();
    if (value.is_number_float() && digits > 0) return fmt::format("{:.{}g}", value.get<double>(), digits);
    if (!value.is_array()) return value.dump();
    std::string text;
    for (const ordered_json& element : value) text += (text.empty() ? "" : " ") + json_cell(element, digits);
    return text;
}

table json_table(std::initializer_list<json_column> columns, const ordered_json& rows, const char* unknown)
{
    table made;
    std::vector<ordered_json::json_pointer> places;
    for (const json_column& column : columns) {
        made.columns.push_back({column.title});
        places.emplace_back(column.path != nullptr ? column.path : std::string("/") + column.title);
    }
    for (const ordered_json& row : rows) {
        std::vector<cell>& cells = made.rows.emplace_back();
        for (std::size_t i = 0; i < places.size(); ++i) {
            const ordered_json value = row.contains(places[i]) ? row.at(places[i]) : ordered_json();
            cells.emplace_back(value.is_null() ? unknown : json_cell(value, columns.begin()[i].digits));
        }
    }
    return made;
}

table flat_table(const ordered_json& rows, ordered_json header)
{
    for (const ordered_json& row : rows)
        for (const auto& [name, value] : row.items())
            if (value.is_object())
                for (const auto& [inner, unused] : value.items()) header[name].emplace(inner, nullptr);
    table made;
    for (const auto& [name, value] : header.items())
        if (value.is_object())
            for (const auto& [inner, unused] : value.items()) made.columns.push_back({name + "." + inner});
        else
            made.columns.push_back({name});
    const auto add = [](const ordered_json& object, const std::string& name, std::vector<cell>& cells) {
        const auto found = object.find(name);
        cells.emplace_back(found == object.end() ? "" : json_cell(*found));
    };
    for (const ordered_json& row : rows) {
        std::vector<cell>& cells = made.rows.emplace_back();
        for (const auto& [name, value] : header.items())
            if (value.is_object())
                for (const auto& [inner, unused] : value.items())
                    add(row.contains(name) ? row.at(name) : ordered_json::object(), inner, cells);
            else
                add(row, name, cells);
    }
    return made;
}

}  // namespace launchbox
