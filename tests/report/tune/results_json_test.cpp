// What `results` writes is read back unchanged; files of others are not trusted.
#include "tune/exchange/result_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "report/tune/results_report.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/recorded_results.hpp"
#include "tune/store/result_store.hpp"

namespace launchbox {
namespace {

std::string json_text_of(std::vector<recorded_run> runs, bool with_samples = true)
{
    results_report report;
    report.with_samples = with_samples;
    for (recorded_run& run : runs) {
        auto rankings = rank(run.results, run.races, run.info.baseline);
        report.runs.push_back({"x.db", std::move(run), std::move(rankings)});
    }
    std::ostringstream out;
    write_results_json(report, out);
    return out.str();
}

void expect_same(const recorded_run& one, const recorded_run& other)
{
    EXPECT_EQ(one.number, other.number);
    EXPECT_EQ(one.info, other.info);
    EXPECT_EQ(one.races, other.races);
    EXPECT_EQ(one.info.environment, other.info.environment);
    ASSERT_EQ(one.results.size(), other.results.size());
    for (std::size_t i = 0; i < one.results.size(); ++i) {
        EXPECT_EQ(one.results[i].measured, other.results[i].measured) << i;
        EXPECT_EQ(one.results[i].kernel, other.results[i].kernel) << i;
        EXPECT_EQ(one.results[i].log, other.results[i].log) << i;
        EXPECT_EQ(one.results[i], other.results[i]) << i;
    }
}

recorded_run second_run()
{
    recorded_run run = example_results();
    run.number = 2;
    run.info.call = 2;
    run.info.environment = {
        .gpu = "", .processor = "Example CPU", .architecture = "", .driver = "", .toolkit = "", .host = "h"};
    run.info.baseline.reset();
    for (stored_result& result : run.results) {
        result.run = 2;
        result.kernel.reset();
        result.parameters.values.emplace_back("word", std::string("b"));
        if (result.same_as) result.same_as->values.emplace_back("word", std::string("b"));
        result.workload = {};
        result.weight = 0.5;
        result.work = {.elements = 1e6, .bytes = 0.5};
        result.measured.device.reset();
        result.from_cache = true;
    }
    run.races.clear();
    return run;
}

TEST(result_file, store_to_json_and_back_is_unchanged)
{
    const temporary_directory folder;
    const std::string file = (folder.path() / "x.db").string();
    {
        result_store store(file);
        EXPECT_EQ(save_all(store, example_results()), 1);
        recorded_run second = second_run();
        for (std::size_t i = 0; i < second.results.size(); ++i)
            second.results[i].workload.values = {{"n", static_cast<std::int64_t>(i)}};
        EXPECT_EQ(save_all(store, second), 2);
    }
    const result_file stored = read_result_file(file);
    EXPECT_TRUE(stored.diagnostics.empty());
    ASSERT_EQ(stored.runs.size(), 2u);
    expect_same(stored.runs[0], example_results());

    const std::string copy = (folder.path() / "x.json").string();
    std::ofstream(copy) << json_text_of(stored.runs);
    const result_file read = read_result_file(copy);
    EXPECT_TRUE(read.diagnostics.empty());
    ASSERT_EQ(read.runs.size(), 2u);
    expect_same(read.runs[0], stored.runs[0]);
    expect_same(read.runs[1], stored.runs[1]);
}

// LAUNCHBOX_UPDATE_EXAMPLE=1 in the environment rewrites the file.
TEST(result_file, the_recorded_example_is_that_of_the_tests)
{
    const std::string file = std::string(LAUNCHBOX_SOURCE_DIR) + "/tests/data/results/example.json";
    if (std::getenv("LAUNCHBOX_UPDATE_EXAMPLE") != nullptr)
        write_file_atomically(file, json_text_of({example_results()}));
    const result_file read = read_result_file(file);
    EXPECT_TRUE(read.diagnostics.empty());
    ASSERT_EQ(read.runs.size(), 1u);
    expect_same(read.runs[0], example_results());
    EXPECT_EQ(read_input(file), json_text_of({example_results()}));
}

std::string replaced(std::string text, const std::string& what, const std::string& by)
{
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

TEST(result_file, work_and_rates_are_only_present_if_known)
{
    recorded_run run = example_results();
    for (stored_result& result : run.results)
        if (result.workload == sizes(1 << 20)) result.work = {.elements = 1048576, .flops = 3e9};
    run.results[1].measured.samples_ns = {0, 0, 0};  // the clock's resolution is too coarse
    run.races[0].entries[1].result_median_ns = 0;
    const std::string text = json_text_of({run});
    expect_same(read_results_json(text, "x.json").runs.at(0), run);
    const auto whole = nlohmann::json::parse(text);
    const auto& candidates = whole["candidates"];
    // 125 µs: 1048576 / 125e-6, 3e9 / 125e-6.
    EXPECT_DOUBLE_EQ(candidates[0]["elements_per_second"].get<double>(), 8388608e3);
    EXPECT_DOUBLE_EQ(candidates[0]["flops_per_second"].get<double>(), 24e12);
    EXPECT_EQ(candidates[0]["elements"], 1048576);
    EXPECT_FALSE(candidates[0].contains("bytes") || candidates[0].contains("bytes_per_second"));
    EXPECT_TRUE(candidates[1]["elements_per_second"].is_null()) << candidates[1];
    EXPECT_EQ(candidates[7]["status"], "compile_error");
    EXPECT_TRUE(candidates[7].at("flops_per_second").is_null()) << candidates[7];
    EXPECT_EQ(candidates[7]["flops"], 3e9);
    EXPECT_FALSE(candidates[12].contains("elements") || candidates[12].contains("elements_per_second"));
    // The winner is 128 x 17, with 100.4 µs.
    EXPECT_DOUBLE_EQ(whole["best"][0]["elements_per_second"].get<double>(), 1048576 / 100400e-9);
    EXPECT_FALSE(whole["best"][1].contains("elements_per_second"));
    for (const char* bad : {"0", "-1", "\"x\"", "1e300", "[]"}) {
        const std::string spoilt = replaced(text, R"("elements": 1048576.0)", std::string(R"("elements": )") + bad);
        const result_file read = read_results_json(spoilt, "x.json");
        EXPECT_EQ(read.runs.at(0).results.size(), run.results.size() - 1) << bad;
        ASSERT_EQ(read.diagnostics.size(), 1u) << bad;
        EXPECT_NE(read.diagnostics[0].find("candidate 0 is left out"), std::string::npos) << read.diagnostics[0];
    }
}

TEST(result_file, without_samples_the_medians_are_used)
{
    const result_file read = read_results_json(json_text_of({example_results()}, false), "x.json");
    ASSERT_EQ(read.runs.size(), 1u);
    ASSERT_EQ(read.runs[0].results.size(), example_results().results.size());
    EXPECT_EQ(read.runs[0].results[1].measured.samples_ns, std::vector<double>{100'000});
    ASSERT_EQ(read.diagnostics.size(), 1u);
    EXPECT_NE(read.diagnostics[0].find("no samples of 9 candidates"), std::string::npos) << read.diagnostics[0];
}

TEST(result_file, hostile_candidates_are_left_out)
{
    const std::string good = json_text_of({example_results()});
    const std::size_t all = example_results().results.size();
    // With a linear search for each, 20,000 took minutes.
    std::string many;
    for (int i = 0; i < 20'000; ++i) many += "\"p" + std::to_string(i) + "\": 1, ";
    for (const auto& [what, by] : std::vector<std::pair<std::string, std::string>>{
             {R"("status": "measured")", R"("status": "well")"},
             {R"("status": "measured")", R"("status": 1)"},
             {R"("weight": 1.0)", R"("weight": 0)"},
             {R"("weight": 1.0)", R"("weight": "1")"},
             {R"("dropped": 0)", R"("dropped": -1)"},
             {R"("dropped": 0)", R"("dropped": 1e3)"},
             {R"("dropped": 0)", R"("dropped": 99999999999)"},
             {R"("verified": true)", R"("verified": 1)"},
             {R"("samples_ns": [)", R"("samples_ns": [null,)"},
             {R"("samples_ns": [)", R"("samples_ns": [-1,)"},
             {R"("samples_ns": [)", R"("samples_ns": [1e300,)"},
             {R"("resources": {)", R"("resources": {"registers": -1, "was": 1},"other": {)"},
             {R"("device": {)", R"("device": 5,"other": {)"},
             {R"("same_as": null)", R"("same_as": [])"},
             {R"("log": "")", R"("log": {})"},
             {R"("parameters": {)", R"("parameters": {)" + many},
             {R"("workload": {)", R"("workload": {)" + many},
             {R"("seconds": 0.25)", R"("seconds": -0.25)"}}) {
        SCOPED_TRACE(what + " -> " + by);
        // After the races, which have samples, too.
        const std::size_t start = good.find("\"candidates\": [");
        const std::string text = good.substr(0, start) + replaced(good.substr(start), what, by);
        const result_file read = read_results_json(text, "x.json");
        ASSERT_EQ(read.runs.size(), 1u);
        EXPECT_EQ(read.runs[0].results.size(), all - 1);
        ASSERT_EQ(read.diagnostics.size(), 1u);
        EXPECT_NE(read.diagnostics[0].find("candidate 0 is left out"), std::string::npos) << read.diagnostics[0];
    }
    const result_file read = read_results_json(replaced(good, R"("verdict": "equal")", R"("verdict": "x")"), "x.json");
    EXPECT_TRUE(read.runs[0].races.empty());
    EXPECT_EQ(read.diagnostics.size(), 1u);
}

TEST(result_file, other_files_give_one_clear_error)
{
    const auto refusal = [](const std::string& text) {
        try {
            (void)read_results_json(text, "x.json");
        } catch (const error& failure) {
            EXPECT_FALSE(failure.hint().empty());
            EXPECT_EQ(std::string(failure.what()).rfind("x.json", 0), 0u);
            return std::string(failure.what());
        }
        return std::string();
    };
    EXPECT_NE(refusal("").find("neither a result store nor JSON"), std::string::npos);
    EXPECT_NE(refusal("{\"schema\": \"launchbox.results/1\", ").find("nor JSON"), std::string::npos);
    for (const char* text : {"[]", "1", "{}", R"({"schema": 1})", R"({"schema": "launchbox.kernels/1"})"})
        EXPECT_NE(refusal(text).find("not launchbox.results/1"), std::string::npos) << text;
    const std::string start = R"({"schema": "launchbox.results/1", "environments": [{}], )";
    for (const char* rest :
         {"\"runs\": {}}", "\"runs\": [1], \"candidates\": []}",
          "\"runs\": [{\"environment\": 1}], \"candidates\": []}", "\"runs\": [{\"environment\": 0}]}",
          "\"runs\": [{\"environment\": 0, \"number\": -3}], \"candidates\": []}"})
        EXPECT_NE(refusal(start + rest).find("is not launchbox.results/1"), std::string::npos) << rest;
    EXPECT_NO_THROW(read_results_json(start + "\"runs\": [{\"environment\": 0}], \"candidates\": []}", "x.json"));
    EXPECT_NE(refusal(std::string(100'000, '[')), "");
    EXPECT_THROW(read_result_file("/no/such/file.json"), error);
}

}  // namespace
}  // namespace launchbox
