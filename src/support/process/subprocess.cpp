// SPDX-License-Identifier: Apache-2.0
#include "support/process/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <thread>

#include "support/error.hpp"
#include "support/files/proc_file.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/machine_failure.hpp"
#include "support/process/orphan_watch.hpp"

extern char** environ;

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;

constexpr int shell_signals = 128;  // what shells add to the number of a signal

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

// Our environment with `additions` in front: the first of two equal names wins in getenv.
std::vector<std::string> merged_environment(const std::vector<std::string>& additions)
{
    std::vector<std::string> result = additions;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::string_view name = text.substr(0, text.find('=') + 1);
        bool replaced = false;
        for (const std::string& added : additions) replaced |= std::string_view(added).starts_with(name);
        if (!replaced) result.emplace_back(text);
    }
    return result;
}

struct running_child {
    pid_t process = 0;
    int output = -1;     // the end of its pipe that is read
    std::string marker;  // in the environment of it and all that it starts
    bool is_limited = false;
};

struct two_ends {
    int read = -1, write = -1;
};

two_ends pipe_of_child()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw_system_error("cannot make a pipe", errno, "close some programs and try again", exit_status::missing);
    return {ends[0], ends[1]};
}

// What the child needs, prepared before the fork: it shares our memory until it becomes another program.
struct child_plan {
    const char* directory = nullptr;
    int output = -1;
    bool own_group = false;
    pid_t parent = 0;
    char** arguments = nullptr;
    char** environment = nullptr;
};

// Between vfork and exec: only system calls. Returns the number of the error.
int become_program(const child_plan& plan)
{
    if (plan.own_group) ::setpgid(0, 0);  // so that its children can be ended with it
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != plan.parent) return ESRCH;  // it ended before the line above
    const int input = ::open("/dev/null", O_RDONLY);
    if (input < 0 || ::dup2(input, STDIN_FILENO) < 0 || ::dup2(plan.output, STDOUT_FILENO) < 0 ||
        ::dup2(plan.output, STDERR_FILENO) < 0)
        return errno;
    if (input > STDERR_FILENO) ::close(input);
    if (plan.directory != nullptr && ::chdir(plan.directory) != 0) return errno;
    ::execvpe(plan.arguments[0], plan.arguments, plan.environment);
    return errno;
}

// Not fork, which would copy the page tables of a large process for each sample of a small program.
[[gnu::noinline]] pid_t start_child(const child_plan& plan, volatile int& failure)
{
    const pid_t child = ::vfork();
    if (child == 0) {
        failure = become_program(plan);
        ::_exit(127);
    }
    return child;
}

running_child start(const std::vector<std::string>& arguments, const subprocess_options& options)
{
    static std::atomic<unsigned> count = 0;
    running_child child;
    std::vector<std::string> additions = options.environment;
    child.is_limited = options.time_limit > 0;
    child.marker = mark_of_what_we_started() + "." + std::to_string(++count);
    additions.push_back(child.marker);
    watch_for_orphans();
    // What it leaves behind becomes our child, and can be found and ended.
    if (child.is_limited) ::prctl(PR_SET_CHILD_SUBREAPER, 1);
    std::vector<std::string> argument_texts = arguments;
    std::vector<std::string> environment_texts = merged_environment(additions);
    std::vector<char*> argument_pointers = pointers(argument_texts), environment_pointers = pointers(environment_texts);
    const two_ends ends = pipe_of_child();
    volatile int failure = 0;
    child.output = ends.read;
    child.process = start_child({.directory = options.directory.empty() ? nullptr : options.directory.c_str(),
                                 .output = ends.write,
                                 .own_group = child.is_limited,
                                 .parent = ::getpid(),
                                 .arguments = argument_pointers.data(),
                                 .environment = environment_pointers.data()},
                                failure);
    if (child.process < 0) failure = errno;
    ::close(ends.write);
    if (failure != 0) {
        ::close(ends.read);
        if (child.process > 0) ::waitpid(child.process, nullptr, 0);
        throw_system_error(
            "cannot run " + arguments.front(), failure,
            is_machine_failure(failure) ? "close some programs and try again" : "check that it is installed",
            exit_status::missing);
    }
    ::fcntl(child.output, F_SETFL, O_NONBLOCK);
    return child;
}

// Ends a child with a time limit, and all of its group, when its time is over or we are interrupted.
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

// What there is to read at the moment. False: there is nothing more to come.
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

// Reads until the child has ended. Others may hold its output open for ever: what the child wrote itself is in the pipe
// when it has ended. Returns how it ended, as waitpid says it.
int wait_and_read(const running_child& child, std::size_t cap, time_limit& limit, subprocess_result& result)
{
    const int ending = static_cast<int>(::syscall(SYS_pidfd_open, child.process, 0));  // -1: an old kernel
    bool is_open = true;
    int status = 0;
    rusage usage{};
    pid_t ended = 0;
    std::chrono::microseconds pause(20);  // without a descriptor of the child's end, once its output is closed
    while (ended == 0) {
        if (is_open || ending >= 0) {
            std::array<pollfd, 2> ready{{{.fd = is_open ? child.output : -1, .events = POLLIN, .revents = 0},
                                         {.fd = ending, .events = POLLIN, .revents = 0}}};
            ::poll(ready.data(), ready.size(), 50);
        } else {
            std::this_thread::sleep_for(pause);
            pause = std::min(pause * 2, std::chrono::microseconds(5000));
        }
        limit.enforce();
        if (is_open) is_open = read_what_is_there(child, cap, result.output);
        ended = ::wait4(child.process, &status, WNOHANG, &usage);
        if (ended < 0 && errno == EINTR) ended = 0;
    }
    if (is_open) read_what_is_there(child, cap, result.output);
    result.peak_bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
    if (ending >= 0) ::close(ending);
    ::close(child.output);
    return status;
}

// Our children, those that others have left to us among them.
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

// Ended and not yet waited for.
bool is_zombie(pid_t process)
{
    const std::string text = content_of_process_file(process, "stat");
    const std::size_t name_end = text.rfind(')');
    return name_end == std::string::npos || text.compare(name_end, 3, ") Z") == 0;
}

// A daemon is in no group of ours, but it has the environment that it was started with.
void end_what_was_left(const running_child& child)
{
    ::kill(-child.process, SIGKILL);
    constexpr int max_waits_ms = 1000;  // one that cannot be ended now is not waited for
    for (int waited_ms = 0; waited_ms < max_waits_ms;) {
        const pid_t ended = ::waitpid(-child.process, nullptr, WNOHANG);
        if (ended < 0 && errno != EINTR) break;
        if (ended == 0) {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            ++waited_ms;
        }
    }
    // Each that is ended leaves its own children to us.
    constexpr int max_rounds = 100;
    for (int round = 0; round < max_rounds; ++round) {
        bool found = false, is_unsure = false;
        for (const pid_t other : own_children()) {
            const std::string environment = content_of_process_file(other, "environ");
            // While it becomes another program, a process has no environment.
            if (environment.empty() && !is_zombie(other)) is_unsure = true;
            if (('\0' + environment).find('\0' + child.marker + '\0') == std::string::npos) continue;
            ::kill(other, SIGKILL);
            ::waitpid(other, nullptr, 0);
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
    const int status = wait_and_read(child, options.output_cap, limit, result);
    result.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : shell_signals + result.signal;
    result.seconds = std::chrono::duration<double>(clock::now() - begin).count();
    result.timed_out = limit.was_reached();
    if (child.is_limited) end_what_was_left(child);
    return result;
}

int signal_in_status(int exit_code)
{
    constexpr int last_signal = 31;  // those above are for programs to send themselves, and end none by accident
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
