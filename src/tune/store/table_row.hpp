// A row of the result store to write, remove or look up: its columns by name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "tune/store/result_json.hpp"
#include "tune/store/sqlite_database.hpp"

namespace launchbox {

/// Samples as a column holds them: 8 bytes each, little-endian IEEE 754.
std::string blob_of(const std::vector<double>& samples);

/// JSON as a column holds it: one line, UTF-8. Throws `error` for text that is not.
std::string column_text(const nlohmann::ordered_json& value);

class table_row {
public:
    table_row(const sqlite_database& database, const char* table) : database_(database), table_(table) {}

    /// One more column. What is not known is NULL, and what no column can hold is JSON.
    template <class Value>
    table_row& operator()(const char* column, const Value& value)
    {
        names_.push_back(column);
        values_.push_back(column_value_of(value));
        return *this;
    }

    // All throw `error`.
    void insert(const std::string& how = "INSERT OR REPLACE") const;
    void remove() const;                    ///< the rows with these values
    [[nodiscard]] std::int64_t id() const;  ///< of the row with these values; 0: there is none

private:
    struct blob {
        std::string bytes;
    };
    using column_value = std::variant<std::monostate, std::int64_t, double, std::string, blob>;

    static column_value column_value_of(const std::string& text) { return text; }
    static column_value column_value_of(double number) { return number; }
    static column_value column_value_of(std::integral auto number) { return static_cast<std::int64_t>(number); }
    static column_value column_value_of(outcome what) { return std::string(name_of(what)); }
    static column_value column_value_of(const std::vector<double>& samples) { return blob{blob_of(samples)}; }
    static column_value column_value_of(const json_part auto& value) { return column_text(json_of(value)); }
    template <class Value>
    static column_value column_value_of(const std::optional<Value>& value)
    {
        return value ? column_value_of(*value) : column_value();
    }

    [[nodiscard]] std::string conditions() const;
    sqlite_statement run(const std::string& sql) const;

    const sqlite_database& database_;
    const char* table_;
    std::vector<std::string> names_;
    std::vector<column_value> values_;
};

}  // namespace launchbox
