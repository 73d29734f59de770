#include "tune/backend/program_backend.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/error.hpp"
#include "support/files/files.hpp"

namespace launchbox {
namespace {

constexpr double wall = 123;

measurement read(const std::string& output, const std::string& metric = {}, const std::string& unit = "ms")
{
    program_target program;
    program.metric = metric;
    program.unit = unit;
    return read_program_output(output, program, wall).said;
}

bool prints_time(const std::string& output, const std::string& metric = {})
{
    program_target program;
    program.metric = metric;
    return read_program_output(output, program, wall).prints_time;
}

TEST(program_output, a_line_of_json_has_samples_and_checksum)
{
    const measurement found = read("loading\n{\"time_ms\": [1.5, 2], \"checksum\": \"ab12\"}\ndone\n");
    EXPECT_EQ(found.status, outcome::measured);
    EXPECT_EQ(found.samples_ns, (std::vector<double>{1.5e6, 2e6}));
    EXPECT_EQ(found.checksum, "ab12");
}

TEST(program_output, a_program_may_say_how_it_failed)
{
    const measurement found = read(R"({"failure": "illegal_access", "reason": "at 7"})");
    EXPECT_EQ(found.status, outcome::illegal_access);
    EXPECT_EQ(found.reason, "at 7");
    EXPECT_EQ(read(R"({"failure": "measured"})").status, outcome::launch_error);
    EXPECT_EQ(read(R"({"failure": "bad luck"})").reason, "bad luck");
}

TEST(program_output, without_a_time_the_wall_time_counts_but_not_if_a_time_is_invalid)
{
    EXPECT_EQ(read("").samples_ns, (std::vector<double>{wall}));
    EXPECT_EQ(read("hello\n").samples_ns, (std::vector<double>{wall}));
    EXPECT_EQ(read(R"({"time_ms": [0]})").status, outcome::launch_error);
    EXPECT_EQ(read(R"({"time_ms": "fast"})").status, outcome::launch_error);
    EXPECT_EQ(read(R"({"time_ms": []})").status, outcome::launch_error);
    EXPECT_FALSE(prints_time("hello"));
    EXPECT_TRUE(prints_time("time: 3 ms"));
}

// None of these may win because of its wall time.
TEST(program_output, an_invalid_time_is_a_failure)
{
    for (const char* output :
         {R"({"time_ms": 0})",
          R"({"time_ms": -1})",
          R"({"time_ms": NaN})",
          R"({"time_ms": Infinity})",
          R"({"time_ms": [1.5, NaN]})",
          R"({"time_ms": null})",
          R"({"time_ms": "fast"})",
          R"({"median_ns": "x"})",
          "{\n  \"time_ms\": nan\n}\n",
          "{\"time_ms\": [1",
          R"({"samples_ns": {"a": 1}})",
          "time: 0 ms\n",
          "time: -3 ms",
          "time: nan ms",
          "time: -nan ms",
          "elapsed inf s",
          "prepared in 3 ms, sorted in 5 ms",
          R"({"benchmarks": [{"name": "a", "run_type": "iteration", "error_occurred": true, "real_time": 1e-3}]})",
          R"({"benchmarks": [{"name": "a", "real_time": null}]})",
          R"({"benchmarks": []})"}) {
        const measurement found = read(output);
        EXPECT_EQ(found.status, outcome::launch_error) << output;
        EXPECT_FALSE(found.reason.empty()) << output;
        EXPECT_TRUE(found.samples_ns.empty()) << output;
    }
    EXPECT_EQ(read("t=1\nt=nan\n", "t=(\\S+)").reason, "the metric finds 'nan', which is not a time above 0");
    EXPECT_EQ(read("t=fast\n", "t=(\\S+)").status, outcome::launch_error);
    EXPECT_EQ(read("information: 4 items, nans: none\n").samples_ns, (std::vector<double>{wall}));
}

TEST(program_output, a_metric_does_not_match_an_impossible_time)
{
    EXPECT_NE(read("t=1e-320\n", "t=(\\S+)").reason.find("shorter than a femtosecond"), std::string::npos);
    EXPECT_NE(read("t=1e300\n", "t=(\\S+)").reason.find("longer than 30 years"), std::string::npos);
    EXPECT_EQ(read("t=1e-6\n", "t=(\\S+)", "ns").samples_ns, std::vector<double>{1e-6});
}

// All checksums are compared completely, on whichever lines they are.
TEST(program_output, a_checksum_consists_of_everything_printed_for_it)
{
    const auto checksum = [](const std::string& output) { return read(output).checksum; };
    const auto line = [](const std::string& text) { return "{\"checksum\": \"" + text + "\"}\n"; };
    EXPECT_EQ(checksum(line("a") + "time: 3 ms\n" + line("b")), "a b");
    EXPECT_EQ(checksum("{\"time_ms\": 1, \"checksum\": \"a\"}\n{\"note\": 1}\n"), "a");
    const std::string start(1000, '7');
    EXPECT_NE(checksum(line(start + "1")), checksum(line(start + "2")));
    EXPECT_EQ(checksum(line(start + "1")), checksum(line(start + "1")));
    EXPECT_LE(checksum(line(start)).size(), 200u);
    EXPECT_EQ(read("{\"failure\": \"trap\", \"reason\": \"at 7\"}\n{\"time_ms\": 1}\n").status, outcome::trap);
}

TEST(program_output, the_wall_time_counts_if_the_spec_says_so)
{
    EXPECT_EQ(read("time: 3 ms\n", "wall").samples_ns, (std::vector<double>{wall}));
    EXPECT_EQ(read("time: nan ms\n", "wall").samples_ns, (std::vector<double>{wall}));
    EXPECT_FALSE(prints_time("time: 3 ms\n", "wall"));
    EXPECT_EQ(read(R"({"failure": "trap"})", "wall").status, outcome::trap);
}

TEST(program_output, a_metric_matches_all_its_times_and_nothing_else)
{
    EXPECT_EQ(read("GPU time: 1.5\nother 7\nGPU time: 2e0 x\n", "GPU time: ([0-9.e]+)").samples_ns,
              (std::vector<double>{1.5e6, 2e6}));
    EXPECT_EQ(read("t=3\n", "t=(\\d+)", "us").samples_ns, (std::vector<double>{3000}));
    EXPECT_EQ(read("t=3\n", "t=(\\d+)", "s").samples_ns, (std::vector<double>{3e9}));
    EXPECT_EQ(read("t=-3 t=0\nt=nan\n", "t=(\\S+)").status, outcome::launch_error);
    EXPECT_EQ(read("nothing", "t=(\\d+)").status, outcome::launch_error);
    EXPECT_EQ(read("no group", "group").status, outcome::launch_error);
}

TEST(program_output, invalid_json_and_endless_lines_do_no_harm)
{
    EXPECT_EQ(read(std::string(1 << 20, '{')).samples_ns, (std::vector<double>{wall}));
    EXPECT_EQ(read(std::string(1 << 20, 'a'), "a*b(x)").status, outcome::launch_error);
}

// A backtracking regular expression takes 2^50 steps for the first text and cannot be interrupted.
TEST(program_output, a_metric_takes_linear_time)
{
    const std::string line = std::string(50, 'a') + "!\n";
    EXPECT_EQ(read(line, "^(a+)+$").status, outcome::launch_error);
    EXPECT_EQ(read(line, "^(a|aa)+$").status, outcome::launch_error);
    EXPECT_EQ(read(line + "t=5\n", "^(?:(?:a|a)+)+$|t=(\\d+)").samples_ns, (std::vector<double>{5e6}));
}

TEST(program_output, a_metric_supports_the_expressions_in_existing_specs)
{
    EXPECT_EQ(read("t = 1.5e-3 s", R"(t\s*=\s*([0-9]+\.?[0-9]*(?:[eE][-+]?[0-9]+)?))", "s").samples_ns,
              (std::vector<double>{1.5e6}));
    EXPECT_EQ(read("a 2\nGPU [0]: 3 ms", R"(^GPU \[\d\]: ([[:digit:]]+) ms$)").samples_ns, (std::vector<double>{3e6}));
    EXPECT_EQ(read("\xff\xfe t=4", "t=(\\d)").samples_ns, (std::vector<double>{4e6}));  // not UTF-8
}

// Programs that are scripts, in their own folder.
class program_backend_test : public ::testing::Test {
protected:
    temporary_directory folder, built;
    std::filesystem::path here = folder.path();
    tune_spec spec;

    void SetUp() override { std::filesystem::create_directory(here / "work"); }

    void write(const std::string& name, const std::string& text) const { std::ofstream(here / name) << text; }

    tune_backend with(const std::string& program)
    {
        const std::string head =
            "[tunable]\nname = 'x'\nbaseline = { a = 1 }\n[parameters]\na = [1, 2, 3]\n[measure]\nmin_samples = "
            "3\n[program]\n";
        spec = parse_tune_spec((here / "work" / "x.toml").string(), head + program);
        return program_backend(spec, {.architecture = {}, .gpus = {}, .jobs = 1, .folder = built.path()});
    }

    static tune_job job(std::int64_t a) { return {.candidate = 0, .workload = 0, .parameters = {{{"a", a}}}}; }

    // The first one is the reference.
    static measurement measured(const tune_backend& backend, const prepared_job& made, std::int64_t a)
    {
        if (made.build.status != build_status::built)
            return {.status = outcome_of(made.build.status), .reason = made.build.reason};
        return backend.measurers.at(0)(job(a), made, {.best_ns = 0, .samples = 3, .is_reference = a == 1});
    }
    static measurement measured(const tune_backend& backend, std::int64_t a)
    {
        return measured(backend, backend.prepare(job(a)), a);
    }
};

constexpr const char* makefile =
    "bench: bench.in ../include/unit\n"
    "\t{ cat bench.in; echo \"echo time: $(TIME)000 $$(cat ../include/unit)\"; } >bench\n"
    "\tchmod +x bench\n";

TEST_F(program_backend_test, a_program_only_sees_the_gpu_that_measures_it)
{
    with("run = ['sh', '-c', 'test $CUDA_VISIBLE_DEVICES = GPU-8f1c && echo time: 2 us']\n");
    const tune_backend backend =
        program_backend(spec, {.architecture = {}, .gpus = {"GPU-8f1c"}, .jobs = 1, .folder = built.path()});
    EXPECT_EQ(measured(backend, 1).status, outcome::measured);
}

// All files are in one folder, and all builds run at the same time, as in projects that are not written for tuning.
TEST_F(program_backend_test, a_build_in_place_has_a_copy_of_the_folder_per_candidate)
{
    std::filesystem::create_directory(here / "include");
    write("include/unit", "us\n");
    write("work/Makefile", makefile);
    write("work/bench.in", "#!/bin/sh\n");
    const tune_backend backend = with("build = ['make', 'TIME={a}']\nrun = ['./bench']\n");
    std::vector<prepared_job> made;
    for (const std::int64_t a : {1, 2, 3}) made.push_back(backend.prepare(job(a)));
    for (std::size_t i = 0; i < made.size(); ++i) {
        const measurement found = measured(backend, made[i], static_cast<std::int64_t>(i) + 1);
        ASSERT_EQ(found.status, outcome::measured) << found.reason << made[i].build.log;
        EXPECT_EQ(found.samples_ns.front(), 1e6 * static_cast<double>(i + 1));
    }
    EXPECT_NE(made[0].build.code, made[1].build.code);
    EXPECT_FALSE(std::filesystem::exists(here / "work/bench")) << "the user's folder is as it was";
}

// Outputs of an earlier make are rebuilt if a compiler made them; a build that makes nothing is refused.
TEST_F(program_backend_test, a_build_in_place_that_finds_everything_up_to_date_is_refused)
{
    std::filesystem::create_directory(here / "include");
    write("include/unit", "us\n");
    write("work/Makefile", makefile);
    write("work/bench.in", "#!/bin/sh\n");
    write("work/bench", "#!/bin/sh\necho time: 7 ms\n");
    const tune_backend backend = with("build = ['make', 'TIME={a}']\nrun = ['./bench']\n");
    const measurement stale = measured(backend, 1);
    EXPECT_EQ(stale.status, outcome::compile_error);
    EXPECT_NE(stale.reason.find("changed no file"), std::string::npos) << stale.reason;
    EXPECT_NE(stale.reason.find("{output}"), std::string::npos) << stale.reason;
    write("work/bench",
          "\x7f"
          "ELF of an earlier make");
    const measurement made = measured(backend, 1);
    ASSERT_EQ(made.status, outcome::measured) << made.reason;
    EXPECT_EQ(made.samples_ns.front(), 1e6);
}

TEST_F(program_backend_test, data_next_to_the_program_is_part_of_its_code)
{
    write("work/build.sh",
          "printf '#!/bin/sh\\necho time: $(cat $0.data) ms\\n' >$2; chmod +x $2; echo $(( $1 / 2 )) >$2.data\n");
    const tune_backend backend = with("build = ['sh', 'build.sh', '{a}', '{output}']\nrun = ['{output}']\n");
    const prepared_job one = backend.prepare(job(1)), two = backend.prepare(job(2)), three = backend.prepare(job(3));
    ASSERT_EQ(one.build.status, build_status::built) << one.build.reason;
    EXPECT_NE(one.same_when_equal, two.same_when_equal) << "equal programs, other data";
    EXPECT_EQ(two.same_when_equal, three.same_when_equal);
}

TEST_F(program_backend_test, run_may_name_an_output_of_build)
{
    for (const char* program : {"run = ['{output}']\n", "build = ['make']\nrun = ['{output}']\n"}) {
        try {
            static_cast<void>(with(program));
            FAIL() << program;
        } catch (const error& refused) {
            EXPECT_NE(std::string(refused.what()).find("run uses {output}, but build does not write it"),
                      std::string::npos);
        }
    }
}

TEST_F(program_backend_test, printed_times_and_wall_times_are_not_compared)
{
    write("work/bench.sh", "[ $1 = 2 ] && exit 0\necho time: $1 ms\n");
    tune_backend backend = with("run = ['sh', 'bench.sh', '{a}']\n");
    EXPECT_EQ(measured(backend, 1).status, outcome::measured);
    EXPECT_EQ(measured(backend, 2).reason, "it prints no time, but the baseline does");
    EXPECT_EQ(measured(backend, 2).status, outcome::launch_error);
    EXPECT_EQ(measured(backend, 3).status, outcome::measured);

    write("work/bench.sh", "[ $1 = 2 ] && echo time: 1 ns\nexit 0\n");
    backend = with("run = ['sh', 'bench.sh', '{a}']\n");
    EXPECT_EQ(measured(backend, 1).status, outcome::measured);
    EXPECT_NE(measured(backend, 2).reason.find("it prints a time, but the baseline prints none"), std::string::npos);
    EXPECT_EQ(measured(backend, 3).status, outcome::measured);

    backend = with("run = ['sh', 'bench.sh', '{a}']\nmetric = 'wall'\n");
    for (const std::int64_t a : {1, 2, 3}) EXPECT_EQ(measured(backend, a).status, outcome::measured);
}

TEST_F(program_backend_test, the_checksum_of_every_run_is_compared)
{
    // Right in the first run and wrong afterwards; and one that prints none.
    write("work/bench.sh", R"sh(n=$(cat runs$1 2>/dev/null || echo 0); echo $(( n + 1 )) >runs$1; sum=GOOD
[ $1 = 2 ] && [ $n -gt 0 ] && sum=BAD
[ $1 = 3 ] && { echo '{"time_ms": 1}'; exit 0; }
printf '{"time_ms": 1, "checksum": "%s"}\n' $sum
)sh");
    const tune_backend backend = with("run = ['sh', 'bench.sh', '{a}']\n");
    const measurement right = measured(backend, 1);
    EXPECT_EQ(right.status, outcome::measured) << right.reason;
    EXPECT_TRUE(right.verified);
    EXPECT_EQ(right.samples_ns.size(), 3u);
    const measurement wrong = measured(backend, 2);
    EXPECT_EQ(wrong.status, outcome::wrong_result);
    EXPECT_EQ(wrong.reason, "its checksum is BAD, but the baseline's is GOOD");
    const measurement without = measured(backend, 3);
    EXPECT_EQ(without.status, outcome::wrong_result);
    EXPECT_EQ(without.reason, "it prints no checksum, but the baseline's is GOOD");
    EXPECT_FALSE(without.verified);
}

TEST_F(program_backend_test, a_baseline_whose_checksum_changes_is_no_reference)
{
    write("work/bench.sh", R"sh(n=$(cat runs 2>/dev/null || echo 0); echo $(( n + 1 )) >runs
printf '{"time_ms": 1, "checksum": "%s"}\n' $n
)sh");
    const tune_backend backend = with("run = ['sh', 'bench.sh', '{a}']\n");
    EXPECT_EQ(measured(backend, 1).reason, "its checksum is 0 in one run and 1 in another");
}

// The messages are the program's own: they are the reason of its failure, and do not mean that the machine lacks
// something.
TEST_F(program_backend_test, messages_of_a_build_or_program_about_the_machine_are_not_trusted)
{
    write("work/build.sh", R"sh([ $1 = 1 ] && { echo 'as: k.o: No space left on device'; exit 1; }
[ $1 = 2 ] && { echo '/usr/bin/ld: k.o: undefined reference to scale'
echo 'collect2: error: ld returned 1 exit status'; echo 'make: *** [k] Error 1'; exit 2; }
exit 3
)sh");
    const tune_backend backend = with("build = ['sh', 'build.sh', '{a}', '{output}']\nrun = ['{output}']\n");
    const prepared_job full = backend.prepare(job(1)), wrong = backend.prepare(job(2));
    EXPECT_EQ(full.build.machine_failure, "");
    EXPECT_EQ(full.build.reason, "as: k.o: No space left on device");
    EXPECT_EQ(wrong.build.machine_failure, "");
    EXPECT_EQ(wrong.build.reason, "/usr/bin/ld: k.o: undefined reference to scale");
    EXPECT_NE(wrong.build.log.find("collect2"), std::string::npos);
    EXPECT_EQ(backend.prepare(job(3)).build.reason, "the build ended with exit status 3");

    write("work/bench.sh", "echo Cannot allocate memory; [ $1 = 2 ] && exit 7; [ $1 = 3 ] && kill -SEGV $$; exit 0\n");
    const tune_backend words = with("run = ['sh', 'bench.sh', '{a}']\n");
    EXPECT_EQ(measured(words, 1).status, outcome::measured);
    const measurement failed = measured(words, 2), died = measured(words, 3);
    EXPECT_EQ(failed.status, outcome::wrong_result);
    EXPECT_EQ(failed.reason, "ended with exit status 7: Cannot allocate memory");
    EXPECT_EQ(failed.machine_failure, "");
    EXPECT_EQ(died.status, outcome::worker_died);
    EXPECT_EQ(died.machine_failure, "");
}

TEST_F(program_backend_test, a_program_only_reports_its_own_failure)
{
    for (const char* others : {"device_lost", "worker_died", "measured"}) {
        const measurement found = read(R"({"failure": ")" + std::string(others) + R"(", "reason": "so I say"})");
        EXPECT_EQ(found.status, outcome::launch_error) << others;
        EXPECT_EQ(found.reason, "so I say");
    }
}

// All candidates would build in one place, each overwriting the previous one, and overwrite the user's files there.
TEST_F(program_backend_test, a_build_in_place_with_a_link_that_leads_out_of_the_folder_is_refused)
{
    namespace fs = std::filesystem;
    fs::create_directories(here / "scratch/deep");
    write("scratch/file", "the user's\n");
    struct link_case {
        fs::path target;
        std::string leads_to;
    };
    fs::create_directory(here / "work/sub");
    fs::create_symlink(here / "scratch", here / "outside_link");
    for (const link_case& each : std::vector<link_case>{{here / "scratch", "scratch"},
                                                        {"../scratch", "scratch"},
                                                        {"../scratch/file", "file"},
                                                        {here / "scratch/file", "file"},
                                                        {"../scratch/not/there/yet", "not/there/yet"},
                                                        {"sub/../../scratch/deep", "deep"},
                                                        {"../outside_link/deep", "deep"},
                                                        {"..", here.filename()}}) {
        for (const char* name : {"work/build", "work/sub/build"}) {
            const fs::path target = each.target.is_relative() && std::string(name).find("sub") != std::string::npos
                                        ? ".." / each.target
                                        : each.target;
            fs::create_symlink(target, here / name);
            const tune_backend backend = with("build = ['make']\nrun = ['./build/bench']\n");
            try {
                static_cast<void>(backend.check(search_space(spec, {})));
                FAIL() << target;
            } catch (const error& refused) {
                EXPECT_NE(std::string(refused.what()).find(std::string(name).substr(5) + " is a link"),
                          std::string::npos)
                    << refused.what();
                EXPECT_NE(std::string(refused.what()).find(each.leads_to), std::string::npos) << refused.what();
                EXPECT_NE(refused.hint().find("{output}"), std::string::npos);
            }
            fs::remove(here / name);
        }
    }
    // Through a link in the folder that itself leads outside.
    fs::create_symlink("../scratch", here / "work/one");
    fs::create_symlink("one", here / "work/two");
    const tune_backend backend = with("build = ['make']\nrun = ['./two/bench']\n");
    EXPECT_THROW(static_cast<void>(backend.check(search_space(spec, {}))), error);
}

TEST_F(program_backend_test, links_within_the_folder_of_a_build_in_place_lead_to_the_copy)
{
    namespace fs = std::filesystem;
    fs::create_directories(here / "work/out/real");
    fs::create_symlink(here / "work/out", here / "work/absolute");
    fs::create_symlink("../work/out/real", here / "work/around");
    fs::create_symlink("absolute", here / "work/chain");
    fs::create_symlink("/dev/null", here / "work/nothing");
    write("work/data", "the user's\n");
    fs::create_hard_link(here / "work/data", here / "outside");
    write("work/build.sh",
          "for d in absolute around chain; do echo $1 >>$d/built; done; echo $1 >data; echo $1 >nothing\n"
          "printf '#!/bin/sh\\necho time: %s ms\\n' $1 >bench; chmod +x bench\n");
    const tune_backend backend = with("build = ['sh', 'build.sh', '{a}']\nrun = ['./bench']\n");
    EXPECT_NO_THROW(static_cast<void>(backend.check(search_space(spec, {}))));
    for (const std::int64_t a : {1, 2}) {
        const prepared_job made = backend.prepare(job(a));
        ASSERT_EQ(made.build.status, build_status::built) << made.build.reason << made.build.log;
        const std::string number = std::to_string(a) + "\n";
        EXPECT_EQ(read_input(made.directory + "/out/built"), number + number);
        EXPECT_EQ(read_input(made.directory + "/out/real/built"), number);
    }
    EXPECT_FALSE(fs::exists(here / "work/out/built"));
    EXPECT_FALSE(fs::exists(here / "work/out/real/built"));
    EXPECT_EQ(read_input((here / "outside").string()), "the user's\n") << "another name of a file in the folder";
}

TEST_F(program_backend_test, absolute_paths_in_the_commands_of_a_build_in_place_lead_to_the_copy)
{
    const std::string folder = (here / "work").string();
    write("work/build.sh", "printf '#!/bin/sh\\necho time: %s ms\\n' $1 >$2/bench; chmod +x $2/bench\n");
    const tune_backend backend =
        with("build = ['sh', '" + folder + "/build.sh', '{a}', '" + folder + "']\nrun = ['" + folder + "/bench']\n");
    for (const std::int64_t a : {1, 2}) {
        const measurement found = measured(backend, a);
        ASSERT_EQ(found.status, outcome::measured) << found.reason;
        EXPECT_EQ(found.samples_ns.front(), 1e6 * static_cast<double>(a));
    }
    EXPECT_FALSE(std::filesystem::exists(here / "work/bench"));
}

TEST(program_output, any_printed_number_can_be_read_by_its_name)
{
    const auto printed = [](const std::string& output, const std::vector<std::string>& names) {
        measurement found{.samples_ns = {1}};
        add_printed(output, names, found);
        return found;
    };
    using samples = std::vector<double>;
    const auto first = [&](const std::string& output) {
        const measurement found = printed(output, {"p99_ms"});
        return found.status == outcome::measured ? found.quantities.at(0).samples : samples{};
    };
    EXPECT_EQ(first("p99_ms: 3.5\n"), samples{3.5});
    EXPECT_EQ(first("a\n p50_ms=1 p99_ms=3.5e-2 ms\n"), samples{0.035});
    EXPECT_EQ(first("{\"time_ms\": 1, \"p99_ms\": 7, \"more\": 8}"), samples{7});
    EXPECT_EQ(first("{'p99_ms': '7'}"), samples{7});
    EXPECT_EQ(first("p99_ms 3\nx p99_ms .5\n"), (samples{3, 0.5}));
    for (const char* none : {"", "p99: 3", "xp99_ms: 3", "p99_ms_old: 3", "p99_ms", "p99_ms: fast", "p99_ms3"})
        EXPECT_EQ(printed(none, {"p99_ms"}).reason, "it prints no number p99_ms, which the objective names") << none;
    for (const char* bad : {"p99_ms: 0", "p99_ms: -1", "p99_ms: 1e999", "p99_ms: 1\np99_ms: 0"}) {
        const measurement found = printed(bad, {"p99_ms"});
        EXPECT_EQ(found.status, outcome::launch_error) << bad;
        EXPECT_NE(found.reason.find("which is not a number above 0"), std::string::npos) << found.reason;
        EXPECT_TRUE(found.samples_ns.empty());
    }
    EXPECT_EQ(printed("a: 1\nb: 2\n", {"b", "a"}).quantities, (measured_quantities{{"b", {2}}, {"a", {1}}}));
}

}  // namespace
}  // namespace launchbox
