// SPDX-License-Identifier: Apache-2.0
#include "tune/store/table_row.hpp"

#include <fmt/format.h>

#include <cstring>
#include <string_view>

#include "support/error.hpp"

namespace launchbox {

void table_row::insert(const std::string& how) const
{
    run(fmt::format("{} INTO {} ({}) VALUES ({})", how, table_, fmt::join(names_, ", "),
                    fmt::join(std::vector<char>(names_.size(), '?'), ", ")));
}

void table_row::remove() const
{
    run(fmt::format("DELETE FROM {} WHERE {}", table_, conditions()));
}

std::int64_t table_row::id() const
{
    return run(fmt::format("SELECT id FROM {} WHERE {}", table_, conditions())).integer(0).value_or(0);
}

std::string table_row::conditions() const
{
    return fmt::format("{} = ?", fmt::join(names_, " = ? AND "));
}

sqlite_statement table_row::run(const std::string& sql) const
{
    sqlite_statement statement(database_, sql);
    int at = 0;
    for (const column_value& value : values_) {
        ++at;
        if (const auto* text = std::get_if<std::string>(&value)) statement.bind(at, std::string_view(*text));
        if (const auto* bytes = std::get_if<blob>(&value)) statement.bind_blob(at, bytes->bytes);
        if (const auto* number = std::get_if<double>(&value)) statement.bind(at, *number);
        if (const auto* number = std::get_if<std::int64_t>(&value)) statement.bind(at, *number);
    }
    statement.step();
    return statement;
}

std::string column_text(const nlohmann::ordered_json& value)
try {
    return value.dump();
} catch (const nlohmann::json::exception&) {
    throw error("a name or a value of a result is not UTF-8", "write the spec in UTF-8");
}

std::string blob_of(const std::vector<double>& samples)
{
    std::string bytes(samples.size() * sizeof(double), '\0');
    if (!samples.empty()) std::memcpy(bytes.data(), samples.data(), bytes.size());
    return bytes;
}

}  // namespace launchbox
