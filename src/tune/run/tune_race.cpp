// SPDX-License-Identifier: Apache-2.0
#include "tune/run/tune_race.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <mutex>
#include <numeric>
#include <optional>
#include <utility>

#include "support/error.hpp"
#include "support/process/interrupt.hpp"
#include "support/sample_statistics.hpp"
#include "tune/ranking/ranking.hpp"
#include "tune/run/baseline_failure.hpp"

namespace launchbox {

namespace {

// Samples of a contestant in a round; and the time limit of a race, as a multiple of a candidate's time limit.
constexpr int samples_a_turn = 5;
constexpr double race_seconds_per_limit = 15;

struct contestants {
    std::vector<stored_result> results;  // the best first
    std::vector<tune_job> jobs;
    std::optional<std::size_t> baseline;
};

// By number of the contestant: the measurement of those that failed in the race after being measured before.
using race_failures = std::map<std::size_t, measurement>;

// The results so far for a workload, as far as they are in the space.
struct known_results {
    std::vector<stored_result> results;
    std::vector<ranking> rankings;  // one, or none if nothing was measured
};

known_results known_of(const race_setting& setting, std::size_t workload, const std::vector<race_result_info>& races)
{
    known_results known;
    const std::string wanted = identity_of(setting.spec.workloads[workload].values);
    for (stored_result& result : setting.store.results(setting.run))
        if (identity_of(result.workload) == wanted && result.measured.status == outcome::measured &&
            setting.space.find(result.parameters))
            known.results.push_back(std::move(result));
    known.rankings = rank(known.results, races, setting.spec.baseline, setting.spec.goal);
    return known;
}

bool is_decided_by_race(const known_results& known)
{
    return !known.rankings.empty() && known.rankings.front().race.has_value();
}

contestants contestants_among(const race_setting& setting, std::size_t workload, known_results known)
{
    contestants chosen;
    if (known.rankings.empty()) return chosen;
    const ranking& among = known.rankings.front();
    for (const std::size_t place : contestants_of(known.results, among, setting.rules)) {
        stored_result& result = known.results[among.candidates[place].result];
        if (among.candidates[place].is_baseline) chosen.baseline = chosen.jobs.size();
        chosen.jobs.push_back({.candidate = setting.space.find(result.parameters).value(),
                               .workload = workload,
                               .parameters = result.parameters});
        chosen.results.push_back(std::move(result));
    }
    return chosen;
}

// In a replay nothing can be timed again: the recorded results decide.
race_outcome compare_records(const contestants& who)
{
    race_outcome raced;
    raced.order.resize(who.results.size());
    std::iota(raced.order.begin(), raced.order.end(), std::size_t{0});
    for (const stored_result& result : who.results) raced.rounds_ns.push_back(result.measured.samples_ns);
    const sample_summary first = summarise(raced.rounds_ns.front());
    for (std::size_t i = 1; i < who.results.size(); ++i)
        if (const sample_summary other = summarise(raced.rounds_ns[i]); !differs(first, other)) {
            raced.equal = true;
            raced.equal_within = std::max(raced.equal_within, other.high / first.low - 1);
        }
    return raced;
}

// Slow candidates get fewer rounds: half a minute of rounds is enough if a candidate may take two seconds.
race_rules affordable(const race_setting& setting, const contestants& who)
{
    double one_round = 0;
    for (const stored_result& result : who.results) one_round += result.measured.seconds;
    race_rules rules = setting.rules;
    const double rounds = race_seconds_per_limit * setting.spec.measure.max_seconds / std::max(one_round, 1e-6);
    rules.max_rounds = static_cast<int>(std::clamp<double>(rounds, rules.fewest_rounds, rules.max_rounds));
    return rules;
}

// A worker may be killed for reasons unrelated to the candidate, so one death is forgiven.
measurement measure_in_race(const measurer& measure, const tune_job& job, const prepared_job& made, int samples)
{
    const measure_request request{.samples = samples, .repeated = true};
    measurement again = measure(job, made, request);
    return again.status == outcome::worker_died && again.machine_failure.empty() ? measure(job, made, request) : again;
}

// Uses all remaining devices. Within a round, the contestants are compared on a single device, since two of one model
// differ by more than the best candidates do. If a device is lost, the race begins again. `nullopt` if none is left.
std::optional<race_outcome> time_again(const race_setting& setting, const contestants& who, race_failures& failures)
{
    std::vector<prepared_job> made;
    if (who.jobs.size() > 1)
        for (const tune_job& job : who.jobs) made.push_back(setting.prepare(job));
    const double median = summarise(who.results.front().measured.samples_ns).median * 1e-9;
    const int samples = median * samples_a_turn < setting.spec.measure.max_seconds / 4 ? samples_a_turn : 1;
    for (;;) {
        const std::vector<std::size_t> devices = setting.devices.left();
        if (devices.empty()) return std::nullopt;
        std::mutex lock;
        std::atomic<bool> any_lost = false;
        const auto time = [&](std::size_t place, std::size_t i) -> std::optional<double> {
            if (any_lost || interrupted() || made[i].build.status != build_status::built) return std::nullopt;
            const std::size_t device = devices[place];
            measurement again = measure_in_race(setting.backend.measurers[device], who.jobs[i], made[i], samples);
            if (again.status == outcome::measured && !again.samples_ns.empty())
                return summarise(again.samples_ns).median;
            const std::lock_guard guard(lock);
            if (again.status == outcome::device_lost) {
                setting.devices.lose(device, again.reason);
                any_lost = true;
            } else if (again.status != outcome::measured && again.machine_failure.empty() && !interrupted()) {
                failures.emplace(i, std::move(again));
            }
            return std::nullopt;
        };
        race_outcome raced = run_final_race(who.jobs.size(), affordable(setting, who), devices.size(), time);
        if (!any_lost) return raced;
    }
}

// A candidate that failed in the race loses its time, and so do those that shared it.
void save_failures(const race_setting& setting, const contestants& who, const race_failures& failures)
{
    const std::vector<stored_result> all = setting.store.results(setting.run);
    for (const auto& [number, failure] : failures) {
        stored_result failed = who.results[number];
        failed.measured = failure;
        failed.measured.reason = "in the final race: " + failure.reason;
        setting.store.save(failed);
        for (stored_result other : all)
            if (other.workload == failed.workload && other.same_as == failed.parameters) {
                other.measured = failed.measured;
                setting.store.save(other);
            }
    }
    if (who.baseline && failures.contains(*who.baseline)) {
        const measurement& failure = failures.at(*who.baseline);
        throw baseline_failed(who.results[*who.baseline].parameters, who.results[*who.baseline].workload,
                              {.status = failure.status, .reason = "in the final race: " + failure.reason},
                              setting.spec.text);
    }
}

// The recorded race, if it also decides among the present results.
std::optional<race_result_info> race_of_record(const race_setting& setting, std::size_t workload)
{
    const known_results known = known_of(setting, workload, setting.backend.races);
    if (!is_decided_by_race(known)) return std::nullopt;
    race_result_info race = setting.backend.races[known.rankings.front().race.value()];
    race.run = setting.run;
    return race;
}

}  // namespace

void race_workload(const race_setting& setting, std::size_t workload)
{
    if (setting.backend.recorded)
        if (const auto race = race_of_record(setting, workload)) {
            setting.store.save(*race);
            return;
        }
    known_results known = known_of(setting, workload, setting.store.races(setting.run));
    if (setting.nothing_new && is_decided_by_race(known)) return;
    contestants who;
    std::optional<race_outcome> timed;
    for (;;) {
        who = contestants_among(setting, workload, std::move(known));
        if (who.jobs.empty()) return;
        race_failures failures;
        timed = setting.backend.recorded ? compare_records(who) : time_again(setting, who, failures);
        if (failures.empty()) break;
        // Contestants were chosen by a time that is now invalid: store the failure and choose again.
        save_failures(setting, who, failures);
        known = known_of(setting, workload, {});
    }
    if (!timed || interrupted()) return;
    const race_outcome& raced = *timed;
    if (setting.backend.changed_source)
        if (const std::string file = setting.backend.changed_source(); !file.empty())
            throw error(file + " was changed during the final race, which is not stored",
                        "the same command begins a new run with the current file");
    race_result_info info{.run = setting.run,
                          .workload = setting.spec.workloads[workload].values,
                          .verdict = raced.equal ? "equal" : "winner",
                          .equal_within = raced.equal_within};
    for (const std::size_t i : raced.order)
        info.entries.push_back({.parameters = who.jobs[i].parameters,
                                .samples_ns = raced.rounds_ns[i],
                                .result_median_ns = summarise(who.results[i].measured.samples_ns).median});
    setting.store.save(info);
}

}  // namespace launchbox
