// SPDX-License-Identifier: Apache-2.0
#include "support/process/machine_failure.hpp"

#include <fcntl.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <string_view>

#include "support/files/proc_file.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// The number after "name " at the beginning of a line.
std::optional<std::uint64_t> counter(const fs::path& file, const std::string& name)
{
    const std::string text = "\n" + read_proc_file(file);
    const std::size_t at = text.find("\n" + name + " ");
    if (at == std::string::npos) return std::nullopt;
    const char* const begin = text.data() + at + name.size() + 2;
    std::uint64_t number = 0;
    if (std::from_chars(begin, text.data() + text.size(), number).ec != std::errc()) return std::nullopt;
    return number;
}

// Linux 4.13 and later.
std::optional<std::uint64_t> processes_ended_for_memory()
{
    return counter("/proc/vmstat", "oom_kill");
}

// From cgroup 2: how often the limit of processes refused one.
std::optional<std::uint64_t> processes_refused()
{
    constexpr std::string_view second_version = "0::";
    std::string text = read_proc_file("/proc/self/cgroup");
    const std::size_t at = ("\n" + text).find("\n" + std::string(second_version));
    if (at == std::string::npos) return std::nullopt;
    text.erase(0, at + second_version.size());
    text.erase(std::min(text.find('\n'), text.size()));
    return counter(fs::path("/sys/fs/cgroup" + text) / "pids.events", "max");
}

bool has_grown(const std::optional<std::uint64_t>& before, const std::optional<std::uint64_t>& now)
{
    return before && now && *now > *before;
}

// A compiler that runs out of space removes its output before it ends, so a nearly full disk counts as full. A small
// file system that is nearly empty does not.
std::string shortage_of_disk(const fs::path& folder)
{
    constexpr std::uint64_t little = std::uint64_t{32} << 20;
    constexpr std::uint64_t few_files = 64;
    struct statvfs there {};
    if (::statvfs(folder.c_str(), &there) != 0) return folder.string() + ": " + std::strerror(errno);
    const std::uint64_t unit = there.f_frsize, left = there.f_bavail * unit, size = there.f_blocks * unit;
    if (left < std::min(little, size / 4)) return folder.string() + " has " + std::to_string(left >> 20) + " MiB left";
    if (there.f_files != 0 && there.f_favail < few_files)
        return folder.string() + " has room for " + std::to_string(there.f_favail) + " more files";
    return {};
}

std::string shortage_of_descriptors()
{
    const int file = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (file < 0) return is_machine_failure(errno) ? std::string("no file can be opened: ") + std::strerror(errno) : "";
    ::close(file);
    return {};
}

std::string shortage_of_processes()
{
    const pid_t child = ::vfork();
    if (child == 0) ::_exit(0);
    if (child < 0) return std::string("no process can be started: ") + std::strerror(errno);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
    return {};
}

}  // namespace

bool is_machine_failure(int number)
{
    constexpr std::array numbers{ENOSPC, EDQUOT, EFBIG, EMFILE, ENFILE, ENOMEM, EAGAIN, ETXTBSY, EIO, ESTALE};
    return std::ranges::find(numbers, number) != numbers.end();
}

void throw_system_error(const std::string& what, int number, const std::string& hint, exit_status status)
{
    const std::string text = what + ": " + std::strerror(number);
    if (is_machine_failure(number)) throw machine_error(text, hint, status);
    throw error(text, hint, status);
}

machine_watch::machine_watch(fs::path folder)
    : folder_(std::move(folder)),
      ended_for_memory_(processes_ended_for_memory()),
      refused_processes_(processes_refused())
{
}

std::string machine_watch::lacked() const
{
    if (std::string why = shortage_of_disk(folder_); !why.empty()) return why;
    if (has_grown(ended_for_memory_, processes_ended_for_memory()))
        return "the system killed processes for lack of memory";
    if (has_grown(refused_processes_, processes_refused())) return "the limit of processes was reached";
    if (std::string why = shortage_of_descriptors(); !why.empty()) return why;
    return shortage_of_processes();
}

}  // namespace launchbox
