// A process in which candidates are launched, and which may die or hang: starts it, asks it, and kills it if it is
// silent.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tune/types/measurement.hpp"
#include "tune/worker/worker_messages.hpp"

namespace launchbox {

/// A question to a worker, and how long it may be silent in each phase that it announces. A call that never returns can
/// only be ended from outside, here.
struct worker_question {
    std::string line;
    std::array<double, worker_phase_count> silence_seconds{};
    std::size_t max_phases = 0;  ///< so many are announced before it has to answer; 0: no limit
};

struct measuring_worker_options {
    std::vector<std::string> command, environment;
    std::string name;            ///< "GPU 0", for messages; may be empty
    double start_seconds = 120;  ///< until it is ready
    std::function<worker_message(const std::string& line)> read = message_of;
    std::string work = "the kernel";  ///< what is loaded and launched, in messages
    /// A new worker runs user code before it is ready: that code may print, and if it fails once it will fail every
    /// time.
    bool sets_up_users_code = false;
    std::size_t memory_bytes = 0;  ///< one that has more is ended; 0: no limit
    /// Polled while it works: true stops waiting for it. Empty: always wait.
    std::function<bool()> is_over = {};
};

/// Starts the process when it is first needed, and again after it died or became unusable. Not thread-safe.
class measuring_worker {
public:
    explicit measuring_worker(measuring_worker_options options);
    ~measuring_worker();

    /// Starts the process now, so that it is ready by the time it is needed. It ends with the calling thread.
    void start();
    /// Waits until it is ready. Returns empty, or the reason why no process became ready.
    std::string make_ready();
    /// Ends the process without waiting: a GPU takes time to free its memory. For the end of a run.
    void stop();
    /// Sends the next question to a new process.
    void end();

    /// Never throws because of a candidate. A worker that dies, or does not answer in time, counts as one death: the
    /// result is `worker_died` or `hang`, and the next call starts another. `device_lost`: no new process becomes
    /// ready.
    measurement ask(const worker_question& question);

    [[nodiscard]] int starts() const;     ///< processes so far
    [[nodiscard]] pid_t process() const;  ///< 0: none is running

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace launchbox
