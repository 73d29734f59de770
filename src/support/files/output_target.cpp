// SPDX-License-Identifier: Apache-2.0
#include "support/files/output_target.hpp"

#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <string>
#include <system_error>
#include <vector>

#include "support/error.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

constexpr int max_links = 40;  // Linux's limit

// For /proc/self/fd/3, a link that may have no target name: a pipe has none, and a file may have been deleted.
int descriptor_at(const fs::path& link)
{
    std::error_code failure;
    const fs::path folder = fs::canonical(link.has_parent_path() ? link.parent_path() : fs::path("."), failure);
    if (failure || folder.filename() != "fd") return -1;
    if (!folder.string().starts_with("/proc/" + std::to_string(::getpid()) + "/")) return -1;
    const std::string number = link.filename().string();
    int descriptor = -1;
    const auto [end, wrong] = std::from_chars(number.data(), number.data() + number.size(), descriptor);
    return wrong == std::errc() && end == number.data() + number.size() ? descriptor : -1;
}

}  // namespace

output_target target_of(const fs::path& wanted)
{
    output_target target{wanted};
    std::error_code failure;
    for (int links = 0; fs::is_symlink(fs::symlink_status(target.path, failure)); ++links) {
        target.descriptor = descriptor_at(target.path);
        if (target.descriptor >= 0) return target;
        const fs::path next = fs::read_symlink(target.path, failure);
        if (failure || links == max_links)
            throw error("cannot write " + wanted.string() + ": its links are dangling", "name a file");
        target.path = next.is_absolute() ? next : target.path.parent_path() / next;
    }
    return target;
}

int take_over(int file, const struct stat& like)
{
    mode_t mode = like.st_mode & 07777;
    const bool all_kept = ::fchown(file, like.st_uid, like.st_gid) == 0;
    if (!all_kept && ::fchown(file, static_cast<uid_t>(-1), like.st_gid) != 0)
        mode &= ~static_cast<mode_t>(S_IRWXG) | (mode & S_IRWXO) << 3;
    if (!all_kept) mode &= ~static_cast<mode_t>(S_ISUID | S_ISGID);
    return ::fchmod(file, mode) == 0 ? 0 : errno;
}

void take_over_access_list(int file, const fs::path& from)
{
    constexpr const char* name = "system.posix_acl_access";
    const ssize_t size = ::getxattr(from.c_str(), name, nullptr, 0);
    if (size <= 0) return;
    std::vector<char> list(static_cast<std::size_t>(size));
    const ssize_t read = ::getxattr(from.c_str(), name, list.data(), list.size());
    if (read > 0) ::fsetxattr(file, name, list.data(), static_cast<std::size_t>(read), 0);
}

}  // namespace launchbox
