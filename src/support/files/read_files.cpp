// SPDX-License-Identifier: Apache-2.0
#include "support/files/read_files.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <system_error>
#include <utility>

#include "support/files/own_temporaries.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

using file_number = std::pair<dev_t, ino_t>;

struct noted_files {
    std::mutex lock;
    std::map<file_number, std::set<fs::path>> numbers;  // with the names under which they were read
    std::set<fs::path> paths;                           // absolute
};

noted_files& noted()
{
    static noted_files files;
    return files;
}

// Resolves links as far as the path exists; the rest is kept as it is.
fs::path whole_path(const fs::path& file)
{
    std::error_code failure;
    const fs::path absolute = fs::absolute(file, failure);
    fs::path whole = fs::weakly_canonical(failure ? file : absolute, failure);
    return failure ? file.lexically_normal() : whole;
}

bool is_number_of(const fs::path& file, const file_number& number)
{
    struct stat status = {};
    return ::stat(file.c_str(), &status) == 0 && number == file_number(status.st_dev, status.st_ino);
}

}  // namespace

void note_read(const fs::path& file)
{
    if (file.empty() || is_own_temporary(file)) return;
    struct stat status = {};
    const bool is_there = ::stat(file.c_str(), &status) == 0;
    if (is_there && !S_ISREG(status.st_mode)) return;  // pipes and folders are never overwritten
    std::error_code failure;
    fs::path absolute = is_there ? fs::absolute(file, failure).lexically_normal() : whole_path(file);
    noted_files& all = noted();
    const std::lock_guard guard(all.lock);
    if (is_there) all.numbers[{status.st_dev, status.st_ino}].insert(absolute);
    all.paths.insert(std::move(absolute));
}

void note_files_read(const std::vector<fs::path>& named)
{
    std::error_code failure;
    for (const fs::path& file : named)
        if (fs::is_regular_file(file, failure)) note_read(file);
}

bool was_read(const fs::path& file)
{
    noted_files& all = noted();
    struct stat status = {};
    const bool is_there = ::stat(file.c_str(), &status) == 0;
    if (is_there && !S_ISREG(status.st_mode)) return false;
    std::error_code failure;
    const fs::path whole = whole_path(file), plain = fs::absolute(file, failure).lexically_normal();
    const std::lock_guard guard(all.lock);
    if (all.paths.contains(whole) || all.paths.contains(plain)) return true;
    if (!is_there) return false;
    // The inode number of a deleted file is reused.
    const auto found = all.numbers.find({status.st_dev, status.st_ino});
    return found != all.numbers.end() &&
           std::ranges::any_of(found->second, [&](const fs::path& name) { return is_number_of(name, found->first); });
}

}  // namespace launchbox
