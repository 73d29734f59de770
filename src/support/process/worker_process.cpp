// SPDX-License-Identifier: Apache-2.0
#include "support/process/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <mutex>

#include "support/error.hpp"
#include "support/process/machine_failure.hpp"
#include "support/process/subprocess.hpp"

extern char** environ;

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t errors_kept = 4096;
constexpr std::size_t longest_line = std::size_t{64} << 20;

struct pipe_ends {
    int read = -1, write = -1;
};

pipe_ends new_pipe()
{
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0)
        throw_system_error("cannot make a pipe", errno, "close some programs and try again", exit_status::missing);
    return {ends[0], ends[1]};
}

// What the child does between fork and exec: only what is safe in a program with threads.
[[noreturn]] void become(const worker_options& options, pid_t parent, const pipe_ends& in, const pipe_ends& out,
                         const pipe_ends& err, char** arguments, char** environment)
{
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);  // it ended before the line above
    ::dup2(in.read, STDIN_FILENO);
    ::dup2(out.write, STDOUT_FILENO);
    ::dup2(err.write, STDERR_FILENO);
    if (options.memory_limit != 0) {
        const rlimit limit{.rlim_cur = options.memory_limit, .rlim_max = options.memory_limit};
        ::setrlimit(RLIMIT_AS, &limit);
    }
    if (options.niceness > 0) ::setpriority(PRIO_PROCESS, 0, options.niceness);
    ::signal(SIGPIPE, SIG_DFL);
    ::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the process that decides what to keep
    ::execve(arguments[0], arguments, environment);
    ::_exit(127);
}

}  // namespace

worker_process::worker_process(const std::vector<std::string>& command, const worker_options& options)
{
    const std::string program =
        command.front().find('/') == std::string::npos ? find_in_path(command.front()).string() : command.front();
    if (program.empty() || ::access(program.c_str(), X_OK) != 0)
        throw error("cannot run " + command.front() + " as a worker", "check that it is there and may be run",
                    exit_status::missing);
    std::vector<std::string> words = command;
    words.front() = program;
    std::vector<std::string> variables = options.environment;
    for (char** letter = environ; *letter != nullptr; ++letter) variables.emplace_back(*letter);
    std::vector<char*> arguments, environment;
    for (std::string& word : words) arguments.push_back(word.data());
    for (std::string& variable : variables) environment.push_back(variable.data());
    arguments.push_back(nullptr);
    environment.push_back(nullptr);

    // PR_SET_PDEATHSIG speaks of the thread that forks. Threads of ours that start workers wait for them, too.
    const pipe_ends in = new_pipe(), out = new_pipe(), err = new_pipe();
    const pid_t parent = ::getpid();
    child_ = ::fork();
    if (child_ == 0) become(options, parent, in, out, err, arguments.data(), environment.data());
    const int failure = errno;
    for (const int end : {in.read, out.write, err.write}) ::close(end);
    if (child_ < 0) {
        for (const int end : {in.write, out.read, err.read}) ::close(end);
        throw_system_error("cannot start a worker", failure, "close some programs and try again", exit_status::missing);
    }
    ::setpgid(child_, child_);
    to_ = in.write;
    from_ = out.read;
    errors_ = err.read;
    ::fcntl(errors_, F_SETFL, O_NONBLOCK);
}

worker_process::~worker_process()
{
    kill();
}

bool worker_process::send(const std::string& line)
{
    if (to_ < 0) return false;
    // A worker that is gone is an answer, not a reason to die: the signal is held back for this write.
    sigset_t pipe_signal, before;
    sigemptyset(&pipe_signal);
    sigaddset(&pipe_signal, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_signal, &before);
    const std::string text = line + "\n";
    std::size_t sent = 0;
    bool broken = false;
    while (sent < text.size() && !broken) {
        const ssize_t now = ::write(to_, text.data() + sent, text.size() - sent);
        if (now < 0 && errno == EINTR) continue;
        if (now <= 0)
            broken = true;
        else
            sent += static_cast<std::size_t>(now);
    }
    if (broken) {
        const timespec at_once{};
        ::sigtimedwait(&pipe_signal, nullptr, &at_once);
    }
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return !broken;
}

worker_process::answer worker_process::receive(double seconds)
{
    const clock::time_point deadline =
        clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds));
    for (;;) {
        if (const std::size_t end = unread_.find('\n'); end != std::string::npos) {
            answer result{event::line, unread_.substr(0, end)};
            unread_.erase(0, end + 1);
            return result;
        }
        if (from_ < 0 || unread_.size() > longest_line) {
            kill();
            return {event::ended};
        }
        const double left = std::chrono::duration<double>(deadline - clock::now()).count();
        if (left <= 0) return {event::silence};
        std::array<pollfd, 2> ready{{{from_, POLLIN, 0}, {errors_, POLLIN, 0}}};
        ::poll(ready.data(), errors_ < 0 ? 1 : 2, static_cast<int>(std::min(left * 1000 + 1, 1e6)));
        if (errors_ >= 0 && ready[1].revents != 0) read_errors();
        if (ready[0].revents == 0) continue;
        std::array<char, 1 << 16> buffer{};
        const ssize_t got = ::read(from_, buffer.data(), buffer.size());
        if (got > 0) {
            unread_.append(buffer.data(), static_cast<std::size_t>(got));
        } else if (got == 0 || errno != EINTR) {
            reap();
            return {event::ended};
        }
    }
}

void worker_process::read_errors()
{
    std::array<char, 4096> buffer{};
    ssize_t got = 0;
    while ((got = ::read(errors_, buffer.data(), buffer.size())) > 0) {
        last_errors_.append(buffer.data(), static_cast<std::size_t>(got));
        if (last_errors_.size() > errors_kept) last_errors_.erase(0, last_errors_.size() - errors_kept);
    }
    if (got == 0 || (got < 0 && errno != EAGAIN && errno != EINTR)) {
        ::close(errors_);
        errors_ = -1;
    }
}

void worker_process::kill()
{
    if (child_ > 0) {
        ::kill(-child_, SIGKILL);
        ::kill(child_, SIGKILL);
    }
    reap();
}

// Its group is ended with it: what it started is of no use without it.
void worker_process::reap()
{
    if (child_ > 0) {
        int status = 0;
        rusage usage{};
        // It has closed its output or was killed: a moment is enough, and one that only closed its output is ended.
        pid_t ended = 0;
        for (int wait_ms = 0; wait_ms < 200 && (ended = ::wait4(child_, &status, WNOHANG, &usage)) == 0; ++wait_ms)
            ::poll(nullptr, 0, 1);
        ::kill(-child_, SIGKILL);
        while (ended != child_ && (ended = ::wait4(child_, &status, 0, &usage)) < 0 && errno == EINTR) {
        }
        const auto seconds = [](const timeval& time) {
            return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
        };
        cpu_seconds_ = seconds(usage.ru_utime) + seconds(usage.ru_stime);
        peak_bytes_ = static_cast<std::size_t>(usage.ru_maxrss) * 1024;
        exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        if (errors_ >= 0) read_errors();
        ending_ = WIFEXITED(status) ? "exit status " + std::to_string(WEXITSTATUS(status))
                                    : "killed by signal " + std::to_string(WTERMSIG(status)) + " (" +
                                          ::strsignal(WTERMSIG(status)) + ")";
        if (const std::string said = last_line(last_errors_); !said.empty()) ending_ += ": " + said.substr(0, 300);
        child_ = 0;
    }
    for (int* end : {&to_, &from_, &errors_}) {
        if (*end >= 0) ::close(*end);
        *end = -1;
    }
}

std::string this_program()
{
    std::error_code failure;
    const std::filesystem::path program = std::filesystem::read_symlink("/proc/self/exe", failure);
    return failure ? "launchbox" : program.string();
}

}  // namespace launchbox
