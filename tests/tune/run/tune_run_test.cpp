// The engine with fake devices: what is measured when, how often, and what is stored.
#include "tune/run/tune_run.hpp"
#include "tune/space/task_hash.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <map>
#include <mutex>
#include <thread>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/search/search_strategy.hpp"

namespace launchbox {
namespace {

constexpr const char* text = R"(
[tunable]
name = "sum"
baseline = { threads = 128, items = 1 }
[parameters]
threads = [32, 64, 128, 256]
items = [1, 2, 3, 4, 5]
[constraints]
all = ["threads * items <= 1024"]
[[workload]]
n = [1000, 2000]
[program]
run = ["true", "{threads}", "{items}", "{n}"]
)";
constexpr std::size_t candidates = 19;  // 4 x 5 without 256 x 5

std::int64_t number(const assignment& values, const char* name)
{
    return std::get<std::int64_t>(*values.find(name));
}

// A fake device: what it was asked for, and what it should do.
struct device {
    const tune_spec& spec;
    std::map<std::string, measurement> commanded = {};      // by candidate: the result to return
    std::map<std::string, prepared_job> unprepared = {};    // by candidate: settled before it is measured
    std::map<std::string, int> dies = {};                   // by candidate: how often
    std::map<std::string, std::string> same = {};           // by candidate: its code
    std::map<std::string, measurement> fails_in_race = {};  // by candidate
    std::map<std::string, int> lacks = {};  // by candidate: how often the machine lacks resources for it
    bool lacks_for_all = false;
    std::mutex lock = {};
    std::map<std::string, int> measured = {};  // by candidate and workload
    std::vector<std::string> order = {};
    std::vector<std::string> references = {};
    std::atomic<int> preparing = 0, measuring = 0;
    std::atomic<bool> overlapped = false;

    // 64 x 3 is the fastest by far.
    static double time_of(const assignment& values, double n)
    {
        const double threads = static_cast<double>(number(values, "threads"));
        const double items = static_cast<double>(number(values, "items"));
        return n * (10 + std::abs(threads - 64) / 16 + std::abs(items - 3));
    }

    tune_backend backend(std::size_t measurers = 1)
    {
        tune_backend backend;
        backend.environment.gpu = "test GPU";
        backend.environment.architecture = "sm_90";
        backend.label = "test GPU";
        backend.source_hash = "source";
        backend.preparers = 3;
        backend.prepare = [this](const tune_job& job) {
            ++preparing;
            overlapped = overlapped || measuring > 0;
            const std::string name = parameter_text(job.parameters);
            prepared_job made;
            {
                const std::lock_guard guard(lock);
                if (const auto found = unprepared.find(name); found != unprepared.end()) made = found->second;
                if (const auto found = same.find(name); found != same.end()) made.same_when_equal = found->second;
                if (lacks_for_all || (lacks.contains(name) && lacks[name]-- > 0)) {
                    made.build.status = build_status::compile_error;
                    made.build.machine_failure = "No space left on device";
                }
            }
            --preparing;
            return made;
        };
        for (std::size_t i = 0; i < measurers; ++i)
            backend.measurers.push_back([this](const tune_job& job, const prepared_job&,
                                               const measure_request& request) { return measure(job, request); });
        return backend;
    }

    measurement measure(const tune_job& job, const measure_request& request)
    {
        ++measuring;
        overlapped = overlapped || preparing > 0;
        const std::lock_guard guard(lock);
        const assignment& workload = spec.workloads[job.workload].values;
        const std::string name = parameter_text(job.parameters), key = name + " " + parameter_text(workload);
        if (request.samples == 0) {
            ++measured[key];
            order.push_back(key);
        }
        if (request.is_reference) references.push_back(key);
        measurement result;
        if (const auto found = fails_in_race.find(name); request.repeated && found != fails_in_race.end()) {
            result = found->second;
        } else if (int& left = dies[name]; left > 0) {
            --left;
            result = {.status = outcome::worker_died, .reason = "killed by signal 11"};
        } else if (const auto found = commanded.find(name); found != commanded.end()) {
            result = found->second;
        } else {
            result.verified = true;
            const double time = time_of(job.parameters, static_cast<double>(number(workload, "n")));
            for (int i = 0; i < 10; ++i) result.samples_ns.push_back(time * (1 + 0.0001 * (i % 3)));
        }
        --measuring;
        return result;
    }
};

class tune_run_test : public ::testing::Test {
protected:
    tune_spec spec = parse_tune_spec("sum.toml", text);
    search_space space{spec, {}};
    temporary_directory folder;
    std::string file = (folder.path() / "sum.db").string();
    device gpu{spec};
    tune_options options{.workloads = {0, 1}};

    [[nodiscard]] run_info run_on(const tune_backend& backend) const
    {
        run_info run;
        run.name = "sum";
        run.task_hash = task_hash(spec, space);
        run.source_hash = backend.source_hash;
        run.started = "2026-01-01T00:00:00Z";
        run.environment = backend.environment;
        run.baseline = spec.baseline;
        return run;
    }

    tune_summary tune(const tune_backend& backend)
    {
        result_store store(file);
        return run_tune(spec, space, backend, store, run_on(backend), options);
    }

    // By candidate and workload; without dates.
    std::map<std::string, stored_result> results()
    {
        const result_store store(file, result_store::access::read_only);
        std::map<std::string, stored_result> all;
        for (const auto& [number, run] : store.runs())
            for (stored_result result : store.results(number)) {
                result.finished.clear();
                const std::string key = parameter_text(result.parameters) + " " + parameter_text(result.workload);
                all.emplace(key, std::move(result));
            }
        return all;
    }

    race_result_info race_on(std::int64_t n)
    {
        const result_store store(file, result_store::access::read_only);
        for (const race_result_info& race : store.races(store.runs().front().first))
            if (number(race.workload, "n") == n) return race;
        ADD_FAILURE() << "no race on " << n;
        return {};
    }
};

TEST_F(tune_run_test, measures_each_candidate_once_per_workload_with_the_baseline_first)
{
    const tune_summary summary = tune(gpu.backend());
    EXPECT_EQ(summary.jobs, 2 * candidates);
    EXPECT_EQ(summary.measured, 2 * candidates);
    EXPECT_EQ(gpu.measured.size(), 2 * candidates);
    for (const auto& [key, times] : gpu.measured) EXPECT_EQ(times, 1) << key;
    std::ranges::sort(gpu.references);  // threads decide which of the two is prepared first
    EXPECT_EQ(gpu.references, (std::vector<std::string>{"threads=128 items=1 n=1000", "threads=128 items=1 n=2000"}));
    std::map<std::string, bool> ready;
    for (const std::string& key : gpu.order) {
        const std::string workload = key.substr(key.find("n="));
        if (key.starts_with("threads=128 items=1 "))
            ready[workload] = true;
        else
            EXPECT_TRUE(ready[workload]) << key << " before the baseline";
    }
    const auto all = results();
    ASSERT_EQ(all.size(), 2 * candidates);
    EXPECT_EQ(all.at("threads=64 items=3 n=1000").measured.samples_ns.size(), 10u);
    EXPECT_EQ(race_on(1000).verdict, "winner");
    EXPECT_EQ(parameter_text(race_on(1000).entries.front().parameters), "threads=64 items=3");
}

TEST_F(tune_run_test, a_lack_of_resources_is_tried_again_and_never_stored)
{
    // Temporarily, and during the whole call.
    gpu.lacks["threads=32 items=1"] = 2;
    gpu.lacks["threads=64 items=2"] = 1000;
    const tune_summary first = tune(gpu.backend());
    EXPECT_EQ(first.left, 2u) << "one on each workload";
    EXPECT_EQ(first.machine_failure, "No space left on device");
    auto all = results();
    EXPECT_EQ(all.size(), 2 * (candidates - 1));
    EXPECT_EQ(all.at("threads=32 items=1 n=1000").measured.status, outcome::measured);
    EXPECT_FALSE(all.contains("threads=64 items=2 n=1000"));

    gpu.lacks.clear();
    const tune_summary second = tune(gpu.backend());
    EXPECT_EQ(second.left, 0u);
    EXPECT_EQ(second.measured, 2u);
    EXPECT_EQ(results().size(), 2 * candidates);
}

TEST_F(tune_run_test, a_lack_of_resources_for_all_ends_the_run)
{
    gpu.lacks_for_all = true;
    try {
        tune(gpu.backend());
        FAIL();
    } catch (const error& failure) {
        EXPECT_EQ(failure.status(), exit_status::missing);
        EXPECT_NE(std::string(failure.what()).find("No space left on device"), std::string::npos);
    }
    EXPECT_TRUE(results().empty());
}

TEST_F(tune_run_test, a_source_that_changes_ends_the_run_and_its_results_are_not_stored)
{
    std::atomic<int> asked = 0;
    tune_backend backend = gpu.backend();
    backend.changed_source = [&]() -> std::string { return ++asked > 30 ? "k.cu" : ""; };
    try {
        tune(backend);
        FAIL();
    } catch (const error& failure) {
        EXPECT_EQ(std::string(failure.what()), "k.cu was changed during the run; what was measured before is kept");
    }
    EXPECT_LT(results().size(), 2 * candidates);
}

TEST_F(tune_run_test, only_the_seed_decides_the_order)
{
    tune(gpu.backend());
    device again{spec};
    file += "2";
    tune(again.backend());
    std::vector<std::string> first = gpu.order, second = again.order;
    std::ranges::sort(first);
    std::ranges::sort(second);
    EXPECT_EQ(first, second);
    options.seed = 2;
    options.max_candidates = 5;
    device other{spec};
    file += "3";
    tune(other.backend());
    options.seed = 3;
    device another{spec};
    file += "4";
    tune(another.backend());
    EXPECT_NE(other.measured, another.measured);
}

TEST_F(tune_run_test, failures_are_stored_with_their_kind_and_do_not_affect_other_results)
{
    tune(gpu.backend());
    const auto whole = results();

    file += "2";
    device faulty{spec};
    const std::map<std::string, outcome> kinds{
        {"threads=32 items=1", outcome::launch_error}, {"threads=32 items=2", outcome::illegal_access},
        {"threads=32 items=3", outcome::hang},         {"threads=32 items=4", outcome::trap},
        {"threads=32 items=5", outcome::wrong_result}, {"threads=64 items=1", outcome::out_of_memory}};
    for (const auto& [name, what] : kinds) faulty.commanded[name] = {.status = what, .reason = "as commanded"};
    const std::map<std::string, outcome> early{{"threads=64 items=2", outcome::rejected},
                                               {"threads=64 items=4", outcome::compile_error},
                                               {"threads=64 items=5", outcome::compile_timeout}};
    for (const auto& [name, what] : early)
        faulty.unprepared[name] = {.build = {.status = build_status_of(what), .reason = "before", .log = "log"}};
    faulty.dies["threads=256 items=1"] = 100;
    const tune_summary summary = tune(faulty.backend());
    EXPECT_EQ(summary.settled_unmeasured, 2 * early.size());

    const auto now = results();
    ASSERT_EQ(now.size(), whole.size());
    for (const auto& [key, result] : now) {
        const std::string name = parameter_text(result.parameters);
        if (kinds.contains(name)) {
            EXPECT_EQ(result.measured.status, kinds.at(name)) << key;
            EXPECT_EQ(result.measured.reason, "as commanded");
        } else if (early.contains(name)) {
            EXPECT_EQ(result.measured.status, early.at(name)) << key;
            EXPECT_EQ(result.log, "log");
        } else if (name == "threads=256 items=1") {
            EXPECT_EQ(result.measured.status, outcome::worker_died);
            EXPECT_EQ(result.deaths, 2);
        } else {
            EXPECT_EQ(result.measured, whole.at(key).measured) << key;
        }
    }
    EXPECT_EQ(faulty.measured.at("threads=256 items=1 n=1000"), 2) << "two deaths settle it";
    EXPECT_EQ(faulty.measured.at("threads=32 items=3 n=1000"), 1) << "one hang is enough";
    EXPECT_FALSE(faulty.measured.contains("threads=64 items=4 n=1000"));
}

TEST_F(tune_run_test, a_death_that_does_not_repeat_is_not_blamed_on_the_candidate)
{
    gpu.dies["threads=32 items=2"] = 1;
    const tune_summary summary = tune(gpu.backend());
    EXPECT_EQ(summary.worker_deaths, 1u);
    EXPECT_EQ(results().at("threads=32 items=2 n=1000").measured.status, outcome::measured);
}

// launchbox itself was killed while it measured this candidate, after one death of a worker.
TEST_F(tune_run_test, deaths_before_an_interruption_count)
{
    const tune_backend backend = gpu.backend();
    {
        result_store store(file);
        const std::int64_t run = store.begin_run(run_on(backend));
        store.begin_attempt(run, {.parameters = {{{"threads", std::int64_t{32}}, {"items", std::int64_t{2}}}},
                                  .workload = spec.workloads[0].values,
                                  .deaths = 1});
    }
    gpu.dies["threads=32 items=2"] = 100;
    tune(backend);
    EXPECT_EQ(gpu.measured.at("threads=32 items=2 n=1000"), 1);
    EXPECT_EQ(gpu.measured.at("threads=32 items=2 n=2000"), 2);
}

TEST_F(tune_run_test, a_second_call_only_measures_what_is_missing)
{
    options.max_candidates = 7;
    const tune_summary first = tune(gpu.backend());
    EXPECT_TRUE(first.out_of_budget);
    EXPECT_EQ(first.measured, 14u) << "each on both workloads";
    options.max_candidates.reset();
    const tune_summary second = tune(gpu.backend());
    EXPECT_EQ(second.known_before, 14u);
    EXPECT_EQ(second.measured, 2 * candidates - 14);
    for (const auto& [key, times] : gpu.measured)
        EXPECT_EQ(times, 1) << key << (key.find("threads=128 items=1 ") == 0 ? " (with samples)" : "");
    // The outputs of the baseline are needed for comparison: it ran once more, but was not measured again.
    EXPECT_EQ(gpu.references.size(), 4u);
    EXPECT_EQ(results().size(), 2 * candidates);

    const tune_summary third = tune(gpu.backend());
    EXPECT_EQ(third.measured, 0u);
    EXPECT_EQ(gpu.references.size(), 4u) << "nothing to measure: nothing is started";
}

TEST_F(tune_run_test, results_of_another_source_or_task_are_not_mixed_in)
{
    tune(gpu.backend());
    tune_backend changed = gpu.backend();
    changed.source_hash = "another source";
    EXPECT_EQ(tune(changed).measured, 2 * candidates);
    spec.measure.cold = false;
    EXPECT_EQ(tune(gpu.backend()).measured, 2 * candidates);
    tune_backend elsewhere = gpu.backend();
    elsewhere.environment.gpu = "another GPU";
    EXPECT_EQ(tune(elsewhere).measured, 2 * candidates);
    EXPECT_EQ(tune(elsewhere).measured, 0u);
}

TEST_F(tune_run_test, a_longer_list_of_values_keeps_the_known_results)
{
    tune(gpu.backend());
    std::string wider = text;
    wider.replace(wider.find("[1, 2, 3, 4, 5]"), 15, "[1, 2, 3, 4, 5, 6]");
    spec = parse_tune_spec("sum.toml", wider);
    space = search_space(spec, {});
    EXPECT_EQ(tune(gpu.backend()).measured, 2 * 3u);
}

TEST_F(tune_run_test, identical_code_with_the_same_launch_is_measured_once)
{
    for (const char* name : {"threads=32 items=1", "threads=32 items=2", "threads=32 items=3"}) gpu.same[name] = "code";
    const tune_summary summary = tune(gpu.backend());
    EXPECT_EQ(summary.shared, 4u);
    EXPECT_EQ(summary.measured, 2 * candidates - 4);
    int sharing = 0;
    for (const auto& [key, result] : results())
        if (result.same_as) {
            ++sharing;
            const std::string twin = parameter_text(*result.same_as) + " " + parameter_text(result.workload);
            EXPECT_EQ(result.measured.samples_ns, results().at(twin).measured.samples_ns);
            EXPECT_FALSE(results().at(twin).same_as);
        }
    EXPECT_EQ(sharing, 4);
}

// A spec from --init that was not edited: its guesses are the most likely cause.
TEST_F(tune_run_test, a_failing_baseline_names_the_lines_with_guesses)
{
    gpu.commanded["threads=128 items=1"] = {.status = outcome::illegal_access, .reason = "at 0x7f"};
    options.workloads = {0};
    const auto hint = [&](const std::string& text) {
        spec.text = text;
        try {
            tune(gpu.backend());
        } catch (const error& failure) {
            return failure.hint();
        }
        return std::string("it goes on");
    };
    EXPECT_EQ(hint("[tunable]\nn = 5  # which value? fill in\nfill in = 3\n# fill in\n"),
              "the spec's lines that say 'fill in' are guesses: lines 2, 4; write what your program passes there");
    EXPECT_EQ(hint("n = 5  # fill in"),
              "the spec's lines that say 'fill in' are guesses: line 1; write what your program passes there");
}

TEST_F(tune_run_test, a_failing_baseline_ends_the_run_with_the_reason)
{
    gpu.commanded["threads=128 items=1"] = {.status = outcome::trap, .reason = "assertion failed"};
    options.workloads = {0};
    try {
        tune(gpu.backend());
        FAIL() << "it goes on";
    } catch (const error& failure) {
        EXPECT_STREQ(failure.what(),
                     "the baseline (threads=128 items=1) with n=1000 cannot be measured: trap: assertion failed");
        EXPECT_EQ(failure.hint(), "all others are compared with it; fix it, or use another baseline in [tunable]");
    }
    EXPECT_EQ(results().at("threads=128 items=1 n=1000").measured.status, outcome::trap);

    file += "2";
    device other{spec};
    other.unprepared["threads=128 items=1"] = {
        .build = {.status = build_status::compile_error, .reason = "k.cu(3): no such thing"}};
    try {
        tune(other.backend());
        FAIL() << "it goes on";
    } catch (const error& failure) {
        EXPECT_NE(std::string(failure.what()).find("compile error: k.cu(3): no such thing"), std::string::npos)
            << failure.what();
    }
    EXPECT_TRUE(other.measured.empty());
}

TEST_F(tune_run_test, without_a_baseline_the_first_measurable_candidate_is_the_reference)
{
    spec.baseline.reset();
    tune(gpu.backend());
    ASSERT_EQ(gpu.references.size(), 2u);
    const std::string first = gpu.references[0].substr(0, gpu.references[0].find(" n="));
    device other{spec};
    other.commanded[first] = {.status = outcome::launch_error, .reason = "refused"};
    file += "2";
    const tune_summary summary = tune(other.backend());
    EXPECT_EQ(summary.measured, 2 * candidates);
    EXPECT_EQ(other.references.size(), 4u) << "the first failed on both workloads, then another was taken";
}

TEST_F(tune_run_test, a_lost_gpu_ends_the_run_and_the_candidate_is_measured_next_time)
{
    gpu.commanded["threads=32 items=4"] = {.status = outcome::device_lost, .reason = "the GPU fell off the bus"};
    const tune_summary summary = tune(gpu.backend());
    EXPECT_EQ(summary.device_lost, "the GPU fell off the bus");
    EXPECT_LT(summary.measured, 2 * candidates);
    gpu.commanded.clear();
    tune(gpu.backend());
    const auto all = results();
    EXPECT_EQ(all.size(), 2 * candidates);
    for (const auto& [key, result] : all) EXPECT_EQ(result.measured.status, outcome::measured) << key;
}

TEST_F(tune_run_test, the_candidate_of_a_lost_gpu_is_given_to_another)
{
    tune_backend backend = gpu.backend(3);
    backend.devices = {{.name = "GPU 0", .host = {}, .uuid = {}},
                       {.name = "GPU 1", .host = {}, .uuid = {}},
                       {.name = "GPU 2", .host = {}, .uuid = {}}};
    std::atomic<int> asked = 0;
    backend.measurers[1] = [&](const tune_job& job, const prepared_job&, const measure_request& request) {
        if (request.samples == 0 && ++asked > 2)
            return measurement{.status = outcome::device_lost, .reason = "off the bus"};
        return gpu.measure(job, request);
    };
    const tune_summary summary = tune(backend);
    EXPECT_EQ(summary.device_lost, "");
    EXPECT_LE(asked, 3) << "it is not asked again";
    ASSERT_EQ(summary.devices.size(), 3u);
    EXPECT_EQ(summary.devices[1].lost, asked == 3 ? "off the bus" : "");
    const auto all = results();
    EXPECT_EQ(all.size(), 2 * candidates);
    for (const auto& [key, result] : all) EXPECT_EQ(result.measured.status, outcome::measured) << key;
}

TEST_F(tune_run_test, a_candidate_that_lost_two_gpus_is_not_tried_again)
{
    gpu.commanded["threads=32 items=4"] = {.status = outcome::device_lost, .reason = "the GPU fell off the bus"};
    options.workloads = {0};
    const tune_summary summary = tune(gpu.backend(4));
    EXPECT_EQ(summary.device_lost, "");
    EXPECT_EQ(std::ranges::count_if(summary.devices, [](const device_record& each) { return !each.lost.empty(); }), 2);
    const auto all = results();
    EXPECT_EQ(all.size(), candidates);
    EXPECT_EQ(all.at("threads=32 items=4 n=1000").measured.status, outcome::device_lost);
}

TEST_F(tune_run_test, a_final_race_runs_on_all_gpus_and_is_repeated_if_one_is_lost)
{
    options.workloads = {0};
    std::array<std::atomic<int>, 3> raced{};
    tune_backend backend = gpu.backend(3);
    for (std::size_t i = 0; i < 3; ++i)
        backend.measurers[i] = [&, i](const tune_job& job, const prepared_job&, const measure_request& request) {
            if (request.repeated && ++raced[i] > 3 && i == 0)
                return measurement{.status = outcome::device_lost, .reason = "off the bus"};
            return gpu.measure(job, request);
        };
    // Two candidates that cannot be separated.
    for (const char* name : {"threads=64 items=3", "threads=64 items=2"}) {
        measurement same{.verified = true};
        for (int i = 0; i < 12; ++i) same.samples_ns.push_back(10000 + i % 3);
        gpu.commanded[name] = same;
    }
    tune(backend);
    EXPECT_EQ(raced[0], 4);
    EXPECT_GE(raced[1], 6);
    EXPECT_GE(raced[2], 6);
    result_store store(file, result_store::access::open);
    const std::vector<race_result_info> races = store.races(1);
    ASSERT_EQ(races.size(), 1u);
    for (const race_entry& entry : races[0].entries)
        EXPECT_EQ(entry.samples_ns.size(), races[0].entries[0].samples_ns.size());
}

// 64 x 3 and the candidates with its code are the fastest until they race: the race is repeated without them.
TEST_F(tune_run_test, candidates_that_fail_in_the_final_race_lose_their_time_and_are_left_out_of_the_next)
{
    gpu.same["threads=64 items=3"] = gpu.same["threads=32 items=5"] = "code";
    gpu.commanded["threads=64 items=2"] = {.samples_ns = std::vector<double>(10, 10'000.5), .verified = true};
    gpu.commanded["threads=64 items=3"] =
        gpu.commanded["threads=32 items=5"] = {.samples_ns = std::vector<double>(10, 10'000), .verified = true};
    gpu.fails_in_race["threads=64 items=3"] =
        gpu.fails_in_race["threads=32 items=5"] = {.status = outcome::wrong_result, .reason = "sometimes wrong"};
    options.workloads = {0};
    tune(gpu.backend());
    int wrong = 0;
    for (const auto& [key, result] : results()) {
        const std::string name = parameter_text(result.parameters);
        const bool fails = name == "threads=64 items=3" || name == "threads=32 items=5";
        wrong += fails;
        EXPECT_EQ(result.measured.status, fails ? outcome::wrong_result : outcome::measured) << name;
        if (!fails) continue;
        EXPECT_EQ(result.measured.reason, "in the final race: sometimes wrong");
        EXPECT_TRUE(result.measured.samples_ns.empty());
    }
    EXPECT_EQ(wrong, 2);
    const race_result_info race = race_on(1000);
    for (const race_entry& entry : race.entries)
        for (const char* failed : {"threads=64 items=3", "threads=32 items=5"})
            EXPECT_NE(parameter_text(entry.parameters), failed);
    EXPECT_EQ(parameter_text(race.entries.at(0).parameters), "threads=64 items=2");
}

TEST_F(tune_run_test, a_baseline_that_fails_in_the_final_race_ends_the_run)
{
    gpu.commanded["threads=128 items=1"] = {.samples_ns = std::vector<double>(10, 10'001), .verified = true};
    gpu.fails_in_race["threads=128 items=1"] = {.status = outcome::wrong_result, .reason = "sometimes wrong"};
    options.workloads = {0};
    try {
        tune(gpu.backend());
        FAIL() << "nothing was said";
    } catch (const error& failure) {
        EXPECT_STREQ(failure.what(),
                     "the baseline (threads=128 items=1) with n=1000 cannot be measured: wrong result: in the "
                     "final race: sometimes wrong");
    }
}

TEST_F(tune_run_test, warnings_about_references_are_given_once)
{
    gpu.commanded["threads=64 items=2"] = gpu.commanded["threads=64 items=1"] = {
        .samples_ns = std::vector<double>(10, 20'000), .verified = true, .warnings = {"it is 0 everywhere"}};
    std::vector<std::string> warnings = tune(gpu.backend()).warnings;
    std::ranges::sort(warnings);
    EXPECT_EQ(warnings, (std::vector<std::string>{"n=1000: it is 0 everywhere", "n=2000: it is 0 everywhere"}));
}

TEST_F(tune_run_test, a_constraint_with_a_workload_value_rejects_on_that_workload)
{
    std::string narrower = text;
    narrower.replace(narrower.find("<= 1024\""), 8, "<= 1024\", \"threads * items <= n // 2\"");
    spec = parse_tune_spec("sum.toml", narrower);
    space = search_space(spec, {});
    tune(gpu.backend());
    const auto all = results();
    EXPECT_EQ(all.at("threads=256 items=2 n=1000").measured.status, outcome::rejected);
    EXPECT_NE(all.at("threads=256 items=2 n=1000").measured.reason.find("threads * items <= n // 2"),
              std::string::npos);
    EXPECT_EQ(all.at("threads=256 items=2 n=2000").measured.status, outcome::measured);
}

TEST_F(tune_run_test, if_both_use_the_processor_nothing_is_prepared_during_measurements)
{
    tune_backend backend = gpu.backend();
    backend.alone = true;
    tune(backend);
    EXPECT_FALSE(gpu.overlapped);
    EXPECT_EQ(gpu.measured.size(), 2 * candidates);
}

TEST_F(tune_run_test, equal_gpus_share_the_work)
{
    const tune_summary summary = tune(gpu.backend(3));
    EXPECT_EQ(summary.measured, 2 * candidates);
    for (const auto& [key, times] : gpu.measured) EXPECT_EQ(times, 1) << key;
}

TEST_F(tune_run_test, a_call_that_waits_for_another_does_not_keep_its_gpu_busy)
{
    using namespace std::chrono_literals;
    tune_backend backend = gpu.backend(2);
    backend.calls_at_once = 2;
    std::array<std::mutex, 2> one_at_a_time;
    std::array<std::atomic<int>, 2> calls{};
    for (std::size_t i = 0; i < 2; ++i)
        backend.measurers[i] = [&, i](const tune_job& job, const prepared_job&, const measure_request& request) {
            // A calibration that arrives late: the GPU measures for the other call meanwhile.
            if (request.calibrates) std::this_thread::sleep_for(200ms);
            const std::lock_guard turn(one_at_a_time[i]);
            calls[i] += request.repeated ? 0 : 1;  // the final race comes later
            std::this_thread::sleep_for(10ms);
            measurement result = gpu.measure(job, request);
            result.seconds = 0.01;
            return result;
        };
    const tune_summary summary = tune(backend);
    ASSERT_EQ(summary.devices.size(), 2U);
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_GT(calls[i], 0);
        EXPECT_NEAR(summary.devices[i].busy_seconds, 0.01 * calls[i], 1e-9);
    }
}

TEST_F(tune_run_test, a_backend_without_measurers_prepares_everything_and_measures_nothing)
{
    gpu.unprepared["threads=32 items=1"] = {.build = {.status = build_status::compile_error, .reason = "no"}};
    tune_backend backend = gpu.backend();
    backend.measurers.clear();
    const tune_summary summary = tune(backend);
    EXPECT_EQ(summary.measured, 0u);
    EXPECT_EQ(summary.builds.at(build_status::compile_error), 2u);
    EXPECT_EQ(summary.builds.at(build_status::built), 2 * candidates - 2);
}

// Each running preparation may be a compiler that is starting: a few begin, and each one that finishes lets another
// begin.
TEST_F(tune_run_test, preparations_begin_a_few_at_a_time)
{
    tune_backend backend = gpu.backend(1);
    backend.preparers = 12;
    std::mutex lock;
    std::size_t running = 0, ended = 0, most = 0;
    bool too_many = false;
    backend.prepare = [&, prepare = backend.prepare](const tune_job& job) {
        {
            const std::lock_guard guard(lock);
            most = std::max(most, ++running);
            too_many = too_many || running > 4 + ended;
        }
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        prepared_job made = prepare(job);
        const std::lock_guard guard(lock);
        --running;
        ++ended;
        return made;
    };
    tune(backend);
    EXPECT_FALSE(too_many);
    EXPECT_GT(most, 4u) << "all preparers work in the end";
}

TEST_F(tune_run_test, candidates_of_a_warm_start_come_after_the_baseline_and_before_all_others)
{
    const auto candidate = [&](std::int64_t threads, std::int64_t items) {
        return space.find({{{"threads", threads}, {"items", items}}}).value();
    };
    options.workloads = {0};
    options.first = {candidate(64, 3), candidate(32, 5)};
    options.max_candidates = 3;
    tune_backend backend = gpu.backend();
    backend.preparers = 1;
    const tune_summary summary = tune(backend);
    EXPECT_EQ(gpu.order, (std::vector<std::string>{"threads=128 items=1 n=1000", "threads=64 items=3 n=1000",
                                                   "threads=32 items=5 n=1000"}));
    EXPECT_TRUE(summary.out_of_budget);
}

TEST_F(tune_run_test, a_budget_counts_measurements_and_no_extra_candidate_is_prepared)
{
    for (const char* items : {"1", "2", "3", "4"})
        gpu.unprepared[std::string("threads=32 items=") + items] = {
            .build = {.status = build_status::compile_error, .reason = "no"}};
    options.workloads = {0};
    options.max_candidates = 10;
    options.strategy = "exhaustive";  // begins with those that fail, after the baseline
    const tune_summary summary = tune(gpu.backend());
    EXPECT_EQ(summary.measured, 10u);
    EXPECT_EQ(summary.outcomes.at(outcome::compile_error), 4u);
    EXPECT_EQ(results().size(), 14u);
    EXPECT_TRUE(summary.out_of_budget);

    options.max_candidates = 100;
    EXPECT_FALSE(tune(gpu.backend()).out_of_budget);
    EXPECT_EQ(results().size(), candidates);
}

TEST_F(tune_run_test, a_replay_uses_the_time_in_its_record)
{
    tune_backend backend = gpu.backend();
    backend.recorded = true;
    backend.preparers = 1;
    const auto prepare = backend.prepare;
    backend.prepare = [prepare](const tune_job& job) {
        prepared_job made = prepare(job);
        made.build.compile_seconds = 3;  // for both workloads together
        return made;
    };
    const measurer measure = backend.measurers[0];
    backend.measurers[0] = [measure](const tune_job& job, const prepared_job& made, const measure_request& request) {
        measurement result = measure(job, made, request);
        result.seconds = 1;
        return result;
    };
    options.max_seconds = 24;    // the fifth candidate of 3 + 1 + 1 seconds begins before that
    options.strategy = "local";  // one at a time
    const tune_summary summary = tune(backend);
    EXPECT_EQ(summary.recorded_seconds, 25);
    EXPECT_EQ(summary.measured, 10u);
    EXPECT_TRUE(summary.out_of_budget);
}

TEST_F(tune_run_test, every_strategy_measures_the_whole_space_once)
{
    for (const strategy_description& search_strategy : search_strategies()) {
        options.strategy = search_strategy.name;
        gpu.measured.clear();
        std::filesystem::remove(file);
        const tune_summary summary = tune(gpu.backend(2));
        EXPECT_EQ(summary.measured, 2 * candidates) << search_strategy.name;
        for (const auto& [key, times] : gpu.measured) EXPECT_EQ(times, 1) << search_strategy.name << " " << key;
        EXPECT_EQ(tune(gpu.backend()).measured, 0u) << search_strategy.name;
    }
}

TEST_F(tune_run_test, a_time_budget_of_zero_measures_nothing_new)
{
    tune(gpu.backend());
    options.max_seconds = 1e-9;
    tune_backend changed = gpu.backend();
    changed.source_hash = "another source";
    const tune_summary summary = tune(changed);
    EXPECT_TRUE(summary.out_of_budget);
    EXPECT_EQ(summary.measured, 0u);
}

TEST_F(tune_run_test, equal_candidates_are_reported_as_equal_and_the_baseline_is_kept)
{
    gpu.commanded["threads=64 items=3"] = {.samples_ns = {10900, 10910, 10920, 10900, 10910, 10920, 10900, 10910},
                                           .verified = true};
    gpu.commanded["threads=128 items=1"] = gpu.commanded["threads=64 items=3"];
    options.workloads = {0};
    tune(gpu.backend());
    const race_result_info race = race_on(1000);
    EXPECT_EQ(race.verdict, "equal");
    EXPECT_EQ(parameter_text(race.entries.front().parameters), "threads=128 items=1");
    EXPECT_LE(race.equal_within, 0.01);
}

}  // namespace
}  // namespace launchbox
