// SPDX-License-Identifier: Apache-2.0
#include "tune/store/sqlite_database.hpp"

#include <fmt/format.h>
#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <system_error>

#include "support/error.hpp"

namespace launchbox {

namespace {

// A writer holds the lock for milliseconds; one that holds it longer hangs.
constexpr int busy_milliseconds = 10'000;
// No text or sample list of ours is near this length, so a longer one is damage.
constexpr int longest_stored_value = 256 << 20;

// A file may be hostile. Parsing its schema, and reading the statistics that SQLite looks up by itself, happens before
// anything is known about it, so its steps and value lengths are limited. Our schema takes a few hundred steps.
constexpr std::int64_t steps_for_schema = 20'000;
constexpr int longest_in_schema = 100'000;
// In a file with our tables and no damaged page, every statement of ours reads each byte a few times.
constexpr std::int64_t fewest_steps = 20'000'000, steps_a_byte = 100;
constexpr int steps_between_looks = 1'000;

struct limit {
    int what, most;
};
constexpr limit limits_of_statements[]{{SQLITE_LIMIT_SQL_LENGTH, 20'000},   {SQLITE_LIMIT_COLUMN, 100},
                                       {SQLITE_LIMIT_EXPR_DEPTH, 50},       {SQLITE_LIMIT_COMPOUND_SELECT, 5},
                                       {SQLITE_LIMIT_VDBE_OP, 25'000},      {SQLITE_LIMIT_FUNCTION_ARG, 8},
                                       {SQLITE_LIMIT_ATTACHED, 0},          {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 50},
                                       {SQLITE_LIMIT_VARIABLE_NUMBER, 100}, {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                       {SQLITE_LIMIT_WORKER_THREADS, 0}};

bool has_content(const std::string& file)
{
    std::error_code failure;
    return std::filesystem::file_size(file, failure) > 0 && !failure;
}

// A file name as SQLite's URIs need it.
std::string uri_of(const std::string& file, const char* parameters)
{
    std::string uri = "file:";
    for (const char letter : file) {
        const auto byte = static_cast<unsigned char>(letter);
        const bool plain = byte < 128 && (std::isalnum(byte) != 0 || letter == '/' || letter == '.' || letter == '_');
        uri += plain ? std::string(1, letter) : fmt::format("%{:02x}", byte);
    }
    return uri + parameters;
}

}  // namespace

void sqlite_database::closer::operator()(sqlite3* handle) const
{
    sqlite3_close_v2(handle);
}

void sqlite_statement::finalizer::operator()(sqlite3_stmt* statement) const
{
    sqlite3_finalize(statement);
}

sqlite_database::sqlite_database(const std::string& file, access how, const std::string& shown_as) : shown_as_(shown_as)
{
    if (how != access::read_alone) {
        open(file,
             how == access::create  ? SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
             : how == access::write ? SQLITE_OPEN_READWRITE
                                    : SQLITE_OPEN_READONLY,
             nullptr);
    } else if (has_content(file + "-wal")) {
        // Keeps the log's index in memory instead of a file.
        open(file, SQLITE_OPEN_READONLY, "unix-none");
        execute("PRAGMA locking_mode = EXCLUSIVE");
    } else {
        open(uri_of(file, "?immutable=1"), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nullptr);
    }
}

void sqlite_database::open(const std::string& file, int flags, const char* vfs)
{
    sqlite3* handle = nullptr;
    const int code = sqlite3_open_v2(file.c_str(), &handle, flags, vfs);
    handle_.reset(handle);
    if (code != SQLITE_OK) fail(code);
    sqlite3_extended_result_codes(handle, 0);
    sqlite3_busy_timeout(handle, busy_milliseconds);
    for (const auto& [what, most] : limits_of_statements) sqlite3_limit(handle, what, most);
    // The file may be hostile: its schema must not run code.
    sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
    sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_VIEW, 0, nullptr);
    const auto go_on = [](void* of) {
        auto& left = static_cast<allowance*>(of)->left;
        left -= steps_between_looks;
        return left < 0 ? 1 : 0;
    };
    sqlite3_progress_handler(handle, steps_between_looks, go_on, allowance_.get());
    allow(steps_for_schema, longest_in_schema);
    // Sorting and joining need no disk space.
    execute("PRAGMA cell_size_check = ON; PRAGMA temp_store = MEMORY");
}

void sqlite_database::allow(std::int64_t steps, int longest_value)
{
    allowance_->each = allowance_->left = steps;
    sqlite3_limit(handle(), SQLITE_LIMIT_LENGTH, longest_value);
}

void sqlite_database::trust_schema()
{
    const double bytes =
        static_cast<double>(integer_of("PRAGMA page_count")) * static_cast<double>(integer_of("PRAGMA page_size"));
    const double most = static_cast<double>(std::numeric_limits<std::int64_t>::max()) / 4;
    allow(fewest_steps + static_cast<std::int64_t>(std::min(bytes * steps_a_byte, most)), longest_stored_value);
}

bool sqlite_database::is_readable() const
{
    begin_statement();
    const int code = sqlite3_exec(handle(), "PRAGMA user_version", nullptr, nullptr, nullptr);
    switch (code & 0xff) {
        case SQLITE_OK:
            return true;
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_CANTOPEN:
        case SQLITE_FULL:
        case SQLITE_IOERR:
            return false;
        default:
            fail(code);
    }
}

sqlite_database sqlite_database::of_bytes(std::string bytes, const std::string& shown_as)
{
    // The write-ahead log is a separate file that is not here: the header must say that there is none.
    constexpr std::size_t write_version = 18, read_version = 19;
    if (bytes.size() > read_version) bytes[write_version] = bytes[read_version] = 1;
    sqlite_database made(shown_as);
    made.bytes_ = std::make_unique<std::string>(std::move(bytes));
    made.open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, nullptr);
    const auto size = static_cast<sqlite3_int64>(made.bytes_->size());
    const int code = sqlite3_deserialize(made.handle(), "main", reinterpret_cast<unsigned char*>(made.bytes_->data()),
                                         size, size, SQLITE_DESERIALIZE_READONLY);
    if (code != SQLITE_OK) made.fail(code);
    return made;
}

void sqlite_database::execute(const std::string& sql)
{
    begin_statement();
    if (const int code = sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr); code != SQLITE_OK) fail(code);
}

std::int64_t sqlite_database::integer_of(const std::string& sql) const
{
    sqlite_statement asked(*this, sql);
    return asked.step() ? asked.integer(0).value_or(0) : 0;
}

std::string sqlite_database::text_from(const std::string& sql) const
{
    sqlite_statement asked(*this, sql);
    return asked.step() ? asked.text(0).value_or("") : "";
}

std::int64_t sqlite_database::last_row() const
{
    return sqlite3_last_insert_rowid(handle());
}

void sqlite_database::fail(int code) const
{
    const std::string reason = handle_ == nullptr ? sqlite3_errstr(code) : sqlite3_errmsg(handle());
    switch (code & 0xff) {
        case SQLITE_BUSY:
        case SQLITE_LOCKED:
            throw error(shown_as_ + " is locked by another process", "wait until the other launchbox tune has ended");
        case SQLITE_CORRUPT:
        case SQLITE_NOTADB:
            throw error(shown_as_ + " is damaged: " + reason,
                        "use a backup, or save what can be read: sqlite3 " + shown_as_ + " .recover");
        case SQLITE_READONLY:
        case SQLITE_PERM:
        case SQLITE_CANTOPEN:
        case SQLITE_AUTH:
            throw error("cannot open " + shown_as_ + ": " + reason,
                        "do the file and its folder exist, with read and write permission?");
        case SQLITE_INTERRUPT:
        case SQLITE_TOOBIG:
            throw error(shown_as_ + " takes more work than a result store of its size",
                        "name a file that launchbox tune has written");
        case SQLITE_NOMEM:
            throw error("there is not enough memory to read " + shown_as_,
                        "close other programs, or use another machine", exit_status::missing);
        case SQLITE_FULL:
        case SQLITE_IOERR:
            throw error("cannot write to " + shown_as_ + ": " + reason, "is the disk full?");
        default:
            throw error(shown_as_ + ": " + reason, "is it a store of launchbox tune?");
    }
}

sqlite_statement::sqlite_statement(const sqlite_database& database, const std::string& sql) : database_(database)
{
    sqlite3_stmt* statement = nullptr;
    database.begin_statement();
    const int code =
        sqlite3_prepare_v2(database.handle(), sql.data(), static_cast<int>(sql.size()), &statement, nullptr);
    statement_.reset(statement);
    if (code != SQLITE_OK) database.fail(code);
}

sqlite_statement& sqlite_statement::bind(int at, std::int64_t value)
{
    sqlite3_bind_int64(statement_.get(), at, value);
    return *this;
}

sqlite_statement& sqlite_statement::bind(int at, double value)
{
    sqlite3_bind_double(statement_.get(), at, value);
    return *this;
}

sqlite_statement& sqlite_statement::bind(int at, std::string_view text)
{
    // The data pointer of an empty view may be null, which SQLite would take for NULL.
    sqlite3_bind_text64(statement_.get(), at, text.empty() ? "" : text.data(), text.size(), SQLITE_TRANSIENT,
                        SQLITE_UTF8);
    return *this;
}

sqlite_statement& sqlite_statement::bind_blob(int at, std::string_view bytes)
{
    sqlite3_bind_blob64(statement_.get(), at, bytes.empty() ? "" : bytes.data(), bytes.size(), SQLITE_TRANSIENT);
    return *this;
}

bool sqlite_statement::step()
{
    const int code = sqlite3_step(statement_.get());
    if (code == SQLITE_ROW) return true;
    if (code != SQLITE_DONE) database_.fail(code);
    return false;
}

sqlite_statement& sqlite_statement::reset()
{
    sqlite3_reset(statement_.get());
    database_.begin_statement();
    return *this;
}

bool sqlite_statement::is_null(int column) const
{
    return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

std::optional<std::int64_t> sqlite_statement::integer(int column) const
{
    if (sqlite3_column_type(statement_.get(), column) != SQLITE_INTEGER) return std::nullopt;
    return sqlite3_column_int64(statement_.get(), column);
}

std::optional<double> sqlite_statement::number(int column) const
{
    const int type = sqlite3_column_type(statement_.get(), column);
    if (type != SQLITE_FLOAT && type != SQLITE_INTEGER) return std::nullopt;
    return sqlite3_column_double(statement_.get(), column);
}

std::optional<std::string> sqlite_statement::text(int column) const
{
    if (sqlite3_column_type(statement_.get(), column) != SQLITE_TEXT) return std::nullopt;
    const auto* bytes = reinterpret_cast<const char*>(sqlite3_column_text(statement_.get(), column));
    if (bytes == nullptr) return std::nullopt;
    return std::string(bytes, static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column)));
}

std::optional<std::string> sqlite_statement::blob(int column) const
{
    if (sqlite3_column_type(statement_.get(), column) != SQLITE_BLOB) return std::nullopt;
    const auto* bytes = static_cast<const char*>(sqlite3_column_blob(statement_.get(), column));
    const auto size = static_cast<std::size_t>(sqlite3_column_bytes(statement_.get(), column));
    return bytes == nullptr ? std::string() : std::string(bytes, size);
}

sqlite_transaction::sqlite_transaction(sqlite_database& database, const char* begin) : database_(database)
{
    database_.execute(begin);
}

sqlite_transaction::~sqlite_transaction()
{
    if (open_) sqlite3_exec(database_.handle(), "ROLLBACK", nullptr, nullptr, nullptr);
}

void sqlite_transaction::commit()
{
    database_.execute("COMMIT");
    open_ = false;
}

}  // namespace launchbox
