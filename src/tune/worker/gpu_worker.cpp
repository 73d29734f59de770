// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/gpu_worker.hpp"

#include <algorithm>
#include <chrono>

#include "support/error.hpp"
#include "support/process/worker_process.hpp"
#include "tune/worker/worker_messages.hpp"

namespace launchbox {

namespace {

constexpr int max_starts_in_a_row = 3;
// A context takes long on a host with many GPUs, or where the driver has to be loaded first.
constexpr double max_seconds_to_start = 120;

// How long a worker may be silent. What cannot be interrupted from within (a call that does not return) ends here, so
// that these limits lie behind those that the worker itself applies.
double silence_limit(worker_phase phase, const gpu_task& task, double overhead_seconds)
{
    switch (phase) {
        case worker_phase::verify:
            return task.launch_seconds + overhead_seconds;
        case worker_phase::measure:
            return task.launch_seconds + overhead_seconds + (task.samples > 0 ? 0 : task.measure.max_seconds);
        default:
            return overhead_seconds;
    }
}

const char* words_of_phase(worker_phase phase)
{
    switch (phase) {
        case worker_phase::load:
            return "while the kernel was loaded";
        case worker_phase::verify:
            return "at the first launch";
        case worker_phase::check:
            return "while its results were checked";
        case worker_phase::measure:
            return "while it was timed";
        default:
            return "before it was loaded";
    }
}

std::string seconds_text(double seconds)
{
    std::string text = std::to_string(seconds);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text + " s";
}

}  // namespace

struct gpu_worker::impl {
    gpu_worker_options options;
    std::unique_ptr<worker_process> process;
    int starts = 0;
    bool has_gpu = false;  // the process has said so

    void start();
    // Empty: a worker waits for a task. Else why no worker could be brought to that.
    std::string make_ready();
    std::optional<measurement> try_to_measure(const gpu_task& task);
    void end()
    {
        process.reset();
        has_gpu = false;
    }
};

gpu_worker::gpu_worker(const gpu_worker_options& options) : impl_(new impl{options, nullptr}) {}
gpu_worker::~gpu_worker() = default;

int gpu_worker::starts() const
{
    return impl_->starts;
}

pid_t gpu_worker::process() const
{
    return impl_->process ? impl_->process->process() : 0;
}

void gpu_worker::start()
{
    if (!impl_->process) impl_->start();
}

void gpu_worker::stop()
{
    if (impl_->process) impl_->process->stop();
}

measurement gpu_worker::measure(const gpu_task& task)
{
    const auto begin = std::chrono::steady_clock::now();
    measurement answer;
    // A worker that was killed before it took up the task says nothing of the task: another is asked.
    for (int attempt = 0; attempt < max_starts_in_a_row; ++attempt) {
        if (const std::string why = impl_->make_ready(); !why.empty()) {
            answer = {.status = outcome::device_lost, .reason = why, .sticky = true};
            break;
        }
        if (auto measured = impl_->try_to_measure(task)) {
            answer = std::move(*measured);
            break;
        }
        answer = {.status = outcome::worker_died,
                  .reason = "the worker died before it took up the task, " + std::to_string(attempt + 1) + " times",
                  .sticky = true};
    }
    if (answer.sticky) impl_->end();
    answer.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return answer;
}

void gpu_worker::impl::start()
{
    ++starts;
    std::vector<std::string> command{options.worker_program.empty() ? this_program() : options.worker_program,
                                     "--worker", "gpu", std::to_string(options.device)};
    command.insert(command.end(), options.captures.begin(), options.captures.end());
    process = std::make_unique<worker_process>(std::move(command));
}

std::string gpu_worker::impl::make_ready()
{
    if (process && has_gpu && process->running()) return {};
    if (has_gpu) end();
    std::string why;
    for (int attempt = 0; attempt < max_starts_in_a_row; ++attempt) {
        if (!process) start();
        const worker_process::answer said = process->receive(max_seconds_to_start);
        if (said.what == worker_process::event::line) try {
                const worker_message message = message_of(said.line);
                has_gpu = message.phase == worker_phase::ready;
                if (has_gpu) return {};
                why = message.phase ? "a new worker does not start correctly" : message.answer.reason;
            } catch (const error& unreadable) {
                why = unreadable.what();
            }
        else if (said.what == worker_process::event::silence)
            why = "a new worker does not get GPU " + std::to_string(options.device) + " within " +
                  seconds_text(max_seconds_to_start);
        else
            why = "a new worker ends before it has GPU " + std::to_string(options.device) + ": " + process->ending();
        end();
    }
    return why;
}

// Nothing: the worker ended without having taken up the task.
std::optional<measurement> gpu_worker::impl::try_to_measure(const gpu_task& task)
{
    if (!process->send(task_line(task))) {
        end();
        return std::nullopt;
    }
    std::optional<worker_phase> phase;
    for (;;) {
        const double limit = silence_limit(phase.value_or(worker_phase::load), task, options.overhead_seconds);
        const worker_process::answer said = process->receive(limit);
        const char* const when = words_of_phase(phase.value_or(worker_phase::ready));
        if (said.what == worker_process::event::silence)
            return measurement{.status = outcome::hang,
                               .reason = "no answer within " + seconds_text(limit) + " " + when + "; stopped",
                               .sticky = true};
        if (said.what == worker_process::event::ended) {
            if (!phase) {
                end();
                return std::nullopt;
            }
            return measurement{.status = outcome::worker_died,
                               .reason = std::string("the worker died ") + when + ": " + process->ending(),
                               .sticky = true};
        }
        try {
            worker_message message = message_of(said.line);
            if (!message.phase) return std::move(message.answer);
            phase = message.phase;
        } catch (const error& unreadable) {
            return measurement{.status = outcome::worker_died,
                               .reason = std::string(unreadable.what()) + " (" + when + ")",
                               .sticky = true};
        }
    }
}

}  // namespace launchbox
