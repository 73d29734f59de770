// launchbox capture -k, and tuning on the captured folder, with doubles of driver and CUPTI. The driver's double
// computes what its plan says from the bytes at the addresses that it is given.
#ifdef LAUNCHBOX_FAKE_CUPTI
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>

#include "observed_program.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class capture_launch : public observed_program {
protected:
    capture_launch()
        : observed_program({{{"match", "plain"},
                             {"ns", 5000},
                             {"effect", "add_one"},
                             {"terms", {{{"group", 0}, {"best", 128}, {"cost", 0.5}}}}},
                            {{"match", ""}, {"ns", 20000}, {"effect", "nothing"}}})
    {
    }

    // Places the program's memory at addresses that no process uses by default.
    [[nodiscard]] call capture(std::vector<std::string> options, const std::vector<std::string>& words) const
    {
        options.insert(options.begin(), "capture");
        options.insert(options.end(), {"-o", file("kept"), "--", observed_app});
        options.insert(options.end(), words.begin(), words.end());
        return launchbox_run(options, {}, environment({"FAKE_GPU_MEMORY_AT=200000000000"}));
    }
    void keep_plain(const std::string& shape = "launch=plain,4,16,0,1") const
    {
        const call result = capture({"-k", "plain"}, {"init", load_observed_kernels, "fill=7", shape});
        ASSERT_EQ(result.status, 0) << result.err;
        ASSERT_TRUE(fs::is_regular_file(file("kept/kept.toml"))) << result.err;
    }
    [[nodiscard]] call tune(const std::vector<std::string>& options, const std::string& spec = "kept/kept.toml") const
    {
        std::vector<std::string> words{"tune", file(spec), "--store", file("kept.db")};
        words.insert(words.end(), options.begin(), options.end());
        return launchbox_run(words, {}, environment());
    }
    [[nodiscard]] call replay() const { return tune({"--replay-check"}); }
    [[nodiscard]] json manifest() const { return json::parse(std::ifstream(file("kept/capture.json"))); }
    void write_manifest(const json& changed) const { write_file_atomically(file("kept/capture.json"), changed.dump()); }

    // Nothing is left in place of the folder, or next to it.
    void expect_no_folder() const
    {
        EXPECT_FALSE(fs::exists(file("kept")));
        for (const fs::directory_entry& entry : fs::directory_iterator(folder.path()))
            EXPECT_FALSE(entry.is_directory()) << entry.path();
    }
};

#ifdef LAUNCHBOX_MPI
// Every rank reads the folder, and the results equal those of one process.
TEST_F(capture_launch, a_captured_launch_is_tuned_on_several_ranks)
{
    plan["devices"].push_back(plan["devices"][0]);
    keep_plain();
    ASSERT_EQ(tune({"--gpu", "0"}).status, 0);
    const subprocess_result ran =
        run({LAUNCHBOX_MPIRUN, "--allow-run-as-root", "--oversubscribe", "-n", "3", LAUNCHBOX_MPI, "tune",
             file("kept/kept.toml"), "--store", file("ranks.db")},
            {.directory = folder.path(), .environment = environment({"NO_COLOR=1"}), .time_limit = 120});
    ASSERT_EQ(ran.exit_code, 0) << ran.output;
    const auto results = [&](const std::string& store) {
        const json all = launchbox_run({"results", file(store), "--format", "json", "--samples"}).json();
        std::map<std::string, std::string> found;
        for (const json& each : all.at("candidates"))
            found[each.at("parameters").dump()] = each.at("status").dump() + each.at("checksum").dump();
        return std::pair(all.at("devices").size(), found);
    };
    EXPECT_EQ(results("ranks.db").first, 2u);
    EXPECT_EQ(results("ranks.db").second, results("kept.db").second);
    EXPECT_GT(results("kept.db").second.size(), 2u);
}
#endif

TEST_F(capture_launch, a_captured_launch_is_replayed_bit_equal)
{
    const call result =
        capture({"-k", "plain"}, {"init", load_observed_kernels, "fill=7", "launch=plain,4,16,0,1", "out=x"});
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.out, "x\n");
    EXPECT_TRUE(result.says("captured plain <<<4, 16>>>")) << result.err;
    EXPECT_TRUE(result.says("--replay-check")) << result.err;
    const json kept = manifest();
    EXPECT_EQ(kept["schema"], "launchbox.capture/1");
    EXPECT_EQ(kept["kernel"], "plain");
    EXPECT_EQ(kept["grid"], json({4, 1, 1}));
    EXPECT_EQ(kept["block"], json({16, 1, 1}));
    ASSERT_EQ(kept["memory"].size(), 1u);
    EXPECT_EQ(kept["memory"][0]["address"], "0x200000000000");
    EXPECT_EQ(kept["memory"][0]["bytes"], 4096);
    EXPECT_EQ(kept["memory"][0]["changed_bytes"], 64);  // 16 integers of four bytes
    EXPECT_EQ(kept["parameters"].size(), 3u);

    const call replayed = replay();
    EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
    EXPECT_TRUE(replayed.shows("plain: bit-equal: 3 replays left all 4,096 bytes as in the program, 64 of them"))
        << replayed.out << replayed.err;
}

// A kernel whose results depend on previous content: each launch must start from the content that the program's launch
// found.
TEST_F(capture_launch, memory_changed_by_a_launch_is_restored_before_the_next)
{
    plan["kernels"][0]["effect"] = "accumulate";
    keep_plain();
    const call replayed = replay();
    EXPECT_EQ(replayed.status, 0) << replayed.out << replayed.err;
    EXPECT_EQ(tune({}).status, 0);
}

TEST_F(capture_launch, memory_that_buffers_point_to_is_captured)
{
    ASSERT_EQ(capture({"-k", "pl*n"}, {"init", load_observed_kernels, "pointer=10000", "launch=plain,4,16,0,1"}).status,
              0);
    const json kept = manifest();
    ASSERT_EQ(kept["memory"].size(), 2u);
    EXPECT_EQ(kept["memory"][1]["bytes"], 10000);
    EXPECT_EQ(replay().status, 0);
}

TEST_F(capture_launch, the_requested_launch_is_captured_with_all_memory_on_request)
{
    const std::vector<std::string> words{"init",
                                         load_observed_kernels,
                                         "launch=plain,4,16,0,3",
                                         "launch=plain,2,32,0,2",
                                         "pointer=64",
                                         "launch=plain,2,32,0,2",
                                         "pointer=128"};
    ASSERT_EQ(capture({"-k", "plain", "--shape", "2x32", "--nth", "2"}, words).status, 0);
    EXPECT_EQ(manifest()["number"], 2);
    EXPECT_EQ(manifest()["grid"], json({2, 1, 1}));
    EXPECT_EQ(manifest()["memory"].size(), 1u);
    fs::remove_all(file("kept"));
    const std::vector<std::string> apart{"init", "init", load_observed_kernels, "launch=plain,4,16,0,1"};
    ASSERT_EQ(capture({"-k", "plain"}, apart).status, 0);
    EXPECT_EQ(manifest()["memory"].size(), 1u);
    fs::remove_all(file("kept"));
    ASSERT_EQ(capture({"-k", "plain", "--all-memory"}, apart).status, 0);
    EXPECT_EQ(manifest()["memory"].size(), 2u);
}

TEST_F(capture_launch, other_kinds_of_launches_are_replayed_as_they_were)
{
    ASSERT_EQ(capture({"-k", "plain"}, {"init", load_observed_kernels, "fill=3", "cooperative=plain,4,32,0,1"}).status,
              0);
    EXPECT_EQ(manifest()["cooperative"], true);
    EXPECT_EQ(replay().status, 0);
    fs::remove_all(file("kept"));
    ASSERT_EQ(capture({"-k", "plain"}, {"init", load_observed_kernels, "carveout=plain,40", "cluster=2,plain,4,32,0,1"})
                  .status,
              0);
    EXPECT_EQ(manifest()["cluster"], json({2, 1, 1}));
    EXPECT_EQ(manifest()["carveout_percent"], 40);
    EXPECT_EQ(replay().status, 0);
}

TEST_F(capture_launch, an_early_launch_is_named_with_how_the_kernel_waits)
{
    const call never = capture({"-k", "plain"}, {"init", load_observed_kernels, "fill=3", "early=plain,4,32,0,1"});
    ASSERT_EQ(never.status, 0) << never.err;
    EXPECT_TRUE(never.says("programmatic dependent launch")) << never.err;
    EXPECT_TRUE(never.says("never waits")) << never.err;
    EXPECT_EQ(replay().status, 0);
    fs::remove_all(file("kept"));
    const call waits = capture({"-k", "plain_that_waits"},
                               {"init", load_observed_kernels, "fill=3", "early=plain_that_waits,4,32,0,1"});
    ASSERT_EQ(waits.status, 0) << waits.err;
    EXPECT_TRUE(waits.says("a replay does not")) << waits.err;
    EXPECT_FALSE(waits.says("never waits")) << waits.err;
    EXPECT_EQ(replay().status, 0);
    fs::remove_all(file("kept"));
    const call plain = capture({"-k", "plain"}, {"init", load_observed_kernels, "fill=3", "launch=plain,4,32,0,1"});
    EXPECT_FALSE(plain.says("programmatic")) << plain.err;
}

// The program's output and exit status do not depend on the capture.
TEST_F(capture_launch, an_impossible_capture_is_named_and_the_program_unharmed)
{
    const std::vector<std::string> words{"init", load_observed_kernels, "launch=plain,8,64,0,3", "out=done", "exit=5"};
    const auto expect_line = [&](const call& result, const std::string& line) {
        EXPECT_EQ(result.status, 5) << result.err;
        EXPECT_EQ(result.out, "done\n");
        EXPECT_TRUE(result.says(line)) << line << "\n" << result.err;
        expect_no_folder();
        std::error_code ignored;
        fs::remove_all(file("kept"), ignored);
    };
    expect_line(capture({"-k", "plian"}, words), "none matches -k plian; there were plain");
    expect_line(capture({"-k", "plain", "--shape", "9x64"}, words),
                "none of shape 9x64 matches -k plain; there were plain");
    expect_line(capture({"-k", "plain", "--nth", "4"}, words), "3 match, and number 4 was requested (--nth)");
    expect_line(capture({"-k", "plain", "--memory-limit", "4095"}, words),
                "it reaches at least 4096 bytes of memory, and the limit is 4095: raise it with --memory-limit");
    expect_line(capture({"-k", "plain"},
                        {"init", "pinned", load_observed_kernels, "launch=plain,1,32,0,1", "out=done", "exit=5"}),
                "its parameter 1 points to pinned host memory, which is not captured");
    expect_line(capture({"-k", "plain"}, {"out=done", "exit=5"}), "did not use CUDA, or found no driver");
    plan["in_stream_capture"] = true;
    expect_line(capture({"-k", "plain"}, words), "became nodes of a graph");
    plan.erase("in_stream_capture");
    plan["faults"] = {{{"stage", "first_launch"}, {"action", "error"}, {"code", 701}}};
    const call refused = capture({"-k", "plain"}, words);
    EXPECT_EQ(refused.status, 91);  // the program's own
    EXPECT_TRUE(refused.says("the driver refused it, error 701")) << refused.err;
    expect_no_folder();
}

TEST_F(capture_launch, a_program_that_succeeds_without_the_launch_is_a_failed_check)
{
    const call result = capture({"-k", "none"}, {"init", load_observed_kernels, "launch=plain,8,64,0,3"});
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(result.says("no launch was captured")) << result.err;
}

TEST_F(capture_launch, a_program_that_dies_in_the_launch_leaves_no_folder)
{
    plan["faults"] = {{{"match", "plain"}, {"stage", "first_launch"}, {"action", "kill"}}};
    const call result = capture({"-k", "plain"}, {"init", load_observed_kernels, "launch=plain,8,64,0,3"});
    EXPECT_EQ(result.status, 137);
    EXPECT_TRUE(result.says("the program ended before the launch did")) << result.err;
    expect_no_folder();
}

TEST_F(capture_launch, a_full_disk_fails_the_capture_and_not_the_program)
{
    const call result = launchbox_run({"capture", "-k", "plain", "-o", file("kept"), "--", "sh", "-c",
                                       "ulimit -f 2500; exec \"$0\" init '" + load_observed_kernels +
                                           "' pointer=2000000 launch=plain,8,64,0,1 out=done exit=5",
                                       observed_app},
                                      {}, environment({"FAKE_GPU_MEMORY_AT=200000000000"}));
    EXPECT_EQ(result.status, 5) << result.err;
    EXPECT_EQ(result.out, "done\n");
    EXPECT_TRUE(result.says("there is no room on the disk for its memory")) << result.err;
    expect_no_folder();
}

TEST_F(capture_launch, impossible_options_are_refused_before_the_program_runs)
{
    const auto refuse = [&](std::vector<std::string> options, const std::string& line) {
        options.insert(options.begin(), "capture");
        options.insert(options.end(), {"--", observed_app, "out=ran"});
        expect_refused(launchbox_run(options, {}, environment()), line);
    };
    refuse({"-k", "plain"}, "-k captures a launch into a folder, which is not named");
    refuse({"--nth", "2"}, "--nth, --shape, --all-memory and --memory-limit select one launch");
    refuse({"--memory-limit", "1G"}, "--nth, --shape, --all-memory and --memory-limit select one launch");
    refuse({"-k", "plain", "-o", file("new"), "--all"}, "--all and --format belong to the list of launches");
    refuse({"-k", "plain", "-o", file("new"), "--format", "json"}, "--all and --format belong to the list of launches");
    fs::create_directory(file("there"));
    refuse({"-k", "plain", "-o", file("there")}, "there already exists");
    refuse({"-k", "plain", "-o", file("new"), "--shape", "12"}, "--shape 12 is not a grid and a block");
    refuse({"-k", "plain", "-o", file("new"), "--shape", "1,2,3,4x5"}, "is not a grid and a block");
    refuse({"-k", "plain", "-o", file("new"), "--memory-limit", "lots"}, "--memory-limit: 'lots' is not a size");
}

TEST_F(capture_launch, a_replay_that_differs_names_the_first_byte)
{
    keep_plain();
    plan["faults"] = {{{"match", "plain"}, {"stage", "first_launch_runs"}, {"action", "wrong_one"}, {"index", 3}},
                      {{"match", "plain"}, {"stage", "timed_launch_runs"}, {"action", "wrong_one"}, {"index", 3}}};
    const call result = replay();
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(result.shows("where parameter 1 points to its byte 0) differs at byte 2,060: the word there is"))
        << result.out << result.err;
    EXPECT_TRUE(result.shows("1 of 4,096 bytes differ")) << result.out;
}

TEST_F(capture_launch, replays_that_differ_from_each_other_are_reported_as_nondeterministic)
{
    keep_plain();
    plan["faults"] = {{{"match", "plain"}, {"stage", "timed_launch_runs"}, {"action", "race"}}};
    const call result = replay();
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(result.shows("not deterministic: two replays left different bytes in memory 0")) << result.out;
}

TEST_F(capture_launch, a_launch_that_changed_nothing_proves_nothing)
{
    const call captured = capture({"-k", "in_two*"}, {"init", load_observed_kernels, "launch=in_two_modules,4,16,0,1"});
    ASSERT_EQ(captured.status, 0) << captured.err;
    EXPECT_TRUE(captured.says("the launch changed no byte")) << captured.err;
    const call result = replay();
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(result.shows("equal memory proves nothing")) << result.out;
    EXPECT_FALSE(result.shows("bit-equal")) << result.out;
    expect_refused(tune({}), "right candidates cannot be distinguished from wrong ones");
}

// Whatever occupies the program's addresses here is not moved for a replay.
TEST_F(capture_launch, addresses_that_are_not_available_are_named)
{
    keep_plain();
    json kept = manifest();
    kept["memory"][0]["address"] = "0x100000";  // below the lowest address that the system maps
    kept["arguments"] = "0000100000000000000810000000000010000000";
    write_manifest(kept);
    const call result =
        launchbox_run({"tune", file("kept/kept.toml"), "--replay-check"}, {}, environment({"FAKE_GPU_NO_ADDRESSES=1"}));
    EXPECT_EQ(result.status, 1);
    EXPECT_TRUE(result.shows("where the program had its memory, are not available in this process"))
        << result.out << result.err;
}

TEST_F(capture_launch, block_sizes_are_tried_and_their_results_compared)
{
    keep_plain("launch=plain,4,16,0,1");
    const call result = tune({"--format", "json"});
    ASSERT_EQ(result.status, 0) << result.err;
    const json report = result.json();
    EXPECT_EQ(report["best"][0]["parameters"]["threads"], 128) << report["best"];
    // A kernel whose results depend on the shape: no candidate is accepted, and the reason is given.
    fs::remove(file("kept.db"));
    plan["faults"] = {{{"match", "plain"}, {"stage", "first_launch_runs"}, {"action", "wrong_one"}, {"skip", 1}}};
    plan["state"] = file("state");
    const call shaped = tune({});
    EXPECT_EQ(shaped.status, 0) << shaped.err;
    EXPECT_TRUE(shaped.shows("wrong result")) << shaped.out;
    EXPECT_TRUE(shaped.shows("The baseline, threads=16 grid=same, is the fastest")) << shaped.out;
}

TEST_F(capture_launch, a_tolerance_needs_a_type_and_is_kept)
{
    keep_plain();
    const std::string spec = read_input(file("kept/kept.toml"));
    write_file_atomically(file("kept/near.toml"), spec + "[verify]\ntype = \"int\"\nabsolute = 1\n");
    // One element is off by one: right within the tolerance, wrong without it.
    plan["faults"] = {{{"match", "plain"}, {"stage", "first_launch_runs"}, {"action", "wrong_one"}},
                      {{"match", "plain"}, {"stage", "timed_launch_runs"}, {"action", "wrong_one"}}};
    const call strict = tune({});
    EXPECT_EQ(strict.status, 2);
    EXPECT_TRUE(strict.says("the baseline (threads=16 grid=same) cannot be measured: wrong result")) << strict.err;
    fs::remove(file("kept.db"));
    EXPECT_EQ(tune({}, "kept/near.toml").status, 0);
    write_file_atomically(file("kept/bad.toml"), spec + "[verify]\nabsolute = 1\n");
    expect_refused(tune({}, "kept/bad.toml"), "a captured launch has a tolerance but no type");
    write_file_atomically(file("kept/bad.toml"), spec + "[verify]\nagainst = \"baseline\"\n");
    expect_refused(tune({}, "kept/bad.toml"), "a captured launch is compared with the program's own result");
}

// The double does not model caches, but it sees which carveout a kernel asks for, and refuses it if the plan says so.
TEST_F(capture_launch, carveouts_and_clusters_are_parameters)
{
    keep_plain("launch=plain,4,32,0,1");
    std::string spec = read_input(file("kept/kept.toml"));
    const std::string kernel = "[kernel]\n", baseline = "grid = \"same\" }";
    spec.replace(spec.find(baseline), baseline.size(), "grid = \"same\", carveout = -1, pair = 1 }");
    spec.replace(spec.find("threads = [32"), spec.find(']', spec.find("threads = [32")) - spec.find("threads = [32"),
                 "threads = [32");
    spec.replace(spec.find("[parameters]\n"), 13, "[parameters]\ncarveout = [-1, 50, 101]\npair = [1, 2]\n");
    spec.replace(spec.find(kernel), kernel.size(), "[kernel]\ncarveout = \"carveout\"\ncluster = \"pair\"\n");
    write_file_atomically(file("kept/more.toml"), spec);
    plan["faults"] = {{{"match", "plain"}, {"stage", "attribute"}, {"action", "error"}, {"code", 1}}};
    const call result = tune({"--format", "json"}, "kept/more.toml");
    ASSERT_EQ(result.status, 0) << result.err;
    std::map<std::string, int> counts;
    const json report = result.json();
    for (const json& candidate : report["candidates"]) {
        const int carveout = candidate["parameters"]["carveout"];
        ++counts[std::to_string(carveout) + " " + candidate["status"].get<std::string>()];
    }
    EXPECT_EQ(counts["-1 measured"], 2);  // no carveout, alone and in pairs
    EXPECT_EQ(counts["50 measured"], 0);
    EXPECT_EQ(counts["101 rejected"], 2);
}

TEST_F(capture_launch, several_captures_are_several_workloads)
{
    keep_plain();
    fs::rename(file("kept"), file("one"));
    ASSERT_EQ(capture({"-k", "plain"}, {"init", load_observed_kernels, "fill=9", "launch=plain,4,16,0,1"}).status, 0);
    fs::rename(file("kept"), file("two"));
    std::string spec = read_input(file("one/kept.toml"));
    const std::string one = "capture = \"capture.json\"", both = "capture = \"{folder}/capture.json\"";
    spec.replace(spec.find(one), one.size(), both);
    write_file_atomically(file("both.toml"), "[[workload]]\nfolder = [\"one\", \"two\"]\n" + spec);
    const call replayed = tune({"--replay-check"}, "both.toml");
    EXPECT_EQ(replayed.status, 0) << replayed.err;
    EXPECT_EQ(std::count(replayed.out.begin(), replayed.out.end(), '\n'), 2) << replayed.out;
    EXPECT_EQ(tune({}, "both.toml").status, 0);
}

TEST_F(capture_launch, damaged_folders_are_refused_in_one_line)
{
    keep_plain();
    const json whole = manifest();
    const auto refuse = [&](const std::function<void(json&)>& change, const std::string& line) {
        json changed = whole;
        change(changed);
        write_manifest(changed);
        const call result = replay();
        EXPECT_NE(result.status, 0) << line;
        EXPECT_NE((result.out + result.err).find(line), std::string::npos) << line << "\n" << result.out << result.err;
    };
    refuse([](json& to) { to["schema"] = "launchbox.capture/9"; }, "its schema is not launchbox.capture/1");
    refuse([](json& to) { to["memory"][0]["before"] = "../plan.json"; },
           "names the file ../plan.json, which is not in the folder");
    refuse([](json& to) { to["memory"][0]["before"] = "/etc/passwd"; }, "which is not in the folder");
    refuse([](json& to) { to["module"] = "a/../../b"; }, "which is not in the folder");
    refuse([](json& to) { to["memory"][0]["bytes"] = 5000; }, "it is shorter than the capture says");
    refuse([](json& to) { to["memory"][0]["bytes"] = 4000; }, "it is longer than the capture says");
    refuse([](json& to) { to["memory"][0]["bytes"] = std::uint64_t{1} << 60; }, "has the bytes 1152921504606846976");
    refuse([](json& to) { to["memory"].push_back(to["memory"][0]); }, "has memory that overlaps at 0x200000000000");
    refuse([](json& to) { to["memory"][0]["before_hash"] = "0x1"; }, "the hash differs");
    refuse([](json& to) { to["module_hash"] = "0x1"; }, "it is not the module that was captured");
    refuse([](json& to) { to["parameters"][2]["bytes"] = 100; }, "is beyond the end of the arguments");
    refuse([](json& to) { to["kernel"] = "another"; }, "its module has no kernel another");
    refuse([](json& to) { to["memory"][0]["address"] = "0x10"; }, "has an impossible address");
    write_file_atomically(file("kept/capture.json"), "[");
    expect_refused(replay(), "this is not JSON");
    fs::remove(file("kept/capture.json"));
    expect_refused(replay(), "capture.json");
    write_manifest(whole);
    fs::resize_file(file("kept/memory/memory.0.before.zst"), 20);
    EXPECT_EQ(replay().status, 1);
    fs::remove(file("kept/memory/memory.0.before.zst"));
    const call gone = replay();
    EXPECT_EQ(gone.status, 1);
    EXPECT_TRUE(gone.shows("cannot read")) << gone.out;
}

// Opening a pipe without a writer would block forever.
TEST_F(capture_launch, a_pipe_in_place_of_a_file_is_refused_at_once)
{
    keep_plain();
    const json kept = manifest();
    for (const std::string& name : {kept["module"].get<std::string>(), kept["memory"][0]["before"].get<std::string>(),
                                    std::string("capture.json")}) {
        const std::string path = file("kept/" + name);
        fs::rename(path, path + ".away");
        ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
        const call replayed = replay();
        EXPECT_NE(replayed.status, 0) << name;
        EXPECT_TRUE(replayed.says("is a pipe") || replayed.shows("is a pipe")) << name << replayed.out << replayed.err;
        fs::remove(path);
        fs::rename(path + ".away", path);
    }
    EXPECT_EQ(replay().status, 0);
}

// Folders edited such that nothing is left to compare: none may pass, and none may say "bit-equal".
TEST_F(capture_launch, a_replay_that_compares_nothing_fails)
{
    const call captured = capture({"-k", "in_two*"}, {"init", load_observed_kernels, "launch=in_two_modules,4,16,0,1"});
    ASSERT_EQ(captured.status, 0) << captured.err;
    const json whole = manifest();
    json changed = whole["memory"][0];  // as if the launch had changed it
    changed["after"] = changed["before"];
    changed["after_hash"] = changed["before_hash"];
    changed["changed_bytes"] = 64;
    json variable = changed;
    variable["kind"] = "variable";
    variable["name"] = "none";
    variable["referenced"] = false;
    const auto fail = [&](const std::function<void(json&)>& change, const std::string& line) {
        json edited = whole;
        change(edited);
        write_manifest(edited);
        const call result = replay();
        EXPECT_TRUE(result.status == 1 || result.status == 2) << result.status << " " << line;
        EXPECT_NE((result.out + result.err).find(line), std::string::npos) << line << "\n" << result.out << result.err;
        EXPECT_FALSE(result.shows("bit-equal")) << line << "\n" << result.out;
        EXPECT_NE(tune({}).status, 0) << line;
    };
    const std::string nothing = "nothing was verified: the launch changed no byte",
                      same = "are the same before and after";
    fail([](json&) {}, nothing);
    fail([](json& to) { to["memory"] = json::array(); }, nothing);
    fail([](json& to) { to["memory"][0]["bytes"] = 0; }, "memory[0] has the bytes 0");
    fail([&](json& to) { to["memory"][0] = changed; }, "memory[0] says that 64 bytes changed, but its bytes " + same);
    fail([&](json& to) { to["variables"] = {variable}; },
         "variables[0] says that 64 bytes changed, but its bytes " + same);
    variable["after_hash"] = "0x1";  // the two differ according to their hashes
    fail([&](json& to) { to["variables"] = {variable}; }, "its module has no variable 'none'");
    variable["kind"] = "device";
    fail([&](json& to) { to["variables"] = {variable}; }, "variables[0] has the kind device");
    fail([&](json& to) { to["memory"][0]["kind"] = "variable"; }, "memory[0] has the kind variable");
    fail([&](json& to) { to["memory"][0]["kind"] = "imagined"; }, "memory[0] has the kind imagined");
}

// The number of changed bytes comes from the files.
TEST_F(capture_launch, changed_bytes_are_counted_from_the_files)
{
    keep_plain();
    json kept = manifest();
    kept["memory"][0]["changed_bytes"] = 4096;
    write_manifest(kept);
    const call result = replay();
    EXPECT_EQ(result.status, 1) << result.out << result.err;
    EXPECT_FALSE(result.shows("bit-equal")) << result.out;
    EXPECT_TRUE(
        result.shows("memory 0 (0x200000000000, where parameter 1 points to its byte 0) changed in 64 bytes by "
                     "its files, and in 4096 by the capture"))
        << result.out;
}

// With another parameter list than the kernel's, the driver would read beyond it, or pass wrong arguments.
TEST_F(capture_launch, wrong_parameters_are_refused_before_anything_runs)
{
    keep_plain();
    const json whole = manifest();
    ASSERT_EQ(whole["parameters"],
              json::parse(R"([{"offset":0,"bytes":8},{"offset":8,"bytes":8},{"offset":16,"bytes":4}])"));
    const auto refuse = [&](const json& parameters, const std::string& arguments, const std::string& line) {
        json edited = whole;
        edited["parameters"] = parameters;
        edited["arguments"] = arguments;
        write_manifest(edited);
        expect_refused(replay(), line);
        expect_refused(tune({}), line);
    };
    const auto parameter = [](std::uint32_t offset, std::uint32_t bytes) {
        return json{{"offset", offset}, {"bytes", bytes}};
    };
    const std::string given = whole["arguments"];
    ASSERT_EQ(given.size(), 40U);
    const json first = parameter(0, 8), second = parameter(8, 8), third = parameter(16, 4);
    const auto has = [](int n) {
        return "the captured launch has " + std::to_string(n) + " parameters, but plain has 3";
    };
    refuse(json::array(), "", has(0));
    refuse(json::array({first}), given.substr(0, 16), has(1));
    refuse(json::array({first, second}), given.substr(0, 32), has(2));
    refuse({first, second, third, parameter(20, 4)}, given + "00000000", has(4));
    refuse({first, second, parameter(16, 8)}, given + "00000000",
           "parameter 3 has 8 bytes at offset 16, but that of plain has 4 bytes at offset 16");
    refuse({first, second, parameter(20, 4)}, given + "00000000",
           "parameter 3 has 4 bytes at offset 20, but that of plain has 4 bytes at offset 16");
    refuse({parameter(0, 4), parameter(8, 8), third}, given,
           "parameter 1 has 4 bytes at offset 0, but that of plain has 8 bytes at offset 0");
    refuse({first, first, third}, given, "has parameters[1], which begins before the end of the one before it");
    refuse({first, parameter(4, 8), third}, given,
           "has parameters[1], which begins before the end of the one before it");
    refuse({second, first, third}, given, "has parameters[1], which begins before the end of the one before it");
    refuse({first, second, parameter(16, 100)}, given, "parameters[2] is beyond the end of the arguments");
    refuse({first, second, third}, given + "00", "has 21 bytes of arguments, and parameters that end at byte 20");
}

TEST_F(capture_launch, options_for_captures_are_refused_elsewhere)
{
    const std::string example = "examples/block_sort/block_sort.toml";
    expect_refused(launchbox_run({"tune", example, "--replay-check"}, {}, environment()),
                   "there is no captured launch to replay");
    expect_refused(launchbox_run({"tune", example, "--source", "a.cu"}, {}, environment()), "has no captured launch");
    keep_plain();
    expect_refused(tune({"--source", file("none.cu")}), "there is no file");
}

TEST_F(capture_launch, the_kernel_is_compiled_from_a_source_for_the_captured_data)
{
    keep_plain();
    write_file_atomically(file("plain.cu"),
                          "extern \"C\" __global__ void plain(const int* in, int* out, int n)\n"
                          "{ if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x] + 1; }\n");
    const call result = tune({"--source", file("plain.cu"), "--compiler", "nvcc"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.shows("13 candidates measured")) << result.out << result.err;
}

// A source needs only those variables of the captured module that the launch changes.
TEST_F(capture_launch, a_source_without_a_changed_variable_is_rejected)
{
    keep_plain();
    write_file_atomically(file("plain.cu"),
                          "extern \"C\" __global__ void plain(const int* in, int* out, int n)\n"
                          "{ if (threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x] + 1; }\n");
    json kept = manifest();
    json variable = kept["memory"][0];
    variable["kind"] = "variable";
    variable["name"] = "results";
    variable["referenced"] = false;
    kept["variables"] = json::array({variable});
    write_manifest(kept);
    const call changed = tune({"--source", file("plain.cu"), "--compiler", "nvcc"});
    EXPECT_EQ(changed.status, 2) << changed.out;
    EXPECT_TRUE(changed.says("the launch changes the variable 'results', which this module does not have"))
        << changed.err;
    for (const char* key : {"after", "after_hash"}) variable.erase(key);
    variable["changed_bytes"] = 0;
    kept["variables"] = json::array({variable});
    write_manifest(kept);
    const call unchanged = tune({"--source", file("plain.cu"), "--compiler", "nvcc"});
    EXPECT_EQ(unchanged.status, 0) << unchanged.err;
}

// The arguments are at the offsets of the captured kernel's parameters.
TEST_F(capture_launch, a_source_whose_kernel_has_other_parameters_is_rejected)
{
    keep_plain();
    for (const char* parameters : {"const int* in, int* out, long n", "const int* in, int* out", "const int* in",
                                   "const int* in, int* out, int n, int more"}) {
        write_file_atomically(file("plain.cu"),
                              "extern \"C\" __global__ void plain(" + std::string(parameters) + ") {}\n");
        const call result = tune({"--source", file("plain.cu"), "--compiler", "nvcc"});
        EXPECT_EQ(result.status, 2) << parameters << result.out;
        EXPECT_TRUE(result.says("but that of plain has ") || result.says("but plain has "))
            << parameters << result.out << result.err;
    }
}

TEST_F(capture_launch, pinned_memory_within_a_buffer_is_named)
{
    const call result =
        capture({"-k", "plain"}, {"init", load_observed_kernels, "fill=7", "pin_inside", "launch=plain,4,16,0,1"});
    EXPECT_EQ(result.status, 0);
    EXPECT_TRUE(result.says("captured memory has 1 words that look like pointers to pinned host memory")) << result.err;
    EXPECT_EQ(manifest()["warnings"].size(), 1u);
}

// More than is read at once, and more than one core compresses at once: the first difference is in the last piece.
TEST_F(capture_launch, memory_of_many_pieces_is_replayed_bit_equal)
{
    constexpr std::size_t bytes = 40'000'003;
    const call result =
        capture({"-k", "plain"}, {"init", load_observed_kernels, "room=" + std::to_string(bytes), "fill=7",
                                  "pointer=" + std::to_string(bytes), "launch=plain,4,16,0,1"});
    ASSERT_EQ(result.status, 0) << result.err;
    const json kept = manifest();
    ASSERT_EQ(kept["memory"].size(), 2u);
    for (const json& memory : kept["memory"]) EXPECT_EQ(memory["bytes"], bytes);
    EXPECT_GT(kept["memory"][0]["changed_bytes"], 0);
    EXPECT_EQ(kept["memory"][1]["changed_bytes"], 0);
    EXPECT_FALSE(kept["memory"][1].contains("after"));
    const call replayed = replay();
    EXPECT_EQ(replayed.status, 0) << replayed.err;
    EXPECT_TRUE(replayed.says("bit-equal") || replayed.shows("bit-equal")) << replayed.out << replayed.err;
}

// Compressing gigabytes and writing them again would take longer than everything else.
TEST_F(capture_launch, incompressible_memory_is_kept_uncompressed)
{
    const call result =
        capture({"-k", "plain"}, {"init", load_observed_kernels, "room=40000003", "noise", "launch=plain,4,16,0,1"});
    ASSERT_EQ(result.status, 0) << result.err;
    const json memory = manifest()["memory"][0];
    EXPECT_EQ(memory["before"], "memory/memory.0.before");
    EXPECT_EQ(memory["after"], "memory/memory.0.after");
    EXPECT_EQ(fs::file_size(file("kept/memory/memory.0.before")), 40'000'003u);
    EXPECT_EQ(replay().status, 0);

    fs::resize_file(file("kept/memory/memory.0.before"), 39'000'000);
    const call cut = replay();
    EXPECT_EQ(cut.status, 1) << cut.err;
    EXPECT_TRUE(cut.shows("it is shorter than the capture says")) << cut.out;
}

// The rest of the program runs as without capture: the observer is not notified of its launches or modules.
TEST_F(capture_launch, the_observer_stops_after_the_launch)
{
    plan["cupti"]["told"] = file("told");
    const call result =
        capture({"-k", "plain"}, {"init", load_observed_kernels, "fill=7", "launch=plain,4,16,0,1",
                                  "launch=plain,4,16,0,50", load_observed_kernels, "cooperative=plain,4,16,0,50"});
    ASSERT_EQ(result.status, 0) << result.err;
    std::ifstream told(file("told"));
    std::map<std::string, int> counts;
    for (std::string what; std::getline(told, what);) ++counts[what];
    EXPECT_EQ(counts["launch"], 2);  // one before it, one after it
    EXPECT_EQ(counts["module"], 1);
    EXPECT_LE(counts["record"], 1);
}

// PTX from nvcc for kernels like those that are loaded, for this and other architectures.
class captured_ptx : public capture_launch {
protected:
    static constexpr const char* kernel =
        "extern \"C\" __global__ void __launch_bounds__(1024, 2) plain(const int* in, int* out, int n)\n"
        "{ if (blockIdx.x * blockDim.x + threadIdx.x < n) out[threadIdx.x] = in[threadIdx.x] + 1; }\n";

    void compile(const std::vector<std::string>& options, const std::string& made,
                 const std::string& text = kernel) const
    {
        write_file_atomically(file("ptx.cu"), text);
        std::vector<std::string> words{"nvcc", file("ptx.cu"), "-o", file(made)};
        words.insert(words.end(), options.begin(), options.end());
        const subprocess_result made_it = run(words);
        ASSERT_EQ(made_it.exit_code, 0) << made_it.output;
    }
    // What the program loads before the launch; the driver's double compiles everything but cubins to the kernels here.
    void keep(std::vector<std::string> words)
    {
        plan["compiled"] = LAUNCHBOX_OBSERVED_CUBINS "/observed_kernels.cubin";
        fs::remove_all(file("kept"));
        words.insert(words.begin(), {"init", "fill=7"});
        words.emplace_back("launch=plain,4,16,0,1");
        const call result = capture({"-k", "plain"}, words);
        plan.erase("compiled");
        ASSERT_EQ(result.status, 0) << result.err;
    }
    // A library with this file as a fat binary of nvcc in one section, and with the names of its kernels.
    void make_library(const std::string& name, const std::string& image, const std::string& section) const
    {
        write_file_atomically(file(name + ".s"), ".section " + section +
                                                     ",\"a\"\n.balign 8\n.globl embedded\nembedded:\n.incbin \"" +
                                                     file(image) + "\"\n.section .rodata\n.string \"plain\"\n");
        const subprocess_result linked = run({LAUNCHBOX_CXX, "-shared", "-o", file(name), file(name + ".s")});
        ASSERT_EQ(linked.exit_code, 0) << linked.output;
    }
    [[nodiscard]] std::string kept_target() const
    {
        if (!manifest().contains("ptx")) return "";
        const std::string ptx = read_input(file("kept/kernel.ptx")), before = ".target ";
        const std::size_t at = ptx.find(before) + before.size();
        return ptx.substr(at, ptx.find_first_of(",\n", at) - at);
    }
};

TEST_F(captured_ptx, it_is_captured_when_the_program_passes_it_to_the_driver)
{
    compile({"-ptx", "-arch=compute_80"}, "plain.ptx");
    keep({"load=" + file("plain.ptx")});
    EXPECT_EQ(kept_target(), "sm_80");
    keep({"load_file=" + file("plain.ptx")});
    EXPECT_EQ(kept_target(), "sm_80");
    keep({"link=" + file("plain.ptx"), load_observed_kernels});  // the linker's output is a cubin
    EXPECT_EQ(kept_target(), "sm_80");
}

TEST_F(captured_ptx, the_newest_ptx_that_the_gpu_runs_is_taken_from_fat_binaries)
{
    compile({"-fatbin", "-gencode", "arch=compute_80,code=compute_80", "-gencode",
             "arch=compute_90,code=[compute_90,sm_90]", "-gencode", "arch=compute_100,code=compute_100"},
            "plain.fatbin");
    keep({"load=" + file("plain.fatbin")});
    EXPECT_EQ(kept_target(), "sm_90");
    keep({"load_file=" + file("plain.fatbin")});
    EXPECT_EQ(kept_target(), "sm_90");
}

// The cubin has no PTX. Nothing else is searched: neither what the program passed to the driver for other modules, nor
// its files.
TEST_F(captured_ptx, it_is_not_searched_for_if_the_program_passes_a_cubin)
{
    compile({"-ptx", "-arch=compute_80"}, "plain.ptx");
    compile({"-fatbin", "-gencode", "arch=compute_90,code=[compute_90,sm_90]"}, "plain.fatbin");
    compile({"-fatbin", "-gencode", "arch=compute_90,code=sm_90"}, "cubins.fatbin");
    make_library("libplain.so", "plain.fatbin", ".nv_fatbin");
    const std::string library = "library=" + file("libplain.so");
    for (const std::string& cubin : std::vector<std::string>{
             load_observed_kernels, "load_file=" LAUNCHBOX_OBSERVED_CUBINS "/observed_kernels.cubin",
             "load=" + file("cubins.fatbin")}) {
        keep({"load=" + file("plain.ptx"), "load=" + file("plain.fatbin"), library, "embedded=embedded", cubin});
        EXPECT_EQ(kept_target(), "") << cubin;
    }
    const std::string text = read_input(file("kept/capture.json"));
    EXPECT_EQ(text.find("\"ptx\""), text.npos);
    // The same module handle may be used again.
    keep({"load=" + file("plain.ptx"), "unload", load_observed_kernels});
    EXPECT_EQ(kept_target(), "");
}

// Like a program of the CUDA runtime: the fat binary is in the program, which launches a kernel or its function.
TEST_F(captured_ptx, it_is_found_in_the_library_of_the_kernel)
{
    compile({"-fatbin", "-gencode", "arch=compute_90,code=[compute_90,sm_90]", "-compress-mode=size"}, "plain.fatbin");
    compile({"-fatbin", "-gencode", "arch=compute_80,code=[compute_80,sm_80]"}, "older.fatbin");
    make_library("libplain.so", "plain.fatbin", ".nv_fatbin");
    make_library("libolder.so", "older.fatbin", ".nv_fatbin");
    for (const char* how : {"kernels", "functions"}) {
        keep({"library=" + file("libolder.so"), "embedded=embedded", "library=" + file("libplain.so"),
              "embedded=embedded", how});
        EXPECT_EQ(kept_target(), "sm_90") << how;
        keep({"library=" + file("libplain.so"), "embedded=embedded", "library=" + file("libolder.so"),
              "embedded=embedded", how});
        EXPECT_EQ(kept_target(), "sm_80") << how;
    }
}

// With -rdc=true the driver gets linked code without PTX; the PTX is in a section beside it.
TEST_F(captured_ptx, unlinked_ptx_is_found)
{
    write_file_atomically(file("ptx.cu"), std::string(kernel));
    const subprocess_result made = run({"nvcc", "-rdc=true", "-shared", "-Xcompiler", "-fPIC", "-cudart", "none",
                                        "-gencode", "arch=compute_90,code=[compute_90,sm_90]", file("ptx.cu"), "-o",
                                        file("librdc.so"), "-Xlinker", "--unresolved-symbols=ignore-all"});
    ASSERT_EQ(made.exit_code, 0) << made.output;
    compile({"-fatbin", "-gencode", "arch=compute_90,code=sm_90"}, "linked.fatbin");
    compile({"-fatbin", "-rdc=true", "-gencode", "arch=compute_90,code=[compute_90,sm_90]"}, "before.fatbin");
    ASSERT_NE(read_input(file("librdc.so")).find("__nv_relfatbin"), std::string::npos);  // as nvcc calls it
    write_file_atomically(file("both.s"),
                          ".section .nv_fatbin,\"a\"\n.balign 8\n.globl embedded\nembedded:\n.incbin \"" +
                              file("linked.fatbin") + "\"\n.section __nv_relfatbin,\"a\"\n.balign 8\n.incbin \"" +
                              file("before.fatbin") + "\"\n");
    const subprocess_result linked = run({LAUNCHBOX_CXX, "-shared", "-o", file("libboth.so"), file("both.s")});
    ASSERT_EQ(linked.exit_code, 0) << linked.output;
    keep({"library=" + file("libboth.so"), "embedded=embedded", "kernels"});
    EXPECT_EQ(kept_target(), "sm_90");
}

TEST_F(captured_ptx, ptx_of_another_kernel_is_not_kept)
{
    const std::string other = "extern \"C\" __global__ void plain(const int* in, long n) {}\n";
    compile({"-ptx", "-arch=compute_90"}, "other.ptx", other);  // other parameters
    compile({"-ptx", "-arch=compute_100"}, "newer.ptx");
    keep({"load=" + file("other.ptx")});
    EXPECT_EQ(kept_target(), "");
    keep({"load=" + file("newer.ptx")});
    EXPECT_EQ(kept_target(), "");
    EXPECT_FALSE(fs::exists(file("kept/kept_registers.toml")));
}

TEST_F(captured_ptx, two_different_ptx_are_ambiguous)
{
    compile({"-ptx", "-arch=compute_90"}, "one.ptx");
    compile({"-ptx", "-arch=compute_90"}, "two.ptx", std::string(kernel) + "__device__ int more;\n");
    keep({"link=" + file("one.ptx"), "link=" + file("two.ptx"), load_observed_kernels});
    EXPECT_EQ(kept_target(), "");
}

TEST_F(captured_ptx, register_limits_are_tried_on_the_captured_data)
{
    compile({"-ptx", "-arch=compute_90"}, "plain.ptx");
    keep({"load=" + file("plain.ptx")});
    const call result = tune({}, "kept/kept_registers.toml");
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.shows("max_registers")) << result.out << result.err;
    EXPECT_FALSE(result.shows("compile error")) << result.out << result.err;
    EXPECT_TRUE(result.shows("candidates measured")) << result.out << result.err;
}

}  // namespace
}  // namespace launchbox
#endif
