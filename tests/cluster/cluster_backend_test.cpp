// The engine on ranks: the results equal those of one machine, even if ranks fail.
#include "cluster/cluster_backend.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <set>

#include "local_ranks.hpp"
#include "support/error.hpp"
#include "tune/run/device_comparison.hpp"
#include "tune/run/tune_run.hpp"

namespace launchbox {
namespace {

constexpr const char* spec_text = R"(
[tunable]
name = "sum"
baseline = { threads = 128, items = 1 }
[parameters]
threads = [32, 64, 128, 256]
items = { from = 1, to = 20 }
[[workload]]
n = [1000, 2000]
[program]
run = ["true", "{threads}", "{items}", "{n}"]
)";

// Logs what all ranks of a test did.
struct diary {
    std::mutex lock;
    std::map<int, std::vector<std::string>> measured, prepared, references;  // by rank
    std::set<std::string> modules;
    bool wrong_module = false;
};

struct rank_habits {
    double measure_seconds = 0;
    double slower = 1;                 ///< factor
    int falls_silent_after = -1;       ///< after this many measurements
    std::string falls_silent_at = {};  ///< at the job of this name
    int says_nonsense_after = -1;
    std::string nonsense = "this is no message";
    double compile_seconds = 1;  ///< the compile time that it reports
    std::string reference_fails = {};
    bool gpu_is_lost = false;
};

std::string name_of_job(const tune_spec& spec, const tune_job& job)
{
    return parameter_text(job.parameters) + " " + parameter_text(spec.workloads[job.workload].values);
}

class cluster_backend_test : public ::testing::Test {
protected:
    tune_spec spec = parse_tune_spec("sum.toml", spec_text);
    search_space space{spec, {}};
    temporary_directory folder;
    diary notes;
    tune_options options{.workloads = {0, 1}};
    double silence_seconds = 20;

    // Times depend only on the candidate.
    measurement time_of(const tune_job& job, double slower) const
    {
        const auto value = [&](const char* name) {
            return static_cast<double>(std::get<std::int64_t>(*job.parameters.find(name)));
        };
        const double n = job.workload == 0 ? 1000 : 2000;
        measurement result;
        result.verified = true;
        const double time = n * slower * (10 + std::abs(value("threads") - 64) / 16 + std::abs(value("items") - 3));
        for (int i = 0; i < 15; ++i) result.samples_ns.push_back(time * (1 + 0.0001 * (i % 3)));
        return result;
    }

    tune_backend rank_backend(int rank, const rank_habits& habits, local_ranks* ranks)
    {
        tune_backend backend;
        backend.source_hash = "source";
        backend.environment.gpu = "test GPU";
        backend.prepare = [this, rank, habits](const tune_job& job) {
            prepared_job made;
            made.build.code = made.same_when_equal = name_of_job(spec, job);
            made.build.compile_seconds = habits.compile_seconds;
            kernel_info kernel;
            kernel.name = "kernel of " + made.build.code;
            made.build.kernel = kernel;
            const std::lock_guard guard(notes.lock);
            notes.prepared[rank].push_back(made.build.code);
            made.file =
                (folder.path() / (std::to_string(rank) + " " + std::to_string(notes.prepared[rank].size()))).string();
            std::string module("module\0of ", 10);
            write_file_atomically(made.file, module + made.build.code);
            return made;
        };
        backend.measurers.push_back([this, rank, habits, ranks](const tune_job& job, const prepared_job& made,
                                                                const measure_request& request) -> measurement {
            if (habits.measure_seconds > 0)
                std::this_thread::sleep_for(std::chrono::duration<double>(habits.measure_seconds));
            const std::string name = name_of_job(spec, job);
            std::size_t before = 0;
            {
                const std::lock_guard guard(notes.lock);
                if (!read_input(made.file).ends_with(name) || made.build.kernel.value().name != "kernel of " + name)
                    notes.wrong_module = true;
                if (request.is_reference) {
                    notes.references[rank].push_back(name);
                    if (!habits.reference_fails.empty() && request.samples > 0)
                        return {.status = outcome::wrong_result, .reason = habits.reference_fails};
                }
                before = notes.measured[rank].size();
                if (request.samples == 0) notes.measured[rank].push_back(name);
            }
            if (habits.gpu_is_lost)
                return {.status = outcome::device_lost, .reason = "GPU fell off the bus", .sticky = true};
            if (habits.falls_silent_after >= 0 && before >= static_cast<std::size_t>(habits.falls_silent_after))
                ranks->silence(rank);
            if (name == habits.falls_silent_at) ranks->silence(rank);
            if (habits.says_nonsense_after >= 0 && before >= static_cast<std::size_t>(habits.says_nonsense_after))
                ranks->say(rank, habits.nonsense);
            return time_of(job, habits.slower);
        });
        backend.needs_reference = true;
        return backend;
    }

    run_info run_here() const
    {
        run_info run;
        run.name = "sum";
        run.task_hash = "task";
        run.source_hash = "source";
        run.started = "2026-01-01T00:00:00Z";
        run.environment.gpu = "test GPU";
        return run;
    }

    struct outcome_of_run {
        tune_summary summary;
        std::map<std::string, stored_result> results;
        std::vector<device_record> devices;
    };

    outcome_of_run tune_with(const tune_backend& backend, const std::string& file)
    {
        outcome_of_run all;
        result_store store((folder.path() / file).string());
        all.summary = run_tune(spec, space, backend, store, run_here(), options);
        for (const stored_result& result : store.results(all.summary.run))
            all.results[parameter_text(result.parameters) + " " + parameter_text(result.workload)] = result;
        all.devices = store.devices(all.summary.run);
        return all;
    }

    // Ranks 1.. measure, and behave like this; the `compiling` ones only compile.
    outcome_of_run on_ranks(const std::vector<rank_habits>& measuring, const std::vector<rank_habits>& compiling,
                            const std::string& file, unsigned jobs = 2)
    {
        const int count = 1 + static_cast<int>(measuring.size() + compiling.size());
        local_ranks ranks(count);
        std::vector<std::jthread> threads;
        std::vector<std::unique_ptr<temporary_directory>> folders;
        std::map<int, nlohmann::ordered_json> roles;
        cluster_backend_options how;
        for (int rank = 1; rank < count; ++rank) {
            const auto place = static_cast<std::size_t>(rank - 1);
            const bool measures = place < measuring.size();
            const rank_habits habits = measures ? measuring[place] : compiling[place - measuring.size()];
            rank_role role{
                .gpu = measures ? 0 : -1, .gpus = {}, .driver = {}, .jobs = jobs, .silence_seconds = silence_seconds};
            roles[rank] = json_of(role);
            (measures ? how.measuring : how.compiling).push_back({.rank = rank, .jobs = jobs});
            folders.push_back(std::make_unique<temporary_directory>());
            threads.emplace_back([this, rank, habits, &ranks, at = folders.back()->path()] {
                rank_facts facts;
                facts.rank = rank;
                rank_server_options options;
                options.folder = at;
                options.heartbeat_seconds = 0.05;
                options.open = [&](const rank_role&) {
                    return std::vector<tune_backend>{rank_backend(rank, habits, &ranks)};
                };
                serve_rank(ranks.link(rank), facts, options);
            });
        }
        const auto calls = std::make_shared<rank_calls>(
            ranks.link(0), rank_calls_options{.silence_seconds = silence_seconds, .heartbeat_seconds = 0.05});
        EXPECT_EQ(calls->wait_for_facts(20, 0).size(), static_cast<std::size_t>(count - 1));
        calls->begin(roles);
        outcome_of_run all = tune_with(cluster_backend(rank_backend(0, {}, nullptr), calls, how), file);
        EXPECT_TRUE(notes.prepared[0].empty()) << "the coordinator prepares nothing itself";
        return all;
    }

    static void expect_same(const outcome_of_run& one, const outcome_of_run& other)
    {
        ASSERT_EQ(one.results.size(), other.results.size());
        for (const auto& [name, result] : one.results) {
            const auto found = other.results.find(name);
            ASSERT_NE(found, other.results.end()) << name;
            EXPECT_EQ(result.measured.status, found->second.measured.status) << name;
            EXPECT_EQ(result.measured.samples_ns, found->second.measured.samples_ns) << name;
            EXPECT_EQ(result.kernel, found->second.kernel) << name;
            EXPECT_EQ(result.code, found->second.code) << name;
        }
    }

    std::size_t all_jobs() const { return space.size() * 2; }
};

}  // namespace

TEST_F(cluster_backend_test, the_results_equal_those_of_one_process)
{
    const outcome_of_run alone = tune_with(rank_backend(99, {}, nullptr), "alone.db");
    ASSERT_EQ(alone.results.size(), all_jobs());
    for (std::size_t ranks = 1; ranks <= 8; ++ranks) {
        notes.references.clear();
        notes.measured.clear();
        notes.prepared.clear();
        expect_same(alone, on_ranks(std::vector<rank_habits>(ranks), {}, std::to_string(ranks) + ".db"));
        std::size_t measured = 0;
        for (const auto& [rank, names] : notes.measured) measured += names.size();
        EXPECT_EQ(measured, all_jobs()) << "each once";
        // Each rank that measured something of a workload has made the reference for it.
        for (const auto& [rank, names] : notes.measured)
            EXPECT_EQ(notes.references[rank].size(),
                      std::set<std::string>(notes.references[rank].begin(), notes.references[rank].end()).size());
    }
    EXPECT_FALSE(notes.wrong_module);
}

TEST_F(cluster_backend_test, a_faster_gpu_does_more_and_no_gpu_waits)
{
    const outcome_of_run all = on_ranks({{.measure_seconds = 0.002}, {.measure_seconds = 0.02}}, {}, "speeds.db");
    EXPECT_EQ(all.results.size(), all_jobs());
    EXPECT_GT(notes.measured[1].size(), notes.measured[2].size());
}

TEST_F(cluster_backend_test, the_candidate_of_a_silent_rank_is_given_to_another)
{
    silence_seconds = 1;
    const outcome_of_run alone = tune_with(rank_backend(99, {}, nullptr), "alone.db");
    const outcome_of_run all =
        on_ranks({{.measure_seconds = 0.002}, {.measure_seconds = 0.002, .falls_silent_after = 5}}, {}, "silent.db");
    expect_same(alone, all);
    ASSERT_EQ(all.devices.size(), 2U);
    EXPECT_EQ(all.devices[0].lost, "");
    EXPECT_EQ(all.devices[1].lost, "rank 2 is left out: it has not answered for 1 s");
    EXPECT_EQ(all.summary.device_lost, "");
}

// A rank holds its next candidates while it measures one that ends it: that is not their fault, however often it
// happens.
TEST_F(cluster_backend_test, a_candidate_that_ends_ranks_is_settled_and_the_next_ones_are_measured)
{
    silence_seconds = 2;
    tune_job deadly{.candidate = 5, .workload = 1, .parameters = space.at(5)};
    const rank_habits habits{.measure_seconds = 0.002, .falls_silent_at = name_of_job(spec, deadly)};
    const outcome_of_run all = on_ranks({habits, habits, habits}, {}, "deadly.db", 4);
    ASSERT_EQ(all.results.size(), all_jobs());
    EXPECT_EQ(all.summary.outcomes.at(outcome::measured), all_jobs() - 1);
    EXPECT_EQ(all.results.at(habits.falls_silent_at).measured.status, outcome::device_lost);
    EXPECT_EQ(std::ranges::count_if(all.devices, [](const device_record& each) { return !each.lost.empty(); }), 2);
}

TEST_F(cluster_backend_test, a_rank_that_sends_junk_is_left_out)
{
    const outcome_of_run all =
        on_ranks({{.measure_seconds = 0.002, .says_nonsense_after = 5}, {.measure_seconds = 0.002}}, {}, "nonsense.db");
    EXPECT_EQ(all.results.size(), all_jobs());
    EXPECT_NE(all.devices.at(0).lost.find("rank 1 is left out: a message of another rank"), std::string::npos)
        << all.devices.at(0).lost;
}

TEST_F(cluster_backend_test, a_rank_that_sends_any_other_message_is_left_out)
{
    // Well-formed messages that are still invalid. An answer with a number that is no longer expected is not an error:
    // it was late.
    const std::vector<std::pair<std::string, std::string>> all{
        {"[1]\n", "is not an object"},
        {"{\"is\":7}\n", "cannot be read"},
        {"{\"is\":\"hello\",\"rank\":1}\n", "a message that this version does not know"},
        {"{\"is\":\"answer\"}\n", "has no number 'id'"},
        {"{\"is\":\"confused\",\"why\":\"it got its role twice\"}\n", "cannot read a message"},
        {"{\"is\":\"alive\",\"bytes\":99}\n", "is truncated"}};
    for (const auto& [says, why] : all) {
        const outcome_of_run run = on_ranks(
            {{.measure_seconds = 0.001, .says_nonsense_after = 2, .nonsense = says}, {.measure_seconds = 0.001}}, {},
            "says" + std::to_string(says.size()) + ".db");
        EXPECT_EQ(run.results.size(), all_jobs());
        EXPECT_NE(run.devices.at(0).lost.find(why), std::string::npos) << run.devices.at(0).lost;
    }
}

TEST_F(cluster_backend_test, a_lost_gpu_does_not_end_the_run_while_there_are_others)
{
    const outcome_of_run all =
        on_ranks({{.gpu_is_lost = true}, {.measure_seconds = 0.001}, {.measure_seconds = 0.001}}, {}, "lost.db");
    EXPECT_EQ(all.results.size(), all_jobs());
    EXPECT_EQ(all.summary.outcomes.at(outcome::measured), all_jobs());
    EXPECT_EQ(all.devices.at(0).lost, "rank 1 is left out: GPU fell off the bus");
}

TEST_F(cluster_backend_test, without_ranks_the_run_ends_and_keeps_its_results)
{
    silence_seconds = 1;
    const outcome_of_run all = on_ranks({{.falls_silent_after = 7}}, {}, "none.db");
    EXPECT_NE(all.summary.device_lost.find("rank 1 is left out"), std::string::npos) << all.summary.device_lost;
    EXPECT_GE(all.results.size(), 7U);
    EXPECT_LT(all.results.size(), all_jobs());
    // With another rank the run continues.
    notes.measured.clear();
    const outcome_of_run again = on_ranks({{}}, {}, "none.db");
    EXPECT_EQ(again.results.size(), all_jobs());
    EXPECT_EQ(again.summary.outcomes.at(outcome::measured), all_jobs() - again.summary.known_before);
    EXPECT_LE(notes.measured[1].size(), all_jobs() - 7);
}

TEST_F(cluster_backend_test, a_gpu_on_which_the_reference_fails_is_left_out)
{
    const outcome_of_run all =
        on_ranks({{.measure_seconds = 0.005}, {.measure_seconds = 0.001, .reference_fails = "3 of 8 are wrong"}}, {},
                 "broken.db");
    EXPECT_EQ(all.results.size(), all_jobs());
    // Whichever rank measured the reference first: for the other rank it is the second time.
    if (const std::string& lost = all.devices.at(1).lost; !lost.empty()) {
        EXPECT_NE(lost.find("3 of 8 are wrong"), std::string::npos) << lost;
    }
}

TEST_F(cluster_backend_test, ranks_without_a_gpu_compile_and_send_their_modules)
{
    const outcome_of_run all = on_ranks({{.measure_seconds = 0.001}}, {{}, {}}, "compile.db");
    EXPECT_EQ(all.results.size(), all_jobs());
    EXPECT_FALSE(notes.wrong_module);
    EXPECT_GT(notes.prepared[2].size() + notes.prepared[3].size(), 0U);
    EXPECT_TRUE(notes.measured[2].empty());
    // Everything was built once, except for the references, which each rank makes for itself.
    const std::size_t built = notes.prepared[1].size() + notes.prepared[2].size() + notes.prepared[3].size();
    EXPECT_LE(built, all_jobs() + 30U);
}

TEST_F(cluster_backend_test, modules_that_build_faster_than_they_travel_are_built_on_the_measuring_rank)
{
    const outcome_of_run all = on_ranks({{.measure_seconds = 0.001, .compile_seconds = 0}},
                                        {{.compile_seconds = 0}, {.compile_seconds = 0}}, "build.db");
    EXPECT_EQ(all.results.size(), all_jobs());
    EXPECT_GE(notes.prepared[1].size(), all_jobs()) << "the rank with the GPU has built everything";
}

TEST_F(cluster_backend_test, gpus_of_a_run_are_compared_and_a_slow_one_is_named)
{
    const outcome_of_run all =
        on_ranks({{.measure_seconds = 0.002}, {.measure_seconds = 0.002, .slower = 1.2}, {.measure_seconds = 0.002}},
                 {}, "slow.db");
    const auto comparison = compare_devices(all.devices);
    ASSERT_TRUE(comparison);
    EXPECT_EQ(comparison->compared, 3U);
    EXPECT_NEAR(comparison->spread, 0.2, 0.01);
    ASSERT_EQ(comparison->slow.size(), 1U);
    EXPECT_EQ(comparison->slow[0].name, "device 1");
    EXPECT_NEAR(comparison->slow[0].behind, 0.2, 0.01);
    for (const device_record& device : all.devices) {
        EXPECT_EQ(device.calibration_ns.size(), 15U);
        EXPECT_GT(device.busy_seconds, 0);
        EXPECT_GE(device.seconds, device.busy_seconds);
    }
}

TEST(cluster_messages_test, any_message_is_handled_safely)
{
    for (const std::string text : {"", "x", "{", "[]\n", "{\"is\":1}", "{}\nrest"}) {
        try {
            const cluster_message read = cluster_message_of(text);
            EXPECT_TRUE(read.said.is_object()) << text;
        } catch (const error&) {
        }
    }
    EXPECT_THROW(record_of<tune_job>({{"candidate", 1}}, "job"), error);
    EXPECT_THROW(record_of<tune_job>({{"candidate", 1}, {"workload", 0}, {"parameters", {1, 2}}}, "job"), error);
    EXPECT_THROW(prepared_of({{"status", 99}}), error);
    EXPECT_THROW(facts_of({{"rank", "one"}}), error);
    EXPECT_THROW(role_of({{"gpu", 1}}), error);
    rank_role compiler;
    compiler.jobs = 2;
    nlohmann::ordered_json role = json_of(compiler);
    EXPECT_EQ(role_of(role).jobs, 2U);
    for (const nlohmann::ordered_json& jobs : {nlohmann::ordered_json(-1), nlohmann::ordered_json(4294967297ULL),
                                               nlohmann::ordered_json(1.5), nlohmann::ordered_json("2")}) {
        role["jobs"] = jobs;
        EXPECT_THROW(role_of(role), error) << jobs;
    }
    // The few facts of another version of launchbox are enough to name it.
    const rank_facts other = facts_of({{"is", "hello"}, {"rank", 2}, {"version", "9.9"}, {"things", 1}});
    EXPECT_EQ(other.version, "9.9");
    EXPECT_NE(other.failure, "");
    // Times, sizes and nesting must be valid.
    nlohmann::ordered_json measured = json_of(measurement{.samples_ns = {1, 2}});
    EXPECT_NO_THROW(measured_of(measured));
    for (const double sample : {-1.0, 1e300}) {
        measured["samples_ns"] = {sample};
        EXPECT_THROW(measured_of(measured), error) << sample;
    }
    measured = json_of(measurement{.samples_ns = {1, 2}});
    for (const nlohmann::ordered_json& status : {nlohmann::ordered_json(-1), nlohmann::ordered_json(12),
                                                 nlohmann::ordered_json(0.5), nlohmann::ordered_json("measured")}) {
        measured["status"] = status;
        EXPECT_THROW(measured_of(measured), error) << status;
    }
    compiler.gpus = {{.name = "a"}};
    compiler.gpus[0].hardware.l2_bytes = 5;
    role = json_of(compiler);
    EXPECT_EQ(role_of(role).gpus.at(0).hardware.l2_bytes, 5);
    for (const char* figure : {"sms", "memory_bytes", "index", "threads_per_block"}) {
        nlohmann::ordered_json broken = role;
        broken["gpus"][0][figure] = -1;
        EXPECT_THROW(role_of(broken), error) << figure;
        broken["gpus"][0].erase(figure);
        EXPECT_THROW(role_of(broken), error) << figure;
    }
    role["gpus"][0]["hardware"]["l2_bytes"] = -1;
    EXPECT_THROW(role_of(role), error);
    EXPECT_THROW(cluster_message_of("{\"is\":" + std::string(100000, '[') + "\n"), error);
    const std::string whole = encoded({.said = {{"is", "answer"}}, .bytes = "module"});
    EXPECT_NO_THROW(cluster_message_of(whole));
    EXPECT_THROW(cluster_message_of(whole.substr(0, whole.size() - 1)), error) << "cut";
    EXPECT_THROW(cluster_message_of(whole + "x"), error) << "longer than it says";
    for (const char* size : {"18446744073709551615", "-1", "6.5", "\"6\"", "1e99"})
        EXPECT_THROW(cluster_message_of(std::string("{\"bytes\":") + size + "}\nmodule"), error) << size;
    EXPECT_THROW(failure_of({{"what", "x"}, {"hint", ""}, {"status", 0}}, "rank 1"), error);
}

TEST(cluster_messages_test, are_read_back_unchanged)
{
    const std::string bytes("\n\0module\xff\n", 10);
    const cluster_message message{.said = {{"do", "measure"}, {"name", "line\nfeed"}}, .bytes = bytes};
    const cluster_message read = cluster_message_of(encoded(message));
    EXPECT_EQ(read.said, message.said);
    EXPECT_EQ(read.bytes, bytes);
    measurement measured{.status = outcome::wrong_result, .reason = "3 of 8", .samples_ns = {1.5, 2.25}};
    measured.machine_failure = "no space";
    measured.phases = phase_seconds{.load = 0.25};
    measured.device.emplace().sm_clock_mhz = 1980;
    EXPECT_EQ(measured_of(json_of(measured)), measured);
    const tune_job job{.candidate = 7, .workload = 1, .parameters = {{{"threads", std::int64_t{32}}, {"fast", true}}}};
    EXPECT_EQ(record_of<tune_job>(json_of(job), "job").parameters, job.parameters);
    EXPECT_EQ(record_of<tune_job>(json_of(job), "job").candidate, 7U);
}

}  // namespace launchbox
