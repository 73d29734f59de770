#include "tune/backend/program_backend.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/files/files.hpp"

namespace launchbox {
namespace {

constexpr double wall = 123;

measurement read(const std::string& output, const std::string& metric = {}, const std::string& unit = "ms")
{
    program_target program;
    program.metric = metric;
    program.unit = unit;
    return read_program_output(output, program, wall);
}

TEST(program_output, a_line_of_json_has_samples_and_checksum)
{
    const measurement found = read("loading\n{\"time_ms\": [1.5, 2], \"checksum\": \"ab12\"}\ndone\n");
    EXPECT_EQ(found.what, outcome::measured);
    EXPECT_EQ(found.samples_ns, (std::vector<double>{1.5e6, 2e6}));
    EXPECT_EQ(found.checksum, "ab12");
}

TEST(program_output, a_program_may_say_how_it_failed)
{
    const measurement found = read(R"({"failure": "illegal_access", "reason": "at 7"})");
    EXPECT_EQ(found.what, outcome::illegal_access);
    EXPECT_EQ(found.reason, "at 7");
    EXPECT_EQ(read(R"({"failure": "measured"})").what, outcome::launch_error);
    EXPECT_EQ(read(R"({"failure": "bad luck"})").reason, "bad luck");
}

TEST(program_output, without_a_time_the_wall_time_counts_but_not_where_the_time_is_none)
{
    EXPECT_EQ(read("").samples_ns, (std::vector<double>{wall}));
    EXPECT_EQ(read("hello\n").samples_ns, (std::vector<double>{wall}));
    EXPECT_EQ(read(R"({"time_ms": [0]})").what, outcome::launch_error);
    EXPECT_EQ(read(R"({"time_ms": "fast"})").what, outcome::launch_error);
    EXPECT_EQ(read(R"({"time_ms": []})").what, outcome::launch_error);
}

TEST(program_output, a_metric_finds_all_its_times_and_nothing_else)
{
    EXPECT_EQ(read("GPU time: 1.5\nother 7\nGPU time: 2e0 x\n", "GPU time: ([0-9.e]+)").samples_ns,
              (std::vector<double>{1.5e6, 2e6}));
    EXPECT_EQ(read("t=3\n", "t=(\\d+)", "us").samples_ns, (std::vector<double>{3000}));
    EXPECT_EQ(read("t=3\n", "t=(\\d+)", "s").samples_ns, (std::vector<double>{3e9}));
    EXPECT_EQ(read("t=-3 t=0\nt=nan\n", "t=(\\S+)").what, outcome::launch_error);
    EXPECT_EQ(read("nothing", "t=(\\d+)").what, outcome::launch_error);
    EXPECT_EQ(read("no group", "group").what, outcome::launch_error);
}

TEST(program_output, broken_json_and_endless_lines_are_no_harm)
{
    EXPECT_EQ(read("{\"time_ms\": [1").samples_ns, (std::vector<double>{wall}));
    EXPECT_EQ(read(std::string(1 << 20, '{')).samples_ns, (std::vector<double>{wall}));
    EXPECT_EQ(read(std::string(1 << 20, 'a'), "a*b(x)").what, outcome::launch_error);
}

}  // namespace
}  // namespace launchbox
