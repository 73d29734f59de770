// Results in the formats of other tuners, and back.
#include "tune/exchange/result_export.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "recorded_results.hpp"
#include "recorded_spaces.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/sample_statistics.hpp"
#include "tune/exchange/foreign_results.hpp"
#include "tune/exchange/result_file.hpp"
#include "tune/store/result_store.hpp"

namespace launchbox {
namespace {

using nlohmann::ordered_json;
using writer = void (*)(const exported_part&, std::ostream&);

const std::string folder = LAUNCHBOX_SOURCE_DIR "/tests/data/exchange/";

std::string text_with(writer write, const recorded_run& run, std::size_t part = 0)
{
    std::ostringstream out;
    write(parts_of(run).at(part), out);
    return out.str();
}

result_file read_back(const std::string& text)
{
    std::optional<result_file> read = read_foreign_results(text, "file");
    EXPECT_TRUE(read);
    return read ? *std::move(read) : result_file{};
}

double median(std::vector<double> samples)
{
    std::sort(samples.begin(), samples.end());
    return samples.empty() ? 0 : samples[samples.size() / 2];
}

void expect_same_candidates(const std::vector<stored_result>& before, const std::vector<stored_result>& after)
{
    ASSERT_EQ(before.size(), after.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        const stored_result &one = before[i], &other = after[i];
        const std::string which = parameter_text(one.parameters);
        EXPECT_EQ(one.parameters, other.parameters) << which;
        EXPECT_EQ(one.workload, other.workload) << which;
        EXPECT_EQ(one.weight, other.weight) << which;
        EXPECT_EQ(one.work, other.work) << which;
        EXPECT_EQ(one.measured.status, other.measured.status) << which;
        EXPECT_EQ(one.measured.reason, other.measured.reason) << which;
        EXPECT_EQ(one.measured.verified, other.measured.verified) << which;
        ASSERT_EQ(one.measured.samples_ns.size(), other.measured.samples_ns.size()) << which;
        for (std::size_t k = 0; k < one.measured.samples_ns.size(); ++k)
            EXPECT_NEAR(one.measured.samples_ns[k], other.measured.samples_ns[k], 1e-9 * one.measured.samples_ns[k]);
        EXPECT_DOUBLE_EQ(median(one.measured.samples_ns), median(other.measured.samples_ns));
        EXPECT_NEAR(one.measured.seconds, other.measured.seconds, 1e-12) << which;
        EXPECT_NEAR(one.compile_seconds, other.compile_seconds, 1e-12) << which;
        EXPECT_EQ(one.finished, other.finished) << which;
    }
}

class both_formats : public testing::TestWithParam<writer> {};
INSTANTIATE_TEST_SUITE_P(result_export, both_formats, testing::Values(write_kernel_tuner_cache, write_t4_results));

TEST_P(both_formats, return_our_own_results)
{
    recorded_run run = example_results();
    // One result for every outcome, and values of every type.
    for (int i = static_cast<int>(outcome::rejected); i < static_cast<int>(outcome::device_lost); ++i)
        run.results.push_back(failed(2000 + i, 1, 1 << 20, static_cast<outcome>(i), "why: \"it\" did"));
    for (std::size_t i = 0; i < run.results.size(); ++i) {
        run.results[i].weight = 0.5;
        run.results[i].work = {.bytes = 12.5, .flops = 1e12};
        run.results[i].parameters.values.emplace_back("ratio", 0.5 * static_cast<double>(i));
        run.results[i].parameters.values.emplace_back("fast", i % 2 == 0);
        run.results[i].parameters.values.emplace_back("layout", std::string(i % 2 == 0 ? "row" : "colu,mn \"é\""));
    }
    ASSERT_EQ(parts_of(run).size(), 2U);
    for (std::size_t part = 0; part < 2; ++part) {
        std::vector<stored_result> expected;
        const exported_part wanted = parts_of(run)[part];
        for (const std::size_t result : wanted.results) expected.push_back(run.results[result]);
        const result_file file = read_back(text_with(GetParam(), run, part));
        EXPECT_TRUE(file.diagnostics.empty()) << file.diagnostics.front();
        ASSERT_EQ(file.runs.size(), 1U);
        expect_same_candidates(expected, file.runs[0].results);
        environment_info where = run.info.environment;
        where.host.clear();
        EXPECT_EQ(file.runs[0].info.environment, where);
        EXPECT_EQ(file.runs[0].info.name, run.info.name);
        EXPECT_EQ(file.runs[0].info.baseline, run.info.baseline);
    }
}

TEST_P(both_formats, return_a_cache_through_a_store)
{
    const temporary_directory place;
    const recorded_run cache = read_result_file(folder + "kernel_tuner.json").runs.at(0);
    const std::string path = (place.path() / "cache.db").string();
    {
        result_store store(path);
        save_all(store, cache);
    }
    const recorded_run stored = read_result_file(path).runs.at(0);
    expect_same_candidates(cache.results, stored.results);
    expect_same_candidates(cache.results, read_back(text_with(GetParam(), stored)).runs.at(0).results);
}

TEST_P(both_formats, leave_out_results_lost_with_the_device)
{
    recorded_run run{1, example_run(), {example_result(64, 1, 8, 1e5)}, {}};
    run.results.push_back(failed(64, 2, 8, outcome::device_lost, "gone"));
    EXPECT_EQ(read_back(text_with(GetParam(), run)).runs.at(0).results.size(), 1U);
}

// Compared as JSON, independently of our reader.
void expect_same(const ordered_json& one, const ordered_json& other, const std::string& where)
{
    if (one.is_number() && other.is_number()) {
        EXPECT_NEAR(one.get<double>(), other.get<double>(), 1e-12 * std::abs(one.get<double>())) << where;
    } else if (one.is_array() && one.size() == other.size()) {
        for (std::size_t i = 0; i < one.size(); ++i) expect_same(one[i], other[i], where);
    } else {
        EXPECT_EQ(one, other) << where;
    }
}

void expect_same_cache(const std::string& before, const std::string& after)
{
    const ordered_json one = ordered_json::parse(before), other = ordered_json::parse(after);
    for (const char* name : {"device_name", "kernel_name", "problem_size", "tune_params_keys", "objective"})
        EXPECT_EQ(one[name], other[name]) << name;
    EXPECT_FALSE(other.contains("launchbox"));  // everything fits into the format
    ASSERT_EQ(one["cache"].size(), other["cache"].size());
    for (const auto& [key, entry] : one["cache"].items()) {
        ASSERT_TRUE(other["cache"].contains(key)) << key;
        const ordered_json& same = other["cache"][key];
        for (const auto& [name, value] : entry.items()) {
            // Not stored, or only as a sum.
            if (name == "strategy_time" || name == "framework_time" || name == "GFLOP/s") continue;
            if (name == "verification_time" || name == "benchmark_time" || name == "__error__") continue;
            ASSERT_TRUE(same.contains(name)) << key << " " << name;
            expect_same(value, same[name], key + " " + name);
        }
        const auto cost = [](const ordered_json& of) {
            return of["verification_time"].get<double>() + of["benchmark_time"].get<double>();
        };
        EXPECT_NEAR(cost(entry), cost(same), 1e-9) << key;
    }
    EXPECT_TRUE(after.ends_with("}}\n}"));  // the end that Kernel Tuner expects when it continues a cache
}

TEST(kernel_tuner_export, a_cache_is_exported_unchanged)
{
    const std::string before = read_input(folder + "kernel_tuner.json");
    const std::string after = text_with(write_kernel_tuner_cache, read_back(before).runs.at(0));
    expect_same_cache(before, after);
    EXPECT_EQ(ordered_json::parse(before)["tune_params"]["threads"],
              ordered_json::parse(after)["tune_params"]["threads"]);
    EXPECT_EQ(text_with(write_kernel_tuner_cache, read_back(after).runs.at(0)), after);
}

TEST(kernel_tuner_export, writes_keys_like_python)
{
    recorded_run run{1, example_run(), {}, {}};
    for (const parameter_value& value : {parameter_value(true), parameter_value(std::int64_t{7}), parameter_value(0.5),
                                         parameter_value(2.0), parameter_value(1e16), parameter_value(1e-5),
                                         parameter_value(123456789.0), parameter_value(std::string("a b"))}) {
        run.results.push_back(example_result(1, 1, 8, 1e5));
        run.results.back().parameters = {{{"p", value}, {"q", std::int64_t{1}}}};
    }
    const ordered_json cache = ordered_json::parse(text_with(write_kernel_tuner_cache, run))["cache"];
    std::vector<std::string> keys;
    for (const auto& [key, entry] : cache.items()) keys.push_back(key);
    // In the format of str() in Python 3.11.
    EXPECT_EQ(keys, (std::vector<std::string>{"True,1", "7,1", "0.5,1", "2.0,1", "1e+16,1", "1e-05,1", "123456789.0,1",
                                              "a b,1"}));
}

TEST(kernel_tuner_export, has_the_workload_as_numbers_if_possible)
{
    const auto size_of = [](const assignment& workload) {
        recorded_run run{1, example_run(), {example_result(1, 1, 8, 1e5)}, {}};
        run.results[0].workload = workload;
        return ordered_json::parse(text_with(write_kernel_tuner_cache, run))["problem_size"];
    };
    const std::int64_t n = 8;
    EXPECT_EQ(size_of({{{"problem_size", n}}}), 8);
    EXPECT_EQ(size_of({{{"problem_size", std::string("n")}}}), "n");
    EXPECT_EQ(size_of({{{"x", n}, {"y", n}}}), (ordered_json{8, 8}));
    EXPECT_EQ(size_of({{{"rows", n}}}), ordered_json::array({8}));
    EXPECT_EQ(size_of(sizes(8)), "type=int n=8");
}

TEST(kernel_tuner_export, refuses_a_parameter_that_would_replace_the_time)
{
    recorded_run run{1, example_run(), {example_result(1, 1, 8, 1e5)}, {}};
    run.results[0].parameters.values.emplace_back("time", std::int64_t{1});
    EXPECT_THROW(text_with(write_kernel_tuner_cache, run), error);
    EXPECT_NO_THROW(text_with(write_t4_results, run));
}

TEST(t4_export, follows_its_schema)
{
    const ordered_json file = ordered_json::parse(text_with(write_t4_results, example_results()));
    EXPECT_EQ(file["schema_version"], "1.0.0");
    EXPECT_EQ(file["metadata"]["timeunit"], "milliseconds");
    ASSERT_EQ(file["results"].size(), 12U);
    const std::vector<std::string> allowed{"timeout", "compile", "runtime", "correctness", "constraints", "correct"};
    for (const ordered_json& value : file["results"]) {
        EXPECT_TRUE(value["configuration"].is_object());
        for (const char* name : {"compilation_time", "framework", "search_algorithm", "validation"})
            EXPECT_TRUE(value["times"][name].is_number());
        EXPECT_TRUE(value["times"]["runtimes"].is_array());
        EXPECT_NE(std::find(allowed.begin(), allowed.end(), value["invalidity"]), allowed.end()) << value["invalidity"];
        EXPECT_TRUE(value["correctness"].is_number());
        EXPECT_TRUE(value["timestamp"].is_string());
        EXPECT_EQ(value["objectives"], ordered_json::array({"time"}));
        for (const ordered_json& one : value["measurements"]) {
            EXPECT_TRUE(one["name"].is_string() && one["unit"].is_string());
            EXPECT_TRUE(one["value"].is_number() || one["value"].is_string());
        }
    }
    EXPECT_NEAR(file["results"][0]["measurements"][0]["value"].get<double>(), 0.125, 1e-12);
    EXPECT_EQ(file["results"][0]["timestamp"], "2026-11-21 09:31:00+00:00");
}

TEST(recorded_spaces, are_exported_and_read_back_unchanged)
{
    for (const recorded_spaces& spaces : all_recorded_spaces())
        for (const std::filesystem::path& file : {spaces.kt_convolution, spaces.ktt_pnpoly}) {
            const temporary_directory place;
            const recorded_run run = read_result_file(file.string()).runs.at(0);
            const std::string path = (place.path() / "recorded.db").string();
            {
                result_store store(path);
                save_all(store, run);
            }
            const recorded_run stored = read_result_file(path).runs.at(0);
            EXPECT_EQ(stored.results, run.results);
            for (const writer write : {write_kernel_tuner_cache, write_t4_results})
                expect_same_candidates(run.results, read_back(text_with(write, stored)).runs.at(0).results);
        }
}

}  // namespace
}  // namespace launchbox
