// SPDX-License-Identifier: Apache-2.0
#include "support/process/orphan_watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <mutex>

extern char** environ;

namespace launchbox {

namespace {

// The watcher is forked from a process that may have threads, so it calls nothing that takes a lock or allocates
// memory.

// Whether an entry of the process's environment begins with `mark`, followed by nothing or a dot.
bool is_marked(int proc, const char* process, const char* mark)
{
    std::array<char, 64> name{};
    std::size_t length = 0;
    for (const char* from : {process, "/environ"})
        for (; *from != '\0' && length + 1 < name.size(); ++from) name[length++] = *from;
    const int file = ::openat(proc, name.data(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    constexpr std::size_t mismatch = ~std::size_t{0};
    const std::size_t wanted = std::strlen(mark);
    std::array<char, 4096> block{};
    std::size_t matched = 0;
    bool found = false;
    for (ssize_t got = 0; !found && (got = ::read(file, block.data(), block.size())) > 0;)
        for (ssize_t i = 0; i < got && !found; ++i) {
            const char c = block[static_cast<std::size_t>(i)];
            if (matched == wanted && (c == '\0' || c == '.'))
                found = true;
            else if (c == '\0')
                matched = 0;
            else
                matched = matched < wanted && c == mark[matched] ? matched + 1 : mismatch;
        }
    ::close(file);
    return found;
}

// The record that getdents64 fills; the C library's own type belongs to its wrapper.
struct folder_entry {
    std::uint64_t inode;
    std::int64_t offset;
    unsigned short size;
    unsigned char type;
    char name[1];
};

// Returns how many there were to kill.
int kill_marked(const char* mark)
{
    const int proc = ::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (proc < 0) return 0;
    int killed = 0;
    alignas(folder_entry) std::array<char, 8192> block{};
    for (long got = 0; (got = ::syscall(SYS_getdents64, proc, block.data(), block.size())) > 0;)
        for (long at = 0; at < got;) {
            const auto* entry = reinterpret_cast<const folder_entry*>(block.data() + at);
            at += entry->size;
            const char* const name = block.data() + (reinterpret_cast<const char*>(entry->name) - block.data());
            pid_t process = 0;
            for (const char* digit = name; *digit >= '0' && *digit <= '9'; ++digit)
                process = process * 10 + (*digit - '0');
            if (process <= 1 || !is_marked(proc, name, mark)) continue;
            killed += ::kill(process, SIGKILL) == 0 ? 1 : 0;
        }
    ::close(proc);
    return killed;
}

[[noreturn]] void watch(pid_t whom, const char* mark)
{
    ::setsid();  // signals to the group or terminal do not end this process
    for (char** entry = environ; *entry != nullptr; ++entry) std::memset(*entry, 0, std::strlen(*entry));  // no mark
    const int end = static_cast<int>(::syscall(SYS_pidfd_open, whom, 0));
    const bool is_there = ::getppid() == whom;
    if (end < 0 && is_there) ::_exit(0);
    // Closes pipes, so that nobody waits for us at the other end.
    if (end >= 0) ::dup2(end, 0);
    for (int file = end >= 0 ? 1 : 0; file < 1024; ++file) ::close(file);
    pollfd ended{.fd = 0, .events = POLLIN, .revents = 0};
    while (is_there && ::poll(&ended, 1, -1) < 0 && errno == EINTR) {
    }
    // Several rounds: a process may start another while it is killed, and has no environment during exec.
    constexpr int max_rounds = 100, quiet_rounds = 3;
    for (int round = 0, quiet = 0; round < max_rounds && quiet < quiet_rounds; ++round) {
        quiet = kill_marked(mark) > 0 ? 0 : quiet + 1;
        const timespec pause{.tv_sec = 0, .tv_nsec = 2'000'000};
        ::nanosleep(&pause, nullptr);
    }
    ::_exit(0);
}

pid_t watcher = 0, watched = 0;

// When we end normally, everything that we started has ended.
void dismiss()
{
    if (watcher <= 0 || ::getpid() != watched) return;
    ::kill(watcher, SIGKILL);
    ::waitpid(watcher, nullptr, 0);
}

}  // namespace

std::string mark_of_what_we_started()
{
    return "LAUNCHBOX_STARTED=" + std::to_string(::getpid());
}

void watch_for_orphans()
{
    static std::mutex one_at_a_time;
    const std::lock_guard lock(one_at_a_time);
    if (watched == ::getpid()) return;
    if (watched == 0) std::atexit(dismiss);
    watched = ::getpid();
    const std::string mark = mark_of_what_we_started();
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) ends = {-1, -1};
    watcher = ::fork();
    if (watcher == 0) watch(watched, mark.c_str());
    if (ends[0] < 0) return;
    // Waits until it has closed its copies of our files: through them, the lock of a temporary folder would outlive us.
    ::close(ends[1]);
    char none = 0;
    while (::read(ends[0], &none, 1) < 0 && errno == EINTR) {
    }
    ::close(ends[0]);
}

}  // namespace launchbox
