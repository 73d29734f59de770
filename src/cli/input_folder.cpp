// SPDX-License-Identifier: Apache-2.0
#include "cli/input_folder.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "support/process/interrupt.hpp"

namespace launchbox::cli {

namespace {

namespace fs = std::filesystem;

std::string shown_name(const std::string& folder, const fs::path& path)
{
    const std::string relative = path.lexically_relative(folder).string();
    return relative.empty() ? path.string() : relative;
}

}  // namespace

std::vector<std::string> files_in_folder(const std::string& folder, std::vector<std::string>& errors)
{
    std::vector<std::string> files;
    std::vector<fs::path> folders{folder};
    while (!folders.empty() && !interrupted()) {
        const fs::path next = std::move(folders.back());
        folders.pop_back();
        std::error_code failure;
        fs::directory_iterator entries(next, failure);
        if (failure) {
            errors.push_back(shown_name(folder, next) + " cannot be read: " + failure.message());
            continue;
        }
        for (; entries != fs::directory_iterator(); entries.increment(failure)) {
            std::error_code unknown;
            const fs::directory_entry& entry = *entries;
            if (entry.is_regular_file(unknown))
                files.push_back(entry.path().string());
            else if (!entry.is_symlink(unknown) && entry.is_directory(unknown))
                folders.push_back(entry.path());
        }
        if (failure) errors.push_back(shown_name(folder, next) + " cannot be read: " + failure.message());
    }
    // The file itself before a link to it.
    std::ranges::sort(files);
    std::stable_partition(files.begin(), files.end(), [](const std::string& file) {
        std::error_code unknown;
        return !fs::is_symlink(file, unknown);
    });
    std::set<std::pair<dev_t, ino_t>> seen;
    std::erase_if(files, [&](const std::string& file) {
        struct stat status = {};
        return ::stat(file.c_str(), &status) == 0 && !seen.emplace(status.st_dev, status.st_ino).second;
    });
    std::ranges::sort(files);
    return files;
}

bool is_folder(const std::string& name)
{
    std::error_code unknown;
    return fs::is_directory(name, unknown);
}

}  // namespace launchbox::cli
