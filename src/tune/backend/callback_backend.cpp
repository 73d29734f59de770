// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/callback_backend.hpp"

#include <algorithm>
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <utility>

#include "support/error.hpp"
#include "support/process/clock.hpp"
#include "support/process/interrupt.hpp"
#include "tune/backend/callback_messages.hpp"
#include "tune/worker/measuring_worker.hpp"
#include "tune/worker/sampling_settings.hpp"

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;

// Target duration of a batch of launches: short enough to decide often, long enough to wait rarely.
constexpr double seconds_together = 0.1;
constexpr int max_together = 16;

class callback_process {
public:
    enum class kind { measures, prepares };
    callback_process(const tune_spec& spec, const std::string& gpu, kind what, std::function<bool()> is_over)
        : worker_(options_for(spec, gpu, what, std::move(is_over)))
    {
    }

    void start() { worker_.start(); }
    std::string make_ready() { return worker_.make_ready(); }
    void stop() { worker_.stop(); }

    // Out of memory may be caused by what earlier candidates left in the process, so it is asked again in a new one.
    measurement ask(const callback_task& task, const worker_question& limits, bool begins)
    {
        worker_question question = limits;
        question.line = callback_line(task);
        constexpr std::size_t max_phases_of_launch = 100;
        question.max_phases = max_phases_of_launch * static_cast<std::size_t>(task.samples + 1);
        *max_samples_ = static_cast<std::size_t>(task.samples);
        const int starts = worker_.starts();
        measurement answer = worker_.ask(question);
        const bool was_used = candidates_ > 0 && worker_.starts() == starts;
        candidates_ = was_used ? candidates_ + (begins ? 1 : 0) : 1;
        if (answer.status == outcome::out_of_memory && was_used && begins && !interrupted()) {
            worker_.end();
            candidates_ = 1;
            answer = worker_.ask(question);
        }
        return answer;
    }

private:
    measuring_worker_options options_for(const tune_spec& spec, const std::string& gpu, kind what,
                                         std::function<bool()> is_over)
    {
        const callback_target& target = spec.callback.value();
        measuring_worker_options options;
        options.command = target.command;
        if (!gpu.empty()) options.environment.push_back("CUDA_VISIBLE_DEVICES=" + gpu);
        options.environment.push_back(what == kind::prepares ? "LAUNCHBOX_PREPARES=1" : "LAUNCHBOX_PREPARES=0");
        options.start_seconds = target.start_seconds;
        options.read = [most = max_samples_](const std::string& line) { return callback_message_of(line, *most); };
        options.work = "the candidate";
        options.sets_up_users_code = true;
        options.memory_bytes = static_cast<std::size_t>(target.memory_bytes);
        options.is_over = std::move(is_over);
        return options;
    }

    std::shared_ptr<std::size_t> max_samples_ = std::make_shared<std::size_t>(0);
    measuring_worker worker_;
    int candidates_ = 0;  // asked of this process
};

class callback_runner {
public:
    callback_runner(const tune_spec& spec, const std::vector<std::string>& gpus)
        : spec_(spec), target_(spec.callback.value())
    {
        using kind = callback_process::kind;
        const auto add = [&](const std::string& gpu) {
            processes_.push_back(std::make_unique<callback_process>(spec, gpu, kind::measures, interrupted));
        };
        for (const std::string& gpu : gpus) add(gpu);
        for (int i = 0; gpus.empty() && i < target_.count; ++i) add("");
        for (int i = 0; i < target_.preparers; ++i)
            idle_.push_back(std::make_unique<callback_process>(spec, gpus.empty() ? "" : gpus.front(), kind::prepares,
                                                               [this] { return given_up_ || interrupted(); }));
    }

    [[nodiscard]] std::size_t size() const { return processes_.size(); }

    // All at once, so that anything the user's code cannot do is reported before measuring.
    void open()
    {
        for (const auto* group : {&processes_, &idle_})
            for (const auto& process : *group) process->start();
        const std::string why = processes_.front()->make_ready();
        if (!why.empty() && !interrupted()) throw error(spec_.name + " cannot be set up: " + why);
    }
    void close()
    {
        const std::lock_guard guard(lock_);
        for (const auto* group : {&processes_, &idle_})
            for (const auto& process : *group) process->stop();
    }

    prepared_job prepare(const tune_job& job);
    void give_up_preparing() { given_up_ = true; }

    measurement measure(std::size_t place, const tune_job& job, const measure_request& request);

private:
    [[nodiscard]] callback_task task_of(const tune_job& job, const measure_request& request);
    [[nodiscard]] worker_question limits_for(std::size_t workload);
    void note_reference(const tune_job& job, const measure_request& request, const measurement& measured);

    struct reference_state {
        assignment parameters;
        double slowest_ns = 0;
    };
    const tune_spec& spec_;
    const callback_target& target_;
    std::vector<std::unique_ptr<callback_process>> processes_;
    std::mutex lock_;
    std::atomic<bool> given_up_ = false;
    std::vector<std::unique_ptr<callback_process>> idle_;  // that prepare
    std::map<std::size_t, reference_state> references_;    // by workload
};

// Compiles the candidate, so that measuring finds it in the library's cache. Only measuring tells whether it compiles.
prepared_job callback_runner::prepare(const tune_job& job)
{
    std::unique_ptr<callback_process> process;
    {
        const std::lock_guard guard(lock_);
        if (idle_.empty() || given_up_) return {};
        process = std::move(idle_.back());
        idle_.pop_back();
    }
    const clock::time_point begin = clock::now();
    callback_task task = task_of(job, {});
    task.samples = 0;
    const measurement answer = process->ask(task, limits_for(job.workload), true);
    const std::lock_guard guard(lock_);
    if (answer.status != outcome::device_lost) idle_.push_back(std::move(process));  // a new one would not start either
    prepared_job made;
    made.build.compile_seconds = seconds_since(begin);
    return made;
}

callback_task callback_runner::task_of(const tune_job& job, const measure_request& request)
{
    callback_task task{.parameters = job.parameters,
                       .workload = spec_.workloads[job.workload].values,
                       .is_reference = request.is_reference,
                       .cold = spec_.measure.cold,
                       .absolute = spec_.verify.absolute,
                       .relative = spec_.verify.relative};
    if (spec_.verify.against == verification::source::nothing) {
        task.is_reference = false;
        return task;
    }
    const std::lock_guard guard(lock_);
    if (const auto found = references_.find(job.workload); found != references_.end() && !request.is_reference)
        task.reference = found->second.parameters;
    return task;
}

worker_question callback_runner::limits_for(std::size_t workload)
{
    const std::lock_guard guard(lock_);
    const auto reference = references_.find(workload);
    worker_question question;
    const auto limit = [&](worker_phase phase) -> double& {
        return question.silence_seconds.at(static_cast<std::size_t>(phase));
    };
    limit(worker_phase::ready) = limit(worker_phase::load) = target_.start_seconds;
    limit(worker_phase::verify) = target_.first_seconds;
    limit(worker_phase::check) = target_.check_seconds;
    limit(worker_phase::measure) =
        reference == references_.end()
            ? target_.first_seconds
            : std::max(spec_.measure.hang_seconds, spec_.measure.hang_ratio * reference->second.slowest_ns * 1e-9);
    return question;
}

void callback_runner::note_reference(const tune_job& job, const measure_request& request, const measurement& measured)
{
    if (!request.is_reference || measured.samples_ns.empty()) return;
    const std::lock_guard guard(lock_);
    references_[job.workload] = {.parameters = job.parameters,
                                 .slowest_ns = *std::ranges::max_element(measured.samples_ns)};
}

measurement callback_runner::measure(std::size_t place, const tune_job& job, const measure_request& request)
{
    const detail::sampling_rules rules = sampling_rules_of_launches(spec_.measure, request.best_ns, request.samples);
    callback_task task = task_of(job, request);
    const worker_question limits = limits_for(job.workload);
    callback_process& process = *processes_[place];
    detail::sample_series series(rules);
    measurement result;
    const clock::time_point begin = clock::now();
    clock::time_point timed = begin;
    for (bool first = true;; first = false) {
        const clock::time_point asked = clock::now();
        measurement answer = process.ask(task, limits, first);
        const double seconds = seconds_since(asked);
        const bool got_none = answer.status == outcome::measured && answer.samples_ns.empty();
        if (got_none) answer = {.status = outcome::worker_died, .reason = "its answer has no time", .sticky = true};
        if (answer.status != outcome::measured) {
            answer.seconds = seconds_since(begin);
            return answer;
        }
        for (const double sample : answer.samples_ns) series.add(sample);
        add_samples(result.quantities, answer.quantities);
        result.verified = answer.verified && (first || result.verified);
        for (std::string& warning : answer.warnings) result.warnings.push_back(std::move(warning));
        if (first) timed = clock::now();  // the first answer includes compiling the candidate
        const detail::sampling_state state = series.state(seconds_since(timed));
        result.stopped_early = state == detail::sampling_state::given_up;
        if (state != detail::sampling_state::more) break;
        if (interrupted())  // an incomplete sample set is discarded: the next call measures it
            return {.status = outcome::worker_died, .reason = "interrupted before there were enough samples"};
        const int missing = rules.max_samples - static_cast<int>(series.samples_ns().size());
        const double each = seconds / task.samples;
        const int together = first      ? 2
                             : each > 0 ? static_cast<int>(std::min(seconds_together / each, 1e3))
                                        : max_together;
        task.samples = std::clamp(together, 1, std::min(max_together, missing));
    }
    for (const std::string& name : spec_.goal.quantities())
        if (!quantity_of(result, name))
            return {.status = outcome::launch_error,
                    .reason = "it answered without " + name + ", which the objective names",
                    .seconds = seconds_since(begin)};
    result.samples_ns = series.samples_ns();
    result.seconds = seconds_since(begin);
    note_reference(job, request, result);
    return result;
}

}  // namespace

tune_backend callback_backend(const tune_spec& spec, const std::vector<std::string>& gpus)
{
    const auto runner = std::make_shared<callback_runner>(spec, gpus);
    tune_backend backend;
    backend.open = [runner] { runner->open(); };
    backend.close = [runner] { runner->close(); };
    backend.preparers = static_cast<unsigned>(std::max(spec.callback->preparers, 1));
    backend.prepare = [runner](const tune_job& job) { return runner->prepare(job); };
    backend.give_up_preparing = [runner] { runner->give_up_preparing(); };
    for (std::size_t place = 0; place < runner->size(); ++place)
        backend.measurers.push_back(
            [runner, place](const tune_job& job, const prepared_job&, const measure_request& request) {
                return runner->measure(place, job, request);
            });
    backend.needs_reference = spec.verify.against == verification::source::baseline;
    return backend;
}

}  // namespace launchbox
