// An SQLite file: statements whose values are taken only with the type that they must have, failures as `error`.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

struct sqlite3;
struct sqlite3_stmt;

namespace launchbox {

class sqlite_database;

/// Parameters and columns are counted as SQLite does: parameters from 1, columns from 0.
class sqlite_statement {
public:
    sqlite_statement(const sqlite_database& database, const std::string& sql);

    sqlite_statement& bind(int at, std::int64_t value);
    sqlite_statement& bind(int at, double value);
    sqlite_statement& bind(int at, std::string_view text);
    sqlite_statement& bind(int at, const std::optional<std::string>& text);  ///< NULL without
    sqlite_statement& bind_blob(int at, std::string_view bytes);

    /// To the next row; false: there is none. Throws `error`.
    bool step();

    // `nullopt`: the value has another type.
    [[nodiscard]] std::optional<std::int64_t> integer(int column) const;
    [[nodiscard]] std::optional<double> number(int column) const;
    [[nodiscard]] std::optional<std::string> text(int column) const;
    [[nodiscard]] std::optional<std::string> blob(int column) const;
    [[nodiscard]] bool is_null(int column) const;

private:
    struct finalizer {
        void operator()(sqlite3_stmt* statement) const;
    };
    const sqlite_database& database_;
    std::unique_ptr<sqlite3_stmt, finalizer> statement_;
};

class sqlite_database {
public:
    enum class access { create, write, read };
    /// `shown_as`: the file's name in messages. Throws `error`.
    sqlite_database(const std::string& file, access how, const std::string& shown_as);
    /// In memory, with the content of another.
    static sqlite_database copy_of(const sqlite_database& other);

    void execute(const std::string& sql);
    /// What a statement without parameters says in its first row and column.
    [[nodiscard]] std::int64_t integer_of(const std::string& sql) const;
    [[nodiscard]] std::string text_of(const std::string& sql) const;
    [[nodiscard]] std::int64_t last_row() const;

    [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
    [[nodiscard]] const std::string& shown_as() const { return shown_as_; }
    /// Throws what SQLite's last failure means.
    [[noreturn]] void fail(int code) const;

private:
    struct closer {
        void operator()(sqlite3* handle) const;
    };
    std::unique_ptr<sqlite3, closer> handle_;
    std::string shown_as_;
};

/// All or nothing: rolled back unless `commit` is called.
class sqlite_transaction {
public:
    explicit sqlite_transaction(sqlite_database& database);
    ~sqlite_transaction();
    sqlite_transaction(const sqlite_transaction&) = delete;
    sqlite_transaction& operator=(const sqlite_transaction&) = delete;
    void commit();

private:
    sqlite_database& database_;
    bool open_ = true;
};

}  // namespace launchbox
