// SPDX-License-Identifier: Apache-2.0
#include "support/files/file_watch.hpp"

#include <sys/stat.h>

#include <functional>

#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {

std::string state_of_file(const std::filesystem::path& file)
{
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return {};
    std::string text;
    for (const long long number :
         {static_cast<long long>(status.st_dev), static_cast<long long>(status.st_ino),
          static_cast<long long>(status.st_size), static_cast<long long>(status.st_mtim.tv_sec),
          static_cast<long long>(status.st_mtim.tv_nsec), static_cast<long long>(status.st_ctim.tv_sec),
          static_cast<long long>(status.st_ctim.tv_nsec)})
        text += std::to_string(number) + ' ';
    return text;
}

namespace {

std::size_t content_of_file(const std::filesystem::path& file)
{
    try {
        return std::hash<std::string>()(read_file(file));
    } catch (const error&) {
        return 0;  // it does not exist
    }
}

}  // namespace

file_watch::file_watch(std::vector<std::filesystem::path> files)
{
    for (std::filesystem::path& file : files) {
        std::string state = state_of_file(file);
        const std::size_t content = content_of_file(file);
        files_.push_back({std::move(file), std::move(state), content});
    }
}

std::string file_watch::changed()
{
    const std::lock_guard guard(lock_);
    for (watched& known : files_) {
        std::string now = state_of_file(known.file);
        if (now == known.state) continue;
        if (now.empty() || known.state.empty() || content_of_file(known.file) != known.content)
            return known.file.string();
        known.state = std::move(now);
    }
    return {};
}

}  // namespace launchbox
