// launchbox results, with the recorded example.
#include <fstream>

#include "support/text/terminal.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

TEST(results_verb, shows_ranking_verdict_and_failures)
{
    const call result = launchbox_run({"results", example});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.shows("block_sort on Example GPU"));
    EXPECT_TRUE(result.shows("type = int, n = 1,048,576: 7 candidates measured, 1 of them as the same code, 5 not"));
    for (const char* words :
         {"winner of the race", "raced", "1 more with this code", "stopped early", "unverified, 2 samples",
          "baseline, raced", "threads=128 items=17 is the fastest, 1.25 × as fast as the baseline",
          "against the next: equal within 0.4 %", "rejected", "compile error",
          "The baseline, threads=256 items=11, is the fastest.", "too much shared data"})
        EXPECT_TRUE(result.shows(words)) << words << "\n" << result.out;
    EXPECT_FALSE(result.shows("threads=1024 items=19"));
    EXPECT_TRUE(launchbox_run({"results", example, "--failures"}).shows("threads=1024 items=19"));
}

TEST(results_verb, fits_its_width)
{
    for (const char* columns : {"72", "80", "100", "200"})
        for (const std::string& line :
             lines_of(launchbox_run({"results", example, "--failures"}, {}, {std::string("COLUMNS=") + columns}).out))
            EXPECT_LE(display_width(line), std::stoi(columns)) << line;
    const call ascii = launchbox_run({"results", example}, {}, {"LC_ALL=C", "LANG=C"});
    for (char each : ascii.out) EXPECT_GE(each, 0);
}

TEST(results_verb, fits_its_width_with_rates_of_every_kind)
{
    const std::string whole = read_input(repository_file(example));
    nlohmann::ordered_json with = nlohmann::ordered_json::parse(whole);
    for (auto& candidate : with["candidates"]) {
        candidate["elements"] = 1e6;
        candidate["bytes"] = 8e9;
        candidate["flops"] = 1e12;
    }
    for (const char* columns : {"80", "100", "200"}) {
        const call shown = launchbox_run({"results", "-"}, with.dump(), {std::string("COLUMNS=") + columns});
        EXPECT_TRUE(shown.shows("elements/s")) << shown.out << shown.err;
        EXPECT_TRUE(shown.shows("GFLOP/s")) << shown.out;
        // 125 µs, the baseline.
        EXPECT_TRUE(shown.shows(" 8.00 G ")) << shown.out;
        EXPECT_TRUE(shown.shows(" 64,000 ")) << shown.out;
        EXPECT_TRUE(shown.shows("8,000,000")) << shown.out;
        for (const std::string& line : lines_of(shown.out)) EXPECT_LE(display_width(line), std::stoi(columns)) << line;
    }
}

TEST(results_verb, winners_are_compared_by_throughput)
{
    const std::string known = "tests/data/results/throughput.json";
    // The same times for half the work, for which only the elements are known.
    nlohmann::ordered_json other = nlohmann::ordered_json::parse(read_input(repository_file(known)));
    for (auto& candidate : other["candidates"]) {
        candidate["elements"] = (1 << 27) / 2.0;
        candidate.erase("bytes");
    }
    const call shown = launchbox_run({"results", known, "-", "--compare"}, other.dump());
    ASSERT_EQ(shown.status, 0) << shown.err;
    // 2^27 elements of 12 bytes in 408 µs.
    EXPECT_TRUE(shown.shows("Throughput of the winners: A 329.0 G elements/s, 3,948 GB/s; B 164.5 G elements/s."))
        << shown.out;
    const nlohmann::json json =
        launchbox_run({"results", known, "-", "--compare", "--format", "json"}, other.dump()).json();
    const nlohmann::json& winner = json["comparisons"][0]["workloads"][0]["winner_a"];
    EXPECT_DOUBLE_EQ(winner["bytes_per_second_a"].get<double>(), 12 * 134217728.0 / 408e-6);
    EXPECT_DOUBLE_EQ(winner["elements_per_second_b"].get<double>(), 134217728.0 / 2 / 408e-6);
    EXPECT_FALSE(winner.contains("bytes_per_second_b") || winner.contains("flops_per_second_a")) << winner;
    EXPECT_FALSE(launchbox_run({"results", example, example, "--compare"}).shows("Throughput"));
}

TEST(results_verb, top_keeps_winner_and_baseline)
{
    const call one = launchbox_run({"results", example, "--top", "1", "--workload", "n=1048576"});
    EXPECT_TRUE(one.shows("4 more: --top all")) << one.out;
    EXPECT_TRUE(one.shows("winner of the race"));
    EXPECT_TRUE(one.shows("baseline"));
    for (const char* bad : {"0", "-1", "x", "1.5", ""})
        expect_refused(launchbox_run({"results", example, std::string("--top=") + bad}), "--top");
    EXPECT_FALSE(launchbox_run({"results", example, "--top", "all"}).shows("more:"));
}

TEST(results_verb, filters_by_workload_gpu_and_run)
{
    for (const char* value : {"n=134217728", "n=1.34217728e8", "type=int,n=134217728"}) {
        const nlohmann::json found =
            launchbox_run({"results", example, "--workload", value, "--format", "json"}).json();
        EXPECT_EQ(found["candidates"].size(), 2u) << value;
        EXPECT_EQ(found["best"].size(), 1u);
        EXPECT_TRUE(found["races"].empty());
        EXPECT_TRUE(found["best"][0]["is_baseline"]);
    }
    expect_refused(launchbox_run({"results", example, "--workload", "n=5"}), "nothing has n=5");
    expect_refused(launchbox_run({"results", example, "--workload", "n"}), "is not name=value");
    EXPECT_EQ(launchbox_run({"results", example, "--gpu", "example"}).status, 0);
    expect_refused(launchbox_run({"results", example, "--gpu", "h200"}), "no run was on 'h200'");
    EXPECT_EQ(launchbox_run({"results", example, "--run", "1"}).status, 0);
    expect_refused(launchbox_run({"results", example, "--run", "2"}), "there is no run 2");
}

TEST(results_verb, reads_its_own_json)
{
    const call whole = launchbox_run({"results", example, "--format", "json", "--samples"});
    ASSERT_EQ(whole.status, 0) << whole.err;
    const call again = launchbox_run({"results", "-", "--format", "json", "--samples"}, whole.out);
    nlohmann::json one = whole.json(), other = again.json();
    one["runs"][0].erase("file");
    other["runs"][0].erase("file");
    EXPECT_EQ(one, other);
    EXPECT_EQ(one["schema"], "launchbox.results/1");
    EXPECT_EQ(one["best"][0]["parameters"]["items"], 17);
    EXPECT_EQ(one["best"][0]["failures"]["rejected"], 2);
    EXPECT_EQ(one["candidates"][0]["samples_ns"].size(), 15u);
    const nlohmann::json brief = launchbox_run({"results", example, "--format", "json"}).json();
    EXPECT_FALSE(brief["candidates"][0].contains("samples_ns"));
    EXPECT_EQ(brief["candidates"][0]["median_ns"], one["candidates"][0]["median_ns"]);
}

TEST(results_verb, log_shows_the_compilers_output)
{
    const call failed = launchbox_run({"results", example, "--log", "threads=1024 items=15"});
    EXPECT_EQ(failed.status, 0);
    EXPECT_TRUE(failed.shows("compile error"));
    EXPECT_TRUE(failed.shows("| block_sort.cu(12): error: too much shared data")) << failed.out;
    const call built = launchbox_run({"results", example, "--log", "threads=256,items=11"});
    EXPECT_TRUE(built.shows("registers: 35 a thread")) << built.out;
    EXPECT_TRUE(built.shows("static shared memory: 11,264 B a block"));
    EXPECT_EQ(built.out.find("registers: 35"), built.out.rfind("registers: 35")) << "once for both workloads";
    expect_refused(launchbox_run({"results", example, "--log", "threads=7"}), "nothing has threads=7");
    expect_refused(launchbox_run({"results", example, "--log", "threads=64", "--format", "json"}),
                   "--log has no other format");
}

TEST(results_verb, refuses_files_that_have_no_results)
{
    expect_refused(launchbox_run({"results", "missing.db"}), "missing.db");
    expect_refused(launchbox_run({"results", "LICENSE"}), "LICENSE is neither a result store nor JSON");
    expect_refused(launchbox_run({"results", "tests"}), "tests");
    expect_refused(launchbox_run({"results", "-"}, "{}"), "standard input is JSON, but not launchbox.results/1");
    const call both = launchbox_run({"results", "missing.db", example});
    EXPECT_EQ(both.status, 2);
    EXPECT_TRUE(both.says("missing.db"));
    EXPECT_TRUE(both.shows("block_sort on Example GPU"));
}

TEST(results_verb, untrusted_names_are_escaped)
{
    for (const char* format : {"table", "json", "csv", "markdown"}) {
        const call result =
            launchbox_run({"results", "tests/data/results/hostile.json", "--format", format, "--failures"});
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_EQ(result.out.find('\x1b'), std::string::npos) << format;
        EXPECT_EQ(result.out.find("\xc2\x9b"), std::string::npos) << format;
    }
    const call log = launchbox_run({"results", "tests/data/results/hostile.json", "--log", "word=|"});
    EXPECT_EQ(log.out.find('\x1b'), std::string::npos);
}

}  // namespace
}  // namespace launchbox
