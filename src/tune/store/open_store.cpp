// SPDX-License-Identifier: Apache-2.0
#include "tune/store/open_store.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "support/error.hpp"
#include "tune/store/result_store_schema.hpp"

namespace launchbox {

namespace {

namespace fs = std::filesystem;

enum class content { nothing, store };

// SQLite puts its own files beside the target of links.
struct store_file {
    std::string name;  ///< as the user wrote it, for messages
    std::string path;  ///< absolute (never a special name of SQLite), with links resolved

    [[nodiscard]] std::string journal() const { return path + "-journal"; }
    [[nodiscard]] std::string log() const { return path + "-wal"; }
};

store_file file_named(const std::string& name);
content content_of(const store_file& file);
void refuse_header(std::string_view start, const std::string& name);
void refuse_strange_companions(const store_file& file);
void refuse_without_locks(const store_file& file);
opened_store open_to_read(const store_file& file);
opened_store checked_for_reading(opened_store opened);
void check_pages(const sqlite_database& database);
void switch_to_wal(sqlite_database& database);

constexpr std::size_t header_bytes = 100;

}  // namespace

opened_store open_store(const std::string& name, result_store::access how)
{
    const store_file file = file_named(name);
    const content before = content_of(file);
    if (before == content::nothing && how != result_store::access::create_or_open)
        throw error(fs::exists(name) ? name + " is empty" : "there is no file " + name,
                    "name a file that launchbox tune has written");
    refuse_strange_companions(file);
    if (how == result_store::access::read_only) return open_to_read(file);

    refuse_without_locks(file);
    const auto wanted = before == content::nothing ? sqlite_database::access::create : sqlite_database::access::write;
    opened_store opened{nullptr, sqlite_database(file.path, wanted, name)};
    sqlite_database& database = opened.database;
    if (before == content::store) {
        check_store_schema(database);
        check_pages(database);
    } else {
        database.trust_schema();
        create_tables(database);
    }
    switch_to_wal(database);
    // If a process is killed, everything committed is safe. If the machine loses power, the last results may be lost
    // and are measured again; syncing the disk after each result would cost more than most measurements.
    database.execute("PRAGMA synchronous = NORMAL; PRAGMA foreign_keys = ON");
    return opened;
}

opened_store open_store_of(std::string bytes, const std::string& name)
{
    refuse_header(std::string_view(bytes).substr(0, header_bytes), name);
    return checked_for_reading({nullptr, sqlite_database::of_bytes(std::move(bytes), name)});
}

namespace {

// SQLite takes a file system without locks for one where another process holds the lock, and waits. So a lock is tried
// on a file of our own: closing a second descriptor of the store would drop SQLite's locks.
void refuse_without_locks(const store_file& file)
{
    std::string probe = (fs::path(file.path).parent_path() / ".launchbox_lock_XXXXXX").string();
    const int opened = ::mkostemp(probe.data(), O_CLOEXEC);
    if (opened < 0) return;  // opening the store reports what is wrong with the folder
    ::unlink(probe.c_str());
    struct flock lock = {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    lock.l_len = 1;
    const int failure = ::fcntl(opened, F_SETLK, &lock) == 0 ? 0 : errno;
    ::close(opened);
    if (failure == ENOLCK || failure == EOPNOTSUPP || failure == ENOSYS || failure == EINVAL)
        throw error(
            file.name + ": its file system has no locks: " + std::system_category().message(failure),
            "put the store on a disk of this machine (--store /tmp/run.db), and copy it when the run has ended");
}

store_file file_named(const std::string& name)
{
    std::error_code failure;
    const fs::path real = fs::weakly_canonical(name, failure);
    return {.name = name, .path = (failure ? fs::absolute(name) : fs::absolute(real)).string()};
}

std::uint32_t big_endian(std::string_view bytes, std::size_t at)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

void refuse_header(std::string_view start, const std::string& name)
{
    constexpr std::string_view magic("SQLite format 3\0", 16);
    if (start.size() < header_bytes || !start.starts_with(magic))
        throw error(name + " is not a result store", not_a_store_hint);
    if (big_endian(start, 68) != static_cast<std::uint32_t>(store_application_id))
        throw error(name + " is an SQLite database, but not a result store", not_a_store_hint);
}

// Looks only at the bytes: SQLite itself would already write to a file that is not ours (if a journal lies beside it).
content content_of(const store_file& file)
{
    struct stat found = {};
    if (::stat(file.path.c_str(), &found) != 0 || file.name.empty()) {
        if (errno == ENOENT && !file.name.empty()) return content::nothing;
        throw error("cannot open " + file.name + ": " + std::system_category().message(errno), not_a_store_hint);
    }
    if (S_ISDIR(found.st_mode)) throw error(file.name + " is a folder", not_a_store_hint);
    if (!S_ISREG(found.st_mode)) throw error(file.name + " is not a file", not_a_store_hint);
    if (found.st_size == 0) return content::nothing;

    std::string header(header_bytes, '\0');
    std::ifstream in(file.path, std::ios::binary);
    in.read(header.data(), static_cast<std::streamsize>(header.size()));
    if (!in && in.gcount() == 0)
        throw error("cannot read " + file.name + ": " + std::system_category().message(errno),
                    "do you have read permission?");
    header.resize(static_cast<std::size_t>(in.gcount()));
    refuse_header(header, file.name);
    // SQLite reads the missing part of the last page as zeros. Files beside it may still complete it.
    const auto page = std::max<off_t>(static_cast<off_t>(big_endian(header, 16) >> 16), 512);
    if (found.st_size % page != 0 && !fs::exists(file.log()) && !fs::exists(file.journal()))
        throw error(file.name + " is damaged: it ends in the middle of a page",
                    "use a backup, or save what can be read: sqlite3 " + file.name + " .recover");
    return content::store;
}

// SQLite writes to, rolls back from and removes the files beside a store, which may come from somebody else's archive.
// So they must be regular files, not links, and no journal that names a second one, as SQLite writes for several
// databases at once: SQLite removes the named file, whatever it is. launchbox writes neither.
void refuse_strange_companions(const store_file& file)
{
    constexpr const char* hint = "it is not from launchbox tune: move it away, or use a backup of the store";
    for (const std::string& companion : {file.journal(), file.log(), file.path + "-shm"}) {
        std::error_code ignored;
        const fs::file_type type = fs::symlink_status(companion, ignored).type();
        if (type != fs::file_type::not_found && type != fs::file_type::regular)
            throw error(companion + " is not a file", hint);
    }
    constexpr std::string_view end_of_name("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8);
    std::ifstream in(file.journal(), std::ios::binary);
    std::string end(end_of_name.size(), '\0');
    if (in.seekg(-static_cast<std::streamoff>(end.size()), std::ios::end) &&
        in.read(end.data(), static_cast<std::streamsize>(end.size())) && end == end_of_name)
        throw error(file.journal() + " names another journal", hint);
}

std::unique_ptr<temporary_directory> copied(const store_file& file, const fs::path& to)
{
    auto folder = std::make_unique<temporary_directory>(to);
    for (const char* part : {"", "-wal", "-journal"}) {
        std::error_code failure;
        if (!fs::exists(file.path + part, failure)) continue;
        fs::copy_file(file.path + part, folder->path() / (std::string("store") + part), failure);
        if (failure)
            throw error("cannot copy " + file.path + part + ": " + failure.message(), "do you have read permission?");
    }
    return folder;
}

// On disk, or in memory if the disk is full.
std::unique_ptr<temporary_directory> copied(const store_file& file)
{
    const fs::path in_memory = "/dev/shm";
    std::error_code ignored;
    const fs::path on_disk = fs::temp_directory_path(ignored);
    try {
        return copied(file, ignored ? fs::path("/tmp") : on_disk);
    } catch (const error&) {
        if (!fs::is_directory(in_memory, ignored)) throw;
    }
    return copied(file, in_memory);
}

opened_store checked_for_reading(opened_store opened)
{
    check_store_schema(opened.database);
    check_pages(opened.database);
    return opened;
}

opened_store open_to_read(const store_file& file)
{
    sqlite_database shared(file.path, sqlite_database::access::read, file.name);
    if (shared.is_readable()) return checked_for_reading({nullptr, std::move(shared)});
    // If a writer was killed while creating the store, its journal rolls back the unfinished part. Only a writer can do
    // that, so a copy is opened for writing.
    std::error_code failure;
    if (fs::file_size(file.journal(), failure) > 0 && !failure) {
        std::unique_ptr<temporary_directory> copy = copied(file);
        const std::string inside = (copy->path() / "store").string();
        return checked_for_reading(
            {std::move(copy), sqlite_database(inside, sqlite_database::access::write, file.name)});
    }
    // A reader writes beside the file to tell writers what it reads. If that is not permitted, or the disk is full, it
    // reads without.
    return checked_for_reading({nullptr, sqlite_database(file.path, sqlite_database::access::read_alone, file.name)});
}

void check_pages(const sqlite_database& database)
{
    const std::string found = database.text_from("PRAGMA quick_check(1)");
    if (found == "ok") return;
    throw error(database.shown_as() + " is damaged: " + found.substr(0, found.find('\n')),
                "use a backup, or save what can be read: sqlite3 " + database.shown_as() + " .recover");
}

void switch_to_wal(sqlite_database& database)
{
    // While another process is opening the file, SQLite fails at once, whatever the busy timeout.
    constexpr std::chrono::seconds patience(10);
    std::string mode;
    for (const auto begin = std::chrono::steady_clock::now(); mode.empty();) try {
            mode = database.text_from("PRAGMA journal_mode = WAL");
        } catch (const error&) {
            if (std::chrono::steady_clock::now() - begin > patience) throw;
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
    if (mode != "wal")
        throw error(database.shown_as() + " cannot be written by one process while others read it",
                    "put it on a local disk");
}

}  // namespace

}  // namespace launchbox
