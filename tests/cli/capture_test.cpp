// launchbox capture on a program that uses CUDA, with doubles of driver and CUPTI. The program's command line lists
// what it launches, so that the test knows it.
#ifdef LAUNCHBOX_FAKE_CUPTI
#include <gtest/gtest.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "observed_program.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::string& app = observed_app;
const std::string& kernels = load_observed_kernels;
const std::string others = "load=" LAUNCHBOX_OBSERVED_CUBINS "/other_kernels.cubin";

class capture_test : public observed_program {
protected:
    capture_test()
        : observed_program({{{"match", "plain"}, {"ns", 5000}, {"effect", "nothing"}},
                            {{"match", ""}, {"ns", 20000}, {"effect", "nothing"}}})
    {
    }

    [[nodiscard]] call capture(const std::vector<std::string>& options, const std::vector<std::string>& words,
                               const std::vector<std::string>& more = {}, const std::string& input = {}) const
    {
        std::vector<std::string> arguments{"capture"};
        arguments.insert(arguments.end(), options.begin(), options.end());
        arguments.emplace_back("--");
        arguments.push_back(app);
        arguments.insert(arguments.end(), words.begin(), words.end());
        return launchbox_run(arguments, input, environment(more));
    }

    // The report as JSON; the program must exit with 0.
    [[nodiscard]] json seen(const std::vector<std::string>& words, std::vector<std::string> options = {}) const
    {
        options.insert(options.end(), {"--format", "json", "-o", file("seen.json")});
        const call result = capture(options, words);
        EXPECT_EQ(result.status, 0) << result.err;
        return json::parse(std::ifstream(file("seen.json")));
    }
};

// The program is the first word that is not one of our options; all words after it are its own.
TEST_F(capture_test, two_dashes_before_the_program_are_optional)
{
    const std::vector<std::string> program{app, "init", kernels, "launch=plain,40,64,0,7"};
    for (const bool dashes : {false, true}) {
        std::vector<std::string> words{"capture", "--format", "json", "--output=" + file("seen.json"), "--overwrite"};
        if (dashes) words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        const call result = launchbox_run(words, {}, environment({}));
        EXPECT_EQ(result.status, 0) << result.err;
        const json report = json::parse(std::ifstream(file("seen.json")));
        EXPECT_EQ(report["launches"], 7);
        EXPECT_EQ(report["processes"][0]["command"], program);
    }
    const call own = launchbox_run(
        {"capture", "--follow-children", "sh", "-c", "echo \"$0 $1 $2 $3\"", "--format", "x", "--", "--help"});
    EXPECT_EQ(own.out, "--format x -- --help\n");
    EXPECT_EQ(launchbox_run({"capture", "--", "sh", "-c", "echo $0", "--", "y"}).out, "--\n");
    expect_refused(launchbox_run({"capture", "--format", "json"}), "no program to run");
    expect_refused(launchbox_run({"capture", "--format", "yaml", "true"}), "yaml");
}

TEST_F(capture_test, launches_are_listed)
{
    const json report = seen({"init", kernels, "launch=plain,1000,256,0,300", "launch=plain,40x2x3,16x4x2,0,7",
                              "launch=shared_by_launch,5,128,40000,11", "launch=_Z4copyILi4EEvPKiPii,3,32,0,2"});
    EXPECT_EQ(report["schema"], "launchbox.launches/1");
    EXPECT_EQ(report["launches"], 320);
    EXPECT_EQ(report["warnings"], json::array());
    EXPECT_EQ(report["gpus"], json::parse(R"([{"name": "Double", "architecture": "sm_90", "sms": 100}])"));
    ASSERT_EQ(report["processes"].size(), 1u);
    EXPECT_EQ(report["processes"][0]["ended"], true);
    EXPECT_EQ(report["processes"][0]["command"][0], app);
    ASSERT_EQ(report["kernels"].size(), 4u);  // the longest first
    const json& first = report["kernels"][0];
    EXPECT_EQ(first["name"], "plain");
    EXPECT_EQ(first["launches"], 300);
    EXPECT_EQ(first["grid"], json({1000, 1, 1}));
    EXPECT_EQ(first["block"], json({256, 1, 1}));
    EXPECT_NEAR(first["total_ns"], 300 * 5000, 300);  // CUPTI's clock has a resolution of a nanosecond
    EXPECT_NEAR(first["median_ns"], 5000, 1);
    EXPECT_EQ(first["median_of_sample"], true);
    const json& second = report["kernels"][1];
    EXPECT_EQ(second["name"], "shared_by_launch");
    EXPECT_EQ(second["dynamic_shared_bytes"], 40000);
    EXPECT_EQ(second["median_of_sample"], false);
    EXPECT_EQ(report["kernels"][2]["demangled"], "void copy<4>(int const*, int*, int)");
    EXPECT_EQ(report["kernels"][3]["grid"], json({40, 2, 3}));
    EXPECT_EQ(report["kernels"][3]["block"], json({16, 4, 2}));
}

// The figures are those of `inspect` for the cubin, and the occupancy is that of `occupancy`.
TEST_F(capture_test, figures_are_those_of_the_loaded_image)
{
    const json report =
        seen({"init", kernels, "launch=spilling,200,1024,0,1", "launch=shared_by_launch,1000,96,30000,1"});
    const json inspected =
        launchbox_run({"inspect", LAUNCHBOX_OBSERVED_CUBINS "/observed_kernels.cubin", "--format", "json"}).json();
    ASSERT_EQ(report["kernels"].size(), 2u);
    for (const json& kernel : report["kernels"]) {
        const auto is_same = [&](const json& other) { return other["name"] == kernel["name"]; };
        const auto image = std::find_if(inspected["kernels"].begin(), inspected["kernels"].end(), is_same);
        ASSERT_NE(image, inspected["kernels"].end());
        EXPECT_EQ(kernel["from_image"], true);
        for (const char* figure : {"registers", "spill_store_bytes", "spill_load_bytes", "stack_frame_bytes",
                                   "static_shared_bytes", "barriers", "max_threads"})
            EXPECT_EQ(kernel[figure], (*image)[figure]) << kernel["name"] << ": " << figure;
        const json occupancy =
            launchbox_run({"occupancy", "--arch", "sm_90", "--format", "json", "--threads", kernel["block"][0].dump(),
                           "--registers", kernel["registers"].dump(), "--dynamic-shared",
                           kernel["dynamic_shared_bytes"].dump(), "--barriers", kernel["barriers"].dump()})
                .json();
        EXPECT_EQ(kernel["occupancy"]["resident_blocks"], occupancy["results"][0]["resident_blocks"]);
        EXPECT_EQ(kernel["occupancy"]["limiters"], occupancy["results"][0]["limiters"]);
    }
    EXPECT_GT(
        report["kernels"][0]["spill_store_bytes"].get<int>() + report["kernels"][1]["spill_store_bytes"].get<int>(), 0);
}

TEST_F(capture_test, every_kind_of_launch_is_a_row_of_its_own)
{
    plan["cupti"]["in_graph"] = "copy";
    const json report =
        seen({"init", kernels, "launch=plain,8,64,0,1", "cooperative=plain,8,64,0,2", "cluster=2x2,plain,8x8,64,0,3",
              "launch=_Z4copyILi4EEvPKiPii,8,64,0,4", "carveout=plain,50", "launch=plain,8,64,0,5"});
    std::map<int, json> by_count;
    for (const json& kernel : report["kernels"]) by_count[kernel["launches"].get<int>()] = kernel;
    ASSERT_EQ(by_count.size(), 5u);
    EXPECT_EQ(by_count[1]["extended"], false);
    EXPECT_EQ(by_count[1]["cluster"], nullptr);
    EXPECT_EQ(by_count[1]["carveout_percent"], nullptr);
    EXPECT_EQ(by_count[2]["cooperative"], true);
    EXPECT_EQ(by_count[3]["cluster"], json({2, 2, 1}));
    EXPECT_EQ(by_count[3]["cooperative"], false);
    EXPECT_EQ(by_count[3]["extended"], true);
    EXPECT_EQ(by_count[4]["in_graph"], true);
    EXPECT_EQ(by_count[5]["carveout_percent"], 50);
}

// How often a kernel with one shape was launched cooperatively (true), not so (false), or in an unknown way.
std::map<json, int> by_cooperation(const json& report)
{
    std::map<json, int> counts;
    for (const json& kernel : report["kernels"]) counts[kernel.at("cooperative")] += kernel["launches"].get<int>();
    return counts;
}

// With either function, and with the attribute, which can also be 0. CUPTI's records call all of these cooperative.
TEST_F(capture_test, launches_that_differ_only_in_being_cooperative_are_two_rows)
{
    const std::vector<std::string> words{"init",
                                         kernels,
                                         "cooperative=plain,8,64,0,2",
                                         "launch=plain,8,64,0,3",
                                         "together=1,plain,8,64,0,5",
                                         "together=0,plain,8,64,0,7",
                                         "cooperative=plain,8,64,0,11"};
    const json report = seen(words);
    EXPECT_EQ(by_cooperation(report), (std::map<json, int>{{true, 2 + 5 + 11}, {false, 3 + 7}}));
    ASSERT_EQ(report["kernels"].size(), 3u);  // other attributes make another row, too
    for (const json& kernel : report["kernels"]) EXPECT_EQ(kernel["extended"], kernel["launches"] == 7) << kernel;

    const call page = capture({}, words);
    EXPECT_TRUE(page.says("cooperative")) << page.err;
    const call rows = capture({"--format", "csv", "-o", file("seen.csv")}, words);
    const std::string csv = read_input(file("seen.csv"));
    EXPECT_NE(csv.find(",yes,no,no,1,18,"), csv.npos) << csv;  // cooperative, extended, in_graph, processes, launches
    EXPECT_NE(csv.find(",no,yes,no,1,7,"), csv.npos) << csv;
    const call page_again = launchbox_run({"report", file("seen.json"), "-o", file("page.html")});
    EXPECT_EQ(page_again.status, 0) << page_again.err;
    EXPECT_NE(read_input(file("page.html")).find("cooperative"), std::string::npos);
}

TEST_F(capture_test, cooperative_launches_from_many_threads_are_counted)
{
    const json report = seen({"init", kernels, "threads=8", "cooperative=plain,8,64,0,25", "launch=plain,8,64,0,20"});
    EXPECT_EQ(by_cooperation(report), (std::map<json, int>{{true, 200}, {false, 160}}));
}

// A launch during stream capture has no record; the runs of its node are counted.
TEST_F(capture_test, nodes_of_graphs_are_cooperative_or_not)
{
    const json report = seen({"init", kernels, "begin_graph", "cooperative=plain,8,64,0,1", "launch=plain,8,64,0,2",
                              "end_graph=10", "launch=plain,8,64,0,3"});
    EXPECT_EQ(by_cooperation(report), (std::map<json, int>{{true, 10}, {false, 20 + 3}}));
    for (const json& kernel : report["kernels"]) EXPECT_EQ(kernel["in_graph"], kernel["launches"] != 3) << kernel;
}

// CUPTI numbers the nodes of a child graph anew, and does not report the numbers.
TEST_F(capture_test, unknown_properties_of_nodes_are_not_guessed)
{
    const json report = seen({"init", kernels, "begin_graph", "cooperative=plain,8,64,0,1", "launch=plain,8,64,0,2",
                              "end_child=10", "cooperative=plain,8,64,0,5"});
    EXPECT_EQ(by_cooperation(report), (std::map<json, int>{{true, 5}, {nullptr, 30}}));
    const json plain = seen({"init", kernels, "begin_graph", "launch=plain,8,64,0,2", "end_child=10"});
    EXPECT_EQ(by_cooperation(plain), (std::map<json, int>{{false, 20}}));
}

TEST_F(capture_test, launches_from_many_threads_are_all_recorded)
{
    const json report = seen({"init", kernels, "threads=8", "launch=plain,8,64,0,25", "launch=plain,9,64,0,5"});
    ASSERT_EQ(report["kernels"].size(), 2u);
    EXPECT_EQ(report["kernels"][0]["launches"], 200);
    EXPECT_EQ(report["kernels"][1]["launches"], 40);
}

TEST_F(capture_test, the_program_keeps_its_streams_and_its_status)
{
    const call result =
        capture({}, {"init", kernels, "copy", "out=printed", "err=complained", "launch=plain,8,64,0,1", "exit=77"}, {},
                "what it reads\n");
    EXPECT_EQ(result.status, 77);
    EXPECT_EQ(result.out, "what it reads\nprinted\n");
    EXPECT_TRUE(result.says("complained"));
    EXPECT_TRUE(result.says("1 launch of 1 kernel")) << result.err;
}

TEST_F(capture_test, two_modules_with_the_same_name_are_told_apart_by_registers)
{
    const json report =
        seen({"init", kernels, "launch=in_two_modules,8,64,0,1", others, "launch=in_two_modules,8,64,0,2"});
    ASSERT_EQ(report["kernels"].size(), 2u);
    for (const json& kernel : report["kernels"]) EXPECT_EQ(kernel["from_image"], true);
    EXPECT_NE(report["kernels"][0]["registers"], report["kernels"][1]["registers"]);
}

TEST_F(capture_test, launches_that_leave_the_gpu_idle_are_ranked_with_the_verb_that_helps)
{
    // 8 blocks of 256 threads are resident on each of 100 SMs.
    const json report = seen({"init", kernels, "launch=plain,10,256,0,10", "launch=plain,801,256,0,1",
                              "launch=plain,8000,250,0,1", "launch=spilling,5000,1024,0,1"});
    std::map<std::string, json> by_grid;
    for (const json& kernel : report["kernels"]) by_grid[kernel["grid"][0].dump()] = kernel["findings"];
    ASSERT_EQ(by_grid["10"].size(), 1u);
    EXPECT_EQ(by_grid["10"][0]["id"], "small_grid");
    EXPECT_EQ(by_grid["10"][0]["verb"], "tune");
    EXPECT_NEAR(by_grid["10"][0]["max_gain_ns"], 50000 * 0.9, 20);
    ASSERT_EQ(by_grid["801"].size(), 1u);
    EXPECT_EQ(by_grid["801"][0]["id"], "tail");
    EXPECT_NEAR(by_grid["801"][0]["max_gain_ns"], 5000 * (1 - 801.0 / 1600), 20);
    ASSERT_EQ(by_grid["8000"].size(), 1u);
    EXPECT_EQ(by_grid["8000"][0]["id"], "partial_warp");
    EXPECT_EQ(by_grid["8000"][0]["verb"], "suggest");
    ASSERT_EQ(by_grid["5000"].size(), 1u);
    EXPECT_EQ(by_grid["5000"][0]["id"], "spills");
    EXPECT_EQ(by_grid["5000"][0]["verb"], "bounds");
    EXPECT_EQ(by_grid["5000"][0]["max_gain_ns"], nullptr);
    const call page = capture({}, {"init", kernels, "launch=plain,10,256,0,10", "launch=plain,801,256,0,1"});
    EXPECT_LT(page.err.find("10 blocks on 100 SMs"), page.err.find("2 waves: the last has 1 of")) << page.err;
}

// A suggested command must run.
TEST_F(capture_test, suggested_commands_run)
{
    const json report = seen({"init", kernels, "launch=shared_by_launch,8000,33,1000,1"});
    int commands = 0;
    for (const json& finding : report["kernels"][0]["findings"]) {
        std::istringstream words(finding["step"].get<std::string>());
        std::vector<std::string> command{std::istream_iterator<std::string>(words), {}};
        if (command.front() != "launchbox" || command[1] != "suggest") continue;
        ++commands;
        const call result = launchbox_run({command.begin() + 1, command.end()});
        EXPECT_EQ(result.status, 0) << finding["step"] << result.err;
    }
    EXPECT_GE(commands, 1);
}

TEST_F(capture_test, children_are_followed_on_request)
{
    const std::vector<std::string> words{"children=3", "init", kernels, "launch=plain,8,64,0,4"};
    const call without = capture({}, words);
    EXPECT_EQ(without.status, 0);
    EXPECT_TRUE(without.says("3 of its children used CUDA: --follow-children")) << without.err;
    const json report = seen(words, {"--follow-children"});
    EXPECT_EQ(report["processes"].size(), 3u);
    EXPECT_EQ(report["launches"], 12);
    ASSERT_EQ(report["kernels"].size(), 1u);
    EXPECT_EQ(report["kernels"][0]["processes"], 3);
}

TEST_F(capture_test, a_process_that_calls_exec_is_listed_as_both_programs)
{
    plan["cupti"]["deliver"] = "each";
    const json report =
        seen({"init", kernels, "launch=plain,8,64,0,4", "exec", "init", kernels, "launch=plain,8,64,0,5"});
    EXPECT_EQ(report["launches"], 9);
    ASSERT_EQ(report["processes"].size(), 2u);
    EXPECT_EQ(report["processes"][0]["process"], report["processes"][1]["process"]);
}

TEST_F(capture_test, sixty_four_processes_make_one_report)
{
    const json report = seen({"children=64", "init", kernels, "launch=plain,8,64,0,9"}, {"--follow-children"});
    EXPECT_EQ(report["processes"].size(), 64u);
    EXPECT_EQ(report["launches"], 64 * 9);
    EXPECT_EQ(report["warnings"], json::array());
}

TEST_F(capture_test, launches_of_a_killed_program_are_reported)
{
    plan["cupti"]["deliver"] = "each";  // as CUPTI does after the flush period
    const call result = capture({"--format", "json", "-o", file("seen.json")},
                                {"init", kernels, "launch=plain,8,64,0,500", "signal=9", "launch=plain,8,64,0,1"});
    EXPECT_EQ(result.status, 128 + 9);
    const json report = json::parse(std::ifstream(file("seen.json")));
    EXPECT_EQ(report["launches"], 500);
    EXPECT_EQ(report["signal"], 9);
    EXPECT_EQ(report["kernels"][0]["from_image"], true);
    EXPECT_NE(report["warnings"][0].get<std::string>().find("did not end normally"), std::string::npos);
}

TEST_F(capture_test, if_one_of_many_dies_the_others_are_reported)
{
    plan["cupti"]["deliver"] = "each";
    const std::string script = "for i in 1 2 3 4; do \"$0\" init '" + kernels +
                               "' launch=plain,8,64,0,5; done; \"$0\" init '" + kernels +
                               "' launch=plain,8,64,0,5 signal=11; exit 3";
    const call result = launchbox_run(
        {"capture", "--follow-children", "--format", "json", "-o", file("seen.json"), "--", "sh", "-c", script, app},
        {}, environment());
    EXPECT_EQ(result.status, 3);
    const json report = json::parse(std::ifstream(file("seen.json")));
    EXPECT_EQ(report["processes"].size(), 5u);
    EXPECT_EQ(report["launches"], 25);
    EXPECT_EQ(report["warnings"].size(), 1u);
}

// An interrupt sent only to launchbox also ends the program.
TEST_F(capture_test, an_interrupt_ends_both_and_keeps_the_launches_so_far)
{
    plan["cupti"]["deliver"] = "each";
    const std::string fifo = file("fifo");
    const std::string script = "mkfifo " + fifo + "; \"$0\" capture --format json -o " + file("seen.json") + " -- " +
                               app + " init '" + kernels + "' launch=plain,8,64,0,6 pause >" + fifo +
                               " & tool=$!; read line <" + fifo + "; kill -TERM $tool; wait $tool; echo $?";
    const auto result =
        run({"sh", "-c", script, LAUNCHBOX_TOOL}, {.directory = {}, .environment = environment(), .time_limit = 60});
    EXPECT_NE(result.output.find("143\n"), std::string::npos) << result.output;
    EXPECT_EQ(json::parse(std::ifstream(file("seen.json")))["launches"], 6);
}

TEST_F(capture_test, unfinished_and_lost_launches_are_named)
{
    plan["cupti"]["unfinished"] = 2;
    plan["cupti"]["dropped"] = 5;
    const json report = seen({"init", kernels, "launch=plain,8,64,0,10"});
    EXPECT_EQ(report["launches"], 8);
    EXPECT_EQ(report["unfinished_launches"], 2);
    ASSERT_EQ(report["warnings"].size(), 2u);
    EXPECT_TRUE(report["warnings"][0].get<std::string>().starts_with("5 launches are missing"));
    EXPECT_TRUE(report["warnings"][1].get<std::string>().starts_with("2 launches had not ended"));
}

TEST_F(capture_test, records_of_cupti_12_are_read)
{
    plan["cupti"]["version"] = 26;
    const json report = seen({"init", kernels, "launch=plain,1000,256,0,300", "launch=spilling,7,1024,0,20"});
    EXPECT_EQ(report["launches"], 320);
    EXPECT_EQ(report["cupti_version"], 26);
}

// In all these cases the program's output and its status 5 are unchanged.
TEST_F(capture_test, a_missing_requirement_is_one_line_and_the_program_unharmed)
{
    const std::vector<std::string> words{"init", kernels, "launch=plain,8,64,0,10", "out=done", "exit=5"};
    const auto expect_line = [&](const call& result, const std::string& line) {
        EXPECT_EQ(result.status, 5) << result.err;
        EXPECT_EQ(result.out, "done\n");
        EXPECT_TRUE(result.says(line)) << line << "\n" << result.err;
        EXPECT_EQ(lines_of(result.err).size(), 1u) << result.err;
    };
    expect_line(capture({}, words, {"LAUNCHBOX_CUPTI=/nowhere/libcupti.so"}),
                "no launch was observed: CUPTI was not found (LAUNCHBOX_CUPTI=/nowhere/libcupti.so)");
    plan["cupti"] = {{"version", 18}};
    expect_line(capture({}, words), "is older than CUDA 12.0");
    plan["cupti"] = {{"errors", {{"cuptiSubscribe", 39}}}};
    expect_line(capture({}, words), "another profiler is attached to the program");
    plan["cupti"] = {{"errors", {{"cuptiActivityEnable", 8}}}};
    expect_line(capture({}, words), "CUPTI refused: cuptiActivityEnable: CUPTI_ERROR_OF_THE_DOUBLE");
    plan["cupti"] = json::object();
    expect_line(capture({}, {"init", kernels, "out=done", "exit=5"}), "used CUDA and launched no kernel");
    expect_line(capture({}, {"out=done", "exit=5"}), "did not use CUDA, or found no driver");
}

TEST_F(capture_test, an_empty_report_is_still_written_to_its_file)
{
    const call result = capture({"--format", "json", "-o", file("seen.json")}, {"out=done"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(json::parse(std::ifstream(file("seen.json")))["launches"], 0);
}

TEST_F(capture_test, commands_that_cannot_start_are_refused_before_anything_runs)
{
    expect_refused(launchbox_run({"capture"}), "no program to run");
    expect_refused(launchbox_run({"capture", "--"}), "no program to run");
    expect_refused(launchbox_run({"capture", "--", "/nowhere/app"}), "cannot run /nowhere/app: No such file");
    expect_refused(launchbox_run({"capture", "--", "/"}), "cannot run /: Permission denied");
    expect_refused(
        launchbox_run({"capture", "--", app, "out=ran"}, {}, environment({"CUDA_INJECTION64_PATH=/nsys.so"})),
        "another profiler is about to be attached: CUDA_INJECTION64_PATH is /nsys.so");
}

// A limit on file sizes simulates a full disk.
TEST_F(capture_test, a_full_disk_fails_the_report_and_not_the_program)
{
    const call result =
        launchbox_run({"capture", "--", "sh", "-c",
                       "ulimit -f 0; exec \"$0\" init '" + kernels + "' launch=plain,8,64,0,10 exit=5", app},
                      {}, environment());
    EXPECT_EQ(result.status, 5) << result.err;
    EXPECT_TRUE(result.says("the disk was full")) << result.err;
}

TEST_F(capture_test, csv_and_markdown_have_the_same_rows)
{
    const std::vector<std::string> words{"init", kernels, "launch=plain,8,64,0,10", "launch=spilling,8,1024,0,3"};
    const call csv = capture({"--format", "csv", "-o", file("seen.csv")}, words);
    EXPECT_EQ(csv.status, 0);
    EXPECT_EQ(lines_of(read_input(file("seen.csv"))).size(), 3u);
    EXPECT_TRUE(capture({"--format", "markdown"}, words).says("| 10 |"));
}

// `report` shows the same as `capture`: the page has the same figures, calculated anew.
TEST_F(capture_test, report_reads_what_capture_wrote)
{
    const std::vector<std::string> words{"init", kernels, "launch=plain,801,256,0,10", "launch=spilling,8,1024,0,3",
                                         "cluster=2,shared_by_launch,7000,33,30000,1"};
    const json report = seen(words);
    const std::string page = file("page.html");
    const call made = launchbox_run({"report", file("seen.json"), "-o", page});
    EXPECT_EQ(made.status, 0) << made.err;
    const std::string html = read_input(page);
    int findings = 0;
    for (const json& kernel : report["kernels"])
        for (const json& finding : kernel["findings"]) {
            ++findings;
            EXPECT_NE(html.find(finding["text"].get<std::string>()), std::string::npos) << finding["text"];
        }
    EXPECT_GE(findings, 4);
    EXPECT_NE(html.find("cluster 2"), std::string::npos);

    std::string name = "<script>alert(1)</script>";
    json hostile = report;
    hostile["kernels"][0]["demangled"] = name;
    hostile["command"][0] = name;
    hostile["warnings"].push_back(name);
    write_file_atomically(file("hostile.json"), hostile.dump(2));
    EXPECT_EQ(launchbox_run({"report", file("hostile.json"), "-o", page}).status, 0);
    EXPECT_EQ(read_input(page).find(name), std::string::npos);
}

TEST_F(capture_test, report_names_the_defects_of_a_file_of_launches)
{
    const json report = seen({"init", kernels, "launch=plain,801,256,0,10"});
    const auto refused = [&](const json& changed, const std::string& words) {
        write_file_atomically(file("changed.json"), changed.dump(2));
        expect_refused(launchbox_run({"report", file("changed.json"), "-o", file("page.html")}), words);
    };
    json changed = report;
    changed["kernels"][0]["gpu"] = 5;
    refused(changed, "changed.json: kernels[0]: gpu is not one of the list");
    changed = report;
    changed["kernels"][0]["grid"] = {1, 2};
    refused(changed, "changed.json: kernels[0]: grid is not three numbers");
    changed = report;
    changed["kernels"][0]["registers"] = -4;
    refused(changed, "changed.json: kernels[0]: registers is not a whole number from 0 on");
    changed = report;
    changed["kernels"][0].erase("median_ns");
    refused(changed, "changed.json: kernels[0]: median_ns is not there");
    changed = report;
    changed["gpus"] = "none";
    refused(changed, "changed.json: gpus is not a list");
    const std::string whole = report.dump(2);
    write_file_atomically(file("cut.json"), whole.substr(0, whole.size() - 3));
    expect_refused(launchbox_run({"report", file("cut.json"), "-o", file("page.html")}), "cut.json is not JSON");
}

}  // namespace
}  // namespace launchbox
#endif
