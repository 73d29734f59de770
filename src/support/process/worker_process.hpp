// A child process that does jobs in sequence, exchanges lines with us, and can be ended at any moment.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "support/process/child_process.hpp"

namespace launchbox {

struct worker_options {
    std::vector<std::string> environment;  ///< NAME=value, added to ours
    std::size_t memory_limit = 0;          ///< bytes of address space (RLIMIT_AS); 0: no limit
    int niceness = 0;                      ///< 0 to 19; higher values give way to others
};

/// Lines go to its standard input and come from its standard output; the end of its standard error is kept. It has its
/// own process group, which is killed when this goes out of scope, and dies with the process that started it, however
/// that ends. Not thread-safe.
class worker_process {
public:
    /// Throws `error` with status `missing` if it cannot be started, or `machine_error` if the machine has no room for
    /// another process.
    worker_process(const std::vector<std::string>& command, const worker_options& options = {});
    ~worker_process();
    worker_process(const worker_process&) = delete;
    worker_process& operator=(const worker_process&) = delete;

    /// Sends one line (without line feed). False if it has ended.
    bool send(const std::string& line);
    /// Ends it without waiting.
    void stop();

    enum class event { line, silence, ended };
    struct answer {
        event what = event::silence;
        std::string line = {};  ///< without line feed
    };
    /// The next line, waiting at most `seconds`; an interrupt does not end the wait.
    answer receive(double seconds);

    /// Kills its process group and waits for it.
    void kill();

    [[nodiscard]] bool running() const { return child_ > 0; }
    [[nodiscard]] pid_t process() const { return child_; }
    /// How it ended, in words ("killed by signal 11 (Segmentation fault)", "exit status 3"), with the last line of its
    /// standard error. Empty while it runs.
    [[nodiscard]] const std::string& ending() const { return ending_; }
    /// Valid once it has ended. 128 + the signal's number if a signal ended it.
    [[nodiscard]] int exit_code() const { return ended_->exit_code; }
    /// Peak memory of the largest among it and its children.
    [[nodiscard]] std::size_t peak_bytes() const { return ended_->peak_bytes; }

private:
    void read_errors();
    void reap();

    pid_t child_ = 0;
    int to_ = -1, from_ = -1, errors_ = -1;
    std::string unread_, last_errors_, ending_;
    std::optional<child_ending> ended_;
};

/// The running program, to start it again as a worker.
std::string this_program();

}  // namespace launchbox
