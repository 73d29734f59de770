// An SQLite file: statements whose values must have the expected type; failures are `error`s.
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
    sqlite_statement& bind_blob(int at, std::string_view bytes);

    /// Moves to the next row; false: there is none. Throws `error`.
    bool step();
    /// Prepares for other parameters: it can be bound and stepped through again.
    sqlite_statement& reset();

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
    enum class access {
        create,
        write,
        read,
        read_alone,  ///< without a lock, and without a byte written beside the file: for where nothing can be written
    };
    /// `shown_as`: the file's name in messages. Throws `error`.
    ///
    /// Whoever wrote the file: until `trust_schema` no statement may do more than a look at a small schema takes.
    sqlite_database(const std::string& file, access how, const std::string& shown_as);
    /// In memory, read-only: the bytes of a file, as in a pipe.
    static sqlite_database of_bytes(std::string bytes, const std::string& shown_as);

    sqlite_database(sqlite_database&&) = default;

    /// Call it after the schema was checked: it contains no code, and the work limit of a statement grows with the
    /// file.
    void trust_schema();
    /// Whether the file can be read as it was opened; false if that needs a permission, or disk space, that is missing.
    /// Throws `error` for anything else that is wrong with it.
    [[nodiscard]] bool is_readable() const;

    void execute(const std::string& sql);
    /// The first column of the first row of a statement without parameters.
    [[nodiscard]] std::int64_t integer_of(const std::string& sql) const;
    [[nodiscard]] std::string text_from(const std::string& sql) const;
    [[nodiscard]] std::int64_t last_row() const;

    [[nodiscard]] sqlite3* handle() const { return handle_.get(); }
    [[nodiscard]] const std::string& shown_as() const { return shown_as_; }
    /// Throws an `error` for SQLite's last failure.
    [[noreturn]] void fail(int code) const;

private:
    friend class sqlite_statement;
    struct closer {
        void operator()(sqlite3* handle) const;
    };
    // What the statement that runs may still do, and what the next may: in steps of SQLite's machine.
    struct allowance {
        std::int64_t each = 0, left = 0;
    };
    explicit sqlite_database(const std::string& shown_as) : shown_as_(shown_as) {}
    void open(const std::string& file, int flags, const char* vfs);
    void allow(std::int64_t steps, int longest_value);
    void begin_statement() const { allowance_->left = allowance_->each; }

    std::unique_ptr<std::string> bytes_;  // of `of_bytes`; outlives the handle
    std::unique_ptr<allowance> allowance_ = std::make_unique<allowance>();
    std::unique_ptr<sqlite3, closer> handle_;
    std::string shown_as_;
};

/// All or nothing: rolled back unless `commit` is called. While it lives, what is read is as it was at one moment, also
/// with "BEGIN", which does not keep others from writing.
class sqlite_transaction {
public:
    explicit sqlite_transaction(sqlite_database& database, const char* begin = "BEGIN IMMEDIATE");
    ~sqlite_transaction();
    sqlite_transaction(const sqlite_transaction&) = delete;
    sqlite_transaction& operator=(const sqlite_transaction&) = delete;
    void commit();

private:
    sqlite_database& database_;
    bool open_ = true;
};

}  // namespace launchbox
