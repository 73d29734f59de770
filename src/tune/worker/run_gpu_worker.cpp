// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include "support/error.hpp"
#include "tune/worker/gpu_session.hpp"
#include "tune/worker/gpu_worker.hpp"
#include "tune/worker/worker_messages.hpp"

namespace launchbox {

namespace {

// Kernels that print use standard output, so answers to the parent go where they cannot reach.
class answer_pipe {
public:
    answer_pipe() : to_(::dup(STDOUT_FILENO)) { ::dup2(STDERR_FILENO, STDOUT_FILENO); }

    void send(std::string line) const
    {
        line += '\n';
        for (std::size_t sent = 0; sent < line.size();) {
            const ssize_t now = ::write(to_, line.data() + sent, line.size() - sent);
            if (now < 0 && errno == EINTR) continue;
            if (now <= 0) ::_exit(0);  // the parent is gone
            sent += static_cast<std::size_t>(now);
        }
    }

private:
    int to_;
};

// Skips the destructors of a driver whose context is dead, or that waits for a kernel that never ends.
[[noreturn]] void leave(const answer_pipe& parent, const measurement& answer)
{
    parent.send(answer_line(answer));
    ::_exit(0);
}

measurement no_gpu(measurement answer)
{
    answer.status = outcome::device_lost;
    answer.sticky = true;
    return answer;
}

// The address layout of a process is random: after a restart, the addresses that are taken now may be free.
void start_again(int device, const std::vector<std::string>& captures)
{
    constexpr const char* count_variable = "LAUNCHBOX_WORKER_STARTS";
    constexpr int max_starts = 8;
    const char* const before = std::getenv(count_variable);
    const int starts = before == nullptr ? 1 : std::atoi(before) + 1;
    if (starts >= max_starts) return;
    ::setenv(count_variable, std::to_string(starts).c_str(), 1);
    std::vector<std::string> words{"launchbox", "--worker", "gpu", std::to_string(device)};
    words.insert(words.end(), captures.begin(), captures.end());
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv("/proc/self/exe", arguments.data());
}

}  // namespace

int run_gpu_worker(int device, const std::vector<std::string>& captures)
{
    // Before the context takes addresses itself, and before standard output is redirected.
    const reserved_addresses addresses(device, captures);
    if (!addresses.missing().empty()) start_again(device, captures);
    const answer_pipe parent;
    std::optional<gpu_session> session;
    try {
        session.emplace(device, addresses, [&](worker_phase phase) { parent.send(phase_line(phase)); });
    } catch (const cuda_failure& failure) {
        leave(parent, no_gpu(measurement_of(loaded_cuda_driver(), failure)));
    } catch (const gpu_hang& hang) {
        leave(parent, no_gpu(measurement_of(hang)));
    } catch (const error& failure) {
        leave(parent, no_gpu({.reason = failure.what()}));
    }
    parent.send(phase_line(worker_phase::ready));

    std::string line;
    while (std::getline(std::cin, line)) {
        measurement answer;
        try {
            answer = session->run(task_of(line));
        } catch (const error& failure) {
            answer = {.status = outcome::rejected, .reason = failure.what()};
        }
        if (answer.sticky) leave(parent, answer);
        parent.send(answer_line(answer));
        try {
            session->finish();
        } catch (...) {
            // A new process does the next task, and finds out what is wrong.
            ::_exit(0);
        }
    }
    ::_exit(0);
}

}  // namespace launchbox
