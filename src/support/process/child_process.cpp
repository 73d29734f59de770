// SPDX-License-Identifier: Apache-2.0
#include "support/process/child_process.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <string_view>

#include "support/process/machine_failure.hpp"

extern char** environ;

namespace launchbox {

namespace {

constexpr std::size_t number_digits = 20;

// Everything that the child needs, prepared before it starts.
struct child_plan {
    const child_options& options;
    const std::function<void()>* body = nullptr;  // null: it executes a program
    char **arguments = nullptr, **environment = nullptr;
    char* number_text = nullptr;  // in the environment
    const sigset_t* blocked = nullptr;
    pid_t parent = ::getpid();
};

// The pipes come first: if one of our streams is closed, /dev/null gets its number.
bool set_streams(const std::array<int, 3>& streams)
{
    for (std::size_t i = 0; i < streams.size(); ++i)
        if (streams[i] >= 0 && ::dup2(streams[i], static_cast<int>(i)) < 0) return false;
    for (std::size_t i = 0; i < streams.size(); ++i) {
        const int null = streams[i] == no_stream ? ::open("/dev/null", O_RDWR) : STDIN_FILENO;
        if (null < 0 || (streams[i] == no_stream && ::dup2(null, static_cast<int>(i)) < 0)) return false;
        if (null > STDERR_FILENO) ::close(null);
    }
    return true;
}

// Runs in the child, which may share our memory, and where another thread may have held any lock: only system calls are
// allowed. Returns an error number.
int set_up(const child_plan& plan)
{
    const child_options& options = plan.options;
    if (options.own_group) ::setpgid(0, 0);
    if (options.ends_with_us) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (options.ends_with_us && ::getppid() != plan.parent) return ESRCH;  // the parent ended before the line above
    for (int number = 1; number < NSIG; ++number) {
        struct sigaction action = {};
        if (::sigaction(number, nullptr, &action) == 0 && action.sa_handler != SIG_IGN) ::signal(number, SIG_DFL);
    }
    for (const auto& [number, action] : options.signals) ::signal(number, action);
    if (!set_streams(options.streams)) return errno;
    const rlimit limit{.rlim_cur = options.memory_limit, .rlim_max = options.memory_limit};
    if (options.memory_limit != 0) ::setrlimit(RLIMIT_AS, &limit);
    if (options.niceness > 0) ::setpriority(PRIO_PROCESS, 0, options.niceness);
    if (!options.directory.empty() && ::chdir(options.directory.c_str()) != 0) return errno;
    if (plan.number_text != nullptr) std::to_chars(plan.number_text, plan.number_text + number_digits, ::getpid());
    ::sigprocmask(SIG_SETMASK, plan.blocked, nullptr);
    return 0;
}

[[noreturn]] void be_child(const child_plan& plan, volatile int& failure) noexcept
{
    failure = set_up(plan);
    if (failure == 0 && plan.body != nullptr) {
        (*plan.body)();
        ::_exit(0);
    }
    if (failure == 0) {
        ::execvpe(plan.arguments[0], plan.arguments, plan.environment);
        failure = errno;
    }
    ::_exit(127);
}

// For a program, avoids fork, which would copy the page tables of a large process.
[[gnu::noinline]] pid_t fork_child(const child_plan& plan, volatile int& failure)
{
    const pid_t child = plan.body != nullptr ? ::fork() : ::vfork();
    if (child == 0) be_child(plan, failure);
    return child;
}

started_child start(child_plan plan)
{
    sigset_t all, before;
    ::sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);  // so that no handler of ours runs in the child
    plan.blocked = plan.options.blocked != nullptr ? plan.options.blocked : &before;
    volatile int failure = 0;
    const pid_t child = fork_child(plan, failure);
    if (child < 0) failure = errno;
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    if (failure == 0) return {child, 0};
    if (child > 0) wait_for_child(child);
    return {0, failure};
}

std::vector<char*> pointers(std::vector<std::string>& texts)
{
    std::vector<char*> result;
    for (std::string& text : texts) result.push_back(text.data());
    result.push_back(nullptr);
    return result;
}

void add_our_environment(std::vector<std::string>& environment)
{
    const std::vector<std::string> additions = environment;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        const std::string_view text(*entry), name = text.substr(0, text.find('=') + 1);
        if (std::ranges::none_of(additions, [&](const std::string& added) { return added.starts_with(name); }))
            environment.emplace_back(text);
    }
}

void close_ends(child_pipe& ends)
{
    for (int* end : {&ends.read, &ends.write})
        if (*end >= 0) ::close(std::exchange(*end, -1));
}

}  // namespace

child_pipe::child_pipe()
{
    std::array<int, 2> ends{-1, -1};
    if (::pipe2(ends.data(), O_CLOEXEC) == 0)
        for (int& end : ends)  // skip numbers of closed standard streams, which the child uses
            if (end <= STDERR_FILENO) ::close(std::exchange(end, ::fcntl(end, F_DUPFD_CLOEXEC, STDERR_FILENO + 1)));
    const int failure = errno;
    read = ends[0];
    write = ends[1];
    if (read >= 0 && write >= 0) return;
    close_ends(*this);
    throw_system_error("cannot make a pipe", failure, "close some programs and try again", exit_status::missing);
}

child_pipe::~child_pipe()
{
    close_ends(*this);
}

started_child start_program(const std::vector<std::string>& arguments, const child_options& options)
{
    const std::string& number = options.number_variable;
    std::vector<std::string> words = arguments, environment = options.environment;
    if (!number.empty()) environment.insert(environment.begin(), number + "=" + std::string(number_digits, '\0'));
    add_our_environment(environment);
    std::vector<char*> word_pointers = pointers(words), environment_pointers = pointers(environment);
    return start({.options = options,
                  .arguments = word_pointers.data(),
                  .environment = environment_pointers.data(),
                  .number_text = number.empty() ? nullptr : environment_pointers.front() + number.size() + 1});
}

started_child start_copy(const child_options& options, const std::function<void()>& body)
{
    return start({.options = options, .body = &body});
}

std::optional<child_ending> wait_for_child(pid_t process, int options)
{
    int status = 0;
    rusage usage{};
    pid_t ended = 0;
    while ((ended = ::wait4(process, &status, options, &usage)) < 0 && errno == EINTR) {
    }
    if (ended == 0) return std::nullopt;
    constexpr int shell_signals = 128;  // what shells add to the number of a signal
    const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    return child_ending{.exit_code = signal != 0 ? shell_signals + signal : WEXITSTATUS(status),
                        .signal = signal,
                        .peak_bytes = static_cast<std::size_t>(usage.ru_maxrss) * 1024};
}

}  // namespace launchbox
