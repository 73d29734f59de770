// launchbox results: all workloads together, --convergence and --compare, from the command line.
#include <cmath>

#include "support/text/terminal.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

const std::string later = "tests/data/results/example_13_1.json", hostile = "tests/data/results/hostile.json";

TEST(results_overall, ranks_over_all_workloads)
{
    const call all = launchbox_run({"results", example});
    EXPECT_TRUE(all.shows("over all 2 workloads: 2 candidates, speed-up over the baseline")) << all.out;
    EXPECT_TRUE(all.shows("worst is 0.89, at n = 134,217,728: slower"));
    EXPECT_FALSE(launchbox_run({"results", example, "--workload", "n=1048576"}).shows("over all"));
    const nlohmann::json found = launchbox_run({"results", example, "--format", "json"}).json();
    ASSERT_EQ(found["overall"].size(), 1u);
    const nlohmann::json& best = found["overall"][0]["candidates"][0];
    // The geometric mean of 125 / 100 and 12.5 / 14.
    EXPECT_DOUBLE_EQ(best["score"], std::sqrt(125.5 / 100.7 * 12.5 / 14));
    EXPECT_EQ(best["worst"]["n"], 134217728);
}

TEST(results_convergence, shows_each_improvement)
{
    const call all = launchbox_run({"results", example, "--convergence"});
    EXPECT_EQ(all.status, 0) << all.err;
    EXPECT_TRUE(all.shows("10 evaluations")) << all.out;
    EXPECT_TRUE(all.shows("within 10 % after 2 (2.00 s)"));
    EXPECT_FALSE(all.shows("all runs"));
    const call both = launchbox_run({"results", example, later, "--convergence", "--workload", "n=1048576"});
    EXPECT_TRUE(both.shows("all runs: evaluations")) << both.out;
    const nlohmann::json found = launchbox_run({"results", example, "--convergence", "--format", "json"}).json();
    EXPECT_EQ(found["schema"], "launchbox.convergence/1");
    ASSERT_EQ(found["series"].size(), 3u);
    EXPECT_EQ(found["series"][0]["improvements"][1]["parameters"]["threads"], 128);
    EXPECT_TRUE(found["series"][2]["workload"].is_null());
}

TEST(results_compare, names_the_changes)
{
    const call found = launchbox_run({"results", example, later, "--compare"});
    EXPECT_EQ(found.status, 0) << found.err;
    for (const char* words : {"B against A", "NVRTC 13.1", "6 candidates compared: 1 faster, 2 slower, 3 equal",
                              "worker died", "illegal access", "31 → 30", "1.120"})
        EXPECT_TRUE(found.shows(words)) << words << "\n" << found.out;
    const nlohmann::json json = launchbox_run({"results", example, later, "--compare", "--format", "json"}).json();
    EXPECT_EQ(json["schema"], "launchbox.comparison/1");
    EXPECT_EQ(json["comparisons"][0]["differences"].size(), 2u);
    EXPECT_EQ(json["comparisons"][0]["workloads"][0]["faster"], 1);
    EXPECT_EQ(json["candidates"].size(), 14u);
    const call itself = launchbox_run({"results", example, example, "--compare"});
    EXPECT_TRUE(itself.shows("0 faster, 0 slower, 6 equal")) << itself.out;
    EXPECT_TRUE(itself.shows("are the same"));
    EXPECT_EQ(launchbox_run({"results", example, later, "-", "--compare"}, read_input(repository_file(example))).status,
              0);
}

TEST(results_compare, refuses_what_it_cannot_compare)
{
    expect_refused(launchbox_run({"results", example, "--compare"}), "--compare needs two runs");
    expect_refused(launchbox_run({"results", example, later, "--compare", "--gpu", "h200"}), "no run was on");
    expect_refused(launchbox_run({"results", example, later, "--compare", "--convergence"}), "--compare");
    expect_refused(launchbox_run({"results", example, later, "--fail-slower", "5"}), "--compare");
    expect_refused(launchbox_run({"results", example, later, "--compare", "--log", "threads=64"}), "--log");
    for (const char* bad : {"-1", "x", "nan"})
        EXPECT_EQ(launchbox_run({"results", example, later, "--compare", "--fail-slower", bad}).status, 2) << bad;
}

TEST(results_compare, fails_when_the_winner_is_slower)
{
    const temporary_directory folder;
    const std::string slow = (folder.path() / "slow.json").string(), brief = (folder.path() / "brief.json").string();
    nlohmann::json content = launchbox_run({"results", example, "--format", "json", "--samples"}).json();
    for (auto& each : content["candidates"])
        for (auto& sample : each["samples_ns"]) sample = sample.get<double>() * 1.08;
    write_file_atomically(slow, content.dump());
    for (auto& each : content["candidates"]) each.erase("samples_ns");
    for (auto& each : content["races"])
        for (auto& entry : each["entries"]) entry.erase("samples_ns");
    for (auto& each : content["candidates"])
        if (each["status"] == "measured") each["median_ns"] = each["median_ns"].get<double>() * 1.08;
    write_file_atomically(brief, content.dump());
    const std::vector<std::string> call_of{"results", example, slow, "--compare", "--fail-slower"};
    const auto with = [&](std::vector<std::string> arguments, const std::string& more) {
        arguments.push_back(more);
        return launchbox_run(arguments);
    };
    const call failed = with(call_of, "5");
    EXPECT_EQ(failed.status, 1) << failed.err;
    EXPECT_TRUE(failed.says("the winner is 8.0 % slower (5.0 % are allowed)")) << failed.err;
    EXPECT_TRUE(failed.shows("B against A"));
    EXPECT_EQ(with(call_of, "8.5").status, 0);
    EXPECT_EQ(launchbox_run({"results", slow, example, "--compare", "--fail-slower", "0"}).status, 0);
    expect_refused(launchbox_run({"results", example, brief, "--compare", "--fail-slower", "5"}), "too few samples");
}

// Another run that was compared does not make up for one without a common workload.
TEST(results_compare, a_run_without_a_common_workload_does_not_pass)
{
    const temporary_directory folder;
    const std::string other = (folder.path() / "other.json").string();
    std::string text = launchbox_run({"results", example, "--format", "json", "--samples"}).out;
    for (const char* size : {"1048576", "134217728"})
        for (std::size_t at = 0; (at = text.find(size, at)) != std::string::npos; at += 2) text.replace(at, 1, "77");
    write_file_atomically(other, text);
    const std::vector<std::string> gate{"--compare", "--fail-slower", "50"};
    const auto compared = [&](std::vector<std::string> words) {
        words.insert(words.begin(), "results");
        words.insert(words.end(), gate.begin(), gate.end());
        return launchbox_run(words);
    };
    EXPECT_EQ(compared({example, example}).status, 0);
    expect_refused(compared({example, other}), "B was not compared");
    expect_refused(compared({example, example, other}), "C was not compared");
    expect_refused(compared({example, other, example}), "B was not compared");
}

TEST(results_views, fit_their_width_and_character_set)
{
    for (const std::vector<std::string>& arguments :
         {std::vector<std::string>{"results", example, later, "--convergence"},
          {"results", example, later, "--compare"},
          {"results", example}}) {
        for (const char* columns : {"80", "100", "200"})
            for (const std::string& line :
                 lines_of(launchbox_run(arguments, {}, {std::string("COLUMNS=") + columns}).out))
                EXPECT_LE(display_width(line), std::stoi(columns)) << line;
        for (const char each : launchbox_run(arguments, {}, {"LC_ALL=C", "LANG=C"}).out) EXPECT_GE(each, 0);
    }
}

TEST(results_views, escape_untrusted_names)
{
    for (const char* view : {"--convergence", "--compare"})
        for (const char* format : {"table", "json", "csv", "markdown"}) {
            const call result = launchbox_run({"results", hostile, hostile, view, "--format", format});
            EXPECT_EQ(result.status, 0) << result.err;
            EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << view << format;
            EXPECT_EQ(result.out.find("\xc2\x9b"), std::string::npos) << view << format;
        }
}

}  // namespace
}  // namespace launchbox
