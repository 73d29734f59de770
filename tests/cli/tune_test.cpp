// launchbox tune from the command line, with programs as candidates: what is stored, what is left after a kill, what is
// refused.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <sstream>

#include "scale.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* spec_text = R"(
[tunable]
name = "sum"
baseline = { threads = 64, items = 1 }
[parameters]
threads = { from = 32, to = 320, step = 32 }
items = { from = 1, to = 10 }
[[workload]]
n = [1000, 3000]
[program]
run = ["sh", "bench.sh", "{threads}", "{items}", "{n}"]
sources = ["bench.sh"]
)";
constexpr std::size_t jobs = 200;

class tune_test : public ::testing::Test {
protected:
    temporary_directory folder;
    fs::path here = folder.path();
    const std::string bench_text = read_input(repository_file("tests/data/tune/bench.sh"));

    void SetUp() override
    {
        write("sum.toml", spec_text);
        write("bench.sh", bench_text);
    }

    void write(const std::string& name, const std::string& text) const { std::ofstream(here / name) << text; }

    [[nodiscard]] std::string path(const std::string& name) const { return (here / name).string(); }

    [[nodiscard]] call tune(const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> words{"tune", path("sum.toml"), "--store", path("sum.db")};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(words);
    }

    [[nodiscard]] std::map<std::string, int> runs() const
    {
        std::map<std::string, int> all;
        std::ifstream file(here / "runs");
        for (std::string line; std::getline(file, line);) ++all[line];
        return all;
    }

    // Parameters and workload with the samples, but nothing that differs between calls.
    [[nodiscard]] static std::map<std::string, std::string> results_in(const nlohmann::json& report)
    {
        std::map<std::string, std::string> all;
        for (const auto& each : report.at("candidates"))
            all[each.at("parameters").dump() + each.at("workload").dump()] =
                each.at("status").dump() + each.at("samples_ns").dump();
        return all;
    }

    [[nodiscard]] nlohmann::json report() const
    {
        const call shown = launchbox_run({"results", path("sum.db"), "--format", "json", "--samples"});
        EXPECT_EQ(shown.status, 0) << shown.err;
        return shown.json();
    }
};

TEST_F(tune_test, finds_the_fastest_and_says_what_it_did)
{
    const call tuned = tune();
    ASSERT_EQ(tuned.status, 0) << tuned.err;
    EXPECT_TRUE(tuned.says("100 points, 100 candidates × 2 workloads")) << tuned.err;
    EXPECT_TRUE(tuned.says("200 measured")) << tuned.err;
    EXPECT_TRUE(tuned.shows("96")) << tuned.out;
    const nlohmann::json all = report();
    EXPECT_EQ(all.at("candidates").size(), jobs);
    ASSERT_EQ(all.at("best").size(), 2u);
    for (const auto& best : all.at("best"))
        EXPECT_EQ(best.at("parameters").dump(), R"({"items":7,"threads":96})") << best.dump();
}

// The program kills the tuner with SIGKILL at random moments with a fixed seed.
TEST_F(tune_test, killed_at_any_moment_it_loses_nothing_and_measures_nothing_twice)
{
    ASSERT_EQ(tune().status, 0);
    const auto undisturbed = results_in(report());
    ASSERT_EQ(undisturbed.size(), jobs);
    fs::remove(here / "sum.db");
    fs::remove(here / "runs");

    std::mt19937 random(20261121);
    const int moments = is_exhaustive() ? 50 : 20;
    int kills = 0;
    std::size_t at = 0;
    for (; kills < moments; ++kills) {
        at = 0;
        for (const auto& [line, times] : runs()) at += static_cast<std::size_t>(times);
        at += 1 + random() % 6;
        write("kill_at", std::to_string(at) + "\n");
        const call killed = tune();
        if (killed.status == 0) break;  // it finished before the kill
        ASSERT_EQ(killed.status, 128 + 9) << killed.err;
    }
    EXPECT_EQ(kills, moments);
    fs::remove(here / "kill_at");
    ASSERT_EQ(tune({"--resume"}).status, 0);
    EXPECT_EQ(results_in(report()), undisturbed);

    // Each kill loses what was running, and each start runs the baseline twice for the outputs to compare with.
    int twice = 0, total = 0;
    for (const auto& [line, times] : runs()) {
        if (line.starts_with("64 1 ")) continue;
        total += times;
        twice += times - 1;
    }
    EXPECT_EQ(total - twice, static_cast<int>(jobs) - 2);
    EXPECT_LE(twice, 50);
}

TEST_F(tune_test, interrupted_it_stores_finished_results_and_continues_later)
{
    write("interrupt_at", "20\n");
    const call stopped = tune();
    EXPECT_EQ(stopped.status, 4) << stopped.err;
    EXPECT_TRUE(stopped.says("interrupted; ")) << stopped.err;
    EXPECT_TRUE(stopped.shows("baseline")) << "what is there is shown: " << stopped.out;
    const std::size_t kept = report().at("candidates").size();
    EXPECT_GE(kept, 10u);
    EXPECT_LT(kept, jobs);
    fs::remove(here / "interrupt_at");
    ASSERT_EQ(tune({"--resume"}).status, 0);
    EXPECT_EQ(report().at("candidates").size(), jobs);
}

// A race, then a call that finds a candidate with half the time and is interrupted in its race: every verb names that
// candidate, or says that the race is older.
TEST_F(tune_test, a_race_that_is_older_than_the_results_decides_nothing)
{
    write("sum.toml",
          "[tunable]\nname = 'sum'\nbaseline = { a = 1 }\n[parameters]\na = [1, 2, 3, 4, 5, 6]\n[program]\n"
          "run = ['sh', 'bench.sh', '{a}']\n[measure]\nmin_samples = 3\nmax_samples = 3\n");
    write("bench.sh",
          "case $1 in 4) t=1;; 5) t=1.001;; *) t=2.$((9 - $1));; esac\n"
          // In the race of 4 and 5, after all are measured; only once, because a second interrupt ends a program
          // immediately.
          "[ $1 = 4 ] && [ -e stop ] && { [ -e ran ] && rm stop && kill -INT $PPID; : >ran; }\n"
          "echo '{\"time_ms\": ['$t, $t, $t'], \"checksum\": \"x\"}'\n");
    ASSERT_EQ(tune({"--budget", "3", "--strategy", "exhaustive"}).status, 0);
    const auto best_in = [](const std::vector<std::string>& words) {
        const call shown = launchbox_run(words);
        EXPECT_EQ(shown.status, 0) << shown.err;
        return shown.json();
    };
    const std::vector<std::string> results{"results", path("sum.db"), "--format", "json", "--samples"};
    const nlohmann::json raced = best_in(results);
    EXPECT_EQ(raced["best"][0]["parameters"]["a"], 3);
    EXPECT_TRUE(raced["best"][0]["raced"].get<bool>());
    EXPECT_TRUE(raced["races"][0]["counts"].get<bool>());

    write("stop", "");
    const call stopped = tune({"--strategy", "exhaustive"});
    EXPECT_EQ(stopped.status, 4) << stopped.err;
    EXPECT_TRUE(stopped.shows("a=4 is used")) << stopped.out;
    EXPECT_FALSE(fs::exists(here / "stop"));
    write("all.json", launchbox_run(results).out);
    const std::string merged = path("merged.db"), imported = path("imported.db");
    ASSERT_EQ(launchbox_run({"results", "--merge", path("sum.db"), path("all.json"), "-o", merged}).status, 0);
    ASSERT_EQ(launchbox_run({"results", "--import", path("all.json"), "--store", imported}).status, 0);
    for (const std::string& file : {path("sum.db"), path("all.json"), merged, imported}) {
        SCOPED_TRACE(file);
        const nlohmann::json now = best_in({"results", file, "--format", "json"});
        EXPECT_EQ(now["best"][0]["parameters"]["a"], 4);
        EXPECT_FALSE(now["best"][0]["raced"].get<bool>());
        ASSERT_EQ(now["races"].size(), 1u);
        EXPECT_FALSE(now["races"][0]["counts"].get<bool>());
        const std::string older = "a=4 and 1 more did not take part in the final race";
        EXPECT_NE(now["best"][0]["verdict"].get<std::string>().find(older), std::string::npos) << now["best"][0];
        const call emitted = launchbox_run({"emit", file, "--format", "json"});
        EXPECT_EQ(emitted.status, 0) << emitted.err;
        EXPECT_EQ(emitted.json()["tables"][0]["rows"][0]["parameters"]["a"], 4);
        EXPECT_TRUE(emitted.says(older)) << emitted.err;
        EXPECT_EQ(launchbox_run({"report", file, "-o", path("page.html")}).status, 0);
        EXPECT_NE(read_input(path("page.html")).find(older), std::string::npos);
    }
    // The next call races again, and its race decides.
    ASSERT_EQ(tune({"--strategy", "exhaustive"}).status, 0);
    const nlohmann::json again = best_in(results);
    EXPECT_EQ(again["best"][0]["parameters"]["a"], 4);
    EXPECT_TRUE(again["best"][0]["raced"].get<bool>());
    EXPECT_EQ(again["races"].size(), 1u);
    const std::string race = again["races"].dump();
    ASSERT_EQ(tune().status, 0);
    EXPECT_EQ(best_in(results)["races"].dump(), race) << "nothing is new: it stands";
}

TEST_F(tune_test, an_interrupted_measurement_is_not_stored)
{
    // Ten runs make a result here; the third run of the second candidate interrupts.
    write("sum.toml",
          "[tunable]\nname = 'sum'\nbaseline = { a = 1 }\n[parameters]\na = [1, 2, 3]\n[program]\n"
          "run = ['sh', 'bench.sh', '{a}']\n");
    write("bench.sh",
          "echo $1 >>runs; [ $1 = 2 ] && [ -e stop ] && [ $(grep -c 2 runs) = 3 ] && kill -INT $PPID\n"
          "echo time: 1.$1 ms\n");
    write("stop", "");
    EXPECT_EQ(tune({"--strategy", "exhaustive"}).status, 4);
    const nlohmann::json stopped = report();
    for (const auto& each : stopped.at("candidates")) EXPECT_GE(each.at("samples_ns").size(), 10u) << each;
    fs::remove(here / "stop");
    ASSERT_EQ(tune({"--strategy", "exhaustive"}).status, 0);
    const nlohmann::json all = report();
    EXPECT_EQ(all.at("candidates").size(), 3u);
    for (const auto& each : all.at("candidates")) EXPECT_GE(each.at("samples_ns").size(), 10u) << each;
}

TEST_F(tune_test, a_source_that_was_edited_or_removed)
{
    write("bench.sh", "[ $1$2 = 646 ] && echo '# edited' >>bench.sh\n" + bench_text);
    const call edited = tune({"--workload", "n=1000"});
    EXPECT_EQ(edited.status, 2) << edited.err;
    EXPECT_TRUE(edited.says("bench.sh was changed during the run; what was measured before is kept")) << edited.err;
    const nlohmann::json kept = report();
    for (const auto& each : kept.at("candidates"))
        EXPECT_NE(each.at("parameters").dump(), R"({"items":6,"threads":64})");

    write("bench.sh", bench_text);
    std::string text = spec_text;
    text.replace(text.find("[\"bench.sh\"]"), 12, "[\"bench.sh\", \"none.h\"]");
    write("sum.toml", text);
    expect_refused(tune(), "[program] sources: there is no file none.h");
}

TEST_F(tune_test, a_run_that_measured_or_built_nothing_fails)
{
    write("sum.toml",
          "[tunable]\nname = 'x'\n[parameters]\na = [1, 2]\n[program]\n"
          "build = ['sh', 'build.sh', '{a}', '{output}']\nrun = ['{output}']\n");
    write("build.sh",
          "echo 'k.o: undefined reference to f'; echo 'collect2: error: ld returned 1 exit status'; exit 1\n");
    const call failed = tune();
    EXPECT_EQ(failed.status, 1) << failed.err;
    EXPECT_TRUE(failed.says("no candidate was measured: compile error: k.o: undefined reference to f")) << failed.err;
    const call built = tune({"--build-only", "--format", "json"});
    EXPECT_EQ(built.status, 1) << built.err;
    EXPECT_TRUE(built.says("no candidate was built: compile error: k.o: undefined reference to f")) << built.err;
    EXPECT_NE(built.json().at("candidates")[0].at("log").get<std::string>().find("collect2"), std::string::npos);
    write("build.sh", "[ $1 = 1 ] && exit 1; cp bench.sh $2; chmod +x $2\n");
    write("bench.sh", "#!/bin/sh\necho time: 1 ms\n");
    EXPECT_EQ(tune({"--build-only"}).status, 0);
    fs::remove(here / "sum.db");
    EXPECT_EQ(tune().status, 0);
}

TEST_F(tune_test, daemons_of_programs_are_not_waited_for_and_nothing_is_left)
{
    fs::create_directory(here / "tmp");
    write("sum.toml", "[tunable]\nname = 'sum'\n[parameters]\na = [1, 2]\n[program]\nrun = ['sh', 'bench.sh']\n");
    write("bench.sh", "setsid sh -c 'echo $$ >>pids; sleep 100000' &\necho time: 1 ms\n");
    const call tuned =
        launchbox_run({"tune", path("sum.toml"), "--store", path("sum.db")}, {}, {"TMPDIR=" + path("tmp")});
    EXPECT_EQ(tuned.status, 0) << tuned.err;
    EXPECT_TRUE(fs::is_empty(here / "tmp"));

    // A kill leaves a folder, which the next start clears.
    write("bench.sh", "[ -e killing ] && kill -9 $PPID\necho time: 1 ms\n");
    write("killing", "");
    fs::remove(here / "sum.db");
    for (int i = 0; i < 3; ++i)
        EXPECT_EQ(
            launchbox_run({"tune", path("sum.toml"), "--store", path("sum.db")}, {}, {"TMPDIR=" + path("tmp")}).status,
            128 + 9);
    EXPECT_EQ(std::distance(fs::directory_iterator(here / "tmp"), fs::directory_iterator()), 1);
    fs::remove(here / "killing");
    EXPECT_EQ(
        launchbox_run({"tune", path("sum.toml"), "--store", path("sum.db")}, {}, {"TMPDIR=" + path("tmp")}).status, 0);
    EXPECT_TRUE(fs::is_empty(here / "tmp"));
}

TEST_F(tune_test, workloads_are_selected_as_in_results)
{
    std::string text = spec_text;
    text.replace(text.find("n = [1000, 3000]"), 16, "n = [1000, 3000]\ntype = [\"int\", \"long long\"]");
    write("sum.toml", text);
    const auto measured = [&](const std::string& wanted) {
        fs::remove(here / "sum.db");
        const call tuned = tune({"--budget", "1", "--workload", wanted});
        EXPECT_EQ(tuned.status, 0) << tuned.err;
        return report().at("candidates").size();
    };
    EXPECT_EQ(measured("type=int,n=1000"), 1u);
    EXPECT_EQ(measured("type=int,long long,n=1000"), 2u);
    EXPECT_EQ(measured("n=1e3,5000,type=int"), 2u);
    EXPECT_EQ(launchbox_run({"results", path("sum.db"), "--workload", "n=5000,1e3,type=int", "--format", "json"})
                  .json()
                  .at("candidates")
                  .size(),
              2u);
}

TEST_F(tune_test, check_compiles_nothing_and_finds_mistakes)
{
    write("k.cu", "template <int t> __global__ void scale(float* p, int n) { p[n] = t; }\n");
    const auto check = [&](const std::string& blocks, const std::string& arguments,
                           const std::string& name = "scale<{threads}>") {
        write("k.toml",
              "[tunable]\nname = 'k'\n[parameters]\nthreads = [16, 64]\n[[workload]]\nn = 1000\n[kernel]\n"
              "source = 'k.cu'\nname = '" +
                  name + "'\nthreads = 'threads'\nblocks = '" + blocks + "'\narguments = [" + arguments + "]\n");
        return launchbox_run({"tune", path("k.toml"), "--check", "--arch", "sm_90", "--no-cache"});
    };
    const std::string p = "{ name = 'p', type = 'float', count = 'n', role = 'output' }, ";
    const call right = check("n // threads", p + "{ name = 'n', type = 'int', value = 'n' }");
    if (right.status == 3) GTEST_SKIP() << right.err;
    EXPECT_EQ(right.status, 0) << right.err;
    EXPECT_TRUE(right.says("expressions, files and arguments are correct")) << right.err;
    // Outputs that are not compared are not called correct.
    const call unknown = check("1", p, "nothing");
    EXPECT_EQ(unknown.status, 0) << unknown.err;
    EXPECT_FALSE(unknown.says("arguments are correct")) << unknown.err;
    EXPECT_TRUE(unknown.says("the arguments were not compared")) << unknown.err;
    expect_refused(check("1", p, "scale(double*, int)"), "the kernel has 2 parameters, but 1 arguments are given");
    expect_refused(check("1", p + "{ name = 'n', type = 'int', value = 'n' }", "scale(double*, int)"),
                   "'p' for parameter 1 of the kernel is an array of float, but it takes double");
    expect_refused(check("n // (threads - 16)", p + "{ name = 'n', type = 'int', value = 'n' }"), "k.toml:11:10: ");
    expect_refused(check("n // threads", p), "the kernel has 2 parameters, but 1 arguments are given");
    expect_refused(check("n // threads", p + "{ name = 'n', type = 'double', value = 'n' }"),
                   "'n' for parameter 2 of the kernel is double, but it takes int");
    expect_refused(check("n // threads",
                         "{ name = 'p', type = 'float', count = 'n', fill = 'file', file = 'none.npy' }, "
                         "{ name = 'n', type = 'int', value = 'n' }"),
                   "there is no file none.npy");
}

// Reads the expected outputs before anything runs.
TEST_F(tune_test, check_reads_the_references)
{
    write("k.cu", "__global__ void scale(float* p, int n) { p[n] = 1; }\n");
    const auto check = [&](const std::string& type, const std::string& verify, const std::string& role = "output") {
        write("k.toml",
              "[tunable]\nname = 'k'\n[parameters]\nthreads = [16, 64]\n[[workload]]\nn = 3\n[[workload]]\nn = 4\n"
              "[kernel]\nsource = 'k.cu'\nname = 'scale'\nthreads = 'threads'\nblocks = 1\narguments = [{ name = 'p', "
              "type = '" +
                  type + "', count = 'n', role = '" + role +
                  "' }, { name = 'n', type = 'int', value = 'n' }]\n[verify]\n" + verify);
        return launchbox_run({"tune", path("k.toml"), "--check", "--arch", "sm_90", "--no-cache"});
    };
    const auto reference = [&](const std::string& name, const std::string& type, const std::vector<float>& values) {
        std::string header =
            "{'descr': '<" + type + "', 'fortran_order': False, 'shape': (" + std::to_string(values.size()) + ",), }";
        header.resize(117, ' ');
        write(name, std::string("\x93NUMPY\x01\0\x76\0", 10) + header + '\n' +
                        std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)));
    };
    const std::string against = "against = 'right_{n}.npy'\nrelative = 1e-5\n";
    reference("right_3.npy", "f4", {1, 2, 3});
    const call missing = check("float", against);
    if (missing.status == 3) GTEST_SKIP() << missing.err;
    expect_refused(missing, "there is no file right_4.npy");
    reference("right_4.npy", "f4", {1, 2, 3, 4});
    const call right = check("float", against);
    EXPECT_EQ(right.status, 0) << right.err;
    EXPECT_FALSE(right.says("NaN")) << right.err;

    reference("right_4.npy", "f4", {1, NAN, 3, -NAN});
    const call nan = check("float", against);
    EXPECT_EQ(nan.status, 0) << nan.err;
    EXPECT_TRUE(nan.says("right_4.npy: 2 of 4 elements are NaN, the first is [1]; only NaN equals them")) << nan.err;
    reference("right_4.npy", "f4", {0, 0, 0, 0});
    const call zeros = check("float", against);
    EXPECT_EQ(zeros.status, 0) << zeros.err;
    EXPECT_TRUE(
        zeros.says("right_4.npy: the reference of 'p' is 0 everywhere: a kernel that only clears its output "
                   "passes"))
        << zeros.err;
    const call nothing = check("float", "", "input");
    EXPECT_TRUE(nothing.says("no argument is an output: nothing is compared")) << nothing.err;
    reference("right_4.npy", "i4", {1, 2, 3, 4});
    expect_refused(check("float", against), "right_4.npy has elements of type i4, and 'p' is float");
    reference("right_4.npy", "f4", {1, 2, 3});
    expect_refused(check("float", against), "right_4.npy has 3 elements, and 'p' has 4");
    write("right_4.npy", "no array");
    expect_refused(check("float", against), "right_4.npy");
    expect_refused(check("float4", "relative = 1e-5\n"),
                   "[verify] has a tolerance, and the output p is float4, which is compared bit by bit");
    expect_refused(check("__nv_fp8_e4m3", "absolute = 1\n"), "[verify] has a tolerance");
    EXPECT_EQ(check("float4", "").status, 0);
}

TEST_F(tune_test, a_broken_program_is_a_failure_with_its_kind_and_the_others_are_measured)
{
    write("bench.sh",
          std::string("[ $1 = 32 ] && exit 3\n[ $1 = 128 ] && kill -11 $$\n"
                      "[ $1 = 160 ] && { echo '{\"failure\": \"trap\", \"reason\": \"assert\"}'; exit 1; }\n"
                      "[ $1 = 192 ] && { echo '{\"time_ms\": [0, -1]}'; exit 0; }\n") +
              bench_text);
    const call tuned = tune({"--workload", "n=1000"});
    ASSERT_EQ(tuned.status, 0) << tuned.err;
    std::map<std::string, int> kinds;
    const nlohmann::json all = report();
    for (const auto& each : all.at("candidates")) ++kinds[each.at("status")];
    EXPECT_EQ(kinds,
              (std::map<std::string, int>{
                  {"measured", 60}, {"wrong_result", 10}, {"worker_died", 10}, {"trap", 10}, {"launch_error", 10}}));
}

TEST_F(tune_test, a_hanging_program_is_ended_and_reported_as_hanging)
{
    std::string text = spec_text;
    text.replace(text.find("step = 32"), 9, "step = 96");
    write("sum.toml", text + "[measure]\nhang_seconds = 0.5\nhang_ratio = 2\n");
    write("bench.sh", "[ $1$2 = 323 ] && exec sleep 1000\n" + bench_text);
    std::string changed = spec_text;
    changed.replace(changed.find("threads = 64, "), 14, "threads = 128,");
    changed.replace(changed.find("step = 32"), 9, "step = 96");
    write("sum.toml", changed + "[measure]\nhang_seconds = 0.5\nhang_ratio = 2\n");
    const call tuned = tune({"--workload", "n=1000"});
    ASSERT_EQ(tuned.status, 0) << tuned.err;
    std::map<std::string, int> kinds;
    const nlohmann::json all = report();
    for (const auto& each : all.at("candidates")) ++kinds[each.at("status")];
    EXPECT_EQ(kinds["hang"], 1);
}

TEST_F(tune_test, a_build_per_candidate_and_a_checksum_that_must_equal_the_baselines)
{
    write("sum.toml", R"(
[tunable]
name = "built"
baseline = { threads = 64 }
[parameters]
threads = [32, 64, 96, 128]
[program]
build = ["sh", "build.sh", "{threads}", "{output}"]
run = ["{output}"]
)");
    write("build.sh", R"sh([ $1 = 96 ] && { echo 'k.cu(3): error: no'; exit 1; }
[ $1 = 128 ] && exit 0
printf '#!/bin/sh\necho {\\"time_ms\\": [%s, %s, %s], \\"checksum\\": \\"%s\\"}\n' $1 $1 $1 $(( $1 / 64 )) >$2
chmod +x $2
)sh");
    const call tuned = tune();
    ASSERT_EQ(tuned.status, 0) << tuned.err;
    std::map<std::string, std::string> reasons;
    const nlohmann::json all = report();
    for (const auto& each : all.at("candidates"))
        reasons[each.at("parameters").dump()] =
            std::string(each.at("status")) + (each.at("reason").is_null() ? "" : ": " + std::string(each.at("reason")));
    EXPECT_EQ(reasons.at(R"({"threads":32})"), "wrong_result: its checksum is 0, but the baseline's is 1");
    EXPECT_EQ(reasons.at(R"({"threads":64})"), "measured");
    EXPECT_EQ(reasons.at(R"({"threads":96})"), "compile_error: k.cu(3): error: no");
    EXPECT_EQ(reasons.at(R"({"threads":128})"), "compile_error: the build did not write {output}");
}

TEST_F(tune_test, budgets_workloads_and_replay)
{
    EXPECT_EQ(tune({"--budget", "5"}).status, 0);
    EXPECT_EQ(report().at("candidates").size(), 10u);
    const call other = tune({"--budget", "1h", "--workload", "n=1e3,5000"});
    EXPECT_EQ(other.status, 0) << other.err;
    EXPECT_EQ(report().at("candidates").size(), 205u) << "n=1000 was known for five";

    const call json =
        launchbox_run({"results", path("sum.db"), "--format", "json", "--samples", "-o", path("sum.json")});
    ASSERT_EQ(json.status, 0) << json.err;
    const std::size_t before = runs().size();
    const call replayed =
        launchbox_run({"tune", path("sum.toml"), "--replay", path("sum.json"), "--workload", "n=1000"});
    ASSERT_EQ(replayed.status, 0) << replayed.err;
    EXPECT_TRUE(replayed.says("as recorded")) << replayed.err;
    EXPECT_TRUE(replayed.says("100 measured")) << replayed.err;
    EXPECT_EQ(runs().size(), before) << "nothing is run";
    EXPECT_TRUE(replayed.shows("96")) << replayed.out;
}

// bench.sh takes 10 n + 100 |threads - 96| + 1000 |items - 7| nanoseconds, and the median is one more.
TEST_F(tune_test, throughput_in_every_format)
{
    const auto median_ns = [](int threads, int items, int n) {
        return 10 * n + 100 * std::abs(threads - 96) + 1000 * std::abs(items - 7) + 1;
    };
    const auto with_work = [](const std::string& small, const std::string& large) {
        const std::string text = R"(
[tunable]
name = "sum"
baseline = { threads = 64, items = 7 }
[parameters]
threads = { from = 32, to = 160, step = 32 }
items = [7, 8]
[[workload]]
n = 1000
)";
        return text + small + "\n[[workload]]\nn = 3000\n" + large +
               "\n[program]\nrun = ['sh', 'bench.sh', '{threads}', '{items}', '{n}']\nsources = ['bench.sh']\n";
    };
    // Measured before the work was known.
    write("sum.toml", with_work("", ""));
    const call plain = tune();
    ASSERT_EQ(plain.status, 0) << plain.err;
    EXPECT_FALSE(plain.shows("elements/s")) << plain.out;
    EXPECT_EQ(tune({"--format", "csv"}).out.find("per_second"), std::string::npos);
    const std::size_t before = runs().size();

    write("sum.toml", with_work("work = { elements = 'n', bytes = '8 * n' }", "work = { flops = '2.0 * n * n' }"));
    const call json = tune({"--format", "json"});
    ASSERT_EQ(json.status, 0) << json.err;
    EXPECT_EQ(runs().size(), before) << "how much work it is decides nothing: nothing is measured again";
    const nlohmann::json found = json.json();
    ASSERT_EQ(found.at("candidates").size(), 20u);
    for (const auto& candidate : found.at("candidates")) {
        const int n = candidate.at("workload").at("n");
        const int time = median_ns(candidate.at("parameters").at("threads"), candidate.at("parameters").at("items"), n);
        EXPECT_EQ(candidate.at("median_ns"), time) << candidate;
        if (n == 1000) {
            EXPECT_DOUBLE_EQ(candidate.at("elements_per_second").get<double>(), 1e9 * 1000 / time) << candidate;
            EXPECT_DOUBLE_EQ(candidate.at("bytes_per_second").get<double>(), 1e9 * 8000 / time) << candidate;
            EXPECT_EQ(candidate.at("bytes"), 8000);
            EXPECT_FALSE(candidate.contains("flops") || candidate.contains("flops_per_second")) << candidate;
        } else {
            EXPECT_DOUBLE_EQ(candidate.at("flops_per_second").get<double>(), 1e9 * 18e6 / time) << candidate;
            EXPECT_FALSE(candidate.contains("elements") || candidate.contains("elements_per_second")) << candidate;
        }
    }
    // 1000 elements in 10,001 ns, and in 13,201 ns for the baseline; 18 million operations in 30,001 and 33,201 ns.
    const call shown = launchbox_run({"results", path("sum.db"), "--top", "all"});
    EXPECT_TRUE(shown.shows("speed-up  elements/s    GB/s  note")) << shown.out;
    EXPECT_TRUE(shown.shows("1.32     99.99 M  0.7999  winner of the race")) << shown.out;
    EXPECT_TRUE(shown.shows("1.00     75.75 M  0.6060  baseline")) << shown.out;
    EXPECT_TRUE(shown.shows("speed-up  GFLOP/s  note")) << shown.out;
    EXPECT_TRUE(shown.shows("1.11    600.0  winner of the race")) << shown.out;
    EXPECT_TRUE(shown.shows("1.00    542.2  baseline")) << shown.out;
    EXPECT_TRUE(launchbox_run({"results", path("sum.db"), "--format", "markdown"}).shows("| elements/s | GB/s |"));

    std::istringstream csv(launchbox_run({"results", path("sum.db"), "--format", "csv"}).out);
    std::string line;
    const auto next = [&] {
        if (!std::getline(csv, line)) return false;
        if (line.ends_with('\r')) line.pop_back();
        return true;
    };
    ASSERT_TRUE(next());
    const std::string titles = ",elements,elements_per_second,bytes,bytes_per_second,flops,flops_per_second";
    EXPECT_TRUE(line.ends_with(titles)) << line;
    std::size_t small = 0, large = 0;
    while (next()) {
        small += line.find(",1000.0,") != std::string::npos && line.ends_with(",,") ? 1 : 0;
        large += line.find(",,,,,18000000.0,") != std::string::npos && !line.ends_with(",") ? 1 : 0;
    }
    EXPECT_EQ(small, 10u);
    EXPECT_EQ(large, 10u);

    // A record stores the work, even if the spec does not have it; if both have it, the spec counts.
    const std::string record = path("sum.json");
    ASSERT_EQ(launchbox_run({"results", path("sum.db"), "--format", "json", "--samples", "-o", record}).status, 0);
    const auto replayed = [&](const std::string& spec) {
        write("other.toml", spec);
        return launchbox_run({"tune", path("other.toml"), "--replay", record, "--format", "json"}).json().at("best");
    };
    const nlohmann::json silent = replayed(with_work("", "")), own = replayed(with_work("work = { elements = 5 }", ""));
    EXPECT_DOUBLE_EQ(silent[0].at("elements_per_second").get<double>(), 1e12 / 10001);
    EXPECT_DOUBLE_EQ(silent[1].at("flops_per_second").get<double>(), 18e15 / 30001);
    EXPECT_DOUBLE_EQ(own[0].at("elements_per_second").get<double>(), 5e9 / 10001);
    EXPECT_FALSE(own[0].contains("bytes_per_second")) << own[0];

    // Without it in the spec, it is not shown.
    write("sum.toml", with_work("", "work = { flops = 'n' }"));
    const nlohmann::json less = tune({"--format", "json"}).json().at("best");
    EXPECT_FALSE(less[0].contains("elements_per_second")) << less[0];
    EXPECT_DOUBLE_EQ(less[1].at("flops_per_second").get<double>(), 3e12 / 30001);
    // A mistake in it is reported before anything runs.
    write("sum.toml", with_work("work = { elements = 'n - 1000' }", ""));
    expect_refused(tune(), "sum.toml:10:21: work.elements is 0, with n=1000");
}

// Measurements of an H200, replayed without one.
TEST_F(tune_test, a_record_of_a_gpu_is_replayed)
{
    const std::string record = "measurements/nvidia-h200/tune_block_sort.json";
    const call replayed = launchbox_run({"tune", "examples/block_sort/block_sort.toml", "--replay", record,
                                         "--workload", "n=134217728", "--format", "json"});
    ASSERT_EQ(replayed.status, 0) << replayed.err;
    EXPECT_TRUE(replayed.says("NVIDIA H200, as recorded")) << replayed.err;
    EXPECT_TRUE(replayed.says("411 candidates × 2 workloads")) << replayed.err;
    const nlohmann::json found = replayed.json();
    ASSERT_EQ(found.at("best").size(), 2u);
    for (const auto& best : found.at("best")) {
        EXPECT_EQ(best.at("parameters").at("threads"), 64) << best;
        EXPECT_EQ(best.at("parameters").at("items"), 17) << best;
        EXPECT_GT(best.at("speed_up").get<double>(), 2.5) << best;
    }
}

TEST_F(tune_test, a_search_within_a_budget_finds_the_winner_of_a_record)
{
    const std::vector<std::string> words{"tune",     "examples/matrix_multiply/matrix_multiply.toml",
                                         "--replay", "measurements/nvidia-h200/tune_matrix_multiply.json.gz",
                                         "--format", "json"};
    const auto with = [&](std::vector<std::string> more) {
        more.insert(more.begin(), words.begin(), words.end());
        return launchbox_run(more);
    };
    // The best of 1,704 is 1.615 times as fast as the baseline; 90 of 100 searches are within 5 % of it after 29.
    const call found = with({"--budget", "100"});
    ASSERT_EQ(found.status, 0) << found.err;
    EXPECT_EQ(found.json().at("best")[0].at("measured"), 100);
    EXPECT_GT(found.json().at("best")[0].at("speed_up").get<double>(), 1.53);

    const call warm = with({"--budget", "13", "--warm-start", "measurements/nvidia-h100/tune_matrix_multiply.json.gz"});
    EXPECT_TRUE(warm.says("12 of the 12 best elsewhere are candidates here")) << warm.err;
    EXPECT_GT(warm.json().at("best")[0].at("speed_up").get<double>(), 1.6);

    const call all = with({"--strategy", "exhaustive"});
    EXPECT_EQ(all.json().at("best")[0].at("measured"), 1704);
    expect_refused(with({"--strategy", "fastest"}), "--strategy: 'fastest' is not one of exhaustive");
    expect_refused(with({"--warm-start", "tests/data/t1/blur.json"}), "blur.json");
    expect_refused(launchbox_run({"tune", "examples/merge.cu"}),
                   "examples/merge.cu is a source, not a spec\n  launchbox tune --init examples/merge.cu > merge.toml "
                   "writes one\n");
}

TEST_F(tune_test, rows_of_a_header_are_a_warm_start)
{
    const call warm = launchbox_run({"tune", "examples/block_sort/block_sort.toml", "--replay",
                                     "measurements/nvidia-h200/tune_block_sort.json", "--warm-start",
                                     "examples/block_sort/tuning.hpp", "--budget", "2", "--format", "json"});
    EXPECT_TRUE(warm.says("2 of the 2 best elsewhere are candidates here")) << warm.err;
    EXPECT_EQ(warm.json().at("best")[0].at("parameters").at("items"), 17);
}

TEST_F(tune_test, a_spec_of_another_tuner_is_refused_with_the_command_that_converts_it)
{
    expect_refused(launchbox_run({"tune", "tests/data/t1/blur.json"}),
                   "tests/data/t1/blur.json is a T1 problem, not a spec\n  python3 -m launchbox t1 "
                   "tests/data/t1/blur.json > blur.toml writes it as a spec");
    expect_refused(launchbox_run({"tune", "tests/data/results/example.json"}), "example.json is JSON");
    expect_refused(launchbox_run({"t1", "tests/data/t1/blur.json"}), "python3 -m launchbox t1");
}

TEST_F(tune_test, refusals_are_one_sentence_with_a_fix)
{
    expect_refused(tune({"--budget", "soon"}), "--budget soon is neither a number of candidates nor a time");
    expect_refused(tune({"--budget", "-3"}), "--budget");
    expect_refused(tune({"--workload", "m=3"}), "no value of that name");
    expect_refused(tune({"--workload", "n=many"}), "'many' is not a number");
    expect_refused(tune({"--resume"}), "to resume");
    expect_refused(launchbox_run({"tune", path("sum.toml"), "--replay", path("sum.toml")}), "sum.toml");
    for (const std::vector<std::string>& other :
         {std::vector<std::string>{"--store", path("x.db")}, {"--resume"}, {"--build-only"}}) {
        std::vector<std::string> words{"tune", path("sum.toml"), "--replay", path("sum.json")};
        words.insert(words.end(), other.begin(), other.end());
        expect_refused(launchbox_run(words), "--replay measures nothing, and " + other[0] + " would have no effect");
    }
    expect_refused(launchbox_run({"tune", path("none.toml")}), "none.toml");
    expect_refused(launchbox_run({"tune", path("sum.toml"), "--budgte", "3"}), "--budgte");
    expect_refused(launchbox_run({"tune", path("sum.toml"), "--store", "/proc/no/such.db"}), "/proc/no/such.db");
    write("sum.toml", std::string(spec_text) + "[constraints]\nall = [\"threads > 1000\"]\n");
    const call empty = tune();
    expect_refused(empty, "none of the 100 points");
    EXPECT_TRUE(empty.says("threads > 1000"));
    write("sum.toml", std::string(spec_text) + "[constraints]\nall = [\"threads > 64\"]\n");
    expect_refused(tune(), "the baseline (threads=64 items=1) is not a candidate");
    write("bench.sh", "echo broken; exit 1\n");
    write("sum.toml", spec_text);
    const call failed = tune();
    EXPECT_EQ(failed.status, 2);
    EXPECT_TRUE(failed.says("the baseline (threads=64 items=1) with n=")) << failed.err;
    EXPECT_TRUE(failed.says("wrong result: ended with exit status 1: broken")) << failed.err;
    EXPECT_EQ(failed.out, "");
}

TEST_F(tune_test, without_a_gpu_it_says_what_can_be_done)
{
    const call refused = launchbox_run({"tune", "examples/block_sort/block_sort.toml", "--store", path("sum.db")}, {},
                                       {"CUDA_VISIBLE_DEVICES="});
    if (refused.status == 0) GTEST_SKIP() << "there is a GPU here";
    expect_refused(refused, "needs a GPU, and this machine has none", 3);
    EXPECT_TRUE(refused.says("--build-only --arch")) << refused.err;
    EXPECT_TRUE(refused.says("--replay")) << refused.err;
    EXPECT_FALSE(fs::exists(here / "sum.db"));
}

TEST_F(tune_test, control_files_that_cannot_be_a_parameter_are_refused)
{
    write_file_atomically(path("a.acf"), "controls");
    const auto with = [&](const std::string& spec, const std::string& files) {
        return launchbox_run({"tune", spec, "--build-only", "--arch", "sm_90", "--controls", files});
    };
    const std::string block_sort = "examples/block_sort/block_sort.toml";
    expect_refused(with(block_sort, path("none*.acf")), "--controls: there is no file " + path("none*.acf"));
    expect_refused(with(block_sort, here.string()), "--controls: there is no file " + here.string());
    expect_refused(with("examples/tune_cpu_sort/tune_cpu_sort.toml", path("a.acf")), "has no [kernel] with a source");
    write_file_atomically(path("b[1].acf"), "controls");  // a literal name, not a pattern
    const call literal = with(block_sort, path("b[1].acf"));
    EXPECT_NE(literal.status, 0) << "controls that are none";
    EXPECT_FALSE(literal.says("there is no file")) << literal.err;
    std::string text = read_input(repository_file(block_sort));
    text.replace(text.find("[parameters]"), 12, "[parameters]\ncontrols = [\"\"]");
    text.replace(text.find("baseline = {"), 12, "baseline = { controls = \"\",");
    write_file_atomically(path("taken.toml"), text);
    expect_refused(with(path("taken.toml"), path("*.acf")), "has something named controls already");
}

TEST_F(tune_test, builds_and_screens_without_a_gpu)
{
    NEEDS_NVCC();
    const call built = launchbox_run(
        {"tune", "examples/block_sort/block_sort.toml", "--build-only", "--arch", "sm_90", "--budget", "1"});
    EXPECT_EQ(built.status, 0) << built.err;
    EXPECT_TRUE(built.shows("built")) << built.out;
}

}  // namespace
}  // namespace launchbox
