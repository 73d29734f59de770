// SPDX-License-Identifier: Apache-2.0
#include "support/process/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <optional>
#include <thread>
#include <utility>

#include "support/error.hpp"
#include "support/files/proc_file.hpp"
#include "support/process/child_process.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/machine_failure.hpp"
#include "support/process/orphan_watch.hpp"

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;

struct running_child {
    pid_t process = 0;
    int output = -1;     // read end of its pipe
    std::string marker;  // in its environment and its descendants'
    bool is_limited = false;
};

running_child start(const std::vector<std::string>& arguments, const subprocess_options& options)
{
    static std::atomic<unsigned> count = 0;
    running_child child;
    child.is_limited = options.time_limit > 0;
    child.marker = mark_of_what_we_started() + "." + std::to_string(++count);
    watch_for_orphans();
    // Processes that it leaves behind become our children, so that they can be found and ended.
    if (child.is_limited) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    child_pipe output;
    child_options how{.streams = {no_stream, output.write, output.write},
                      .directory = options.directory,
                      .environment = options.environment,
                      .own_group = child.is_limited};
    how.environment.push_back(child.marker);
    const started_child started = start_program(arguments, how);
    if (started.failure != 0)
        throw_system_error(
            "cannot run " + arguments.front(), started.failure,
            is_machine_failure(started.failure) ? "close some programs and try again" : "check that it is installed",
            exit_status::missing);
    child.process = started.process;
    child.output = std::exchange(output.read, -1);
    ::fcntl(child.output, F_SETFL, O_NONBLOCK);
    return child;
}

// Ends a child with a time limit, and its group, when the time is over or we are interrupted.
class time_limit {
public:
    time_limit(const running_child& child, double seconds, const std::atomic<bool>* stop)
        : child_(child),
          stop_(stop),
          is_set_(seconds > 0),
          deadline_(clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds)))
    {
    }

    [[nodiscard]] bool was_reached() const { return reached_; }

    void enforce()
    {
        if (!is_set_ || killed_) return;
        reached_ = clock::now() >= deadline_;
        if (!reached_ && !interrupted() && (stop_ == nullptr || !*stop_)) return;
        ::kill(-child_.process, SIGKILL);
        killed_ = true;
    }

private:
    const running_child& child_;
    const std::atomic<bool>* stop_;
    bool is_set_, killed_ = false, reached_ = false;
    clock::time_point deadline_;
};

// Reads what is available. False at the end of the output.
bool read_what_is_there(const running_child& child, std::size_t cap, std::string& output)
{
    std::array<char, 1 << 16> buffer{};
    for (;;) {
        const ssize_t got = ::read(child.output, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return errno == EAGAIN;
        if (got == 0) return false;
        const std::size_t room = cap - std::min(cap, output.size());
        output.append(buffer.data(), std::min(static_cast<std::size_t>(got), room));
    }
}

// Reads until the child has ended. Others may keep its output open for ever, but everything that the child itself wrote
// is in the pipe when it ends.
child_ending wait_and_read(const running_child& child, std::size_t cap, time_limit& limit, std::string& output)
{
    const int end = static_cast<int>(::syscall(SYS_pidfd_open, child.process, 0));  // -1: an old kernel
    bool is_open = true;
    std::optional<child_ending> ended;
    std::chrono::microseconds pause(20);  // polling interval without a pidfd, once the output is closed
    while (!ended) {
        if (is_open || end >= 0) {
            std::array<pollfd, 2> ready{{{.fd = is_open ? child.output : -1, .events = POLLIN, .revents = 0},
                                         {.fd = end, .events = POLLIN, .revents = 0}}};
            ::poll(ready.data(), ready.size(), 50);
        } else {
            std::this_thread::sleep_for(pause);
            pause = std::min(pause * 2, std::chrono::microseconds(5000));
        }
        limit.enforce();
        if (is_open) is_open = read_what_is_there(child, cap, output);
        ended = wait_for_child(child.process, WNOHANG);
    }
    if (is_open) read_what_is_there(child, cap, output);
    if (end >= 0) ::close(end);
    ::close(child.output);
    return *ended;
}

// Our children, including those inherited from others.
std::vector<pid_t> own_children()
{
    std::vector<pid_t> children;
    std::error_code ignored;
    for (std::filesystem::directory_iterator thread("/proc/self/task", ignored), end; thread != end;
         thread.increment(ignored)) {
        std::ifstream list(thread->path() / "children");
        for (pid_t child = 0; list >> child;) children.push_back(child);
    }
    return children;
}

std::string content_of_process_file(pid_t process, const char* name)
{
    return read_proc_file(std::filesystem::path("/proc") / std::to_string(process) / name);
}

// Ended, but not yet waited for.
bool is_zombie(pid_t process)
{
    const std::string text = content_of_process_file(process, "stat");
    const std::size_t name_end = text.rfind(')');
    return name_end == std::string::npos || text.compare(name_end, 3, ") Z") == 0;
}

// A daemon has left our group, but keeps the environment that it was started with.
void end_what_was_left(const running_child& child)
{
    ::kill(-child.process, SIGKILL);
    constexpr int max_waits_ms = 1000;  // do not wait for one that cannot be ended
    for (int waited_ms = 0; waited_ms < max_waits_ms;) {
        const pid_t ended = ::waitpid(-child.process, nullptr, WNOHANG);
        if (ended < 0 && errno != EINTR) break;
        if (ended == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            ++waited_ms;
        }
    }
    // Each ended process leaves its children to us.
    constexpr int max_rounds = 100;
    for (int round = 0; round < max_rounds; ++round) {
        bool found = false, is_unsure = false;
        for (const pid_t other : own_children()) {
            const std::string environment = content_of_process_file(other, "environ");
            // During exec, a process has no environment.
            if (environment.empty() && !is_zombie(other)) is_unsure = true;
            if (('\0' + environment).find('\0' + child.marker + '\0') == std::string::npos) continue;
            ::kill(other, SIGKILL);
            wait_for_child(other);
            found = true;
        }
        if (!found && !is_unsure) return;
        if (!found) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
}

}  // namespace

subprocess_result run(const std::vector<std::string>& arguments, const subprocess_options& options)
{
    const clock::time_point begin = clock::now();
    const running_child child = start(arguments, options);
    time_limit limit(child, options.time_limit, options.stop);
    subprocess_result result;
    const child_ending ended = wait_and_read(child, options.output_cap, limit, result.output);
    result.signal = ended.signal;
    result.exit_code = ended.exit_code;
    result.peak_bytes = ended.peak_bytes;
    result.seconds = std::chrono::duration<double>(clock::now() - begin).count();
    result.timed_out = limit.was_reached();
    if (child.is_limited) end_what_was_left(child);
    return result;
}

int signal_in_status(int exit_code)
{
    constexpr int shell_signals = 128;  // what shells add to the number of a signal
    constexpr int last_signal = 31;     // higher ones are real-time signals, which do not end programs by accident
    const int said = exit_code - shell_signals;
    return said >= 1 && said <= last_signal ? said : 0;
}

int deadly_signal(const subprocess_result& ended)
{
    return ended.signal != 0 ? ended.signal : signal_in_status(ended.exit_code);
}

std::string ending_of(const subprocess_result& ended)
{
    const int signal = deadly_signal(ended);
    return signal != 0 ? "ended by signal " + std::to_string(signal)
                       : "ended with exit status " + std::to_string(ended.exit_code);
}

std::string last_line(std::string_view output)
{
    output = output.substr(0, output.find_last_not_of(" \t\r\n") + 1);
    return std::string(output.substr(output.rfind('\n') + 1));
}

std::filesystem::path find_in_path(const std::string& program)
{
    const char* path = std::getenv("PATH");
    std::string_view rest = path == nullptr ? "" : path;
    while (!rest.empty()) {
        const std::string_view folder = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(rest.size(), folder.size() + 1));
        std::filesystem::path candidate = std::filesystem::path(folder) / program;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return {};
}

}  // namespace launchbox
