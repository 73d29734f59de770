// SPDX-License-Identifier: Apache-2.0
#include "tune/build/compile_pool.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

#include "support/error.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/machine_failure.hpp"
#include "tune/build/compile_endings.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

using clock = std::chrono::steady_clock;

constexpr double look_up_seconds = 0.1;  // to notice an interrupt
constexpr int give_way = 5;              // measuring comes first
constexpr int shell_signals = 128;       // as exit statuses

double since(clock::time_point start)
{
    return std::chrono::duration<double>(clock::now() - start).count();
}

worker_options options_of(const pool_options& options, const fs::path& folder)
{
    // Files that a killed compiler leaves behind disappear with our folder.
    worker_options result{.environment = {"TMPDIR=" + folder.string()}, .niceness = give_way};
#ifndef __SANITIZE_ADDRESS__  // it reserves terabytes of address space
    result.memory_limit = static_cast<std::size_t>(std::max<std::int64_t>(options.memory_bytes, 0));
#else
    static_cast<void>(options);
#endif
    return result;
}

}  // namespace

// One worker process, restarted if it ended.
class compile_pool::compiler {
public:
    compiler(const compile_pool& pool, fs::path folder)
        : pool_(pool), options_(pool.options_), folder_(std::move(folder))
    {
        fs::create_directories(folder_);
    }

    // A compiler that died is tried once more, because some die for reasons of their machine. So is one that ran out of
    // memory in a process that had compiled before, since libraries keep some of it.
    pool_answer compile(const waiting_job& job)
    {
        using enum pool_answer::ending;
        const bool fresh = !worker_ || !worker_->running();
        pool_answer answer = try_to(job);
        const pool_answer::ending first = answer.how;
        if (first != died && (fresh || first != out_of_memory)) return answer;
        answer = try_to(job);
        if (first == died && answer.how == died) answer.reason += ", twice";
        return answer;
    }

private:
    pool_answer try_to(const waiting_job& waiting)
    {
        const machine_watch machine(folder_);
        try {
            pool_answer result = ask(waiting);
            if (!result.answer.output.succeeded() && result.machine_failure.empty())
                result.machine_failure = machine.lacked();
            return result;
        } catch (const machine_error&) {
            throw;
        } catch (const error& failure) {
            const std::string lacked = machine.lacked();
            if (failure.status() == exit_status::interrupted || lacked.empty()) throw;
            throw machine_error(lacked + ", so that " + failure.what(), failure.hint());
        }
    }

    pool_answer ask(const waiting_job& waiting)
    {
        clear();
        if (!worker_ || !worker_->running()) worker_.emplace(options_.worker, options_of(options_, folder_));
        const clock::time_point start = clock::now();
        worker_process::answer said{worker_process::event::ended};
        if (worker_->send(line_of(waiting.job, folder_))) {
            do {
                said = worker_->receive(std::clamp(options_.seconds - since(start), 0.0, look_up_seconds));
                if (pool_.is_given_up(waiting)) {
                    worker_->kill();
                    throw error("interrupted", {}, exit_status::interrupted);
                }
            } while (said.what == worker_process::event::silence && since(start) < options_.seconds);
        }
        pool_answer result = conclude(said, waiting.job.nvrtc);
        result.seconds = since(start);
        return result;
    }

    // Decides by statuses and figures: the compiler's output may quote the source.
    pool_answer conclude(const worker_process::answer& said, bool is_nvrtc)
    {
        using enum pool_answer::ending;
        if (said.what == worker_process::event::silence) {
            worker_->kill();
            return {timeout, {}, timeout_reason(options_.seconds)};
        }
        if (said.what == worker_process::event::ended) {
            worker_->kill();
            const int code = worker_->exit_code();
            if (code == worker_out_of_memory || took_its_memory(worker_->peak_bytes(), options_.memory_bytes))
                return {out_of_memory, {}, memory_reason(options_.memory_bytes)};
            return dead({}, worker_->ending(), code - shell_signals);
        }
        pool_answer result;
        result.answer = read_compile_answer(said.line, folder_);
        const nvcc_output& output = result.answer.output;
        if (output.succeeded()) return result;
        if (result.answer.out_of_memory || took_its_memory(result.answer.peak_bytes, options_.memory_bytes)) {
            worker_->kill();
            return {out_of_memory, std::move(result.answer), memory_reason(options_.memory_bytes)};
        }
        if (const int signal = is_nvrtc ? 0 : signal_of_nvcc(output.exit_code); signal != 0)
            return dead(std::move(result.answer), signal_text(signal), signal);
        return result;
    }

    // The system sends SIGKILL when memory runs out; nothing else kills a compiler that way.
    static pool_answer dead(compile_answer answer, const std::string& how, int signal)
    {
        pool_answer result{pool_answer::ending::died, std::move(answer), "the compiler died: " + how};
        if (signal == SIGKILL) result.machine_failure = result.reason;
        return result;
    }

    void clear() const
    {
        std::error_code ignored;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder_, ignored))
            fs::remove_all(entry.path(), ignored);
    }

    const compile_pool& pool_;
    const pool_options& options_;
    fs::path folder_;
    std::optional<worker_process> worker_;
};

compile_pool::compile_pool(const pool_options& options) : options_(options)
{
    const std::size_t wanted = std::max(1u, options_.jobs);
    while (threads_.size() < wanted && threads_.start([this, i = threads_.size()] { work(i); })) {
    }
    if (threads_.size() == 0) throw no_thread();
}

compile_pool::~compile_pool()
{
    {
        const std::lock_guard guard(lock_);
        stopping_ = true;
    }
    wake_.notify_all();
    threads_.join();
}

pool_answer compile_pool::compile(const compile_job& job)
{
    std::future<pool_answer> answer;
    {
        const std::lock_guard guard(lock_);
        waiting_.push_back({job, period_, std::promise<pool_answer>()});  // clang below 16 wants the braces
        answer = waiting_.back().answer.get_future();
    }
    wake_.notify_one();
    return answer.get();
}

void compile_pool::work(std::size_t number)
{
    compiler mine(*this, folder_.path() / std::to_string(number));
    for (;;) {
        waiting_job next;
        {
            std::unique_lock guard(lock_);
            wake_.wait(guard, [&] { return stopping_ || !waiting_.empty(); });
            if (waiting_.empty()) return;
            next = std::move(waiting_.front());
            waiting_.pop_front();
        }
        const clock::time_point start = clock::now();
        try {
            if (is_given_up(next)) throw error("interrupted", {}, exit_status::interrupted);
            pool_answer answer = mine.compile(next);
            {
                const std::lock_guard guard(lock_);
                seconds_ += since(start);
                compiles_ += makes_module(next.job) ? 1 : 0;
            }
            next.answer.set_value(std::move(answer));
        } catch (...) {
            next.answer.set_exception(std::current_exception());
        }
    }
}

void compile_pool::give_up()
{
    ++period_;
}

bool compile_pool::is_given_up(const waiting_job& job) const
{
    return interrupted() || job.period != period_;
}

double compile_pool::seconds() const
{
    const std::lock_guard guard(lock_);
    return seconds_;
}

std::size_t compile_pool::compiles() const
{
    const std::lock_guard guard(lock_);
    return compiles_;
}

}  // namespace launchbox
