// SPDX-License-Identifier: Apache-2.0
#include "tune/run/tune_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>

#include "support/error.hpp"
#include "support/process/clock.hpp"
#include "support/process/interrupt.hpp"
#include "support/process/thread_group.hpp"
#include "tune/run/baseline_failure.hpp"
#include "tune/run/earlier_calls.hpp"
#include "tune/run/job_queue.hpp"
#include "tune/run/measuring_devices.hpp"
#include "tune/run/proposals.hpp"
#include "tune/run/reference_tracker.hpp"
#include "tune/run/result_sink.hpp"
#include "tune/run/tune_race.hpp"

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;

// Of the reference, on each GPU where there are several: enough for an interval of its median.
constexpr int calibration_samples = 15;
// After this many worker deaths the candidate is held responsible.
constexpr int deaths_that_settle = 2;
// A shortage of a resource is waited for; this many jobs in a row for which waiting did not help end the run.
constexpr std::array machine_pauses{std::chrono::milliseconds(100), std::chrono::milliseconds(600)};
constexpr int max_left_in_a_row = 4;

// The threads of a run and their shared state. The queue, the references and the sink are used under the lock.
class tuning {
public:
    tuning(const tune_spec& spec, const search_space& space, const tune_backend& backend, result_store& store,
           const run_info& run, const tune_options& options)
        : spec_(spec),
          space_(space),
          backend_(backend),
          store_(store),
          options_(options),
          references_(spec.workloads.size(), backend.needs_reference),
          sink_(spec, backend, store, store.begin_run(run)),
          devices_(backend)
    {
        // Done for earlier results, too: the amounts of work are not part of what was measured.
        std::vector<std::pair<assignment, work_amounts>> work;
        for (const std::size_t workload : options.workloads)
            work.emplace_back(spec.workloads[workload].values, spec.workloads[workload].work);
        store.set_work(sink_.summary.run, work);
        earlier_.emplace(spec, space, options.workloads, store, sink_.summary.run);
        take_over_earlier_results();
        plan();
    }

    tune_summary go(const std::function<void(const tune_progress&)>& progress);

private:
    void take_over_earlier_results();
    void plan();
    [[nodiscard]] strategy_options strategy_settings() const;
    [[nodiscard]] bool may_propose() const;
    bool propose();

    void work(const std::function<void(const tune_progress&)>& progress);
    template <class Guarded>
    void start_threads(thread_group& threads, const Guarded& guarded);
    void stop_if_out_of_time();
    void watch(const std::function<void(const tune_progress&)>& progress);
    void race(const std::function<void(const tune_progress&)>& progress);
    void note_progress();

    [[nodiscard]] prepared_job prepare(const tune_job& job) const;
    void refuse_changed_sources() const;
    [[nodiscard]] bool wait_for_the_machine(std::size_t attempt) const;
    void leave(queued_job& job, const std::string& why);
    [[nodiscard]] std::size_t jobs_ahead() const;
    [[nodiscard]] bool may_prepare_another() const;
    void prepare_jobs();
    void take_prepared(queued_job& job, prepared_job made);

    void measure_jobs(std::size_t device, unsigned call);
    [[nodiscard]] queued_job* next_ready(std::size_t device);
    bool repeat_reference(queued_job& job, std::size_t device);
    bool measure_job(queued_job& job, std::size_t device);
    bool lose(std::size_t device, const std::string& why);
    void begin(std::size_t device);
    [[nodiscard]] std::optional<tune_job> reference_to_calibrate(std::size_t device);
    bool calibrate(std::size_t device, const tune_job& reference);
    measurement measure_with_retries(const queued_job& job, const measurer& measure, const measure_request& request,
                                     int& deaths);
    void note_warnings(const tune_job& job, const measurement& measured);
    [[nodiscard]] double busy_seconds(const measurement& measured, clock::time_point start) const;
    void note_measured(std::size_t device, const measurement& measured, double seconds);
    void settle(queued_job& job, measurement measured, const stored_result* shared_with, int deaths);
    void close(queued_job& job);

    void stop_with(const std::exception_ptr& failure);
    [[nodiscard]] bool stopping() const { return stop_ || interrupted(); }
    [[nodiscard]] bool finished() const { return jobs_.unsettled() == 0 && !may_propose(); }
    [[nodiscard]] bool is_baseline(const assignment& parameters) const
    {
        return spec_.baseline && parameters == *spec_.baseline;
    }
    [[nodiscard]] attempt attempt_at(const tune_job& job, int deaths) const
    {
        return {.parameters = job.parameters, .workload = spec_.workloads[job.workload].values, .deaths = deaths};
    }

    const tune_spec& spec_;
    const search_space& space_;
    const tune_backend& backend_;
    result_store& store_;
    const tune_options& options_;
    const clock::time_point start_ = clock::now();

    std::mutex lock_;
    std::condition_variable changed_;
    std::condition_variable room_;  // for the preparers: hundreds, and each settled job needs only one
    std::shared_mutex processor_;   // if measuring needs the CPU alone: shared by the preparers
    job_queue jobs_;
    reference_tracker references_;
    result_sink sink_;
    std::optional<earlier_calls> earlier_;
    std::optional<proposals> proposals_;
    bool exhausted_ = false;
    measuring_devices devices_;
    std::set<std::size_t> candidates_measured_;
    std::size_t open_measured_ = 0;  // those with an unsettled job
    std::atomic<bool> stop_ = false;
    std::exception_ptr failure_;
    int left_in_a_row_ = 0;
    std::size_t preparing_ = 0, prepared_ = 0;  // jobs
    tune_progress shown_;
};

void tuning::take_over_earlier_results()
{
    for (const std::size_t workload : options_.workloads)
        if (spec_.baseline && space_.find(*spec_.baseline)) references_.expect_baseline(workload);
    for (const stored_result& result : earlier_->results()) {
        for (const job_key& job : earlier_->jobs_of(result)) {
            if (spec_.workloads[job.workload].values != result.workload) continue;
            ++sink_.summary.known_before;
            // The reference: the baseline, or else the first that was measured.
            const bool is_reference = spec_.baseline ? is_baseline(result.parameters) : !references_.has(job.workload);
            if (is_reference && result.measured.status == outcome::measured)
                references_.set_known(jobs_.add_settled(
                    {.candidate = job.candidate, .workload = job.workload, .parameters = result.parameters}));
        }
        sink_.take_over(result);
    }
}

void tuning::plan()
{
    proposals_.emplace(spec_, space_, options_.workloads, make_strategy(options_.strategy, space_, strategy_settings()),
                       [this](const job_key& job) { return earlier_->find(job); });
    sink_.summary.jobs =
        (options_.strategy == first_alone ? options_.first.size() + 1 : space_.size()) * options_.workloads.size();
    // If every candidate is known there is nothing to propose: find that out before starting threads.
    propose();
}

// The baseline comes first, since all others are compared with it.
strategy_options tuning::strategy_settings() const
{
    strategy_options settings{.seed = options_.seed, .first = options_.first};
    if (spec_.baseline)
        if (const auto baseline = space_.find(*spec_.baseline))
            settings.first.insert(settings.first.begin(), *baseline);
    if (backend_.prior) settings.prior = [this](std::size_t candidate) { return backend_.prior(space_.at(candidate)); };
    return settings;
}

// The candidate budget counts proposals if nothing is measured. Otherwise it counts the candidates that are measured or
// may still be.
bool tuning::may_propose() const
{
    if (exhausted_ || (backend_.recorded && sink_.summary.recorded_seconds >= options_.max_seconds.value_or(INFINITY)))
        return false;
    if (!options_.max_candidates) return true;
    if (backend_.measurers.empty()) return proposals_->proposed() < *options_.max_candidates;
    return candidates_measured_.size() + proposals_->open() - open_measured_ < *options_.max_candidates;
}

// Adds the jobs of one more candidate; false if there is none.
bool tuning::propose()
{
    if (!may_propose()) return false;
    const std::vector<tune_job> jobs = proposals_->next();
    exhausted_ = jobs.empty() || proposals_->exhausted();
    for (const tune_job& job : jobs) {
        queued_job& queued = jobs_.add(job);
        if (is_baseline(job.parameters)) references_.set(queued);
    }
    return !jobs.empty();
}

tune_summary tuning::go(const std::function<void(const tune_progress&)>& progress)
{
    if (!finished()) {
        if (backend_.open) backend_.open();
        work(progress);
    }
    devices_.finish(seconds_since(start_));
    if (devices_.are_worth_keeping()) store_.save(sink_.summary.run, devices_.records());
    if (failure_) std::rethrow_exception(failure_);
    sink_.finish_builds();
    const clock::time_point race_start = clock::now();
    // A race compares times, so it decides nothing if times do not decide.
    if (spec_.goal.is_time() && !backend_.measurers.empty() && !interrupted() && sink_.summary.device_lost.empty())
        race(progress);
    sink_.summary.race_seconds = seconds_since(race_start);
    if (backend_.close) backend_.close();
    sink_.summary.devices = devices_.records();
    sink_.summary.interrupted = interrupted();
    sink_.summary.seconds = seconds_since(start_);
    return sink_.summary;
}

// Runs until all is done or the time is over.
void tuning::work(const std::function<void(const tune_progress&)>& progress)
{
    const auto guarded = [this](const auto& thread) {
        try {
            thread();
        } catch (const error& failure) {
            // Work given up at the end of the time is not a failure.
            if (stop_ && failure.status() == exit_status::interrupted) return;
            stop_with(std::current_exception());
        } catch (...) {
            stop_with(std::current_exception());
        }
    };
    stop_if_out_of_time();
    thread_group threads;
    // Whatever is thrown here, the threads are told to stop before they are joined.
    guarded([&] {
        start_threads(threads, guarded);
        watch(progress);
    });
    {
        const std::lock_guard guard(lock_);
        sink_.summary.out_of_budget |= !exhausted_ && finished();
        stop_ = true;
        changed_.notify_all();
        room_.notify_all();
    }
    if (backend_.give_up_preparing) backend_.give_up_preparing();
}

// One preparer and all measuring threads are needed. Fewer other preparers will do.
template <class Guarded>
void tuning::start_threads(thread_group& threads, const Guarded& guarded)
{
    const auto start_preparer = [&] { return threads.start([this, guarded] { guarded([this] { prepare_jobs(); }); }); };
    bool are_there = start_preparer();
    for (unsigned call = 0; call < backend_.calls_at_once; ++call)
        for (std::size_t device = 0; are_there && device < backend_.measurers.size(); ++device)
            are_there = threads.start([this, guarded, device, call] { guarded([&] { measure_jobs(device, call); }); });
    if (!are_there) throw no_thread();
    for (unsigned i = 1; i < backend_.preparers && start_preparer(); ++i) {
    }
}

void tuning::stop_if_out_of_time()
{
    if (backend_.recorded || !options_.max_seconds || stop_ || seconds_since(start_) <= *options_.max_seconds) return;
    sink_.summary.out_of_budget = true;
    stop_ = true;
}

void tuning::watch(const std::function<void(const tune_progress&)>& progress)
{
    for (std::unique_lock guard(lock_); !finished() && !stopping();) {
        changed_.wait_for(guard, std::chrono::milliseconds(100));
        stop_if_out_of_time();
        note_progress();
        const tune_progress now = shown_;
        guard.unlock();
        if (progress) progress(now);
        guard.lock();
    }
}

void tuning::race(const std::function<void(const tune_progress&)>& progress)
{
    sink_.show_best(shown_);
    for (const std::size_t workload : options_.workloads) {
        shown_.doing = "final race";
        shown_.done = shown_.total;
        if (progress) progress(shown_);
        if (interrupted()) return;
        race_workload({.spec = spec_,
                       .space = space_,
                       .backend = backend_,
                       .devices = devices_,
                       .store = store_,
                       .run = sink_.summary.run,
                       .nothing_new = sink_.summary.measured == 0,
                       .rules = options_.race,
                       .prepare = [this](const tune_job& job) { return prepare(job); }},
                      workload);
    }
}

void tuning::note_progress()
{
    sink_.show_best(shown_);
    shown_.doing = "measuring";
    shown_.seconds = seconds_since(start_);
    shown_.devices = devices_.records();
    shown_.done = jobs_.settled();
    shown_.total = sink_.summary.jobs - sink_.summary.known_before;
    if (options_.max_candidates) {
        shown_.done = backend_.measurers.empty() ? jobs_.settled() : candidates_measured_.size();
        shown_.total = *options_.max_candidates;
    }
    const auto done = static_cast<double>(shown_.done);
    const auto left = static_cast<double>(shown_.total) - done;
    shown_.seconds_left = done == 0 ? 0 : seconds_since(start_) / done * left;
    if (options_.max_seconds && !backend_.recorded)
        shown_.seconds_left = std::min(shown_.seconds_left, *options_.max_seconds - seconds_since(start_));
}

void tuning::stop_with(const std::exception_ptr& failure)
{
    const std::lock_guard guard(lock_);
    if (!failure_ && !interrupted()) failure_ = failure;  // a failure caused by an interrupt does not count
    stop_ = true;
    changed_.notify_all();
}

prepared_job tuning::prepare(const tune_job& job) const
{
    if (const std::string why = space_.why_not(job.parameters, spec_.workloads[job.workload]); !why.empty())
        return {.build = {.status = build_status::rejected, .reason = "the constraint " + why + " does not hold"}};
    prepared_job made = backend_.prepare(job);
    for (std::size_t attempt = 0; !made.build.machine_failure.empty() && wait_for_the_machine(attempt); ++attempt)
        made = backend_.prepare(job);
    refuse_changed_sources();
    return made;
}

// Results of a changed source must not be mixed with the results of this run.
void tuning::refuse_changed_sources() const
{
    if (!backend_.changed_source) return;
    if (const std::string file = backend_.changed_source(); !file.empty())
        throw error(file + " was changed during the run; what was measured before is kept",
                    "the same command begins a new run with the current file");
}

// False if it was waited for long enough.
bool tuning::wait_for_the_machine(std::size_t attempt) const
{
    if (attempt >= machine_pauses.size() || backend_.recorded) return false;
    for (const clock::time_point until = clock::now() + machine_pauses[attempt]; clock::now() < until;) {
        if (stopping()) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    return true;
}

// Under the lock. Nothing is stored, so the next call tries the job again.
void tuning::leave(queued_job& job, const std::string& why)
{
    ++sink_.summary.left;
    if (sink_.summary.machine_failure.empty()) sink_.summary.machine_failure = why;
    const char* const hint = "free some space; the same command continues from here";
    if (references_.is_irreplaceable(job))
        throw error("the baseline cannot be measured, because the machine ran out of a resource: " + why, hint,
                    exit_status::missing);
    if (++left_in_a_row_ >= max_left_in_a_row)
        throw error("the machine ran out of a resource for several candidates in a row: " + why, hint,
                    exit_status::missing);
    references_.end(job, false);
    proposals_->settle_unmeasured(job.job);
    close(job);
}

// Prepared jobs take memory and disk space, so there are just enough for the measurers never to wait. An adaptive
// strategy proposes better the more results it has, so it gets one job per preparer; a record answers at once, so one
// job is enough.
std::size_t tuning::jobs_ahead() const
{
    const bool adaptive = std::ranges::any_of(search_strategies(), [&](const strategy_description& strategy) {
        return strategy.name == options_.strategy && strategy.adaptive;
    });
    if (!adaptive) return 4 * std::size_t{backend_.preparers} + 16;
    return backend_.recorded ? 1 : std::max(1u, backend_.preparers);
}

// Under the lock. If all preparers began at once, as many compilers would start, and on 32 cores the first module and
// the GPUs' contexts were ready 0.7 s later (measurements/nvidia-h100/several_gpus.json). So a few begin, and each
// prepared job lets one more begin.
bool tuning::may_prepare_another() const
{
    return preparing_ < 2 * (backend_.measurers.size() + 1) + prepared_;
}

void tuning::prepare_jobs()
{
    const std::size_t ahead = jobs_ahead();
    for (std::unique_lock guard(lock_);;) {
        room_.wait(guard, [&] {
            return stopping() || finished() ||
                   (may_prepare_another() && jobs_.prepared_ahead() < ahead && (jobs_.has_waiting() || propose()));
        });
        if (stopping() || finished()) return;
        if (!jobs_.has_waiting()) continue;
        queued_job& job = jobs_.start_preparing();
        ++preparing_;
        if (jobs_.prepared_ahead() < ahead) room_.notify_one();
        guard.unlock();
        prepared_job made;
        {
            std::shared_lock<std::shared_mutex> together(processor_, std::defer_lock);
            if (backend_.alone) together.lock();
            if (!stopping()) made = prepare(job.job);
        }
        guard.lock();
        --preparing_;
        if (++prepared_ <= backend_.preparers) room_.notify_one();
        if (stopping()) return;
        take_prepared(job, std::move(made));
        changed_.notify_all();
    }
}

// Under the lock. A job that is not to be measured is settled with its build status.
void tuning::take_prepared(queued_job& job, prepared_job made)
{
    job.prepared = std::move(made);
    if (!job.prepared.build.from_cache) sink_.summary.compile_seconds += job.prepared.build.compile_seconds;
    if (!job.prepared.build.machine_failure.empty()) {
        leave(job, job.prepared.build.machine_failure);
        return;
    }
    left_in_a_row_ = 0;
    if (backend_.measurers.empty()) {
        sink_.save_build(job);
        proposals_->settle_unmeasured(job.job);
        close(job);
    } else if (job.prepared.build.status == build_status::built) {
        jobs_.set_ready(job);
    } else {
        settle(job, {.status = outcome_of(job.prepared.build.status), .reason = job.prepared.build.reason}, nullptr, 0);
    }
}

// `call`: 0 for the first of the calls that a measurer may have at a time; this one begins and calibrates.
void tuning::measure_jobs(std::size_t device, unsigned call)
{
    const bool is_first = call == 0;
    if (is_first) begin(device);
    for (std::unique_lock guard(lock_);;) {
        if (stopping() || finished() || devices_.is_lost(device)) return;
        if (queued_job* const reference = is_first ? references_.to_be_repeated(options_.workloads) : nullptr) {
            reference->stage = job_stage::measuring;
            guard.unlock();
            const bool goes_on = repeat_reference(*reference, device);
            guard.lock();
            reference->stage = job_stage::settled;
            changed_.notify_all();
            if (!goes_on) return;
            continue;
        }
        if (const std::optional<tune_job> reference = is_first ? reference_to_calibrate(device) : std::nullopt) {
            guard.unlock();
            const bool goes_on = calibrate(device, *reference);
            guard.lock();
            if (!goes_on) return;
            continue;
        }
        // An idle device cannot measure a job that waits at another one.
        const bool has_enough = is_first || jobs_.ready() > devices_.left().size();
        queued_job* const job = has_enough ? next_ready(device) : nullptr;
        if (job == nullptr) {
            changed_.wait_for(guard, std::chrono::milliseconds(200));
            continue;
        }
        job->stage = job_stage::measuring;
        references_.begin(*job);
        guard.unlock();
        const bool goes_on = measure_job(*job, device);
        guard.lock();
        changed_.notify_all();
        if (!goes_on) return;
    }
}

// Under the lock. First the jobs prepared near this device; then those that must be sent from elsewhere.
queued_job* tuning::next_ready(std::size_t device)
{
    const auto may_be_measured = [this](const queued_job& job) { return references_.may_be_measured(job, jobs_); };
    if (queued_job* const job = jobs_.oldest_ready([&](const queued_job& ready) {
            return ready.prepared.near.value_or(device) == device && may_be_measured(ready);
        }))
        return job;
    return jobs_.oldest_ready(may_be_measured);
}

// Under the lock. False if another device is left, so that the run goes on.
bool tuning::lose(std::size_t device, const std::string& why)
{
    if (!devices_.lose(device, why)) return false;
    sink_.summary.device_lost = why;
    stop_ = true;
    changed_.notify_all();
    return true;
}

// Prepares memory while the first candidates compile.
void tuning::begin(std::size_t device)
{
    if (!backend_.begin) return;
    const clock::time_point start = clock::now();
    const measurement ready = backend_.begin(device, options_.workloads.front());
    const std::lock_guard guard(lock_);
    devices_.note_preparation(device, seconds_since(start));
    if (ready.phases) sink_.summary.phases += *ready.phases;
}

// Under the lock. The device that measures the reference is calibrated by that. The others need not wait for it.
std::optional<tune_job> tuning::reference_to_calibrate(std::size_t device)
{
    const std::size_t workload = options_.workloads.front();
    const queued_job* reference = references_.measured(workload);
    if (reference == nullptr && backend_.calibrates_early) reference = references_.in_work(workload);
    if (reference == nullptr || !devices_.begin_calibration(device)) return std::nullopt;
    return reference->job;
}

// How long a call kept its device busy. If several calls may be open, one of them waits for the others.
double tuning::busy_seconds(const measurement& measured, clock::time_point start) const
{
    return backend_.calls_at_once > 1 ? measured.seconds : seconds_since(start);
}

// Compares this GPU with the others of the run: all of them time the reference before anything else. False if the GPU
// is lost.
bool tuning::calibrate(std::size_t device, const tune_job& reference)
{
    const prepared_job made = prepare(reference);
    if (made.build.status != build_status::built || stopping()) return true;
    const clock::time_point start = clock::now();
    const measurement measured =
        backend_.measurers[device](reference, made, {.samples = calibration_samples, .calibrates = true});
    const std::lock_guard guard(lock_);
    devices_.note_calibration(device, measured);
    devices_.note_preparation(device, busy_seconds(measured, start));
    if (measured.status != outcome::device_lost) return true;
    lose(device, measured.reason);
    return false;
}

// Runs the reference of an earlier call again, because its outputs are needed. False if the device is lost.
bool tuning::repeat_reference(queued_job& job, std::size_t device)
{
    const std::string name = parameter_text(job.job.parameters);
    prepared_job made = prepare(job.job);
    if (made.build.status != build_status::built)
        throw error(fmt::format("{} cannot be built any more: {}", name, made.build.reason),
                    "its results are the reference for all others; measure again into another file with --store");
    {
        const std::lock_guard guard(lock_);
        job.prepared = std::move(made);
    }
    int deaths = 0;
    const measurement measured =
        measure_with_retries(job, backend_.measurers[device], {.samples = 1, .is_reference = true}, deaths);
    if (measured.status == outcome::device_lost) {
        const std::lock_guard guard(lock_);
        lose(device, measured.reason);
        return false;
    }
    if (measured.status != outcome::measured)
        throw error(fmt::format("{} was measured before and now fails: {}: {}", name, words_of(measured.status),
                                measured.reason),
                    "its results are the reference for all others; check the GPU, or measure again with --store");
    const std::lock_guard guard(lock_);
    note_warnings(job.job, measured);
    references_.repeated(job);
    return true;
}

measurement tuning::measure_with_retries(const queued_job& job, const measurer& measure, const measure_request& request,
                                         int& deaths)
{
    for (std::size_t machine_attempt = 0;;) {
        measurement measured;
        {
            std::unique_lock<std::shared_mutex> undisturbed(processor_, std::defer_lock);
            if (backend_.alone) undisturbed.lock();
            measured = measure(job.job, job.prepared, request);
        }
        if (!measured.machine_failure.empty()) {
            if (!wait_for_the_machine(machine_attempt++)) return measured;
            continue;
        }
        if (measured.status != outcome::worker_died || backend_.recorded) return measured;
        ++deaths;
        const std::lock_guard guard(lock_);
        ++sink_.summary.worker_deaths;
        if (deaths >= deaths_that_settle || interrupted()) return measured;
        store_.begin_attempt(sink_.summary.run, attempt_at(job.job, deaths));
    }
}

// False if the device is lost.
bool tuning::measure_job(queued_job& job, std::size_t device)
{
    measure_request request;
    int deaths = 0;
    {
        const std::lock_guard guard(lock_);
        if (const stored_result* known = sink_.measured_before(job)) {
            const stored_result same = *known;
            settle(job, same.measured, &same, 0);
            return true;
        }
        // The candidate budget counts only candidates that are really measured.
        if (candidates_measured_.insert(job.job.candidate).second) ++open_measured_;
        request = {.with_energy = spec_.goal.needs_energy(), .is_reference = references_.is_reference(job)};
        if (!is_baseline(job.job.parameters)) sink_.add_best(job.job.workload, request);
        deaths = earlier_->deaths(job.job.key());
        store_.begin_attempt(sink_.summary.run, attempt_at(job.job, deaths));
    }
    const clock::time_point start = clock::now();
    measurement measured = measure_with_retries(job, backend_.measurers[device], request, deaths);
    const double seconds = busy_seconds(measured, start);
    refuse_changed_sources();
    const std::lock_guard guard(lock_);
    note_warnings(job.job, measured);
    note_measured(device, measured, seconds);
    if (interrupted() && measured.status != outcome::measured) return true;  // the interrupt may be the cause
    if (!measured.machine_failure.empty()) {
        leave(job, measured.machine_failure);
        return true;
    }
    const bool is_lost = measured.status == outcome::device_lost;
    const bool was_last = is_lost && lose(device, measured.reason);
    if (request.is_reference) {
        references_.end(job, measured.status == outcome::measured);
        if (job.job.workload == options_.workloads.front() && devices_.begin_calibration(device))
            devices_.note_calibration(device, measured);
    }
    if (is_lost && !was_last && (measured.not_begun || !devices_.is_settled_by_loss(job.job.key())))
        jobs_.set_ready(job);  // another device measures it
    else
        settle(job, std::move(measured), nullptr, deaths);
    return !is_lost;
}

// Every worker that reads a reference reports its weaknesses.
void tuning::note_warnings(const tune_job& job, const measurement& measured)
{
    const assignment& workload = spec_.workloads[job.workload].values;
    for (const std::string& warning : measured.warnings) {
        std::string text = workload.values.empty() ? warning : parameter_text(workload) + ": " + warning;
        if (std::ranges::find(sink_.summary.warnings, text) == sink_.summary.warnings.end())
            sink_.summary.warnings.push_back(std::move(text));
    }
}

void tuning::note_measured(std::size_t device, const measurement& measured, double seconds)
{
    devices_.note(device, measured, seconds);
    sink_.summary.measuring_seconds += seconds;
    for (const double sample : measured.samples_ns) sink_.summary.sample_seconds += sample * 1e-9;
    if (measured.phases) sink_.summary.phases += *measured.phases;
    ++sink_.summary.measured;
}

// Under the lock. Throws if no other candidate can be judged without this job.
void tuning::settle(queued_job& job, measurement measured, const stored_result* shared_with, int deaths)
{
    const stored_result result = sink_.save(job, std::move(measured), shared_with, deaths);
    proposals_->settle(job.job, result.measured);
    close(job);
    const outcome what = result.measured.status;
    if (references_.is_irreplaceable(job) && what != outcome::measured && what != outcome::device_lost)
        throw baseline_failed(result.parameters, result.workload, result.measured, spec_.text);
}

// Under the lock, after the strategy was told.
void tuning::close(queued_job& job)
{
    jobs_.settle(job);
    if (!proposals_->is_open(job.job.candidate) && candidates_measured_.contains(job.job.candidate)) --open_measured_;
    room_.notify_one();
    changed_.notify_all();
}

}  // namespace

tune_summary run_tune(const tune_spec& spec, const search_space& space, const tune_backend& backend,
                      result_store& store, const run_info& run, const tune_options& options,
                      const std::function<void(const tune_progress&)>& progress)
{
    return tuning(spec, space, backend, store, run, options).go(progress);
}

}  // namespace launchbox
