#include "tune/run/tune_run.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <shared_mutex>
#include <thread>
#include <unordered_map>

#include "support/error.hpp"
#include "support/process/clock.hpp"
#include "support/process/interrupt.hpp"
#include "support/sample_statistics.hpp"
#include "tune/run/proposals.hpp"
#include "tune/run/tune_race.hpp"

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;

// Deaths of workers after which a candidate is held responsible.
constexpr int deaths_that_settle = 2;

std::string now_as_text()
{
    return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// A result that need not be measured again, whatever it is.
bool is_final(const stored_result& result)
{
    return result.measured.what != outcome::device_lost;
}

std::string job_key(const assignment& parameters, const assignment& problem)
{
    return text_of(parameters) + "\n" + text_of(problem);
}

// What is known of one workload while the run goes on.
struct problem_state {
    std::optional<std::size_t> reference;  // position in `jobs` of what all others are compared with
    bool reference_known = false;          // an earlier call has measured it
    bool reference_ready = false;          // its outputs are there
    bool reference_given = false;          // it is the baseline; else the first that can be measured
    double best_ns = 0, baseline_ns = 0;
    assignment best;
    std::unordered_map<std::string, stored_result> by_code;  // what identical code with the same launch took
};

class tuning {
public:
    tuning(const tune_spec& spec, const search_space& space, const tune_lane& lane, result_store& store,
           const run_info& run, const tune_options& options)
        : spec_(spec), space_(space), lane_(lane), store_(store), options_(options), problems_(spec.workloads.size())
    {
        summary_.run = store_.begin_run(run);
        plan();
    }

    tune_summary go(const std::function<void(const tune_progress&)>& progress);

private:
    void plan();
    [[nodiscard]] strategy_options strategy_settings() const;
    bool propose();
    void take_over(const stored_result& result);
    void charge(const stored_result& result);
    [[nodiscard]] prepared_job prepare(const tune_job& job) const;
    [[nodiscard]] std::size_t jobs_ahead() const;
    void prepare_jobs();
    void measure_jobs(const measurer& measure);
    void measure_reference_again(std::size_t problem, const measurer& measure);
    std::optional<std::size_t> next_to_measure();
    void do_job(std::size_t position, const measurer& measure);
    measurement measure_with_retries(std::size_t position, const measurer& measure, const measure_request& request,
                                     int& deaths);
    void settle(std::size_t position, measurement measured, const stored_result* twin, int deaths);
    void stop_with(std::exception_ptr failure);
    [[nodiscard]] bool stopping() const { return stop_ || interrupted(); }
    [[nodiscard]] bool is_baseline(const assignment& parameters) const
    {
        return spec_.baseline && parameters == *spec_.baseline;
    }
    [[nodiscard]] bool may_propose() const;
    [[nodiscard]] bool finished() const { return unsettled_ == 0 && !may_propose(); }
    void note_progress();

    const tune_spec& spec_;
    const search_space& space_;
    const tune_lane& lane_;
    result_store& store_;
    const tune_options& options_;
    const clock::time_point start_ = clock::now();

    enum class stage { waiting, preparing, ready, measuring, settled };
    std::unordered_map<std::string, stored_result> known_;  // by job_key: what earlier calls have settled
    std::unordered_map<std::string, int> deaths_before_;
    std::optional<proposals> proposals_;
    // In the order in which they were proposed. Deques, since threads work on elements while others are added.
    std::deque<tune_job> jobs_;
    std::deque<stage> stages_;
    std::deque<prepared_job> prepared_;

    std::mutex lock_;
    std::condition_variable changed_;
    std::shared_mutex processor_;  // in a lane that measures alone: shared by those who prepare
    std::vector<problem_state> problems_;
    std::deque<std::size_t> ready_;
    std::size_t next_to_prepare_ = 0, prepared_ahead_ = 0, unsettled_ = 0, settled_ = 0;
    bool exhausted_ = false;
    std::set<std::size_t> candidates_measured_;
    std::set<std::string> charged_;
    std::size_t open_measured_ = 0;  // of these, with a job that is not settled
    std::atomic<bool> stop_ = false;
    std::map<std::size_t, stored_result> built_;  // by position, where nothing is measured
    std::exception_ptr failure_;
    tune_summary summary_;
    tune_progress shown_;
};

void tuning::plan()
{
    for (stored_result& result : store_.results(summary_.run))
        // A baseline that failed ended the run: it is tried again, since the next call would end the same way.
        if (is_final(result) && (result.measured.what == outcome::measured || !is_baseline(result.parameters))) {
            const std::optional<std::size_t> candidate = space_.find(result.parameters);
            for (const std::size_t problem : options_.workloads) {
                problem_state& state = problems_[problem];
                if (!candidate || spec_.workloads[problem].values != result.problem) continue;
                ++summary_.known_before;
                // What others are compared with: the baseline, or else the first that was measured.
                const bool reference = spec_.baseline ? is_baseline(result.parameters) : !state.reference;
                if (reference && result.measured.what == outcome::measured) {
                    state.reference = jobs_.size();
                    state.reference_known = true;
                    jobs_.push_back({.candidate = *candidate, .problem = problem, .parameters = result.parameters});
                    stages_.push_back(stage::settled);
                    prepared_.emplace_back();
                }
            }
            take_over(result);
            std::string key = job_key(result.parameters, result.problem);
            known_.insert_or_assign(std::move(key), std::move(result));
        }
    for (const attempt& each : store_.attempts(summary_.run))
        deaths_before_[job_key(each.parameters, each.problem)] = each.deaths;
    for (const std::size_t problem : options_.workloads)
        problems_[problem].reference_given = spec_.baseline && space_.find(*spec_.baseline);

    const auto known = [this](const assignment& parameters, std::size_t problem) -> const measurement* {
        const auto found = known_.find(job_key(parameters, spec_.workloads[problem].values));
        return found == known_.end() ? nullptr : &found->second.measured;
    };
    proposals_.emplace(spec_, space_, options_.workloads, make_strategy(options_.search, space_, strategy_settings()),
                       known);
    summary_.jobs = space_.size() * options_.workloads.size();
    // A space of which everything is known has nothing to propose: found out before threads are started for it.
    propose();
}

// The baseline first: all others are compared with it.
strategy_options tuning::strategy_settings() const
{
    strategy_options settings{.seed = options_.seed, .first = options_.first};
    if (spec_.baseline)
        if (const auto baseline = space_.find(*spec_.baseline))
            settings.first.insert(settings.first.begin(), *baseline);
    if (lane_.prior) settings.prior = [this](std::size_t candidate) { return lane_.prior(space_.at(candidate)); };
    return settings;
}

// What only builds has its budget in candidates, too; where something is measured, those that are measured count, and
// those that may still be.
bool tuning::may_propose() const
{
    if (exhausted_ || (lane_.recorded && summary_.recorded_seconds >= options_.most_seconds.value_or(INFINITY)))
        return false;
    if (!options_.most_candidates) return true;
    if (lane_.measurers.empty()) return proposals_->proposed() < *options_.most_candidates;
    return candidates_measured_.size() + proposals_->open() - open_measured_ < *options_.most_candidates;
}

// The jobs of one more candidate; false: there is none.
bool tuning::propose()
{
    if (!may_propose()) return false;
    const std::vector<tune_job> jobs = proposals_->next();
    exhausted_ = jobs.empty() || proposals_->exhausted();
    for (const tune_job& job : jobs) {
        problem_state& state = problems_[job.problem];
        if (is_baseline(job.parameters)) state.reference = jobs_.size();
        jobs_.push_back(job);
        stages_.push_back(stage::waiting);
        prepared_.emplace_back();
    }
    unsettled_ += jobs.size();
    return !jobs.empty();
}

// What a result tells those that come after it.
void tuning::take_over(const stored_result& result)
{
    if (result.measured.what != outcome::measured || result.measured.samples_ns.empty()) return;
    for (const std::size_t problem : options_.workloads) {
        if (spec_.workloads[problem].values != result.problem) continue;
        problem_state& state = problems_[problem];
        const double median = summarise(result.measured.samples_ns).median;
        if (is_baseline(result.parameters)) state.baseline_ns = median;
        if (state.best_ns == 0 || median < state.best_ns) {
            state.best_ns = median;
            state.best = result.parameters;
        }
        shown_.best_ns = state.best_ns;
        shown_.baseline_ns = state.baseline_ns;
        shown_.best = text_of(state.best);
    }
}

// In a replay: a compile that served several workloads, or whose samples are another's, is charged once.
void tuning::charge(const stored_result& result)
{
    if (charged_.insert(text_of(result.parameters) + fmt::format(" {}", result.compile_seconds)).second)
        summary_.recorded_seconds += result.compile_seconds;
    if (!result.same_as) summary_.recorded_seconds += result.measured.seconds;
}

tune_summary tuning::go(const std::function<void(const tune_progress&)>& progress)
{
    if (!finished()) {
        std::vector<std::jthread> threads;
        for (unsigned i = 0; i < std::max(1u, lane_.preparers); ++i)
            threads.emplace_back([this] {
                try {
                    prepare_jobs();
                } catch (...) {
                    stop_with(std::current_exception());
                }
            });
        for (const measurer& measure : lane_.measurers)
            threads.emplace_back([this, &measure] {
                try {
                    measure_jobs(measure);
                } catch (...) {
                    stop_with(std::current_exception());
                }
            });
        for (std::unique_lock guard(lock_); !finished() && !stopping();) {
            changed_.wait_for(guard, std::chrono::milliseconds(100));
            if (!lane_.recorded && options_.most_seconds && seconds_since(start_) > *options_.most_seconds && !stop_) {
                summary_.out_of_budget = true;
                stop_ = true;
            }
            note_progress();
            const tune_progress now = shown_;
            guard.unlock();
            if (progress) progress(now);
            guard.lock();
        }
        const std::lock_guard guard(lock_);
        summary_.out_of_budget |= !exhausted_ && finished();
        stop_ = true;
        changed_.notify_all();
    }
    if (failure_) std::rethrow_exception(failure_);
    for (auto& [position, result] : built_) summary_.built.push_back(std::move(result));
    summary_.interrupted = interrupted();
    if (!lane_.measurers.empty() && !summary_.interrupted && summary_.device_lost.empty())
        for (const std::size_t problem : options_.workloads) {
            shown_.doing = "final race";
            shown_.done = shown_.total;
            if (progress) progress(shown_);
            if (!interrupted())
                race_workload({.spec = spec_,
                               .space = space_,
                               .lane = lane_,
                               .store = store_,
                               .run = summary_.run,
                               .nothing_new = summary_.measured == 0,
                               .rules = options_.race,
                               .prepare = [this](const tune_job& job) { return prepare(job); }},
                              problem);
        }
    summary_.interrupted = interrupted();
    summary_.seconds = seconds_since(start_);
    return summary_;
}

void tuning::note_progress()
{
    shown_.doing = "measuring";
    shown_.done = settled_;
    shown_.total = summary_.jobs - summary_.known_before;
    if (options_.most_candidates) {
        shown_.done = lane_.measurers.empty() ? settled_ : candidates_measured_.size();
        shown_.total = *options_.most_candidates;
    }
    const auto done = static_cast<double>(shown_.done);
    const auto left = static_cast<double>(shown_.total) - done;
    shown_.seconds_left = done == 0 ? 0 : seconds_since(start_) / done * left;
    if (options_.most_seconds && !lane_.recorded)
        shown_.seconds_left = std::min(shown_.seconds_left, *options_.most_seconds - seconds_since(start_));
}

void tuning::stop_with(std::exception_ptr failure)
{
    const std::lock_guard guard(lock_);
    if (!failure_ && !interrupted()) failure_ = failure;  // what an interrupt broke is not a failure
    stop_ = true;
    changed_.notify_all();
}

prepared_job tuning::prepare(const tune_job& job) const
{
    if (const std::string why = space_.why_not(job.parameters, spec_.workloads[job.problem]); !why.empty())
        return {.what = outcome::rejected, .reason = "the constraint " + why + " does not hold"};
    return lane_.prepare(job);
}

// Prepared jobs wait in memory and on disk: enough for the measurers never to wait, no more. What a strategy proposes
// is the better the more it has been told: a job for each preparer, and for a record, which answers at once, a single
// one.
std::size_t tuning::jobs_ahead() const
{
    const auto& all = search_strategies();
    const bool adaptive = std::ranges::any_of(
        all, [&](const strategy_description& each) { return each.name == options_.search && each.adaptive; });
    if (!adaptive) return 4 * std::size_t{lane_.preparers} + 16;
    return lane_.recorded ? 1 : std::max(1u, lane_.preparers);
}

void tuning::prepare_jobs()
{
    const std::size_t ahead = jobs_ahead();
    const auto next_waiting = [this] {
        while (next_to_prepare_ < jobs_.size() && stages_[next_to_prepare_] != stage::waiting) ++next_to_prepare_;
        return next_to_prepare_ < jobs_.size();
    };
    for (std::unique_lock guard(lock_);;) {
        changed_.wait(guard, [&] {
            return stopping() || finished() || (prepared_ahead_ < ahead && (next_waiting() || propose()));
        });
        if (stopping() || finished()) return;
        if (!next_waiting()) continue;
        const std::size_t position = next_to_prepare_++;
        stages_[position] = stage::preparing;
        ++prepared_ahead_;
        guard.unlock();
        prepared_job made;
        {
            std::shared_lock<std::shared_mutex> together(processor_, std::defer_lock);
            if (lane_.alone) together.lock();
            if (!stopping()) made = prepare(jobs_[position]);
        }
        guard.lock();
        if (stopping()) return;
        prepared_[position] = std::move(made);
        if (!prepared_[position].from_cache) summary_.compile_seconds += prepared_[position].compile_seconds;
        if (prepared_[position].what == outcome::measured && !lane_.measurers.empty()) {
            stages_[position] = stage::ready;
            ready_.push_back(position);
        } else {
            // Settled without a measurement; in a lane without measurers, all that it was made for.
            measurement settled{.what = prepared_[position].what, .reason = prepared_[position].reason};
            guard.unlock();
            settle(position, std::move(settled), nullptr, 0);
            guard.lock();
        }
        changed_.notify_all();
    }
}

// The oldest job that may be measured now: nothing before the reference of its workload.
std::optional<std::size_t> tuning::next_to_measure()
{
    std::erase_if(ready_, [&](std::size_t position) { return stages_[position] != stage::ready; });
    for (const std::size_t position : ready_) {
        const problem_state& state = problems_[jobs_[position].problem];
        if (lane_.needs_reference && !state.reference_ready && state.reference != position) {
            if (state.reference_given) continue;
            // Without a baseline the first of the order that can be measured is the reference: not before all in
            // front of it are settled.
            bool first = true;
            for (std::size_t i = 0; i < position && first; ++i)
                first = jobs_[i].problem != jobs_[position].problem || stages_[i] == stage::settled;
            if (!first || state.reference) continue;
        }
        return position;
    }
    return std::nullopt;
}

void tuning::measure_jobs(const measurer& measure)
{
    for (std::unique_lock guard(lock_);;) {
        if (stopping() || finished()) return;
        // A reference that an earlier call has measured: its outputs are needed again.
        std::optional<std::size_t> again;
        if (lane_.needs_reference)
            for (const std::size_t problem : options_.workloads)
                if (const problem_state& state = problems_[problem];
                    !state.reference_ready && state.reference_known && stages_[*state.reference] == stage::settled)
                    again = problem;
        if (again) {
            stages_[*problems_[*again].reference] = stage::measuring;
            guard.unlock();
            measure_reference_again(*again, measure);
            guard.lock();
            stages_[*problems_[*again].reference] = stage::settled;
            changed_.notify_all();
            continue;
        }
        const std::optional<std::size_t> position = next_to_measure();
        if (!position) {
            const clock::time_point waiting = clock::now();
            changed_.wait_for(guard, std::chrono::milliseconds(200));
            summary_.idle_seconds += seconds_since(waiting);
            continue;
        }
        stages_[*position] = stage::measuring;
        problem_state& state = problems_[jobs_[*position].problem];
        if (lane_.needs_reference && !state.reference_ready && !state.reference) state.reference = position;
        guard.unlock();
        do_job(*position, measure);
        guard.lock();
        changed_.notify_all();
    }
}

void tuning::measure_reference_again(std::size_t problem, const measurer& measure)
{
    const std::size_t position = problems_[problem].reference.value();
    prepared_job made = prepare(jobs_[position]);
    if (made.what != outcome::measured)
        throw error(fmt::format("{} cannot be built any more: {}", text_of(jobs_[position].parameters), made.reason),
                    "its results are the reference for all others; measure anew into another file with --store");
    int deaths = 0;
    {
        const std::lock_guard guard(lock_);
        prepared_[position] = std::move(made);
    }
    const measurement measured = measure_with_retries(position, measure, {.samples = 1, .is_reference = true}, deaths);
    if (measured.what != outcome::measured)
        throw error(fmt::format("{} was measured before and now fails: {}: {}", text_of(jobs_[position].parameters),
                                words_of(measured.what), measured.reason),
                    "its results are the reference for all others; look at the GPU, or measure anew with --store");
    const std::lock_guard guard(lock_);
    problems_[problem].reference_ready = true;
}

measurement tuning::measure_with_retries(std::size_t position, const measurer& measure, const measure_request& request,
                                         int& deaths)
{
    const tune_job& job = jobs_[position];
    const assignment& problem = spec_.workloads[job.problem].values;
    for (;;) {
        measurement measured;
        {
            std::unique_lock<std::shared_mutex> undisturbed(processor_, std::defer_lock);
            if (lane_.alone) undisturbed.lock();
            measured = measure(job, prepared_[position], request);
        }
        if (measured.what != outcome::worker_died || lane_.recorded) return measured;
        ++deaths;
        const std::lock_guard guard(lock_);
        ++summary_.worker_deaths;
        if (deaths >= deaths_that_settle || interrupted()) return measured;
        store_.begin_attempt(summary_.run, {.parameters = job.parameters, .problem = problem, .deaths = deaths});
    }
}

void tuning::do_job(std::size_t position, const measurer& measure)
{
    const tune_job& job = jobs_[position];
    const assignment& problem = spec_.workloads[job.problem].values;
    problem_state& state = problems_[job.problem];
    measure_request request;
    int deaths = 0;
    {
        std::unique_lock guard(lock_);
        const std::string& same = prepared_[position].same_when_equal;
        if (const auto twin = state.by_code.find(same); !same.empty() && twin != state.by_code.end()) {
            const stored_result known = twin->second;
            guard.unlock();
            settle(position, known.measured, &known, 0);
            return;
        }
        // The budget in candidates counts those that are really measured.
        if (candidates_measured_.insert(job.candidate).second) ++open_measured_;
        request = {.best_ns = is_baseline(job.parameters) ? 0 : state.best_ns,
                   .is_reference = state.reference == position};
        if (const auto before = deaths_before_.find(job_key(job.parameters, problem)); before != deaths_before_.end())
            deaths = before->second;
        store_.begin_attempt(summary_.run, {.parameters = job.parameters, .problem = problem, .deaths = deaths});
    }
    const clock::time_point start = clock::now();
    measurement measured = measure_with_retries(position, measure, request, deaths);
    const double took = seconds_since(start);
    {
        const std::lock_guard guard(lock_);
        summary_.measuring_seconds += took;
        for (const double sample : measured.samples_ns) summary_.sample_seconds += sample * 1e-9;
        ++summary_.measured;
        if (interrupted() && measured.what != outcome::measured) return;  // it may be the interrupt's doing
        if (measured.what == outcome::device_lost) {
            summary_.device_lost = measured.reason;
            stop_ = true;
        }
        if (request.is_reference) {
            state.reference_ready = measured.what == outcome::measured;
            if (!state.reference_ready && !state.reference_given) state.reference.reset();
        }
    }
    settle(position, std::move(measured), nullptr, deaths);
}

void tuning::settle(std::size_t position, measurement measured, const stored_result* twin, int deaths)
{
    const tune_job& job = jobs_[position];
    const std::lock_guard guard(lock_);
    prepared_job& made = prepared_[position];
    stored_result result{.run = summary_.run,
                         .parameters = job.parameters,
                         .problem = spec_.workloads[job.problem].values,
                         .weight = spec_.workloads[job.problem].weight,
                         .measured = std::move(measured),
                         .kernel = std::move(made.kernel),
                         .code = made.code,
                         .same_as = twin == nullptr ? std::nullopt : std::optional(twin->parameters),
                         .log = std::move(made.log),
                         .compile_seconds = made.compile_seconds,
                         .from_cache = made.from_cache,
                         .deaths = deaths,
                         .finished = now_as_text()};
    const problem_state& state = problems_[job.problem];
    const bool hopeless = lane_.needs_reference && !lane_.measurers.empty() && state.reference_given &&
                          state.reference == position && result.measured.what != outcome::measured &&
                          result.measured.what != outcome::device_lost;
    if (lane_.measurers.empty())
        built_.emplace(position, result);
    else
        store_.save(result);
    ++summary_.outcomes[result.measured.what];
    if (lane_.recorded) charge(result);
    if (twin != nullptr) ++summary_.shared;
    if (stages_[position] == stage::preparing) ++summary_.settled_unmeasured;
    take_over(result);
    if (twin == nullptr && !made.same_when_equal.empty() && !lane_.measurers.empty() &&
        result.measured.what != outcome::device_lost && result.measured.what != outcome::worker_died &&
        stages_[position] == stage::measuring)
        problems_[job.problem].by_code.insert_or_assign(made.same_when_equal, result);
    made = {.same_when_equal = made.same_when_equal};
    stages_[position] = stage::settled;
    ++settled_;
    --unsettled_;
    --prepared_ahead_;
    const std::size_t open_before = proposals_->open();
    proposals_->settle(job, result.measured);
    if (proposals_->open() < open_before && candidates_measured_.contains(job.candidate)) --open_measured_;
    changed_.notify_all();
    if (hopeless)
        throw error(fmt::format("the baseline ({}){} cannot be measured: {}: {}", text_of(job.parameters),
                                result.problem.values.empty() ? "" : " with " + text_of(result.problem),
                                words_of(result.measured.what), result.measured.reason),
                    "all others are compared with it; mend it, or name another baseline in [tunable]");
}

}  // namespace

tune_summary run_tune(const tune_spec& spec, const search_space& space, const tune_lane& lane, result_store& store,
                      const run_info& run, const tune_options& options,
                      const std::function<void(const tune_progress&)>& progress)
{
    return tuning(spec, space, lane, store, run, options).go(progress);
}

}  // namespace launchbox
