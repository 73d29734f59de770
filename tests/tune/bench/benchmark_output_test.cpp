#include "tune/bench/benchmark_output.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace launchbox {
namespace {

std::vector<double> samples(std::string_view output)
{
    const benchmark_time time = read_benchmark_output(output);
    EXPECT_EQ(time.diagnostic, "") << output;
    return time.samples_ns;
}

std::string diagnostic(std::string_view output)
{
    const benchmark_time time = read_benchmark_output(output);
    EXPECT_TRUE(time.samples_ns.empty()) << output;
    return time.diagnostic;
}

TEST(benchmark_output, json_with_samples_or_one_time)
{
    EXPECT_EQ(samples(R"({"samples_ns": [3, 1.5, 2e3]})"), (std::vector<double>{3, 1.5, 2000}));
    EXPECT_EQ(samples(R"({"time_ms": 1.25})"), std::vector<double>{1.25e6});
    EXPECT_EQ(samples(R"({"time_us": 2})"), std::vector<double>{2e3});
    EXPECT_EQ(samples(R"({"time_s": 2})"), std::vector<double>{2e9});
    EXPECT_EQ(samples(R"({"time_ns": 7, "median_ns": 6})"), std::vector<double>{6});
    EXPECT_EQ(samples("{\n  \"name\": \"a {brace\",\n  \"time_ns\": 7\n}\n"), std::vector<double>{7});
}

TEST(benchmark_output, json_of_samples_in_any_unit)
{
    EXPECT_EQ(samples(R"({"time_ms": [0.5, 2]})"), (std::vector<double>{0.5e6, 2e6}));
    EXPECT_EQ(samples(R"({"time_ns": [3]})"), std::vector<double>{3});
    EXPECT_EQ(samples(R"({"time_us": [3]})"), std::vector<double>{3e3});
    EXPECT_EQ(samples(R"({"time_s": [3]})"), std::vector<double>{3e9});
    // Several samples have more information than one number.
    EXPECT_EQ(samples(R"({"median_ns": 7, "time_ms": [1, 2, 3]})"), (std::vector<double>{1e6, 2e6, 3e6}));
    EXPECT_EQ(samples(R"({"time_ms": [1, 2, 3], "samples_ns": [5]})"), std::vector<double>{5});
    EXPECT_EQ(diagnostic(R"({"time_ms": []})"), "its time_ms are empty");
    EXPECT_EQ(diagnostic(R"({"time_ms": [1, null]})"), "its time_ms hold something that is not a number");
    EXPECT_EQ(diagnostic(R"({"time_ms": [1, 0]})"), "it prints a time that is not above 0");
}

// In the format of print_measurement in measure.cuh; its real output is parsed in tests/include.
TEST(benchmark_output, a_measurement_and_a_failed_one)
{
    const benchmark_time good = read_benchmark_output(
        "GPU 0\n{\"launchbox\":\"measurement/1\",\"time_ms\":[0.25,0.5],\"median_ms\":0.375,\"checksum\":\"00ff\"}\n");
    EXPECT_EQ(good.samples_ns, (std::vector<double>{0.25e6, 0.5e6}));
    EXPECT_EQ(good.checksum, "00ff");
    EXPECT_EQ(good.failure, "");

    const benchmark_time bad = read_benchmark_output(
        "setup: 3 ms\n{\"launchbox\":\"measurement/1\",\"failure\":\"illegal_access\",\"reason\":\"at 0x10\"}\n");
    EXPECT_FALSE(bad.found());
    EXPECT_EQ(bad.failure, "illegal_access");
    EXPECT_EQ(bad.diagnostic, "at 0x10");
    EXPECT_EQ(read_benchmark_output(R"({"launchbox":"measurement/1","failure":"trap"})").diagnostic, "trap");
    // A field of another program, or a value that is not a string.
    for (const char* other : {R"({"failure":"none","time_ms":2})", R"({"launchbox":1,"failure":"x","time_ms":2})",
                              R"({"launchbox":"measurement/1","failure":false,"time_ms":2,"checksum":3})"}) {
        EXPECT_EQ(samples(other), std::vector<double>{2e6}) << other;
        EXPECT_EQ(read_benchmark_output(other).failure, "") << other;
        EXPECT_EQ(read_benchmark_output(other).checksum, "") << other;
    }
}

TEST(benchmark_output, json_among_other_lines)
{
    EXPECT_EQ(samples("warming up {\nGPU 0: 12 ms elsewhere\n  {\"time_ns\": 7}\nbye }\n"), std::vector<double>{7});
    EXPECT_EQ(samples("{\"host\": \"a\"}\n{\"time_ns\": 8}\n{\"end\": true}\n"), std::vector<double>{8});
}

// The output of Google Benchmark 1.7 with --benchmark_format=json --benchmark_repetitions=2.
TEST(benchmark_output, google_benchmark)
{
    const std::string two = R"({"context": {"num_cpus": 2}, "benchmarks": [
        {"name": "sort/1", "run_name": "sort/1", "run_type": "iteration", "real_time": 1.5, "time_unit": "us"},
        {"name": "sort/1", "run_name": "sort/1", "run_type": "iteration", "real_time": 1.7, "time_unit": "us"},
        {"name": "sort/1_mean", "run_name": "sort/1", "run_type": "aggregate", "real_time": 1.6, "time_unit": "us"}]})";
    EXPECT_EQ(samples("Running ./bench\n" + two), (std::vector<double>{1500, 1700}));
    EXPECT_EQ(diagnostic(R"({"benchmarks": [{"name": "a", "real_time": 1}, {"name": "b", "real_time": 2}]})"),
              "it prints several benchmarks (a, b): choose one with --benchmark_filter");
    EXPECT_EQ(diagnostic(R"({"benchmarks": []})"), "its list of benchmarks contains no time");
    EXPECT_EQ(diagnostic(R"({"benchmarks": [{"name": "a", "error_occurred": true}]})"),
              "its benchmark reports an error");
}

TEST(benchmark_output, one_time_among_lines)
{
    EXPECT_EQ(samples("sorted 1000 keys\nelapsed: 1.25 ms (12 GB/s)\n"), std::vector<double>{1.25e6});
    EXPECT_EQ(samples("4.5us"), std::vector<double>{4500});
    EXPECT_EQ(samples("took 3 µs"), std::vector<double>{3000});
    EXPECT_EQ(samples("kernel2: 1.5e2 ns"), std::vector<double>{150});
    EXPECT_EQ(samples("1.20 ms ± 0.05 ms"), std::vector<double>{1.2e6});
}

TEST(benchmark_output, repeated_lines_are_samples)
{
    EXPECT_EQ(samples("run 1: 3 ms\nrun 2: 4 ms\nrun 10: 5 ms\n"), (std::vector<double>{3e6, 4e6, 5e6}));
}

TEST(benchmark_output, the_median_or_the_line_with_time_is_preferred)
{
    EXPECT_EQ(samples("setup: 9 s\nmin 1 ms, median 2 ms, max 3 ms\n"), std::vector<double>{2e6});
    EXPECT_EQ(samples("copy: 9 ms\nTime: 4 ms\n"), std::vector<double>{4e6});
}

TEST(benchmark_output, an_invalid_time_gives_a_diagnostic)
{
    EXPECT_EQ(diagnostic(""), "it prints no time");
    EXPECT_EQ(diagnostic("12 GB/s, 3 sm, 4 msx, v2ms, x_3 ms\n"), "it prints no time");
    EXPECT_EQ(diagnostic("copy: 1 ms\nsort: 2 ms\n"),
              "it prints several times, and it is unclear which one counts: let one line begin with \"time:\"");
    for (const char* zero : {"time: 0 ms", "time: -1 ms", R"({"time_ns": 0})", R"({"samples_ns": [1, -2]})"})
        EXPECT_EQ(diagnostic(zero), "it prints a time that is not above 0") << zero;
    EXPECT_EQ(diagnostic(R"({"samples_ns": []})"), "its samples_ns are empty");
    EXPECT_EQ(diagnostic(R"({"samples_ns": [1, "2"]})"), "its samples_ns hold something that is not a number");
}

// So small that ratios of two of them are not finite, or longer than anybody would wait.
TEST(benchmark_output, an_impossible_time_is_rejected)
{
    for (const char* short_time : {R"({"time_ms": 1e-320})", R"({"time_s": [1, 1e-16]})", R"({"median_ns": 1e-7})",
                                   "time: 1e-320 ms", R"({"benchmarks": [{"name": "a", "real_time": 1e-320}]})"}) {
        EXPECT_NE(diagnostic(short_time).find("shorter than a femtosecond"), std::string::npos)
            << diagnostic(short_time);
    }
    for (const char* long_time : {R"({"time_ms": 1e300})", R"({"samples_ns": [1, 1.1e18]})", "time: 1e200 s"})
        EXPECT_NE(diagnostic(long_time).find("longer than 30 years"), std::string::npos) << diagnostic(long_time);
    EXPECT_EQ(samples(R"({"samples_ns": [1e-6, 1e18]})"), (std::vector<double>{1e-6, 1e18}));
}

TEST(benchmark_output, two_times_as_json_are_ambiguous)
{
    for (const char* two :
         {"{\"time_ms\": 1}\n{\"time_ms\": 2}\n", "{\"time_ms\": [1, 2]}\nother\n {\"time_ms\": [2, 1]}\n",
          "{\"time_ms\": 1}\n{\"samples_ns\": [5]}\n", "{\n\"a\": [\n{\"time_ns\": 1},\n{\"time_ns\": 2}\n]}\n",
          "{\"time_ms\": 1}\n{\"benchmarks\": [\n{\"name\": \"a\", \"real_time\": 3}\n]\n}\n"})
        EXPECT_NE(diagnostic(two).find("as JSON twice, and it is unclear which one counts"), std::string::npos)
            << two << diagnostic(two);
    EXPECT_NE(diagnostic(R"({"time_ms": 1, "time_ms": 2})").find("has time_ms twice"), std::string::npos);
    EXPECT_EQ(diagnostic("{\"time_ms\": 1}\n{\"time_ms\": 0}\n"), "it prints a time that is not above 0");
    EXPECT_NE(diagnostic("{\"time_ms\": 1}\n{\"time_ms\": NaN}\n"), "");
    // A line that a program prints to both streams, and objects that do not give the total time.
    EXPECT_EQ(samples("{\"time_ms\": 1}\n{\"time_ms\": 1}\n"), std::vector<double>{1e6});
    EXPECT_EQ(samples("{\"time_ms\": 1, \"warm_up\": {\"time_ms\": 9}}\n{\"note\": 3}\n"), std::vector<double>{1e6});
    // If one of them is a failure, the program failed.
    const std::string failed = "{\"launchbox\":\"measurement/1\",\"failure\":\"trap\",\"reason\":\"x\"}\n";
    EXPECT_EQ(read_benchmark_output("{\"time_ms\": 1}\n" + failed).failure, "trap");
    EXPECT_EQ(read_benchmark_output(failed + "{\"time_ms\": 1}\n").failure, "trap");
    // After more objects than are tried together with the text that follows.
    std::string many;
    for (int i = 0; i < 100; ++i) many += "{\"i\": " + std::to_string(i) + "}\n";
    EXPECT_EQ(samples(many + "{\"time_ms\": 1}\n"), std::vector<double>{1e6});
    EXPECT_NE(diagnostic("{\"time_ms\": 1}\n" + many + "{\"time_ms\": 2}\n"), "");
}

// Every prefix, and text with only parts of the expected words.
TEST(benchmark_output, any_text_is_read)
{
    const std::string text = "run {\"a\": [1 ms, {\"time_ns\": 1e999}\n±µ \xff 1e99999 s \x01 {{{{ ]}}\n time: 3 ms\n";
    for (std::size_t length = 0; length <= text.size(); ++length) read_benchmark_output(text.substr(0, length));
    read_benchmark_output(std::string(1'000'000, '{'));
    read_benchmark_output(std::string(1'000'000, '1'));
    std::string lines;
    for (int i = 0; i < 100'000; ++i) lines += "{\n";
    EXPECT_EQ(diagnostic(lines), "it prints no time");
}

}  // namespace
}  // namespace launchbox
