// A process in which candidates are launched, and which may die or hang: started, asked, and ended when it is silent.
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

/// What a worker is asked, and how long it may be silent while it does what it has announced. What cannot be
/// interrupted from within (a call that does not return) ends here.
struct worker_question {
    std::string line;
    std::array<double, worker_phase_count> silence_seconds{};
    std::size_t max_phases = 0;  ///< so many are announced before it has to answer; 0: no limit
};

struct measuring_worker_options {
    std::vector<std::string> command, environment;
    std::string name;            ///< what a new one is to get: "GPU 0"
    double start_seconds = 120;  ///< until it is ready
    std::function<worker_message(const std::string& line)> read = message_of;
    std::string work = "the kernel";  ///< what is loaded and launched, in messages
    /// Before it is ready, a new one runs code of the user's: that may print, and where it fails once it fails always.
    bool sets_up_users_code = false;
    std::size_t memory_bytes = 0;  ///< one that has more is ended; 0: no limit
    /// Looked at while it works: what it is doing is not waited for any more. Empty: it is waited for.
    std::function<bool()> is_over = {};
};

/// Starts the process when it is first needed, and again after it died or could not go on. Not for two threads at once.
class measuring_worker {
public:
    explicit measuring_worker(measuring_worker_options options);
    ~measuring_worker();

    /// Starts the process now, so that it is ready by the time it is needed. It ends with the calling thread.
    void start();
    /// Waits until it is ready. Empty: it is. Else why none could be brought to that.
    std::string make_ready();
    /// The process ends, and nobody waits for it: a GPU takes its time to free what it held. For the end of a run.
    void stop();
    /// The next question goes to a new process.
    void end();

    /// Never throws for what a candidate does. A worker that dies, or does not answer in time, is one death: then
    /// `worker_died` or `hang`, and the next call starts another. `device_lost`: no new one gets ready.
    measurement ask(const worker_question& question);

    [[nodiscard]] int starts() const;     ///< processes so far
    [[nodiscard]] pid_t process() const;  ///< 0: none is running

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace launchbox
