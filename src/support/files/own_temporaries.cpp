// SPDX-License-Identifier: Apache-2.0
#include "support/files/own_temporaries.hpp"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <set>
#include <string>

#include "support/files/proc_file.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::hours kept_unchanged{30 * 24};

// Identifies this boot of the machine's kernel, the same in all its containers. With "unknown", other boots cannot be
// distinguished.
constexpr std::string_view no_boot = "unknown";
std::string read_boot()
{
    std::string text = read_proc_file("/proc/sys/kernel/random/boot_id");
    std::erase_if(text, [](unsigned char c) { return std::isxdigit(c) == 0; });
    constexpr std::size_t digits = 32;
    return text.size() == digits ? text : std::string(no_boot);
}

const std::string& boot_of_machine()
{
    static const std::string boot = read_boot();
    return boot;
}

// For people who look into the folder.
std::string host_of_machine()
{
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return "host";
    constexpr std::size_t enough = 32;
    std::string text = std::string(name.data()).substr(0, enough);
    std::ranges::replace_if(
        text, [](unsigned char c) { return std::isalnum(c) == 0 && c != '.'; }, '_');
    return text.empty() ? "host" : text;
}

std::string start_of_own_names()
{
    return std::string(temporary_name) + boot_of_machine() + "-" + host_of_machine() + "-" +
           std::to_string(::getpid()) + "-";
}

bool is_of_this_boot(std::string_view name)
{
    const std::string& boot = boot_of_machine();
    return boot != no_boot && name.starts_with(std::string(temporary_name) + boot + "-");
}

std::chrono::system_clock::time_point changed_at(const struct stat& status)
{
    return std::chrono::system_clock::from_time_t(status.st_mtim.tv_sec);
}

// Whether it, or anything in it, changed. A run changes the folders of its compilers, not the enclosing one.
bool was_changed_lately(const fs::path& path, const struct stat& status)
{
    const auto limit = std::chrono::system_clock::now() - kept_unchanged;
    if (changed_at(status) > limit) return true;
    std::error_code failure;
    if (!S_ISDIR(status.st_mode)) return false;
    for (fs::recursive_directory_iterator entry(path, failure), end; !failure && entry != end;
         entry.increment(failure)) {
        struct stat inner {};
        if (::lstat(entry->path().c_str(), &inner) == 0 && changed_at(inner) > limit) return true;
    }
    return static_cast<bool>(failure);  // what cannot be inspected may be in use
}

enum class lock_state { ours, of_another, unknown };

lock_state try_to_lock(int file)
{
    int failed = -1;
    while ((failed = ::flock(file, LOCK_EX | LOCK_NB)) != 0 && errno == EINTR) {
    }
    if (failed == 0) return lock_state::ours;
    return errno == EWOULDBLOCK ? lock_state::of_another : lock_state::unknown;
}

bool is_same(const struct stat& one, const struct stat& other)
{
    return one.st_dev == other.st_dev && one.st_ino == other.st_ino;
}

// While this holds the lock of an entry, a maker that has created but not yet locked it chooses another name.
void remove_if_left(const fs::path& path)
{
    const int file = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0) return;
    struct stat status {};
    const bool is_ours = ::fstat(file, &status) == 0 && (S_ISDIR(status.st_mode) || S_ISREG(status.st_mode)) &&
                         status.st_uid == ::geteuid();
    if (is_ours) {
        const lock_state lock = try_to_lock(file);
        const bool lock_tells = lock == lock_state::ours && is_of_this_boot(path.filename().string());
        std::error_code ignored;
        if (lock != lock_state::of_another && (lock_tells || !was_changed_lately(path, status)))
            fs::remove_all(path, ignored);
    }
    ::close(file);
}

void clear_left(const fs::path& folder)
{
    static std::mutex one_at_a_time;
    static std::set<std::string> cleared;
    {
        const std::lock_guard lock(one_at_a_time);
        if (!cleared.insert(folder.string()).second) return;
    }
    std::error_code ignored;
    for (fs::directory_iterator entry(folder, ignored), end; entry != end; entry.increment(ignored))
        if (entry->path().filename().string().starts_with(temporary_name)) remove_if_left(entry->path());
}

// Between creating and locking an entry, a cleaner in another process may take it for a leftover.
constexpr int max_attempts = 100;

template <class Make>
own_temporary make_locked(const fs::path& folder, const Make& make)
{
    clear_left(folder);
    for (int attempt = 0; attempt < max_attempts; ++attempt) {
        std::string name = (folder / (start_of_own_names() + "XXXXXX")).string();
        const int file = make(name);
        std::error_code unknown;
        if (file < 0 && errno == ENOENT && fs::is_directory(folder, unknown)) continue;  // removed before it was opened
        if (file < 0) return {};
        struct stat made {
        }, there{};
        const bool is_there = try_to_lock(file) != lock_state::of_another && ::fstat(file, &made) == 0 &&
                              ::lstat(name.c_str(), &there) == 0 && is_same(made, there);
        if (is_there) return {std::move(name), file};
        ::close(file);
    }
    errno = EBUSY;
    return {};
}

}  // namespace

bool is_own_temporary(const fs::path& file)
{
    const std::string name = file.string();
    return name.find(temporary_name) != std::string::npos && name.find(start_of_own_names()) != std::string::npos;
}

own_temporary new_own_file(const fs::path& folder)
{
    return make_locked(folder, [](std::string& name) { return ::mkostemp(name.data(), O_CLOEXEC); });
}

own_temporary new_own_folder(const fs::path& folder)
{
    return make_locked(folder, [](std::string& name) {
        if (::mkdtemp(name.data()) == nullptr) return -1;
        const int file = ::open(name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        const int failure = errno;
        if (file < 0) ::rmdir(name.c_str());
        errno = failure;
        return file;
    });
}

}  // namespace launchbox
