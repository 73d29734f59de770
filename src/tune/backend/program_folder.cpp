// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/program_folder.hpp"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <string_view>

#include "compiler/run/compile_cache.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

constexpr std::uintmax_t max_bytes = std::uintmax_t{1} << 30;
constexpr std::size_t max_files = 100'000;
// Folders above the copied one that names such as ../../include can reach, and the most entries in each.
constexpr int levels_above = 3;
constexpr std::size_t max_beside = 10'000;

// Large, and not needed by the build.
bool is_repository(const fs::path& name)
{
    return name == ".git" || name == ".hg" || name == ".svn";
}

bool was_made_by_a_compiler(const fs::path& file)
{
    const std::string extension = file.extension().string();
    if (extension == ".ptx" || extension == ".fatbin") return true;
    std::string head(8, '\0');
    std::ifstream(file, std::ios::binary).read(head.data(), static_cast<std::streamsize>(head.size()));
    return head.starts_with(
               "\x7f"
               "ELF") ||
           head == "!<arch>\n";
}

bool lies_in(const fs::path& place, const fs::path& top)
{
    return std::mismatch(top.begin(), top.end(), place.begin(), place.end()).first == top.end();
}

// The final target of a link, through other links, even if it does not exist. Empty if the links form a cycle.
fs::path end_of_link(const fs::path& link)
{
    std::error_code failure;
    fs::path place = fs::weakly_canonical(link.parent_path(), failure) / link.filename();
    // weakly_canonical treats a dangling link like a name that does not exist.
    constexpr int max_links = 40;
    for (int i = 0; i < max_links && !failure; ++i) {
        place = fs::weakly_canonical(place, failure);
        std::error_code is_none;  // it does not exist, or is no link
        const fs::path next = fs::read_symlink(place, is_none);
        if (failure || is_none) break;
        place = place.parent_path() / next;
    }
    return failure ? fs::path() : place.lexically_normal();
}

bool may_be_written(const fs::path& place)
{
    return ::access(place.c_str(), W_OK) == 0;
}

// Whether a build could write there: into the file, or somewhere in the folder. For a path that does not exist, its
// nearest existing folder decides.
bool can_be_changed(fs::path place)
{
    std::error_code unknown;
    while (!fs::exists(place, unknown) && place.has_relative_path()) place = place.parent_path();
    if (fs::is_regular_file(place, unknown)) return may_be_written(place);
    if (!fs::is_directory(place, unknown)) return false;  // /dev/null
    if (may_be_written(place)) return true;
    std::size_t count = 0;
    for (fs::recursive_directory_iterator entry(place, fs::directory_options::skip_permission_denied, unknown), end;
         !unknown && entry != end; entry.increment(unknown))
        if (++count > max_beside || (!entry->is_symlink(unknown) && may_be_written(entry->path()))) return true;
    return false;
}

// All candidates would share the target of a link that leads out of the folder, and would overwrite it.
void refuse_link_out(const fs::path& link, const fs::path& top)
{
    const fs::path place = end_of_link(link);
    if (place.empty() || lies_in(place, top) || !can_be_changed(place)) return;
    throw error(fmt::format("[program] build does not name {{output}}, so each candidate is built in a copy of {}, and "
                            "there {} is a link that leads out of the folder, to {}: all candidates would write there",
                            top.string(), link.lexically_relative(top).string(), place.string()),
                "replace it by its target, or let the build write {output} and run that");
}

// In the copy, a link inside the folder leads to the copied target. One to the outside, where nobody can write, keeps
// its target.
void copy_link(const fs::path& link, const fs::path& to, const fs::path& top)
{
    fs::path target = fs::read_symlink(link);
    const fs::path named = (link.parent_path() / target).lexically_normal();
    if (target.is_absolute() || !lies_in(named, top)) {
        const fs::path place = end_of_link(link);
        target = !place.empty() && lies_in(place, top) ? place.lexically_relative(link.parent_path()) : named;
    }
    fs::create_symlink(target, to);
}

// `to` may lie inside the folder that is copied, for example if TMPDIR does.
void copy_below(const fs::path& from, const fs::path& to, const fs::path& top, const std::vector<std::string>& left_out)
{
    fs::create_directory(to);
    for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
        const fs::path& source = entry.path();
        const fs::path name = source.filename(), target = to / name;
        if (to.string().starts_with(source.string() + "/")) continue;
        if (is_repository(name) || std::ranges::find(left_out, name.string()) != left_out.end()) continue;
        if (entry.is_symlink()) {
            copy_link(source, target, top);
        } else if (entry.is_directory()) {
            copy_below(source, target, top, {});
        } else if (entry.is_regular_file()) {
            fs::copy_file(source, target);
            fs::last_write_time(
                target, was_made_by_a_compiler(source)
                            ? fs::file_time_type::clock::from_sys(std::chrono::sys_seconds(std::chrono::seconds(1)))
                            : fs::last_write_time(source));
        }
    }
}

// Makes `stand_in` look like `folder` for names that go through it, except `without`.
void link_entries(const fs::path& folder, const fs::path& stand_in, const fs::path& without)
{
    std::error_code ignored;
    std::size_t count = 0;
    for (fs::directory_iterator entry(folder, ignored), end; entry != end && count < max_beside;
         entry.increment(ignored), ++count)
        if (entry->path().filename() != without)
            fs::create_symlink(entry->path(), stand_in / entry->path().filename(), ignored);
}

}  // namespace

void check_copied_folder(const fs::path& given)
{
    const fs::path folder = fs::canonical(given);
    std::uintmax_t bytes = 0;
    std::size_t files = 0;
    std::error_code ignored;
    for (fs::recursive_directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored)) {
        if (is_repository(entry->path().filename())) {
            entry.disable_recursion_pending();
            continue;
        }
        if (entry->is_symlink(ignored)) refuse_link_out(entry->path(), folder);
        if (entry->is_symlink(ignored) || !entry->is_regular_file(ignored)) continue;
        bytes += entry->file_size(ignored);
        ++files;
        if (bytes > max_bytes || files > max_files)
            throw error(fmt::format("[program] build does not name {{output}}, so each candidate is built in a copy of "
                                    "{}, which has more than {}",
                                    folder.string(), bytes > max_bytes ? "1 GiB" : "100,000 files"),
                        "let the build write {output} and run that, or move the spec and its sources into a folder of "
                        "their own");
    }
}

fs::path copy_of_folder(const fs::path& given, const fs::path& into, const std::vector<std::string>& left_out)
{
    const fs::path folder = fs::canonical(given);  // so that ../ leads where it does for a program that runs there
    // "/a/b/c/d" becomes into/b/c/d, and into/b stands for /a/b.
    std::vector<fs::path> above{folder};
    while (static_cast<int>(above.size()) <= levels_above && above.back().has_relative_path() &&
           above.back().parent_path() != above.back())
        above.push_back(above.back().parent_path());
    fs::path stand_in = into;
    for (std::size_t i = above.size() - 1; i > 0; --i) {
        const fs::path name = above[i - 1].filename();
        link_entries(above[i], stand_in, name);
        stand_in /= name;
        if (i > 1) fs::create_directory(stand_in);
    }
    if (above.size() == 1) stand_in /= "folder";
    copy_below(folder, stand_in, folder, left_out);
    return stand_in;
}

std::vector<std::string> words_for_copy(std::vector<std::string> words, const fs::path& given, const fs::path& copy)
{
    std::error_code unknown;
    for (const fs::path& folder : {given, fs::weakly_canonical(given, unknown)}) {
        const std::string name = folder.string();
        for (std::string& word : words)
            for (std::size_t at = word.find(name); at != std::string::npos; at = word.find(name, at + 1)) {
                const std::size_t end = at + name.size();
                const bool begins = at == 0 || (at == 2 && word[0] == '-') ||
                                    std::string_view("=,:;@\"' ").find(word[at - 1]) != std::string_view::npos;
                if (!begins || (end < word.size() && word[end] != '/')) continue;
                word.replace(at, name.size(), copy.string());
                at += copy.string().size() - 1;
            }
    }
    return words;
}

std::map<std::string, std::string> files_in(const fs::path& folder)
{
    std::map<std::string, std::string> found;
    std::error_code failure;
    for (fs::recursive_directory_iterator entry(folder, failure), end; entry != end; entry.increment(failure)) {
        struct stat status {};
        if (::lstat(entry->path().c_str(), &status) != 0 || S_ISDIR(status.st_mode)) continue;
        found[entry->path().lexically_relative(folder).string()] =
            fmt::format("{} {} {}.{} {}.{}", status.st_ino, status.st_size, status.st_mtim.tv_sec,
                        status.st_mtim.tv_nsec, status.st_ctim.tv_sec, status.st_ctim.tv_nsec);
    }
    return found;
}

std::string hash_of_changes(const fs::path& folder, const std::map<std::string, std::string>& before)
{
    std::vector<std::string> parts;
    for (const auto& [name, state] : files_in(folder)) {
        const auto old = before.find(name);
        if (old != before.end() && old->second == state) continue;
        const fs::path file = folder / name;
        std::error_code ignored;
        parts.push_back(name);
        if (fs::is_symlink(file, ignored))
            parts.push_back(fs::read_symlink(file, ignored).string());
        else
            parts.push_back(fs::is_regular_file(file, ignored) ? read_file(file) : std::string());
    }
    return parts.empty() ? std::string() : key_of({parts.begin(), parts.end()});
}

}  // namespace launchbox
