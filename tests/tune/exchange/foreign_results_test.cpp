// Files of other tuners: what is read from them, and what is reported about the rest.
#include "tune/exchange/foreign_results.hpp"
#include "tune/exchange/result_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "recorded_spaces.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/files/gzip.hpp"

namespace launchbox {
namespace {

const std::string foreign_folder = LAUNCHBOX_SOURCE_DIR "/tests/data/exchange/";

result_file read(const std::string& name)
{
    return read_result_file(foreign_folder + name);
}

result_file read_text(const std::string& text)
{
    std::optional<result_file> found = read_foreign_results(text, "file");
    EXPECT_TRUE(found);
    return found ? *std::move(found) : result_file{};
}

const stored_result& with(const recorded_run& run, const std::string& values)
{
    for (const stored_result& result : run.results)
        if (parameter_text(result.parameters) == values) return result;
    ADD_FAILURE() << "no " << values;
    static const stored_result none;
    return none;
}

std::size_t count(const recorded_run& run, outcome what)
{
    return static_cast<std::size_t>(
        std::count_if(run.results.begin(), run.results.end(),
                      [&](const stored_result& result) { return result.measured.status == what; }));
}

bool is_told(const result_file& file, const std::string& words)
{
    return std::any_of(file.diagnostics.begin(), file.diagnostics.end(),
                       [&](const std::string& diagnostic) { return diagnostic.find(words) != std::string::npos; });
}

std::string all_told(const result_file& file)
{
    std::string all;
    for (const std::string& diagnostic : file.diagnostics) all += diagnostic + "\n";
    return all;
}

TEST(kernel_tuner_cache, is_one_run_with_all_its_content)
{
    const result_file file = read("kernel_tuner.json");
    EXPECT_TRUE(file.diagnostics.empty()) << all_told(file);
    ASSERT_EQ(file.runs.size(), 1U);
    const recorded_run& run = file.runs[0];
    EXPECT_EQ(run.info.name, "scale");
    EXPECT_EQ(run.info.environment.gpu, "Example GPU");
    EXPECT_EQ(run.info.started, "2024-05-06T07:08:09.250000Z");
    EXPECT_FALSE(run.info.baseline);
    ASSERT_EQ(run.results.size(), 6U);

    const stored_result& first = run.results[0];
    const assignment expected{
        {{"threads", std::int64_t{128}}, {"unroll", 1.0}, {"fast", true}, {"layout", std::string("row")}}};
    EXPECT_EQ(first.parameters, expected);
    const assignment workload{{{"x", std::int64_t{4096}}, {"y", std::int64_t{32}}}};
    EXPECT_EQ(first.workload, workload);
    EXPECT_EQ(first.measured.samples_ns, (std::vector<double>{500'000, 250'000, 750'000}));
    EXPECT_DOUBLE_EQ(first.compile_seconds, 0.25);
    EXPECT_DOUBLE_EQ(first.measured.seconds, 0.0405);
    EXPECT_FALSE(first.measured.verified);
    EXPECT_TRUE(run.results[1].measured.verified);  // it has a verification time
    EXPECT_DOUBLE_EQ(run.results[1].measured.seconds, 0.043);

    EXPECT_EQ(run.results[3].measured.status, outcome::compile_error);
    EXPECT_EQ(run.results[3].measured.reason, "CompilationFailedConfig");
    EXPECT_TRUE(run.results[3].measured.samples_ns.empty());
    EXPECT_EQ(run.results[4].measured.status, outcome::launch_error);
    EXPECT_EQ(run.results[4].measured.reason, "too many resources requested for launch");
    EXPECT_EQ(run.results[5].measured.status, outcome::rejected);
}

TEST(kernel_tuner_cache, with_an_unfinished_run_is_read_to_its_end)
{
    const result_file open = read("kernel_tuner_open.json");
    EXPECT_EQ(open.runs[0].results, read("kernel_tuner.json").runs[0].results);
    EXPECT_EQ(open.diagnostics.size(), 1U) << all_told(open);
    EXPECT_TRUE(is_told(open, "is not closed"));

    const result_file cut = read("kernel_tuner_cut.json");
    EXPECT_EQ(cut.runs[0].results.size(), 4U);
    EXPECT_TRUE(is_told(cut, "1 candidate left out, since the line is truncated or damaged (1024,1.0,True,row)"))
        << all_told(cut);
}

TEST(kernel_tuner_cache, truncated_anywhere_it_gives_no_wrong_candidate)
{
    const std::string whole = read_input(foreign_folder + "kernel_tuner.json");
    const std::vector<stored_result> all = read("kernel_tuner.json").runs[0].results;
    std::size_t max_results = 0;
    for (std::size_t size = 0; size < whole.size(); ++size) try {
            const std::optional<result_file> part = read_foreign_results(whole.substr(0, size), "file");
            if (!part) continue;
            const std::vector<stored_result>& results = part->runs[0].results;
            ASSERT_LE(results.size(), all.size());
            ASSERT_GE(results.size(), max_results) << size;  // more text never gives fewer candidates
            max_results = results.size();
            for (std::size_t i = 0; i < results.size(); ++i)
                ASSERT_EQ(results[i].measured, all[i].measured) << "cut at " << size;
        } catch (const error&) {
            ASSERT_EQ(max_results, 0U) << size;
        }
    EXPECT_EQ(max_results, all.size());
}

TEST(kernel_tuner_cache, names_each_kind_of_omission_once)
{
    const result_file file = read("kernel_tuner_odd.json");
    const recorded_run& run = file.runs[0];
    const std::string rest = " unroll=1 fast=true layout=row";
    ASSERT_EQ(run.results.size(), 5U) << all_told(file);
    EXPECT_EQ(with(run, "threads=5" + rest).measured.samples_ns, (std::vector<double>{500'000}));  // the other is NaN
    EXPECT_EQ(with(run, "threads=6" + rest).measured.status, outcome::launch_error);
    EXPECT_EQ(with(run, "threads=7" + rest).measured.status, outcome::launch_error);
    EXPECT_EQ(with(run, "threads=8" + rest).measured.samples_ns, (std::vector<double>{500'000}));  // the later of two
    EXPECT_EQ(with(run, "threads=9" + rest).measured.samples_ns, (std::vector<double>{500'000, 500'000}));
    for (const char* words : {"2 candidates left out, since the time is not between a femtosecond and 30 years "
                              "(the first: 1,1,True,row)",
                              "2 candidates left out, since there is no number for the time (the first: 3,1,True,row)",
                              "1 candidate left out, since the line is truncated or damaged (10,1,True,row)",
                              "1 candidate left out, since a parameter has no value (11,1,True,row)",
                              "recorded more than once", "an unknown status: UnheardConfig",
                              "without some of their samples", "whose time is not the mean", "is not closed"})
        EXPECT_TRUE(is_told(file, words)) << words << "\n" << all_told(file);
}

TEST(kernel_tuner_cache, without_a_candidate_is_a_clear_error)
{
    const std::string whole = read_input(foreign_folder + "kernel_tuner.json");
    for (const std::size_t size : {whole.find("\"cache\""), whole.find("\"128,1.0,True") + 40}) try {
            (void)read_foreign_results(whole.substr(0, size), "some.json");
            ADD_FAILURE();
        } catch (const error& failure) {
            EXPECT_STREQ(failure.what(), "some.json is a Kernel Tuner cache without a candidate that can be read");
        }
}

TEST(kernel_tuner_cache, keeps_one_type_per_parameter)
{
    const auto cache = [](const std::string& one, const std::string& other) {
        const result_file file = read_text(R"({"tune_params_keys": ["p"], "problem_size": 7, "cache": {
"1": {"p": )" + one + R"(, "time": 1},
"2": {"p": )" + other + R"(, "time": 2}}})");
        return std::pair{file.runs[0].results[0].parameters.values[0].second,
                         file.runs[0].results[1].parameters.values[0].second};
    };
    using values = std::pair<parameter_value, parameter_value>;
    EXPECT_EQ(cache("1", "2"), values(std::int64_t{1}, std::int64_t{2}));
    EXPECT_EQ(cache("1", "2.5"), values(1.0, 2.5));
    EXPECT_EQ(cache("true", "false"), values(true, false));
    EXPECT_EQ(cache("true", "2"), values(std::int64_t{1}, std::int64_t{2}));
    EXPECT_EQ(cache("1", "\"2\""), values(std::int64_t{1}, std::int64_t{2}));
    EXPECT_EQ(cache("\"1\"", "\"2\""), values(std::string("1"), std::string("2")));
    EXPECT_EQ(cache("1", "\"two\""), values(std::string("1"), std::string("two")));
    EXPECT_EQ(cache("[1, 2]", "\"two\""), values(std::string("[1,2]"), std::string("two")));
}

TEST(t4_results, have_the_time_of_their_samples_in_the_unit_of_the_file)
{
    const result_file file = read("t4.json");
    const recorded_run& run = file.runs[0];
    EXPECT_EQ(run.info.name, "t4.json");
    EXPECT_EQ(run.info.environment.gpu, "unknown GPU");
    EXPECT_EQ(with(run, "threads=64 items=2").measured.samples_ns, (std::vector<double>{1'500'000, 2'500'000}));
    // The separate time comes from another run, and in another unit.
    EXPECT_EQ(with(run, "threads=128 items=4").measured.samples_ns, (std::vector<double>{750'000, 1'250'000}));
    EXPECT_EQ(with(run, "threads=256 items=8").measured.samples_ns, (std::vector<double>{250'000}));
    EXPECT_DOUBLE_EQ(run.results[0].compile_seconds, 0.12);
    EXPECT_DOUBLE_EQ(run.results[0].measured.seconds, 0.004);  // only the samples
    for (const auto& [threads, what] :
         {std::pair{"threads=288 items=9", outcome::hang}, std::pair{"threads=320 items=10", outcome::compile_error},
          std::pair{"threads=352 items=11", outcome::launch_error},
          std::pair{"threads=384 items=12", outcome::wrong_result},
          std::pair{"threads=416 items=13", outcome::rejected},
          std::pair{"threads=480 items=15", outcome::launch_error}})
        EXPECT_EQ(with(run, threads).measured.status, what) << threads;
    EXPECT_EQ(run.results.size(), 9U);
    EXPECT_FALSE(is_told(file, "timeunit"));
    for (const char* words : {"does not say on which GPU", "unknown invalidity 'exploded'",
                              "whose time is not the mean", "not between a femtosecond and 30 years (result 8)"})
        EXPECT_TRUE(is_told(file, words)) << words << "\n" << all_told(file);
}

TEST(t4_results, with_seconds_and_of_a_later_version)
{
    const result_file file = read_text(
        R"({"metadata": {"timeunit": "Seconds"}, "schema_version": "2.0.0", "results": [{"configuration": {"a": 1},
            "times": {"compilation_time": 2, "benchmark": 3, "validation": 0.5, "runtimes": [0.001]},
            "invalidity": "correct", "correctness": 1, "measurements": [{"name": "time", "value": 1, "unit": "ms"}]})");
    const stored_result& only = file.runs.at(0).results.at(0);
    EXPECT_EQ(only.measured.samples_ns, (std::vector<double>{1e6}));
    EXPECT_EQ(only.compile_seconds, 2);
    EXPECT_EQ(only.measured.seconds, 3.5);
    EXPECT_TRUE(only.measured.verified);
    EXPECT_TRUE(is_told(file, "another version"));
    EXPECT_TRUE(is_told(file, "is truncated"));
    EXPECT_FALSE(is_told(file, "mean"));
}

TEST(ktt_output, has_resources_and_one_run_per_kernel)
{
    const result_file file = read("ktt.json");
    ASSERT_EQ(file.runs.size(), 2U);
    const recorded_run& run = file.runs[0];
    EXPECT_EQ(run.info.name, "Scale");
    EXPECT_EQ(file.runs[1].info.name, "Other");
    EXPECT_NE(file.runs[0].info.task_hash, file.runs[1].info.task_hash);
    EXPECT_EQ(run.info.environment.gpu, "Example GPU");
    EXPECT_EQ(run.info.started, "2024-05-06T07:08:09Z");
    const stored_result& first = with(run, "BLOCK=128 TILE=1.5");
    EXPECT_EQ(first.measured.samples_ns, (std::vector<double>{500'000}));
    EXPECT_DOUBLE_EQ(first.measured.seconds, 0.0025);
    ASSERT_TRUE(first.kernel);
    EXPECT_EQ(first.kernel->figures.registers, 80);
    EXPECT_EQ(first.kernel->figures.static_shared_bytes, 2048);
    EXPECT_EQ(first.kernel->figures.stack_frame_bytes, 16);
    EXPECT_EQ(first.kernel->bounds.max_threads, (std::array{768, 1, 1}));
    EXPECT_FALSE(with(run, "BLOCK=256 TILE=2").kernel);
    for (const auto& [values, what] :
         {std::pair{"BLOCK=256 TILE=2", outcome::launch_error}, std::pair{"BLOCK=512 TILE=2", outcome::wrong_result},
          std::pair{"BLOCK=640 TILE=2", outcome::compile_error}, std::pair{"BLOCK=768 TILE=2", outcome::rejected},
          std::pair{"BLOCK=800 TILE=2", outcome::launch_error}})
        EXPECT_EQ(with(run, values).measured.status, what) << values;
    EXPECT_EQ(run.results.size(), 6U);
    EXPECT_TRUE(is_told(file, "'Vanished'"));
    EXPECT_TRUE(is_told(file, "left out, since the time is not between a femtosecond and 30 years (entry 6)"));
}

TEST(ktt_output, truncated_output_is_read_to_its_end)
{
    const std::string whole = read_input(foreign_folder + "ktt.json");
    const result_file file = read_text(whole.substr(0, whole.find("ValidationFailed") + 30));
    EXPECT_EQ(file.runs[0].results.size(), 2U);
    EXPECT_TRUE(is_told(file, "is truncated"));
    EXPECT_TRUE(is_told(file, "1 candidate left out, since the entry is truncated or damaged (entry 2)"));
}

TEST(foreign_results, are_distinguished_from_all_other_files)
{
    for (const char* text :
         {"", "{", "[]", "42", "{\"schema\": \"launchbox.results/1\", \"cache\": {}, \"tune_params\": 1}",
          "{\"results\": []}", "\"cache\"", "// only a comment", "#"})
        EXPECT_FALSE(read_foreign_results(text, "file")) << text;
}

TEST(compressed_results, are_read_like_uncompressed_ones)
{
    const temporary_directory place;
    const std::string path = (place.path() / "cache.json.gz").string();
    const std::string whole = gzip(read_input(foreign_folder + "kernel_tuner.json"));
    std::ofstream(path, std::ios::binary) << whole;
    const result_file file = read_result_file(path);
    EXPECT_EQ(file.runs[0].results, read("kernel_tuner.json").runs[0].results);
    EXPECT_TRUE(file.diagnostics.empty()) << all_told(file);

    std::ofstream(path, std::ios::binary) << whole.substr(0, whole.size() * 9 / 10);
    const result_file cut = read_result_file(path);
    EXPECT_FALSE(cut.runs[0].results.empty());
    EXPECT_TRUE(is_told(cut, "it is truncated; the existing part was decompressed")) << all_told(cut);
}

double best_mean(const recorded_run& run)
{
    double best = 1e300;
    for (const stored_result& result : run.results) {
        double sum = 0;
        for (const double sample : result.measured.samples_ns) sum += sample;
        if (result.measured.status == outcome::measured)
            best = std::min(best, sum / static_cast<double>(result.measured.samples_ns.size()));
    }
    return best;
}

TEST(recorded_spaces, are_read_completely)
{
    for (const recorded_spaces& spaces : all_recorded_spaces()) {
        SCOPED_TRACE(spaces.kt_convolution);
        const auto read = [&](const std::filesystem::path& file, const nlohmann::json& counts) {
            result_file space = read_result_file(file.string());
            EXPECT_TRUE(space.diagnostics.empty()) << all_told(space);
            const recorded_run& run = space.runs.at(0);
            EXPECT_EQ(run.results.size(), counts["candidates"]);
            EXPECT_EQ(count(run, outcome::measured), counts["measured"]);
            const double best = counts["best_mean_ns"];
            EXPECT_NEAR(best_mean(run), best, best * 5e-5);
            return space;
        };
        const nlohmann::json& counts = spaces.counts["kt_convolution"];
        const result_file convolution = read(spaces.kt_convolution, counts);
        const recorded_run& first = convolution.runs.at(0);
        EXPECT_EQ(count(first, outcome::compile_error), counts["compile_errors"]);
        EXPECT_EQ(count(first, outcome::measured) + count(first, outcome::compile_error) +
                      count(first, outcome::launch_error),
                  counts["candidates"]);
        double compiling = 0, measuring = 0;
        for (const stored_result& result : first.results)
            compiling += result.compile_seconds, measuring += result.measured.seconds;
        EXPECT_NEAR(compiling, counts["compile_seconds"].get<double>(), 1);
        EXPECT_GT(measuring, 0);

        read(spaces.ktt_pnpoly, spaces.counts["ktt_pnpoly"]);
        const result_file ktt = read(spaces.ktt_convolution, spaces.counts["ktt_convolution"]);
        EXPECT_EQ(std::ranges::count_if(ktt.runs.at(0).results,
                                        [](const stored_result& result) {
                                            return result.kernel && result.kernel->figures.stack_frame_bytes > 0;
                                        }),
                  spaces.counts["ktt_convolution"]["with_stack"]);
    }
}

}  // namespace
}  // namespace launchbox
