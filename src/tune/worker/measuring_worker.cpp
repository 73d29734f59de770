// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/measuring_worker.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <utility>

#include "support/error.hpp"
#include "support/process/clock.hpp"
#include "support/process/worker_process.hpp"

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;

constexpr int max_starts_in_a_row = 3;
// How often a working worker's memory is checked, and interrupts are looked for.
constexpr double seconds_between_looks = 0.1;

std::string words_of_phase(worker_phase phase, const std::string& work)
{
    switch (phase) {
        case worker_phase::load:
            return "while " + work + " was loaded";
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

// The second figure is the resident memory in pages. 0 if unknown.
std::size_t memory_of(pid_t process)
{
    std::ifstream figures(fmt::format("/proc/{}/statm", process));
    std::size_t size = 0, resident = 0;
    if (!(figures >> size >> resident)) return 0;
    return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace

struct measuring_worker::impl {
    measuring_worker_options options;
    std::unique_ptr<worker_process> process;
    int starts = 0;
    bool is_ready = false, was_ready = false;  // said so: this process; any process so far

    void start();
    std::string make_ready();
    std::string first_words();
    worker_process::answer receive(double seconds, std::optional<measurement>& ended);
    std::optional<measurement> try_to_ask(const worker_question& question);
    void end()
    {
        process.reset();
        is_ready = false;
    }
};

measuring_worker::measuring_worker(measuring_worker_options options) : impl_(new impl{std::move(options), nullptr}) {}
measuring_worker::~measuring_worker() = default;

int measuring_worker::starts() const
{
    return impl_->starts;
}

pid_t measuring_worker::process() const
{
    return impl_->process ? impl_->process->process() : 0;
}

void measuring_worker::start()
{
    if (!impl_->process) impl_->start();
}

std::string measuring_worker::make_ready()
{
    return impl_->make_ready();
}

void measuring_worker::stop()
{
    if (impl_->process) impl_->process->stop();
}

void measuring_worker::end()
{
    impl_->end();
}

measurement measuring_worker::ask(const worker_question& question)
{
    const clock::time_point begin = clock::now();
    measurement answer;
    // A worker killed before it accepted the task says nothing about the task, so another is asked.
    for (int attempt = 0; attempt < max_starts_in_a_row; ++attempt) {
        if (const std::string why = impl_->make_ready(); !why.empty()) {
            answer = {.status = outcome::device_lost, .reason = why, .sticky = true};
            break;
        }
        if (auto measured = impl_->try_to_ask(question)) {
            answer = std::move(*measured);
            break;
        }
        answer = {.status = outcome::worker_died,
                  .reason = "the worker died before it took up the task, " + std::to_string(attempt + 1) + " times",
                  .sticky = true};
    }
    if (answer.sticky) impl_->end();
    answer.seconds = seconds_since(begin);
    return answer;
}

void measuring_worker::impl::start()
{
    ++starts;
    process = std::make_unique<worker_process>(options.command, worker_options{.environment = options.environment});
}

std::string measuring_worker::impl::make_ready()
{
    if (process && is_ready && process->running()) return {};
    if (is_ready) end();
    std::string why;
    for (int attempt = 0; attempt < max_starts_in_a_row; ++attempt) {
        if (!process) start();
        why = first_words();
        if (is_ready) return {};
        end();
        // If set-up can never succeed it is not tried again, and if the run is over no worker is needed.
        if ((options.is_over && options.is_over()) || (options.sets_up_users_code && !was_ready)) break;
    }
    return why;
}

namespace {

std::string place_text(const std::string& name)
{
    return name.empty() ? std::string() : " on " + name;
}

}  // namespace

// Why the process does not get ready. Empty if it is.
std::string measuring_worker::impl::first_words()
{
    constexpr std::size_t max_printed = std::size_t{64} << 10;
    const clock::time_point begin = clock::now();
    for (std::size_t printed = 0;;) {
        const double left = options.start_seconds - seconds_since(begin);
        std::optional<measurement> ended;
        const worker_process::answer said = receive(std::max(left, 0.0), ended);
        if (ended) return ended->reason;
        if (said.what == worker_process::event::silence)
            return "a new worker was not ready" + place_text(options.name) + " within " +
                   seconds_text(options.start_seconds);
        if (said.what == worker_process::event::ended)
            return "a new worker ended before it was ready" + place_text(options.name) + ": " + process->ending();
        try {
            const worker_message message = options.read(said.line);
            is_ready = message.phase == worker_phase::ready;
            was_ready = was_ready || is_ready;
            if (is_ready) return {};
            return message.phase ? "a new worker does not start correctly" : message.answer.reason;
        } catch (const error& unreadable) {
            printed += said.line.size() + 1;
            if (!options.sets_up_users_code || printed > max_printed) return unreadable.what();
        }
    }
}

// The answer of the process; `ended` if the wait was cut short.
worker_process::answer measuring_worker::impl::receive(double seconds, std::optional<measurement>& ended)
{
    if (options.memory_bytes == 0 && !options.is_over) return process->receive(seconds);
    const clock::time_point begin = clock::now();
    for (;;) {
        const double left = seconds - seconds_since(begin);
        worker_process::answer said = process->receive(std::clamp(left, 0.0, seconds_between_looks));
        if (said.what != worker_process::event::silence || left <= seconds_between_looks) return said;
        if (options.is_over && options.is_over())
            ended = {.status = outcome::worker_died, .reason = "interrupted", .sticky = true};
        else if (options.memory_bytes > 0 && memory_of(process->process()) > options.memory_bytes)
            ended = {.status = outcome::out_of_memory,
                     .reason = fmt::format("stopped, because the process used more than {:.3g} GiB of memory",
                                           static_cast<double>(options.memory_bytes) / (1 << 30)),
                     .sticky = true};
        if (ended) return said;
    }
}

// Nothing if the worker ended without accepting the task.
std::optional<measurement> measuring_worker::impl::try_to_ask(const worker_question& question)
{
    if (!process->send(question.line)) {
        end();
        return std::nullopt;
    }
    std::optional<worker_phase> phase;
    for (std::size_t phases = 0;; ++phases) {
        const double limit = question.silence_seconds.at(static_cast<std::size_t>(phase.value_or(worker_phase::load)));
        std::optional<measurement> ended;
        const worker_process::answer said = receive(limit, ended);
        const std::string when = words_of_phase(phase.value_or(worker_phase::ready), options.work);
        if (ended) return ended;
        if (question.max_phases > 0 && phases > question.max_phases)
            return measurement{.status = outcome::worker_died,
                               .reason = "the worker reports its progress, but never answers",
                               .sticky = true};
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
                               .reason = "the worker died " + when + ": " + process->ending(),
                               .sticky = true};
        }
        try {
            worker_message message = options.read(said.line);
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
