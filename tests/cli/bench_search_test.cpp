// launchbox bench-search, on the recorded space in the repository.
#include <fstream>

#include "support/text/terminal.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

const std::string space = "measurements/nvidia-h200/tune_block_sort.json";

TEST(bench_search_verb, shows_each_workload_and_strategy)
{
    const call result = launchbox_run({"bench-search", space, "--repeats", "3", "--most", "60"});
    EXPECT_EQ(result.status, 0) << result.err;
    for (const char* words :
         {"block_sort on NVIDIA H200, type=int", "type=long long", "411 candidates, 334 measured, 77 rejected",
          "random", "auto", "local", "evolution", "model", "All 4", ">60", "of 3 searches"})
        EXPECT_TRUE(result.shows(words)) << words << "\n" << result.out;
    for (const std::string& line : lines_of(result.out)) EXPECT_LE(display_width(line), 100) << line;
}

TEST(bench_search_verb, prints_the_same_in_json_and_csv_and_again)
{
    const std::vector<std::string> arguments{"bench-search", space, "--strategy", "local,random", "--repeats", "4",
                                             "--seed",       "7",   "--format"};
    const auto as = [&](const char* format) {
        std::vector<std::string> all = arguments;
        all.emplace_back(format);
        return launchbox_run(all);
    };
    const nlohmann::json json = as("json").json();
    EXPECT_EQ(json["schema"], "launchbox.search/1");
    EXPECT_EQ(json["repeats"], 4);
    EXPECT_EQ(json["seed"], 7);
    EXPECT_EQ(json["interrupted"], false);
    ASSERT_EQ(json["problems"].size(), 4u);
    for (const auto& problem : json["problems"]) {
        EXPECT_EQ(problem["measured"], 334);
        EXPECT_LT(problem["best_ns"], problem["median_ns"]);
        ASSERT_EQ(problem["strategies"].size(), 2u);
        EXPECT_EQ(problem["strategies"][0]["strategy"], "local");
        for (const auto& strategy : problem["strategies"]) {
            EXPECT_LE(strategy["score"], 1);
            EXPECT_LE(strategy["within"][0]["evaluations"]["median"], strategy["within"][2]["evaluations"]["median"]);
        }
    }
    EXPECT_EQ(json, as("json").json());
    EXPECT_EQ(lines_of(as("csv").out).size(), 1u + 8);
}

// Short searches are compared with random search over the same time.
TEST(bench_search_verb, random_search_scores_as_chance_with_any_number_of_evaluations)
{
    for (const char* most : {"3", "10", "1000"}) {
        const nlohmann::json json = launchbox_run({"bench-search", space, "--strategy", "random", "--repeats", "400",
                                                   "--most", most, "--format", "json"})
                                        .json();
        for (const auto& problem : json["problems"]) {
            EXPECT_NEAR(problem["strategies"][0]["score"].get<double>(), 0, 0.15) << most << " " << problem["workload"];
            EXPECT_EQ(problem["evaluations_of_score"],
                      std::min(std::stoi(most), problem["evaluations_of_chance"].get<int>()));
        }
    }
    EXPECT_TRUE(launchbox_run({"bench-search", space, "--strategy", "random", "--repeats", "1", "--most", "3"})
                    .shows("the score covers the first 3"));
}

TEST(bench_search_verb, reads_the_files_of_a_folder_and_names_the_others)
{
    const temporary_directory folder;
    std::filesystem::copy_file(repository_file(space), folder.path() / "b.json");
    std::ofstream(folder.path() / "a.txt") << "notes\n";
    std::filesystem::create_directory(folder.path() / "inside");
    const call result = launchbox_run({"bench-search", "--data", folder.path().string(), "--strategy", "random",
                                       "--repeats", "1", "--format", "json"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.says("a.txt"));
    EXPECT_EQ(result.json()["problems"].size(), 4u);
    // If the user names it, it is an error, and the others are done.
    const call named = launchbox_run({"bench-search", (folder.path() / "a.txt").string(), space, "--strategy", "random",
                                      "--repeats", "1", "--format", "json"});
    EXPECT_EQ(named.status, 2);
    EXPECT_EQ(named.json()["problems"].size(), 4u);
}

TEST(bench_search_verb, refuses_what_it_cannot_do)
{
    expect_refused(launchbox_run({"bench-search"}), "no recorded space was given");
    expect_refused(launchbox_run({"bench-search", space, "--strategy", "clever"}), "unknown search strategy 'clever'");
    expect_refused(launchbox_run({"bench-search", space, "--repeats", "0"}), "--repeats");
    expect_refused(launchbox_run({"bench-search", space, "--most", "0"}), "--most");
    EXPECT_EQ(launchbox_run({"bench-search", "missing.json"}).status, 2);
    const temporary_directory empty;
    expect_refused(launchbox_run({"bench-search", empty.path().string()}), "no file contains a recorded space");
}

// A cache of Kernel Tuner: times of block sizes in milliseconds; 0: failed.
std::string cache_of(const std::filesystem::path& file, const std::string& gpu,
                     const std::vector<std::pair<int, double>>& times, const std::string& kernel = "scale")
{
    nlohmann::ordered_json cache = nlohmann::ordered_json::object();
    for (const auto& [threads, time] : times) {
        nlohmann::ordered_json entry{{"threads", threads}, {"time", "RuntimeFailedConfig"}};
        if (time > 0) entry = {{"threads", threads}, {"time", time}, {"times", {time, time, time}}};
        cache[std::to_string(threads)] = entry;
    }
    std::ofstream(file) << nlohmann::ordered_json{
        {"device_name", gpu},
        {"kernel_name", kernel},
        {"problem_size", 1000},
        {"tune_params_keys", {"threads"}},
        {"tune_params", {{"threads", {32, 64, 128, 256}}}},
        {"objective", "time"},
        {"cache", cache}}.dump();
    return file.string();
}

TEST(bench_search_verb, leaves_each_gpu_out_and_says_how_much_slower_the_rows_of_the_others_are)
{
    const temporary_directory folder;
    const std::string a100 = cache_of(folder.path() / "a.json", "NVIDIA A100-PCIE-40GB",
                                      {{32, 2.0}, {64, 1.0}, {128, 1.1}, {256, 4.0}}),
                      a40 = cache_of(folder.path() / "b.json", "NVIDIA A40",
                                     {{32, 2.0}, {64, 1.2}, {128, 1.0}, {256, 0}}),
                      h100 = cache_of(folder.path() / "c.json", "NVIDIA H100",
                                      {{32, 4.0}, {64, 2.0}, {128, 1.9}, {256, 1.0}}),
                      other = cache_of(folder.path() / "d.json", "NVIDIA H100", {{32, 4.0}}, "other");
    const call shown = launchbox_run({"bench-search", "--leave-one-out", "gpu", a100, a40, h100, other});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_TRUE(shown.shows("scale on 3 GPUs, 4 candidates, each GPU held out")) << shown.out;
    EXPECT_TRUE(shown.shows("better on 0, worse on 0, equal within 1 % on 2.")) << shown.out;
    EXPECT_TRUE(shown.says("d.json: these are results of NVIDIA H100 alone")) << shown.err;  // only of one GPU
    EXPECT_TRUE(shown.shows("Where both exist (2 GPUs), predicted rows take")) << shown.out;
    const nlohmann::json json =
        launchbox_run({"bench-search", "--leave-one-out", "gpu", a100, a40, h100, "--format", "json"}).json();
    EXPECT_EQ(json["problems"].size(), 0u);
    ASSERT_EQ(json["held_out"].size(), 1u);
    const nlohmann::json& gpus = json["held_out"][0]["gpus"];
    ASSERT_EQ(gpus.size(), 3u);
    EXPECT_EQ(gpus[0]["architecture"], "sm_80");
    EXPECT_EQ(gpus[0]["inherited"], nullptr);
    EXPECT_EQ(gpus[0]["predicted"]["parameters"]["threads"], 128);  // the A40 is closer than the H100
    EXPECT_NEAR(gpus[0]["predicted"]["loss"].get<double>(), 0.1, 1e-9);
    EXPECT_EQ(gpus[0]["baseline"]["parameters"]["threads"], 32);
    EXPECT_EQ(gpus[1]["inherits_from"], "NVIDIA A100-PCIE-40GB");
    EXPECT_NEAR(gpus[1]["inherited"]["loss"].get<double>(), 0.2, 1e-9);
    EXPECT_EQ(gpus[2]["inherits_from"], "NVIDIA A40");
    EXPECT_EQ(gpus[2]["ten_measured"]["loss"], 0);
    EXPECT_EQ(
        lines_of(launchbox_run({"bench-search", "--leave-one-out", "gpu", a100, a40, h100, "--format", "csv"}).out)
            .size(),
        1u + 3 * 5 - 1);
    EXPECT_EQ(json["left_out"], "gpu");
    expect_refused(launchbox_run({"bench-search", "--leave-one-out", "all", a100, h100}), "--leave-one-out");
    // By architecture: the A40 and an A10 are one.
    const std::string a10 = cache_of(folder.path() / "f.json", "NVIDIA A10", {{32, 1.0}, {64, 2.0}, {128, 2.0}});
    const nlohmann::json whole =
        launchbox_run({"bench-search", "--leave-one-out", "architecture", a100, a40, a10, "--format", "json"}).json();
    EXPECT_EQ(whole["held_out"][0]["gpus"][1]["predicted"]["parameters"]["threads"], 64);
    EXPECT_EQ(whole["held_out"][0]["gpus"][2]["predicted"]["parameters"]["threads"], 64);
    EXPECT_EQ(whole["held_out"][0]["gpus"][2]["inherits_from"], "NVIDIA A100-PCIE-40GB");
    for (const std::string& alone : {std::string(), other}) {
        std::vector<std::string> words{"bench-search", "--leave-one-out", "gpu", a100};
        if (!alone.empty()) words.push_back(alone);
        const call refused = launchbox_run(words);
        EXPECT_EQ(refused.status, 2);
        EXPECT_TRUE(refused.says("recorded on two GPUs or more")) << refused.err;
    }
    // If only one candidate was measured, every row would be the best.
    const std::string one = cache_of(folder.path() / "e.json", "NVIDIA L4", {{32, 4.0}, {64, 0}}, "other");
    const call nothing = launchbox_run({"bench-search", "--leave-one-out", "gpu", other, one});
    EXPECT_EQ(nothing.status, 2);
    EXPECT_TRUE(nothing.says("nothing to choose")) << nothing.err;
}

// The best candidate on the others may fail here, which is reported.
TEST(bench_search_verb, says_where_a_row_of_other_gpus_fails)
{
    const temporary_directory folder;
    const std::string a40 = cache_of(folder.path() / "a.json", "NVIDIA A40", {{32, 2.0}, {64, 1.0}}),
                      l4 = cache_of(folder.path() / "b.json", "NVIDIA L4", {{32, 2.0}, {64, 0}});
    const call shown = launchbox_run({"bench-search", "--leave-one-out", "gpu", a40, l4});
    EXPECT_TRUE(shown.shows("fails")) << shown.out;
    const nlohmann::json json =
        launchbox_run({"bench-search", "--leave-one-out", "gpu", a40, l4, "--format", "json"}).json();
    const nlohmann::json& gpu = json["held_out"][0]["gpus"][1];
    EXPECT_EQ(gpu["predicted"]["loss"], nullptr);
    EXPECT_EQ(gpu["predicted"]["parameters"]["threads"], 64);
    EXPECT_EQ(gpu["ten_measured"]["loss"], 0);
}

}  // namespace
}  // namespace launchbox
