// Compilers in killable processes: every job ends, whatever its compiler does.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "support/files/files.hpp"
#include "support/process/thread_group.hpp"
#include "support/process/worker_process.hpp"
#include "tune/build/compile_worker.hpp"

namespace launchbox {

struct pool_options {
    unsigned jobs = 1;
    std::vector<std::string> worker;  ///< the command that starts one
    double seconds = 300;             ///< a job that takes longer is stopped
    std::int64_t memory_bytes = 0;    ///< so is one that takes more address space; 0: any
};

struct pool_answer {
    enum class ending { answered, timeout, out_of_memory, died };
    ending how = ending::answered;
    compile_answer answer = {};
    std::string reason = {};           ///< one line, unless it answered
    double seconds = 0;                ///< of wall time
    std::string machine_failure = {};  ///< what the machine lacked, where it did not succeed
};

/// Each worker has its own thread, since a worker ends with the thread that started it.
class compile_pool {
public:
    explicit compile_pool(const pool_options& options);
    ~compile_pool();
    compile_pool(const compile_pool&) = delete;
    compile_pool& operator=(const compile_pool&) = delete;

    /// Waits for a free compiler. Many threads may call it. Throws `machine_error` if the machine lacks something that
    /// every compile needs, `error` if no worker can be started, and with status `interrupted` after an interrupt
    /// (support/interrupt.hpp), which stops the job.
    pool_answer compile(const compile_job& job);

    /// Stops the compilers at work and drops waiting jobs: those calls of `compile` throw `error` with status
    /// `interrupted`. Later calls are not affected.
    void give_up();

    [[nodiscard]] double seconds() const;  ///< of wall time, of all compilers together
    [[nodiscard]] std::size_t compiles() const;

private:
    struct waiting_job {
        compile_job job;
        unsigned period = 0;  // when it came: see `give_up`
        std::promise<pool_answer> answer;
    };
    class compiler;
    void work(std::size_t number);
    [[nodiscard]] bool is_given_up(const waiting_job& job) const;

    pool_options options_;
    temporary_directory folder_;
    mutable std::mutex lock_;
    std::condition_variable wake_;
    std::deque<waiting_job> waiting_;
    bool stopping_ = false;
    std::atomic<unsigned> period_ = 0;  // one more with each `give_up`
    double seconds_ = 0;
    std::size_t compiles_ = 0;
    thread_group threads_;  // last: they use all of the above
};

}  // namespace launchbox
