// SPDX-License-Identifier: Apache-2.0
#include "tune/store/result_store_schema.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <system_error>
#include <thread>

#include "support/error.hpp"

namespace launchbox {

namespace {

namespace fs = std::filesystem;

// One step a version. A step that was released is never changed: a new one is added. A new file goes through all of
// them, so that its tables are to the letter those of a migrated one.
constexpr std::array<const char*, 5> steps{// 1
                                           R"(
CREATE TABLE environment (
    id INTEGER PRIMARY KEY, gpu TEXT NOT NULL, processor TEXT NOT NULL, architecture TEXT NOT NULL,
    sms INTEGER NOT NULL, memory_bytes INTEGER NOT NULL, driver TEXT NOT NULL, toolkit TEXT NOT NULL,
    UNIQUE (gpu, processor, architecture, sms, memory_bytes, driver, toolkit));
CREATE TABLE run (
    id INTEGER PRIMARY KEY, environment INTEGER NOT NULL REFERENCES environment (id),
    task_hash TEXT NOT NULL, source_hash TEXT NOT NULL,
    UNIQUE (environment, task_hash, source_hash));
CREATE TABLE call (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run (id), name TEXT NOT NULL,
    spec_text TEXT NOT NULL, spec_hash TEXT NOT NULL, command TEXT NOT NULL, version TEXT NOT NULL,
    started TEXT NOT NULL, host TEXT NOT NULL, baseline TEXT);
CREATE TABLE result (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run (id),
    parameters TEXT NOT NULL, workload TEXT NOT NULL, weight REAL NOT NULL,
    status TEXT NOT NULL, reason TEXT NOT NULL, samples_ns BLOB NOT NULL, dropped INTEGER NOT NULL,
    stopped_early INTEGER NOT NULL, verified INTEGER NOT NULL, checksum TEXT NOT NULL, device TEXT,
    seconds REAL NOT NULL, resources TEXT, log TEXT NOT NULL, compile_seconds REAL NOT NULL,
    from_cache INTEGER NOT NULL, deaths INTEGER NOT NULL, finished TEXT NOT NULL,
    UNIQUE (run, parameters, workload));
CREATE TABLE attempt (
    run INTEGER NOT NULL REFERENCES run (id), parameters TEXT NOT NULL, workload TEXT NOT NULL,
    deaths INTEGER NOT NULL,
    PRIMARY KEY (run, parameters, workload)) WITHOUT ROWID;
)",
                                           // 2: identical code is measured once; the final race
                                           R"(
ALTER TABLE result ADD COLUMN code TEXT NOT NULL DEFAULT '';
ALTER TABLE result ADD COLUMN same_as TEXT;
ALTER TABLE result ADD COLUMN sticky INTEGER NOT NULL DEFAULT 0;
CREATE TABLE race (
    id INTEGER PRIMARY KEY, run INTEGER NOT NULL REFERENCES run (id), workload TEXT NOT NULL,
    verdict TEXT NOT NULL, equal_within REAL NOT NULL, UNIQUE (run, workload));
CREATE TABLE race_entry (
    race INTEGER NOT NULL REFERENCES race (id) ON DELETE CASCADE, place INTEGER NOT NULL,
    parameters TEXT NOT NULL, samples_ns BLOB NOT NULL,
    PRIMARY KEY (race, place)) WITHOUT ROWID;
)",
                                           // 3: how much work a workload is, as far as its spec says
                                           R"(
CREATE TABLE work (
    run INTEGER NOT NULL REFERENCES run (id), workload TEXT NOT NULL, elements REAL, bytes REAL, flops REAL,
    PRIMARY KEY (run, workload)) WITHOUT ROWID;
)",
                                           // 4: where the time of a measurement went
                                           R"(
ALTER TABLE result ADD COLUMN phases TEXT;
)",
                                           // 5: the GPUs of a run, how they compare and what became of them
                                           R"(
CREATE TABLE device (
    run INTEGER NOT NULL REFERENCES run (id), name TEXT NOT NULL, host TEXT NOT NULL, uuid TEXT NOT NULL,
    ecc INTEGER, calibration_ns BLOB NOT NULL, state TEXT, measured INTEGER NOT NULL, failed INTEGER NOT NULL,
    busy_seconds REAL NOT NULL, seconds REAL NOT NULL, lost TEXT NOT NULL,
    PRIMARY KEY (run, name)) WITHOUT ROWID;
)"};

enum class content { nothing, store };

content content_of(const std::string& file);
opened_store open_to_read(const std::string& file);
void create_or_migrate(sqlite_database& database);
void switch_to_wal(sqlite_database& database);
int version_of(const sqlite_database& database);
void check_tables(const sqlite_database& database);
void check_pages(const sqlite_database& database);

void refuse_without_locks(const std::string& file);

constexpr const char* not_ours_hint = "name a file that launchbox tune has written, or one that is not there yet";

}  // namespace

int store_version()
{
    return static_cast<int>(steps.size());
}

const char* store_schema_step(int version)
{
    return steps.at(static_cast<std::size_t>(version - 1));
}

opened_store open_store(const std::string& file, result_store::access how)
{
    const content before = content_of(file);
    if (before == content::nothing && how != result_store::access::create_or_open)
        throw error(fs::exists(file) ? file + " is empty" : "there is no file " + file,
                    "name a file that launchbox tune has written");
    if (how == result_store::access::read_only) return open_to_read(file);

    refuse_without_locks(file);
    const auto wanted = before == content::nothing ? sqlite_database::access::create : sqlite_database::access::write;
    // An absolute name is never one of SQLite's special ones.
    opened_store opened{nullptr, sqlite_database(fs::absolute(file).string(), wanted, file)};
    sqlite_database& database = opened.database;
    if (before == content::store) {
        check_pages(database);
        check_tables(database);
    }
    create_or_migrate(database);
    switch_to_wal(database);
    // A process that is killed loses nothing that was committed. A machine that loses its power may lose the last
    // results, which are measured again; waiting for the disk at each of them would cost more than most measurements
    // take.
    database.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
    return opened;
}

namespace {

// SQLite takes a file system that has no locks for one on which somebody else holds them, and waits. Asked with a file
// of our own: closing another descriptor of the store would drop SQLite's locks.
void refuse_without_locks(const std::string& file)
{
    std::string probe = (fs::absolute(file).parent_path() / ".launchbox_lock_XXXXXX").string();
    const int opened = ::mkostemp(probe.data(), O_CLOEXEC);
    if (opened < 0) return;  // what is wrong with the folder is said when the store is opened
    ::unlink(probe.c_str());
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    const int failure = ::fcntl(opened, F_SETLK, &lock) == 0 ? 0 : errno;
    ::close(opened);
    if (failure == ENOLCK || failure == EOPNOTSUPP || failure == ENOSYS || failure == EINVAL)
        throw error(
            file + ": its file system has no locks: " + std::system_category().message(failure),
            "put the store on a disk of this machine (--store /tmp/run.db), and copy it when the run has ended");
}

// Looks at the bytes alone: SQLite itself would already write to what is not ours (a journal left beside it).
content content_of(const std::string& file)
{
    struct stat found = {};
    if (::stat(file.c_str(), &found) != 0) {
        if (errno == ENOENT && !file.empty()) return content::nothing;
        throw error("cannot open " + file + ": " + std::system_category().message(errno), not_ours_hint);
    }
    if (S_ISDIR(found.st_mode)) throw error(file + " is a folder", not_ours_hint);
    if (!S_ISREG(found.st_mode)) throw error(file + " is not a file", not_ours_hint);
    if (found.st_size == 0) return content::nothing;

    std::array<char, 100> header{};
    std::ifstream in(file, std::ios::binary);
    in.read(header.data(), header.size());
    if (!in && in.gcount() == 0)
        throw error("cannot read " + file + ": " + std::system_category().message(errno), "may you read it?");
    constexpr std::string_view magic("SQLite format 3\0", 16);
    if (std::string_view(header.data(), magic.size()) != magic || in.gcount() < std::ssize(header))
        throw error(file + " is no result store", not_ours_hint);
    const auto big_endian = [&](std::size_t at) {
        std::uint32_t value = 0;
        for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(header[at + i]);
        return value;
    };
    if (big_endian(68) != static_cast<std::uint32_t>(store_application_id))
        throw error(file + " is an SQLite database, but no result store", not_ours_hint);
    // SQLite reads what is missing of the last page as zeros. What is beside the file may still complete it.
    const auto page = std::max<off_t>(static_cast<off_t>(big_endian(16) >> 16), 512);
    if (found.st_size % page != 0 && !fs::exists(file + "-wal") && !fs::exists(file + "-journal"))
        throw error(file + " is damaged: it ends in the middle of a page",
                    "take a copy from before, or save what can be read: sqlite3 " + file + " .recover");
    return content::store;
}

std::unique_ptr<temporary_directory> copied(const std::string& file)
{
    auto folder = std::make_unique<temporary_directory>();
    for (const char* part : {"", "-wal", "-journal"}) {
        std::error_code failure;
        if (!fs::exists(file + part, failure)) continue;
        fs::copy_file(file + part, folder->path() / (std::string("store") + part), failure);
        if (failure) throw error("cannot read " + file + part + ": " + failure.message(), "may you read it?");
    }
    return folder;
}

opened_store checked_for_reading(opened_store opened)
{
    check_pages(opened.database);
    check_tables(opened.database);
    if (version_of(opened.database) < store_version()) {
        opened.database = sqlite_database::copy_of(opened.database);
        create_or_migrate(opened.database);
    }
    return opened;
}

opened_store open_to_read(const std::string& file)
{
    // A reader needs to write beside the file, to tell a writer what it reads. Where it may not, it reads a copy; also
    // where a writer was killed while it made the store: what its journal takes back only a writer can.
    try {
        opened_store opened{nullptr, sqlite_database(fs::absolute(file).string(), sqlite_database::access::read, file)};
        (void)version_of(opened.database);
        return checked_for_reading(std::move(opened));
    } catch (const error&) {
        std::error_code failure;
        const fs::path folder = fs::absolute(file).parent_path();
        if (may_write(folder) && fs::exists(folder, failure) && !fs::exists(file + "-journal", failure)) throw;
    }
    std::unique_ptr<temporary_directory> copy = copied(file);
    const std::string inside = (copy->path() / "store").string();
    return checked_for_reading({std::move(copy), sqlite_database(inside, sqlite_database::access::write, file)});
}

int version_of(const sqlite_database& database)
{
    const std::int64_t version = database.integer_of("PRAGMA user_version");
    if (version > store_version())
        throw error(fmt::format("{} was written by a newer launchbox (schema {}, this one knows {})",
                                database.shown_as(), version, store_version()),
                    "use the newer launchbox");
    if (version < 0) throw error(database.shown_as() + " is damaged: it has no version", not_ours_hint);
    return static_cast<int>(version);
}

// In one transaction: a process that ends half way leaves what was there before.
void create_or_migrate(sqlite_database& database)
{
    if (version_of(database) == store_version()) return;
    sqlite_transaction transaction(database);
    for (int version = version_of(database); version < store_version(); ++version)
        database.execute(store_schema_step(version + 1));
    database.execute(
        fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", store_application_id, store_version()));
    transaction.commit();
}

void switch_to_wal(sqlite_database& database)
{
    // While another process is just opening the file SQLite refuses at once, whatever the busy timeout.
    for (int attempt = 0;; ++attempt) try {
            if (database.text_of("PRAGMA journal_mode = WAL") == "wal") return;
            throw error(database.shown_as() + " cannot be written by one process while others read it",
                        "put it on a local disk");
        } catch (const error&) {
            if (attempt == 100) throw;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
}

std::string tables_of(const sqlite_database& database)
{
    sqlite_statement asked(
        database,
        "SELECT name, sql FROM sqlite_master WHERE type = 'table' AND name IN ('environment', 'run', "
        "'call', 'result', 'attempt', 'race', 'race_entry', 'work') ORDER BY name");
    std::string tables;
    while (asked.step()) tables += asked.text(0).value_or("") + ": " + asked.text(1).value_or("") + "\n";
    return tables;
}

// The tables are to the letter what was written: what else a file calls "result" may be anything.
void check_tables(const sqlite_database& database)
{
    const int version = version_of(database);
    sqlite_database expected(":memory:", sqlite_database::access::create, database.shown_as());
    for (int number = 1; number <= version; ++number) expected.execute(store_schema_step(number));
    if (tables_of(database) != tables_of(expected))
        throw error(database.shown_as() + " has other tables than a result store", not_ours_hint);
}

void check_pages(const sqlite_database& database)
{
    const std::string found = database.text_of("PRAGMA quick_check(1)");
    if (found == "ok") return;
    throw error(database.shown_as() + " is damaged: " + found.substr(0, found.find('\n')),
                "take a copy from before, or save what can be read: sqlite3 " + database.shown_as() + " .recover");
}

}  // namespace

}  // namespace launchbox
