// SPDX-License-Identifier: Apache-2.0
#include "advice/bounds/bound_backup.hpp"

#define XXH_INLINE_ALL  // the library is one header
#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
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

// The file behind links, which can be written.
fs::path writable_file(const fs::path& file);

// The name of the backup number `number` of the edit that made `after`.
fs::path backup_name(const fs::path& file, std::string_view after, int number);

bool is_taken(const fs::path& name)
{
    std::error_code ignored;
    return fs::exists(fs::symlink_status(name, ignored));
}

// All backups of a file, by name.
std::vector<std::string> backups_of(const fs::path& file);

}  // namespace

fs::path apply_edit(const fs::path& wanted, std::string_view before, std::string_view after)
{
    const fs::path file = writable_file(wanted);
    if (read_input(file.string()) != before)
        throw error(shown(file) + " changed while it was worked on", "nothing was written; run the command again");
    int number = 1;
    while (is_taken(backup_name(file, after, number))) ++number;
    fs::path backup = backup_name(file, after, number);
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

fs::path revert_edit(const fs::path& wanted)
{
    const fs::path file = writable_file(wanted);
    const std::string now = read_input(file.string());
    std::optional<fs::path> backup;
    for (int number = 1; is_taken(backup_name(file, now, number)); ++number) backup = backup_name(file, now, number);
    if (!backup) {
        const std::vector<std::string> others = backups_of(file);
        if (others.empty())
            throw error("there is no backup of " + shown(file), "launchbox bounds --apply makes one with each edit");
        throw error(
            shown(file) + " was changed since it was edited: no backup is of its text",
            fmt::format("compare it with {}, and copy that over it if you want it back", fmt::join(others, ", ")));
    }
    if (!fs::is_regular_file(fs::symlink_status(*backup)))
        throw error("the backup " + shown(*backup) + " is not a file", "nothing was changed; move it away");
    std::error_code failure;
    fs::permissions(*backup, fs::status(file).permissions(), failure);
    if (!failure) fs::rename(*backup, file, failure);  // one step: there is no moment at which one of them is missing
    if (failure) throw error("cannot put " + shown(*backup) + " back: " + failure.message(), "nothing was changed");
    return *backup;
}

namespace {

fs::path writable_file(const fs::path& file)
{
    std::error_code failure;
    const fs::path real = fs::canonical(file, failure);
    if (failure) throw error("cannot open " + shown(file) + ": " + failure.message(), "check the path");
    const fs::file_status status = fs::status(real, failure);
    if (failure || !fs::is_regular_file(status)) throw error(shown(file) + " is not a file", "name a source file");
    // A rename does not ask whether the file may be written, and root may write every file.
    constexpr fs::perms write = fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write;
    if ((status.permissions() & write) == fs::perms::none || !may_write(real))
        throw error(shown(file) + " is read-only", "chmod u+w it, or check it out for editing");
    return real;
}

fs::path backup_name(const fs::path& file, std::string_view after, int number)
{
    std::string name = fmt::format("{}.before-{:016x}", file.string(), XXH3_64bits(after.data(), after.size()));
    if (number > 1) name += fmt::format(".{}", number);
    return name;
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
