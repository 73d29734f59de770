// launchbox tune on a double of the driver: kernels are really compiled, and the double computes their results, and
// faults, hangs and dies on command.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <set>

#include "candidates.hpp"
#include "scale.hpp"
#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// The fault in the plan for the candidates of candidates.toml with this fault number, and the expected result.
struct planned_fault {
    int number;
    json what;
    const char* outcome;
};
const std::vector<planned_fault> faults{
    {1, {{"stage", "load"}, {"action", "error"}, {"code", 200}}, "launch_error"},
    {2, {{"stage", "function"}, {"action", "error"}, {"code", 500}}, "launch_error"},
    {3, {{"stage", "load"}, {"action", "error"}, {"code", 2}}, "out_of_memory"},
    {4, {{"stage", "first_launch"}, {"action", "error"}, {"code", 701}}, "launch_error"},
    {5, {{"stage", "timed_launch"}, {"action", "error"}, {"code", 1}}, "launch_error"},
    {6, {{"stage", "load"}, {"action", "exit"}}, "worker_died"},
    {7, {{"stage", "first_launch"}, {"action", "abort"}}, "worker_died"},
    {8, {{"stage", "timed_launch"}, {"action", "segfault"}}, "worker_died"},
    {9, {{"stage", "first_launch"}, {"action", "kill"}, {"times", 1}}, "measured"},
    {10, {{"stage", "first_launch_runs"}, {"action", "async"}, {"code", 700}}, "illegal_access"},
    {11, {{"stage", "first_launch_runs"}, {"action", "async"}, {"code", 719}}, "trap"},
    {12, {{"stage", "timed_launch_runs"}, {"action", "async"}, {"code", 710}}, "trap"},
    {13, {{"stage", "first_launch_runs"}, {"action", "hang"}}, "hang"},
    {14, {{"stage", "timed_launch_runs"}, {"action", "hang"}}, "hang"},
    {15, {{"stage", "first_launch_runs"}, {"action", "wrong_one"}}, "wrong_result"},
    {16, {{"stage", "first_launch_runs"}, {"action", "untouched"}}, "wrong_result"},
    {17, {{"stage", "first_launch_runs"}, {"action", "race"}}, "wrong_result"},
    {18, {{"stage", "first_launch_runs"}, {"action", "write_behind"}, {"bytes", 8}}, "illegal_access"},
    {19, {{"stage", "first_launch_runs"}, {"action", "write_input"}, {"index", 5}}, "illegal_access"},
    {20, nullptr, "compile_error"},
    {21, {{"stage", "timed_launch"}, {"action", "dead"}, {"code", 700}}, "illegal_access"},
};

class tune_gpu_test : public ::testing::Test {
protected:
    temporary_directory folder;
    fs::path here = folder.path();
    json plan;

    void SetUp() override
    {
        NEEDS_NVCC();
        take_candidates(is_exhaustive() ? 16 : 4);
    }

    void take_candidates(int max_items)
    {
        plan = candidates_in(here, max_items);
        plan["devices"] = {{{"name", "Double"}, {"memory_bytes", 64 << 20}}};
    }

    void command_faults()
    {
        for (const planned_fault& each : faults)
            if (!each.what.is_null()) {
                json fault = each.what;
                fault["match"] = "candidateILi" + std::to_string(each.number) + "E";
                plan["faults"].push_back(fault);
            }
    }

    [[nodiscard]] call tune(const std::vector<std::string>& more = {}) const
    {
        write_file_atomically(here / "plan.json", plan.dump());
        std::vector<std::string> words{"tune", (here / "candidates.toml").string(), "--store",
                                       (here / "results.db").string()};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(
            words, {},
            {"LD_LIBRARY_PATH=" LAUNCHBOX_FAKE_DRIVER, "FAKE_GPU_PLAN=" + (here / "plan.json").string(),
             "LAUNCHBOX_CACHE=" LAUNCHBOX_TEST_CACHE});
    }

    [[nodiscard]] json report() const
    {
        const call shown = launchbox_run({"results", (here / "results.db").string(), "--format", "json", "--samples"});
        EXPECT_EQ(shown.status, 0) << shown.err;
        return shown.json();
    }

    static std::map<std::string, std::string> statuses(const json& report)
    {
        std::map<std::string, std::string> all;
        for (const json& each : report.at("candidates"))
            all[each.at("parameters").dump()] = each.at("status").get<std::string>();
        return all;
    }

    static std::map<std::string, std::string> samples(const json& report)
    {
        std::map<std::string, std::string> all;
        for (const json& each : report.at("candidates"))
            if (each.at("status") == "measured") all[each.at("parameters").dump()] = each.at("samples_ns").dump();
        return all;
    }
};

// With the words that bench/measure_tune parses.
void expect_said_what_it_cost(const std::string& said)
{
    const std::string script =
        "import importlib.machinery as m, sys\n"
        "measure = m.SourceFileLoader('measure_tune', sys.argv[1]).load_module()\n"
        "found = measure.cost(sys.argv[2])\n"
        "assert len(found['phases']) == 6 and found['compilers'] >= 1, found\n"
        "assert sum(found['phases'].values()) <= found['measuring_seconds'] + 0.5, found\n";
    const subprocess_result ran =
        run({"python3", "-B", "-W", "ignore", "-c", script, repository_file("bench/measure_tune"), said}, {});
    EXPECT_EQ(ran.exit_code, 0) << ran.output << said;
}

TEST_F(tune_gpu_test, no_kind_of_fault_in_200_candidates_affects_other_results)
{
    take_candidates(16);
    const call clean = tune();
    ASSERT_EQ(clean.status, 0) << clean.err;
    const json without = report();
    fs::remove(here / "results.db");

    command_faults();
    const call tuned = tune();
    ASSERT_EQ(tuned.status, 0) << tuned.err;
    expect_said_what_it_cost(tuned.err);
    const json with = report();
    ASSERT_EQ(with.at("candidates").size(), 200u);
    std::map<std::string, std::string> expected = statuses(without);
    int healthy = 0;
    for (const json& each : with.at("candidates")) {
        const int number = each.at("parameters").at("fault");
        const std::string status = each.at("status");
        if (number == 0) {
            EXPECT_EQ(status, expected.at(each.at("parameters").dump()));
            ++healthy;
        } else {
            EXPECT_EQ(status, faults[static_cast<std::size_t>(number) - 1].outcome)
                << "fault " << number << ": " << each.at("reason");
            if (status != "measured") {
                EXPECT_FALSE(each.at("reason").get<std::string>().empty()) << number;
            }
        }
    }
    EXPECT_EQ(healthy, 179);
    const auto before = samples(without), after = samples(with);
    for (const auto& [key, value] : after)
        if (key.find("\"fault\":0,") != std::string::npos) {
            EXPECT_EQ(value, before.at(key)) << key;
        }
    ASSERT_EQ(with.at("best").size(), 1u);
    EXPECT_EQ(with.at("best")[0].at("parameters").dump(), without.at("best")[0].at("parameters").dump());
    EXPECT_EQ(with.at("best")[0].at("parameters").at("threads"), 128);
    EXPECT_EQ(with.at("best")[0].at("parameters").at("items"), 4);
}

// The program gets the inputs as .npy files and the names of the files that it has to write. The outputs of the
// reference exceed the limit on file sizes: they stay on the GPU, and a restarted worker computes them again.
TEST_F(tune_gpu_test, a_reference_too_large_for_a_file_stays_on_the_gpus)
{
    take_candidates(16);
    std::string spec = read_file(here / "candidates.toml");
    for (const auto& [from, to] :
         {std::pair<std::string, std::string>{"n = 10007", "n = 2000003"},
          {"fault = { from = 0, to = 21 }", "fault = [0, 9]"},
          {"threads = [32, 64, 96, 128, 160, 192, 224, 256, 384, 512, 1024, 2048]", "threads = [128, 256]"},
          {"items = { from = 1, to = 16 }", "items = [1, 2]"}})
        spec.replace(spec.find(from), from.size(), to);
    write_file_atomically(here / "candidates.toml", spec);
    plan["devices"] = json::array({{{"name", "Double"}, {"memory_bytes", 256 << 20}}});
    plan["devices"].push_back(plan["devices"][0]);
    command_faults();  // 9 kills the first worker that runs it
    write_file_atomically(here / "plan.json", plan.dump());
    for (const char* gpus : {"0", "0,1"}) {
        fs::remove(here / "results.db");
        fs::remove(here / "state.json");
        const subprocess_result ran = run(
            {"sh", "-c", "ulimit -f 8000; exec \"$@\"", "sh", LAUNCHBOX_TOOL, "tune",
             (here / "candidates.toml").string(), "--store", (here / "results.db").string(), "--gpu", gpus},
            {.directory = here,
             .environment = {"LD_LIBRARY_PATH=" LAUNCHBOX_FAKE_DRIVER, "FAKE_GPU_PLAN=" + (here / "plan.json").string(),
                             "LAUNCHBOX_CACHE=" LAUNCHBOX_TEST_CACHE},
             .time_limit = 120});
        ASSERT_EQ(ran.exit_code, 0) << ran.output;
        const auto all = statuses(report());
        EXPECT_EQ(all.size(), 5u);
        for (const auto& [parameters, status] : all) EXPECT_EQ(status, "measured") << parameters;
    }
}

// For an architecture that is not present: a candidate that its compiler rejects cannot be the row there.
TEST_F(tune_gpu_test, a_row_is_predicted_from_candidates_that_compile_there)
{
    take_candidates(16);
    std::string source = read_input((here / "candidates.cu").string()),
                spec = read_input((here / "candidates.toml").string());
    const auto replaced = [](std::string& text, const std::string& from, const std::string& to) {
        ASSERT_NE(text.find(from), std::string::npos) << from;
        text.replace(text.find(from), from.size(), to);
    };
    replaced(source, "    static_assert(",
             "#if __CUDA_ARCH__ == 860\n    static_assert(threads != 128, \"not for this GPU\");\n#endif\n    "
             "static_assert(");
    replaced(spec, "threads = [32, 64, 96, 128, 160, 192, 224, 256, 384, 512, 1024, 2048]", "threads = [64, 128, 256]");
    replaced(spec, "fault = { from = 0, to = 21 }", "fault = [0]");
    replaced(spec, "items = { from = 1, to = 16 }", "items = [1, 4]");
    write_file_atomically((here / "candidates.cu").string(), source);
    write_file_atomically((here / "candidates.toml").string(), spec);
    const call tuned = tune();
    ASSERT_EQ(tuned.status, 0) << tuned.err;
    json made = report();  // its members are sorted, as are the parameters of rows
    const std::string measured = made["environments"][0]["architecture"];
    write_file_atomically((here / "one.json").string(), made.dump());
    made["environments"][0]["gpu"] = "Another";
    made["environments"][0]["architecture"] = measured == "sm_80" ? "sm_90" : "sm_80";
    made["environments"][0]["toolkit"] = "NVRTC 12.0";
    write_file_atomically((here / "other.json").string(), made.dump());
    const auto emit = [&](std::vector<std::string> more) {
        std::vector<std::string> words{"emit",      "one.json", "other.json", "--root", here.string(),
                                       "--predict", "sm_86",    "--box",      "rows"};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(words, {}, {"LAUNCHBOX_CACHE=" LAUNCHBOX_TEST_CACHE});
    };
    EXPECT_TRUE(emit({}).shows("launchbox::sm<86, rows_row{0, 4, 128}>"));
    const call compiled = emit({"--spec", (here / "candidates.toml").string(), "-o", (here / "rows.hpp").string()});
    EXPECT_EQ(compiled.status, 0) << compiled.err;
    const std::string text = read_input((here / "rows.hpp").string());
    for (const char* refused : {"launchbox::sm<86, rows_row{0, 4, 128}", "launchbox::sm<86, rows_row{0, 1, 128}"})
        EXPECT_EQ(text.find(refused), std::string::npos) << text;
    EXPECT_NE(text.find("// compiled: for sm_86, "), std::string::npos) << text;
    EXPECT_EQ(launchbox_run({"emit", "--check", "-o", (here / "rows.hpp").string(), "--root", here.string()}).status,
              0);
}

TEST_F(tune_gpu_test, a_program_computes_the_reference)
{
    const auto statuses_against = [&](const std::string& command) {
        fs::copy_file(repository_file("tests/data/tune/candidates.toml"), here / "candidates.toml",
                      fs::copy_options::overwrite_existing);
        std::ofstream(here / "candidates.toml", std::ios::app) << "\n[verify]\nagainst = " << command << "\n";
        fs::remove(here / "results.db");
        const call tuned = tune({"--budget", "6"});
        std::map<std::string, int> counts;
        if (fs::exists(here / "results.db"))
            for (const auto& [candidate, status] : statuses(report())) ++counts[status];
        return std::pair(counts, tuned.err + tuned.out);
    };
    const auto [right, text] = statuses_against(R"(["sh", "-c", "cp $0 $1; echo $2 >>calls", "{in}", "{out}", "{n}"])");
    EXPECT_GE(right.at("measured"), 6) << text;
    EXPECT_FALSE(right.contains("wrong_result")) << text;
    EXPECT_EQ(read_input((here / "calls").string()), "10007\n") << "once a workload";
    EXPECT_NE(statuses_against(R"(["sh", "-c", "sleep 3; cp $0 $1", "{in}", "{out}"])")
                  .second.find(" s waiting for the reference, "),
              std::string::npos);
    // Only the last element differs.
    const auto [wrong, other] =
        statuses_against(R"(["sh", "-c", "head -c -4 $0 >$1; printf 'abcd' >>$1", "{in}", "{out}"])");
    EXPECT_GE(wrong.at("wrong_result"), 1) << other;
    EXPECT_FALSE(wrong.contains("measured")) << other;
    EXPECT_NE(
        statuses_against(R"(["sh", "-c", "echo no luck; exit 3"])").second.find("ended with exit status 3: no luck"),
        std::string::npos);
    EXPECT_NE(statuses_against(R"(["true", "{in}"])").second.find("did not write the output out"), std::string::npos);
}

// Compilers that would run for ten minutes are ended, and their candidates do not count as failed.
TEST_F(tune_gpu_test, a_time_budget_ends_the_compilers)
{
    write_file_atomically(here / "nvcc", "#!/bin/sh\ncase \" $* \" in *' -E '*) ;; *' -o '*)\n  : >'" + here.string() +
                                             "/compiles.'$$\n  if [ $(ls '" + here.string() +
                                             "' | grep -c compiles) -gt 2 ]; then sleep 600; : >'" + here.string() +
                                             "/ended'; fi;;\nesac\nexec '" LAUNCHBOX_NVCC "' \"$@\"\n");
    fs::permissions(here / "nvcc", fs::perms::owner_all);
    const call tuned = tune({"--compiler", "nvcc", "--nvcc", (here / "nvcc").string(), "--no-cache", "--jobs", "2",
                             "--strategy", "random", "--budget", "8s"});
    EXPECT_TRUE(tuned.says("the budget is spent")) << tuned.err;
    EXPECT_FALSE(fs::exists(here / "ended"));
    const auto compiles = std::count_if(fs::directory_iterator(here), fs::directory_iterator(), [](const auto& file) {
        return file.path().filename().string().starts_with("compiles");
    });
    EXPECT_GT(compiles, 2) << tuned.err;
    if (tuned.status != 0) return;  // on a machine where two compilers take longer than that
    for (const auto& [candidate, status] : statuses(report())) EXPECT_EQ(status, "measured") << candidate;
}

// The worker is killed, and a few candidates later the tuner, at random launches with a fixed seed, 50 times each.
// Never twice for the same candidate: two deaths would make it a failure.
TEST_F(tune_gpu_test, killed_at_any_moment_it_loses_nothing)
{
    ASSERT_EQ(tune().status, 0);
    const auto undisturbed = statuses(report());
    fs::remove(here / "results.db");

    std::mt19937 random(42);
    const int moments = is_exhaustive() ? 50 : 6;  // two kills each
    int kills = 0;
    std::size_t known = 0;
    for (; kills < moments; ++kills) {
        fs::remove(here / "state.json");
        const int worker_at = static_cast<int>(random() % 3), tuner_at = worker_at + 3 + static_cast<int>(random() % 3);
        plan["faults"] = {{{"match", ".*candidate.*"},
                           {"stage", "first_launch"},
                           {"action", "kill"},
                           {"skip", worker_at},
                           {"times", 1}},
                          {{"match", ".*candidate.*"},
                           {"stage", "first_launch"},
                           {"action", "kill_parent"},
                           {"skip", tuner_at},
                           {"times", 1}}};
        const call killed = tune();
        if (killed.status == 0) break;
        ASSERT_EQ(killed.status, 128 + 9) << killed.err;
        const std::size_t now = fs::exists(here / "results.db") ? report().at("candidates").size() : 0;
        EXPECT_GE(now, known) << "a result is lost";
        known = now;
    }
    EXPECT_EQ(kills, moments);
    plan.erase("faults");
    const call last = tune({"--resume"});
    ASSERT_EQ(last.status, 0) << last.err;
    EXPECT_EQ(statuses(report()), undisturbed);
    EXPECT_EQ(report().at("best")[0].at("parameters").at("items"), 4);
}

TEST_F(tune_gpu_test, a_lost_gpu_ends_the_run_and_the_candidate_does_not_count_as_failed)
{
    plan["faults"] = {{{"match", ".*"}, {"stage", "context"}, {"action", "error"}, {"code", 46}, {"skip", 1}},
                      {{"match", "candidateILi0ELi64ELi3E"}, {"stage", "load"}, {"action", "exit"}}};
    const call lost = tune();
    EXPECT_EQ(lost.status, 3) << lost.err;
    EXPECT_TRUE(lost.says("the GPU is lost")) << lost.err;
    plan.erase("faults");
    fs::remove(here / "state.json");
    EXPECT_EQ(tune().status, 0);
    EXPECT_EQ(report().at("candidates").size(), is_exhaustive() ? 200u : 68u);
}

TEST_F(tune_gpu_test, equal_gpus_share_the_work_and_a_different_one_measures_alone)
{
    const json device = {{"name", "Double"}, {"memory_bytes", 64 << 20}};
    plan["devices"] = {device, device, {{"name", "Other"}, {"memory_bytes", 64 << 20}, {"sms", 8}}};
    plan["nvml"] = {{{"free_bytes", 50'000'000}}};
    const call tuned = tune({"--budget", "12"});
    ASSERT_EQ(tuned.status, 0) << tuned.err;
    EXPECT_TRUE(tuned.says("2 x Double")) << tuned.err;
    const json all = report();
    EXPECT_EQ(all.at("environments").size(), 2u);
    EXPECT_EQ(all.at("best").size(), 2u);
    // The figures of each GPU, also of the single one.
    ASSERT_EQ(all.at("devices").size(), 3u) << all.at("devices");
    for (const json& device : all.at("devices")) {
        EXPECT_EQ(device.at("ecc"), true);
        EXPECT_EQ(device.at("hardware").at("sm_clock_mhz"), 1980);
        EXPECT_EQ(device.at("hardware").at("memory_gb_per_second"), 4916.736);
        EXPECT_EQ(device.at("hardware").at("free_memory_bytes"), 50'000'000);
    }
    std::set<std::string> addresses;
    for (const json& device : all.at("devices")) addresses.insert(device.at("hardware").at("pci_bus"));
    EXPECT_EQ(addresses, (std::set<std::string>{"0000:00:00.0", "0000:01:00.0", "0000:02:00.0"}));
    const call one = tune({"--gpu", "2", "--budget", "1"});
    EXPECT_EQ(one.status, 0);
    EXPECT_FALSE(one.says("on Double"));
    expect_refused(tune({"--gpu", "7"}), "this machine has no GPU 7");
    expect_refused(tune({"--arch", "sm_80"}), "code for sm_80 does not run on");
}

// Cards of one model need different energies for the same launch: the winner must not be decided by the more efficient
// card.
TEST_F(tune_gpu_test, one_gpu_of_a_model_measures_energies_unless_the_user_names_more)
{
    plan["nvml"] = {{{"sm_clock", 1980}, {"reasons", 0}}};
    plan["energy"] = {{"idle", 0.001}, {"launch", 20.0}};
    plan["devices"].push_back(plan["devices"][0]);
    std::string spec = read_input((here / "candidates.toml").string());
    spec.insert(spec.find("hang_seconds"), "max_seconds = 0.2\n");
    write_file_atomically(here / "candidates.toml", spec);
    for (const bool all : {false, true}) {
        fs::remove(here / "results.db");
        std::vector<std::string> words{"--objective", "energy", "--budget", "1"};
        if (all) words.insert(words.end(), {"--gpu", "0,1"});
        const call ran = tune(words);
        ASSERT_EQ(ran.status, 0) << ran.err;
        EXPECT_EQ(report().at("devices").size(), all ? 2u : 1u);
        EXPECT_EQ(ran.err.find("only GPU 0 of the 2 Double measures") != std::string::npos, !all) << ran.err;
        EXPECT_EQ(ran.err.find("energies are measured on 2 Double") != std::string::npos, all) << ran.err;
    }
}

// The same for a program that prints its energy; its other quantities are not restricted.
TEST_F(tune_gpu_test, one_gpu_of_a_model_runs_programs_that_print_energies)
{
    plan["devices"].push_back(plan["devices"][0]);
    for (const std::string name : {"energy", "p99_ms"}) {
        fs::remove(here / "results.db");
        write_file_atomically(here / "candidates.toml", R"([tunable]
name = "prints"
objective = ")" + name + R"("
[parameters]
a = [1, 2]
[[workload]]
[program]
build = ["sh", "-c", "echo {arch} > {output}"]
run = ["sh", "-c", "echo )" + name + R"(: {a}.5"]
)");
        const call ran = tune();
        ASSERT_EQ(ran.status, 0) << ran.err;
        EXPECT_EQ(report().at("devices").size(), name == "energy" ? 1u : 2u);
        EXPECT_EQ(ran.err.find("only GPU 0 of the 2 Double measures") != std::string::npos, name == "energy")
            << ran.err;
    }
}

}  // namespace
}  // namespace launchbox
