// SPDX-License-Identifier: Apache-2.0
#include "capture/session/observed_program.hpp"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>

#include "support/error.hpp"
#include "support/process/clock.hpp"

namespace launchbox {

namespace {

constexpr std::array passed_on{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

volatile std::sig_atomic_t running_program = 0, interrupts = 0;

// What comes from the terminal (si_code > 0) has gone to the program, too.
void pass_on(int number, siginfo_t* from, void*)
{
    const pid_t program = running_program;
    if (program <= 0) return;
    const int before = errno;
    if (number == SIGINT) interrupts = interrupts + 1;
    if (interrupts >= 3)
        ::kill(program, SIGKILL);
    else if (from->si_code <= 0)
        ::kill(program, number);
    errno = before;
}

// While it lives, signals go to the program. Those that are ignored, as nohup has it, stay ignored in both.
class signal_forwarding {
public:
    signal_forwarding()
    {
        struct sigaction action = {};
        action.sa_sigaction = pass_on;
        action.sa_flags = SA_SIGINFO | SA_RESTART;
        for (std::size_t i = 0; i < passed_on.size(); ++i) {
            ::sigaction(passed_on[i], nullptr, &before_[i]);
            if (before_[i].sa_handler != SIG_IGN) ::sigaction(passed_on[i], &action, nullptr);
        }
    }
    ~signal_forwarding()
    {
        running_program = 0;
        for (std::size_t i = 0; i < passed_on.size(); ++i) ::sigaction(passed_on[i], &before_[i], nullptr);
    }
    signal_forwarding(const signal_forwarding&) = delete;
    signal_forwarding& operator=(const signal_forwarding&) = delete;

private:
    std::array<struct sigaction, passed_on.size()> before_{};
};

// In the child. Writes the number of the error to `failure`, which closes by itself if there is none.
[[noreturn]] void become_observed(const std::vector<std::string>& arguments, const program_environment& environment,
                                  const sigset_t& mask, int failure)
{
    std::vector<char*> words;
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    for (const auto& [name, value] : environment.variables) ::setenv(name.c_str(), value.c_str(), 1);
    if (!environment.own_number.empty())
        ::setenv(environment.own_number.c_str(), std::to_string(::getpid()).c_str(), 1);
    for (const int number : passed_on) {
        struct sigaction action = {};
        ::sigaction(number, nullptr, &action);
        if (action.sa_handler != SIG_IGN) std::signal(number, SIG_DFL);
    }
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::execvp(words.front(), words.data());
    const int number = errno;
    static_cast<void>(!::write(failure, &number, sizeof(number)));
    ::_exit(127);
}

}  // namespace

program_ending run_observed(const std::vector<std::string>& arguments, const program_environment& environment)
{
    const auto refused = [&](int number) {
        return error("cannot run " + arguments.front() + ": " + std::strerror(number),
                     "what follows -- is a program and its arguments", exit_status::bad_input);
    };
    std::array<int, 2> failure{};
    if (::pipe2(failure.data(), O_CLOEXEC) != 0) throw refused(errno);
    const signal_forwarding forwarding;
    // A signal that arrives before the program is started is kept for it.
    sigset_t all, mask;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &mask);
    const auto begin = std::chrono::steady_clock::now();
    const pid_t child = ::fork();
    if (child == 0) become_observed(arguments, environment, mask, failure[1]);
    interrupts = 0;
    running_program = child;
    ::sigprocmask(SIG_SETMASK, &mask, nullptr);
    ::close(failure[1]);

    int number = child < 0 ? errno : 0;
    while (child > 0 && ::read(failure[0], &number, sizeof(number)) < 0 && errno == EINTR) {
    }
    ::close(failure[0]);
    int status = 0;
    while (child > 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (number != 0) throw refused(number);
    program_ending ending{.status = 0, .signal = 0, .seconds = seconds_since(begin), .process = child};
    ending.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
    ending.status = ending.signal != 0 ? 128 + ending.signal : WEXITSTATUS(status);
    return ending;
}

}  // namespace launchbox
