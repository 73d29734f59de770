// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/bound_backup.hpp"

#define XXH_INLINE_ALL  // the library is one header
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <system_error>
#include <vector>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

std::string shown(const fs::path& file)
{
    return escape_for_terminal(file.string());
}

// The target of links, which can be written.
fs::path writable_file(const fs::path& file);

// Backups of edits that led to the same text are numbered from 1.
struct kept_backup {
    fs::path path;
    int number = 0;
    std::string text_hash;  // of its text, from its name
};

// The backup with the largest number among edits that led to `after`.
std::optional<kept_backup> last_backup(const fs::path& file, std::string_view after);

std::string hash_text(std::string_view text)
{
    return fmt::format("{:016x}", XXH3_64bits(text.data(), text.size()));
}

// FILE.before-AFTER-BEFORE, and .2, .3, ...
std::string backup_start(const fs::path& file, std::string_view after)
{
    return file.filename().string() + ".before-" + hash_text(after) + "-";
}

// All backups of a file, by name.
std::vector<std::string> backups_of(const fs::path& file);

}  // namespace

fs::path apply_edit(const fs::path& wanted, std::string_view before, std::string_view after,
                    const std::function<void(const std::string&)>& waiting)
{
    const fs::path file = writable_file(wanted);
    const folder_lock alone(file, waiting);
    if (read_file(file) != before)
        throw error(shown(file) + " was changed by another program meanwhile",
                    "nothing was written; run the command again");
    const std::optional<kept_backup> last = last_backup(file, after);
    std::string name = backup_start(file, after) + hash_text(before);
    if (last) name += fmt::format(".{}", last->number + 1);
    fs::path backup = file.parent_path() / name;
    write_file_atomically(backup, before, file);
    try {
        write_file_atomically(file, after, file);
    } catch (...) {
        std::error_code ignored;
        fs::remove(backup, ignored);
        throw;
    }
    return backup;
}

fs::path revert_edit(const fs::path& wanted, const std::function<void(const std::string&)>& waiting)
{
    const fs::path file = writable_file(wanted);
    const folder_lock alone(file, waiting);
    const std::string now = read_file(file);
    const std::optional<kept_backup> last = last_backup(file, now);
    if (!last) {
        const std::vector<std::string> others = backups_of(file);
        if (others.empty())
            throw error("there is no backup of " + shown(file), "launchbox bounds --apply makes one with each edit");
        throw error(
            shown(file) + " was changed since it was edited: no backup belongs to this text",
            fmt::format("compare it with {}, and copy that over it if you want it back", fmt::join(others, ", ")));
    }
    const fs::path& backup = last->path;
    if (!fs::is_regular_file(fs::symlink_status(backup)))
        throw error("the backup " + shown(backup) + " is not a file", "nothing was changed; move it away");
    if (hash_text(read_file(backup)) != last->text_hash)
        throw error("the backup " + shown(backup) + " no longer contains the text that was saved in it",
                    "nothing was changed; compare the two, and copy it over the source if you want it");
    std::error_code failure;
    fs::permissions(backup, fs::status(file).permissions(), failure);
    if (!failure) fs::rename(backup, file, failure);  // in one step, so that the file is never missing
    if (failure) throw error("cannot put " + shown(backup) + " back: " + failure.message(), "nothing was changed");
    return backup;
}

namespace {

fs::path writable_file(const fs::path& file)
{
    std::error_code failure;
    fs::path real = fs::canonical(file, failure);
    if (failure) throw error("cannot open " + shown(file) + ": " + failure.message(), "check the path");
    const fs::file_status status = fs::status(real, failure);
    if (failure || !fs::is_regular_file(status)) throw error(shown(file) + " is not a file", "name a source file");
    // rename() ignores the permissions of the file, and root may write every file.
    constexpr fs::perms write = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
    if ((status.permissions() & write) == fs::perms::none || !may_write(real))
        throw error(shown(file) + " is read-only", "chmod u+w it, or check it out for editing");
    return real;
}

std::optional<kept_backup> last_backup(const fs::path& file, std::string_view after)
{
    const std::string start = backup_start(file, after);
    constexpr std::size_t hash_digits = 16;
    std::optional<kept_backup> last;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(file.parent_path(), ignored)) {
        const std::string name = entry.path().filename().string();
        if (!name.starts_with(start) || name.size() < start.size() + hash_digits) continue;
        const std::string_view behind = std::string_view(name).substr(start.size() + hash_digits);
        int number = behind.empty() ? 1 : 0;
        if (behind.starts_with('.')) std::from_chars(behind.data() + 1, behind.data() + behind.size(), number);
        if (number > 0 && (!last || number > last->number))
            last = {.path = entry.path(), .number = number, .text_hash = name.substr(start.size(), hash_digits)};
    }
    return last;
}

std::vector<std::string> backups_of(const fs::path& file)
{
    const std::string beginning = file.filename().string() + ".before-";
    std::vector<std::string> names;
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(file.parent_path(), ignored))
        if (entry.path().filename().string().starts_with(beginning)) names.push_back(shown(entry.path()));
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

}  // namespace launchbox
