// SPDX-License-Identifier: Apache-2.0
#include "capture/session/observed_program.hpp"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

#include "support/error.hpp"
#include "support/process/child_process.hpp"
#include "support/process/clock.hpp"

namespace launchbox {

namespace {

constexpr std::array passed_on{SIGINT, SIGQUIT, SIGTERM, SIGHUP, SIGUSR1, SIGUSR2};

volatile std::sig_atomic_t running_program = 0, interrupts = 0;

// Signals from the terminal (si_code > 0) have reached the program, too.
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

// While this exists, signals go to the program. Ignored ones, as with nohup, stay ignored in both.
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

}  // namespace

program_ending run_observed(const std::vector<std::string>& arguments, const program_environment& environment)
{
    child_options options{.number_variable = environment.own_number, .ends_with_us = false};
    for (const auto& [name, value] : environment.variables) options.environment.push_back(name + "=" + value);
    const signal_forwarding forwarding;
    // A signal that arrives before the program starts is kept for it.
    sigset_t all, before;
    ::sigfillset(&all);
    ::sigprocmask(SIG_SETMASK, &all, &before);
    options.blocked = &before;
    const auto begin = std::chrono::steady_clock::now();
    const started_child started = start_program(arguments, options);
    interrupts = 0;
    running_program = started.process;
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (started.failure != 0)
        throw error("cannot run " + arguments.front() + ": " + std::strerror(started.failure),
                    "name a program that can be run: launchbox capture ./app", exit_status::bad_input);
    const child_ending ended = *wait_for_child(started.process);
    return {
        .status = ended.exit_code, .signal = ended.signal, .seconds = seconds_since(begin), .process = started.process};
}

}  // namespace launchbox
