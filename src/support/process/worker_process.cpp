// SPDX-License-Identifier: Apache-2.0
#include "support/process/worker_process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <utility>

#include "support/error.hpp"
#include "support/process/machine_failure.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t errors_kept = 4096;
constexpr std::size_t longest_line = std::size_t{64} << 20;

}  // namespace

worker_process::worker_process(const std::vector<std::string>& command, const worker_options& options)
{
    child_pipe in, out, err;
    // Ctrl-C is handled by the process that decides what to keep. Threads that start workers also wait for them.
    const started_child started = start_program(command, {.streams = {in.read, out.write, err.write},
                                                          .environment = options.environment,
                                                          .own_group = true,
                                                          .memory_limit = options.memory_limit,
                                                          .niceness = options.niceness,
                                                          .signals = {{SIGPIPE, SIG_DFL}, {SIGINT, SIG_IGN}}});
    if (is_machine_failure(started.failure))
        throw_system_error("cannot start a worker", started.failure, "close some programs and try again",
                           exit_status::missing);
    if (started.failure != 0)
        throw error("cannot run " + command.front() + " as a worker", "check that it exists and is executable",
                    exit_status::missing);
    child_ = started.process;
    to_ = std::exchange(in.write, -1);
    from_ = std::exchange(out.read, -1);
    errors_ = std::exchange(err.read, -1);
    ::fcntl(errors_, F_SETFL, O_NONBLOCK);
}

worker_process::~worker_process()
{
    kill();
}

bool worker_process::send(const std::string& line)
{
    if (to_ < 0) return false;
    // A worker that has ended is reported, and must not end us: SIGPIPE is blocked for this write.
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
    for (std::size_t searched = 0;;) {
        if (const std::size_t end = unread_.find('\n', searched); end != std::string::npos) {
            answer result{event::line, unread_.substr(0, end)};
            unread_.erase(0, end + 1);
            return result;
        }
        searched = unread_.size();
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

void worker_process::stop()
{
    if (child_ <= 0) return;
    ::kill(-child_, SIGKILL);
    ::kill(child_, SIGKILL);
}

void worker_process::kill()
{
    stop();
    reap();
}

// Its group is ended with it: its descendants are useless without it.
void worker_process::reap()
{
    if (child_ > 0) {
        // It has closed its output or was killed: wait a moment, and kill one that only closed its output.
        for (int wait_ms = 0; wait_ms < 200 && !(ended_ = wait_for_child(child_, WNOHANG)); ++wait_ms)
            ::poll(nullptr, 0, 1);
        ::kill(-child_, SIGKILL);
        if (!ended_) ended_ = wait_for_child(child_);
        if (errors_ >= 0) read_errors();
        const int signal = ended_->signal;
        ending_ = signal == 0 ? "exit status " + std::to_string(ended_->exit_code)
                              : "killed by signal " + std::to_string(signal) + " (" + ::strsignal(signal) + ")";
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
