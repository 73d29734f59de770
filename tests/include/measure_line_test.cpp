// The line printed by print_measurement: parsed by a JSON library and by the parser of `tune`.
#include <gtest/gtest.h>
#include <launchbox/measurement.hpp>

#include <clocale>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tune/bench/benchmark_output.hpp"

namespace launchbox {
namespace {

using nlohmann::json;

measurement_result good()
{
    return {.samples_ns = {20'544, 20'512.1, 1'234'567'890'123.4, 32},
            .median_ns = 20'528,
            .low_ns = 32,
            .high_ns = 20'544,
            .bytes = 1 << 20};
}

std::string printed(const measurement_result& result, print_options options = {})
{
    std::FILE* const file = std::tmpfile();
    options.file = file;
    print_measurement(result, options);
    std::rewind(file);
    std::string text(100'000, '\0');
    text.resize(std::fread(text.data(), 1, text.size(), file));
    std::fclose(file);
    return text;
}

TEST(measure_line, is_one_line_of_json_with_all_known_values)
{
    const std::string line = printed(good(), {.checksum = 0x00ab'cdef'0000'0001});
    EXPECT_EQ(line.find('\n'), line.size() - 1);
    EXPECT_EQ(line.rfind(R"({"launchbox":"measurement/1","time_ms":[0.020544,0.0205121,1234567.8901234,0.000032],)", 0),
              0u)
        << line;
    const json read = json::parse(line);
    EXPECT_EQ(read["median_ms"], 0.020528);
    EXPECT_EQ(read["interval_ms"], (std::vector<double>{0.000032, 0.020544}));
    EXPECT_EQ(read["cache"], "cold");
    EXPECT_EQ(read["launches"], 1);
    EXPECT_EQ(read["blocked"], true);
    EXPECT_EQ(read["out_of_time"], false);
    EXPECT_EQ(read["bytes"], 1 << 20);
    EXPECT_NEAR(read["gigabytes_per_second"].get<double>(), 1048576.0 / 20528, 0.001);
    EXPECT_EQ(read["checksum"], "00abcdef00000001");
}

TEST(measure_line, unknown_values_are_left_out)
{
    measurement_result result = good();
    result.bytes = 0;
    const json read = json::parse(printed(result));
    for (const char* name : {"bytes", "gigabytes_per_second", "checksum", "failure", "reason", "error"})
        EXPECT_FALSE(read.contains(name)) << name;
    EXPECT_EQ(result.gigabytes_per_second(), 0);
    EXPECT_EQ(measurement_result{}.gigabytes_per_second(), 0);
    EXPECT_EQ(json::parse(printed({}))["time_ms"], json::array());
}

TEST(measure_line, flags_of_other_ways_to_measure)
{
    const json read =
        json::parse(printed({.samples_ns = {5}, .cold = false, .launches = 20, .blocked = false, .out_of_time = true}));
    EXPECT_EQ(read["cache"], "hot");
    EXPECT_EQ(read["launches"], 20);
    EXPECT_EQ(read["blocked"], false);
    EXPECT_EQ(read["out_of_time"], true);
}

TEST(measure_line, a_failure_has_a_reason_and_no_time)
{
    const measurement_result result{.failure = "illegal_access",
                                    .error = "cudaErrorIllegalAddress",
                                    .reason = "sort<\"a\\b\">:\n\t\x01\xc3\xa9 an illegal memory access"};
    const std::string line = printed(result, {.checksum = 1});
    EXPECT_EQ(line,
              "{\"launchbox\":\"measurement/1\",\"failure\":\"illegal_access\",\"error\":\"cudaErrorIllegalAddress\","
              "\"reason\":\"sort<\\\"a\\\\b\\\">:  ??? an illegal memory access\"}\n");
    EXPECT_EQ(json::parse(line)["reason"], "sort<\"a\\b\">:  ??? an illegal memory access");
}

TEST(measure_line, numbers_are_exact_in_any_locale)
{
    const auto check = [] {
        EXPECT_EQ(detail::json_ms(0), "0");
        EXPECT_EQ(detail::json_ms(1e6), "1");
        EXPECT_EQ(detail::json_ms(999'999.96), "1");
        EXPECT_EQ(detail::json_ms(0.1), "0.0000001");
        EXPECT_EQ(detail::json_ms(1.5e6), "1.5");
        EXPECT_EQ(detail::json_number(-2.25, 3), "-2.25");
        EXPECT_EQ(detail::json_number(-0.0001, 3), "0");
        EXPECT_EQ(detail::json_number(1e300, 3), "null");
        EXPECT_EQ(detail::json_number(0.0 / std::abs(0.0), 3), "null");
    };
    check();
    const std::string before = std::setlocale(LC_ALL, nullptr);
    for (const char* name : {"de_DE.UTF-8", "fr_FR.UTF-8"})
        if (std::setlocale(LC_ALL, name) != nullptr) check();
    std::setlocale(LC_ALL, before.c_str());
}

TEST(measure_line, tune_reads_it_among_other_lines)
{
    const benchmark_time time =
        read_benchmark_output("keys: 1024\n" + printed(good(), {.checksum = 0xfeed}) + "done in 12 ms\n");
    EXPECT_EQ(time.diagnostic, "");
    EXPECT_EQ(time.failure, "");
    ASSERT_EQ(time.samples_ns.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i)
        EXPECT_NEAR(time.samples_ns[i], good().samples_ns[i], 1e-9 * good().samples_ns[i]);
    EXPECT_EQ(time.checksum, "000000000000feed");

    const benchmark_time failed = read_benchmark_output(
        "time: 3 ms\n" + printed({.failure = "trap", .error = "cudaErrorAssert", .reason = "device-side assert"}));
    EXPECT_FALSE(failed.found());
    EXPECT_EQ(failed.failure, "trap");
    EXPECT_EQ(failed.diagnostic, "device-side assert");
}

}  // namespace
}  // namespace launchbox
