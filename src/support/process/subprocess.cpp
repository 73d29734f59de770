// SPDX-License-Identifier: Apache-2.0
#include "support/process/subprocess.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <thread>

#include "support/error.hpp"
#include "support/process/interrupt.hpp"

extern char** environ;

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;

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
    int output = -1;  // the end of its pipe that is read
};

running_child start(const std::vector<std::string>& arguments, const subprocess_options& options)
{
    std::array<int, 2> pipe_ends{};
    if (::pipe2(pipe_ends.data(), O_CLOEXEC) != 0)
        throw error(std::string("cannot make a pipe: ") + std::strerror(errno), "close some programs and try again",
                    exit_status::missing);

    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, pipe_ends[1], STDERR_FILENO);
    if (!options.directory.empty()) posix_spawn_file_actions_addchdir_np(&actions, options.directory.c_str());

    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    if (options.time_limit > 0) {  // a group of its own, so that its children can be ended with it
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        posix_spawnattr_setpgroup(&attributes, 0);
    }

    std::vector<std::string> argument_texts = arguments;
    std::vector<std::string> environment_texts = merged_environment(options.environment);
    running_child child{.output = pipe_ends[0]};
    const int failure = ::posix_spawnp(&child.process, argument_texts.front().c_str(), &actions, &attributes,
                                       pointers(argument_texts).data(), pointers(environment_texts).data());
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    ::close(pipe_ends[1]);
    if (failure != 0) {
        ::close(pipe_ends[0]);
        throw error("cannot run " + arguments.front() + ": " + std::strerror(failure), "check that it is installed",
                    exit_status::missing);
    }
    return child;
}

// Ends a child with a time limit, and all of its group, when its time is over or we are interrupted.
class time_limit {
public:
    time_limit(const running_child& child, double seconds)
        : child_(child),
          is_set_(seconds > 0),
          deadline_(clock::now() + std::chrono::duration_cast<clock::duration>(std::chrono::duration<double>(seconds)))
    {
    }

    /// Whether there is a limit that may still have to be enforced.
    [[nodiscard]] bool is_pending() const { return is_set_ && !killed_; }
    [[nodiscard]] bool was_reached() const { return reached_; }

    void enforce()
    {
        reached_ = clock::now() >= deadline_;
        if (!reached_ && !interrupted()) return;
        ::kill(-child_.process, SIGKILL);
        killed_ = true;
    }

private:
    const running_child& child_;
    bool is_set_, killed_ = false, reached_ = false;
    clock::time_point deadline_;
};

std::string read_output(const running_child& child, std::size_t cap, time_limit& limit)
{
    std::string output;
    std::array<char, 1 << 16> buffer{};
    for (;;) {
        if (limit.is_pending()) {
            pollfd ready{.fd = child.output, .events = POLLIN, .revents = 0};
            const int events = ::poll(&ready, 1, 50);
            limit.enforce();
            if (events <= 0) continue;
        }
        const ssize_t got = ::read(child.output, buffer.data(), buffer.size());
        if (got < 0 && errno == EINTR) continue;
        if (got <= 0) break;
        const std::size_t room = cap - std::min(cap, output.size());
        output.append(buffer.data(), std::min(static_cast<std::size_t>(got), room));
    }
    ::close(child.output);
    return output;
}

// A program can close its output and go on.
int exit_code_of(const running_child& child, time_limit& limit)
{
    int status = 0;
    pid_t ended = 0;
    // Most end with their output: the time of a short program is not to be lost in waiting for it.
    std::chrono::microseconds pause(20);
    while (limit.is_pending() && (ended = ::waitpid(child.process, &status, WNOHANG)) == 0) {
        limit.enforce();
        std::this_thread::sleep_for(pause);
        pause = std::min(pause * 2, std::chrono::microseconds(5000));
    }
    while (ended != child.process && ::waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

subprocess_result run(const std::vector<std::string>& arguments, const subprocess_options& options)
{
    const running_child child = start(arguments, options);
    time_limit limit(child, options.time_limit);
    subprocess_result result;
    result.output = read_output(child, options.output_cap, limit);
    result.exit_code = exit_code_of(child, limit);
    result.timed_out = limit.was_reached();
    return result;
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
        const std::filesystem::path candidate = std::filesystem::path(folder) / program;
        std::error_code ignored;
        if (std::filesystem::is_regular_file(candidate, ignored) && ::access(candidate.c_str(), X_OK) == 0)
            return candidate;
    }
    return {};
}

}  // namespace launchbox
