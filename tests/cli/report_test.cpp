// launchbox report, and the SVG files and the calculator of other verbs: files written, and calls refused.
#include <filesystem>
#include <fstream>
#include <map>

#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

std::string written(const fs::path& file)
{
    return read_input(file.string());
}

bool has_calculator(const fs::path& folder)
{
    return launchbox_run({"report", "--calculator", "-o", (folder / "calculator.html").string()}).status == 0;
}

TEST(report_verb, writes_one_page_of_runs_and_kernels)
{
    const temporary_directory folder;
    const fs::path file = folder.path() / "report.html";
    const call result = launchbox_run({"report", example, log_90, "-o", file.string()});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.out.empty() && result.err.empty()) << result.out << result.err;
    const std::string page = written(file);
    for (const char* words :
         {"<!DOCTYPE html>", "block_sort on Example GPU", "threads=128 items=17", "launchbox tune block_sort.toml",
          "Occupancy against time", "High occupancy does not always mean a short time", "Kernels over architectures"})
        EXPECT_NE(page.find(words), std::string::npos) << words;
    EXPECT_EQ(page,
              launchbox_run({"report", example, log_90, "-o", "-"}).out + "<!-- Written by launchbox report -->\n");
}

TEST(report_verb, compares_runs_and_builds)
{
    const std::string runs = launchbox_run({"report", example, "tests/data/results/example_13_1.json", "-o", "-"}).out;
    EXPECT_NE(runs.find("The runs side by side"), std::string::npos);
    const std::string builds =
        launchbox_run({"report", log_90, "--against", repository_file("tests/data/logs/basic_sm_80.log"), "-o", "-"})
            .out;
    EXPECT_NE(builds.find("What changed against"), std::string::npos);
}

std::size_t place_of(const std::string& page, const std::string& words)
{
    return page.find(words);
}

TEST(report_verb, begins_with_all_findings)
{
    const std::string page = launchbox_run({"report", example, log_90, "-o", "-"}).out;
    EXPECT_LT(place_of(page, ">Findings</h2>"), place_of(page, "<table"));
    EXPECT_LT(place_of(page, ">Findings</h2>"), place_of(page, "<figure"));
    EXPECT_LT(place_of(page, ">Findings</h2>"), place_of(page, ">Kernels</h2>"));
    EXPECT_NE(place_of(page, "is the fastest"), std::string::npos);
    EXPECT_NE(place_of(page, "launchbox emit "), std::string::npos) << "how the winners are written";
}

TEST(report_verb, uses_the_given_launch_for_kernels)
{
    const std::string page = launchbox_run({"report", log_90, "--threads", "192", "-o", "-"}).out;
    EXPECT_NE(place_of(page, "threads=192"), std::string::npos);
    expect_refused(launchbox_run({"report", example, "--threads", "192", "-o", "-"}), "are about kernels");
    expect_refused(launchbox_run({"report", example, "--dynamic-shared", "48K", "-o", "-"}), "are about kernels");
    expect_refused(launchbox_run({"report", "--calculator", "--threads", "192", "-o", "-"}), "a page of its own");
    expect_refused(launchbox_run({"report", log_90, "--advise", "-o", "-"}), "--advise compiles sources");
    expect_refused(launchbox_run({"report", example, "--advise", "-o", "-"}), "--advise compiles sources");
}

TEST(report_verb, says_which_arguments_are_missing)
{
    const std::string source = repository_file("examples/merge.cu");
    const std::vector<std::string> words{"report", source, "--arch", "sm_90", "--kernel", "merge_tiles_greedy*",
                                         "-o",     "-"};
    const call plain = launchbox_run(words);
    if (plain.status == 3) GTEST_SKIP() << "there is no nvcc";
    ASSERT_EQ(plain.status, 0) << plain.err;
    EXPECT_NE(place_of(plain.out, "launchbox advise "), std::string::npos);
    std::vector<std::string> more = words;
    more.emplace_back("--advise");
    const std::string page = launchbox_run(more).out;
    const std::string advice =
        launchbox_run({"advise", source, "--arch", "sm_90", "--kernel", "merge_tiles_greedy*", "--format", "json"}).out;
    const nlohmann::json json = nlohmann::json::parse(advice);
    const std::string write = json["kernels"][0]["architectures"][0]["write"];
    EXPECT_NE(place_of(page, write), std::string::npos) << write;
    EXPECT_LT(place_of(page, write), place_of(page, ">Kernels</h2>"));
    EXPECT_LT(place_of(page, ">What to write</h3>"), place_of(page, ">What the figures show</h3>"));
}

TEST(report_verb, shows_a_part)
{
    const std::string page = launchbox_run({"report", example, "--workload", "n=1048576", "-o", "-"}).out;
    EXPECT_NE(page.find("1,048,576"), std::string::npos);
    const std::string whole = launchbox_run({"report", example, "-o", "-"}).out;
    EXPECT_LT(page.size(), whole.size());
}

TEST(report_verb, refuses_inputs_that_make_no_page)
{
    const temporary_directory folder;
    const std::string file = (folder.path() / "x.html").string();
    expect_refused(launchbox_run({"report", "-o", file}), "needs a file");
    expect_refused(launchbox_run({"report", "nowhere.db", "-o", file}), "nowhere.db");
    expect_refused(launchbox_run({"report", example, "--workload", "n=5", "-o", file}),
                   "there is no result for that workload");
    expect_refused(launchbox_run({"report", example, "--run", "77", "-o", file}), "no run 77");
    expect_refused(launchbox_run({"report", example, "--against", log_90, "-o", file}), "--against compares kernels");
    expect_refused(launchbox_run({"report", "--calculator", example, "-o", file}), "a page of its own");
    expect_refused(launchbox_run({"report", example, "-o", "/proc/nothing/x.html"}), "/proc/nothing");
    const fs::path noise = folder.path() / "noise.json";
    std::ofstream(noise) << "{\"schema\": \"else\"}";
    expect_refused(launchbox_run({"report", noise.string(), "-o", file}), "noise.json");
    const fs::path text = folder.path() / "text";
    std::ofstream(text) << "no log";
    expect_refused(launchbox_run({"report", text.string(), "-o", file}), "it has no report of ptxas");
    EXPECT_FALSE(fs::exists(file)) << "nothing is written of what was refused";
    EXPECT_EQ(launchbox_run({"report", example}).status, 2) << "without -o";
}

TEST(report_verb, reports_one_bad_file_among_several)
{
    const call result = launchbox_run({"report", example, "nowhere.db", "-o", "-"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.says("nowhere.db"));
    EXPECT_TRUE(result.shows("block_sort on Example GPU"));
    EXPECT_TRUE(result.shows("nowhere.db"));
}

TEST(report_verb, says_what_an_empty_record_lacks)
{
    const temporary_directory folder;
    nlohmann::ordered_json json = nlohmann::ordered_json::parse(read_input(repository_file(example)));
    json["candidates"] = json["races"] = json["best"] = nlohmann::ordered_json::array();
    const fs::path empty = folder.path() / "empty.json", none = folder.path() / "none.json";
    std::ofstream(empty) << json.dump();
    EXPECT_TRUE(launchbox_run({"report", empty.string(), "-o", "-"}).shows("The run has no results"));
    json["runs"] = nlohmann::ordered_json::array();
    std::ofstream(none) << json.dump();
    EXPECT_TRUE(launchbox_run({"report", none.string(), "-o", "-"}).shows("has no run"));
    const call pictures = launchbox_run({"results", empty.string(), "--svg", (folder.path() / "svg").string()});
    EXPECT_EQ(pictures.status, 0);
    EXPECT_TRUE(pictures.says("nothing to draw"));
}

TEST(svg_option, writes_svg_files_and_refuses_other_views)
{
    const temporary_directory folder;
    const std::string there = (folder.path() / "new").string();
    const call result =
        launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "256", "--registers", "63", "--svg", there});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.says("3 pictures"));
    for (const char* name : {"threads.svg", "registers.svg", "shared.svg"})
        EXPECT_TRUE(fs::exists(fs::path(there) / name)) << name;
    expect_refused(launchbox_run({"results", example, "--svg", there, "--convergence"}), "--svg only writes pictures");
    expect_refused(launchbox_run({"results", example, "--svg", "/proc/nothing"}), "cannot make the folder");
    expect_refused(launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "256", "--svg", there, "--open"}),
                   "--open and --svg exclude each other");
}

TEST(open_option, writes_the_calculator_with_the_values)
{
    const temporary_directory folder;
    if (!has_calculator(folder.path())) GTEST_SKIP() << "this build is without the calculator";
    const std::vector<std::string> environment{"TMPDIR=" + folder.path().string(), "DISPLAY=", "WAYLAND_DISPLAY="};
    const call result = launchbox_run(
        {"occupancy", "--arch", "sm_90a", "--threads", "192", "--registers", "63", "--shared", "11264", "--open"}, {},
        environment);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.says("no display"));
    const fs::path file = lines_of(result.out).front();
    ASSERT_TRUE(fs::exists(file)) << result.out;
    EXPECT_EQ(fs::status(file.parent_path()).permissions() & fs::perms::others_all, fs::perms::none);
    const std::string page = written(file);
    EXPECT_NE(page.find("architecture=sm_90&threads=192&registers=63&static_shared_bytes=11264"), std::string::npos);
    for (const auto& [allowed, state] : std::map<std::string, std::string>{
             {"60000", "opt_in=bytes&opt_in_bytes=60000"}, {"max", "opt_in=max\""}, {"default", "opt_in=default\""}}) {
        const call limited = launchbox_run(
            {"occupancy", "--arch", "sm_90", "--threads", "192", "--max-dynamic-shared", allowed, "--open"}, {},
            environment);
        EXPECT_EQ(limited.status, 0) << limited.err;
        EXPECT_NE(written(lines_of(limited.out).front()).find(state), std::string::npos) << allowed;
    }
}

}  // namespace
}  // namespace launchbox
