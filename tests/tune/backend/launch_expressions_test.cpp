// The expressions of a [kernel]: the names that they may use, their results, and errors with line numbers.
#include "tune/backend/launch_expressions.hpp"

#include <gtest/gtest.h>

#include "kernel_specs.hpp"
#include "launchbox/sm_limits.hpp"
#include "support/error.hpp"

namespace launchbox {
namespace {

using testing_specs::integer;
using testing_specs::values_of;

// Lines 10 and 11 are the launch, `rest` comes after them.
tune_spec spec_with(const std::string& launch, const std::string& rest = "")
{
    return parse_tune_spec("k.toml",
                           "[tunable]\nname = 'k'\n[parameters]\nthreads = [16, 32, 256]\nmode = ['a', 'b']\n"
                           "share = [0.5]\nwide = [true, false]\n[kernel]\nsource = 'k.cu'\n" +
                               launch + "\nname = 'k'\n" + rest);
}

limit_values limits_of_a_gpu()
{
    gpu_device gpu{};
    gpu.sms = 132;
    return limits_for_expressions(*find_sm_limits({9, 0}), &gpu);
}

const assignment values = values_of(
    {{"threads", integer(256)}, {"mode", std::string("b")}, {"share", 0.5}, {"wide", true}, {"n", integer(1000)}});

evaluated_launch launch_with(const std::string& launch, const limit_values& limits = limits_of_a_gpu())
{
    const tune_spec spec = spec_with(launch, "[[workload]]\nn = 1000\n");
    return launch_expressions(spec, limits).launch(values);
}

TEST(launch_expressions, use_parameters_of_every_type_workloads_and_the_gpu)
{
    const evaluated_launch launch = launch_with(
        "threads = ['threads', 2, 'wide']\nblocks = ['ceil_div(n, threads // 32)', '4 * device.sms', 'n * share']\n"
        "cluster = \"mode == 'b' and 2 or 1\"\ndynamic_shared = 'wide and sm.shared // 2 or 0'\nstatic_shared = 2e3");
    EXPECT_EQ(launch, (evaluated_launch{.threads = {256, 2, 1},
                                        .blocks = {125, 528, 500},
                                        .cluster = {2, 1, 1},
                                        .dynamic_shared_bytes = find_sm_limits({9, 0})->shared_per_sm / 2,
                                        .static_shared_bytes = 2000}));
    EXPECT_EQ(launch_with("threads = 'threads * 1000000000'\nblocks = 1").threads[0], 2147483647);
    EXPECT_EQ(launch_with("threads = 'threads'\nblocks = 1").static_shared_bytes, std::nullopt);
}

std::string complaint_of(const std::string& launch, const limit_values& limits = limits_of_a_gpu())
{
    try {
        static_cast<void>(launch_with(launch, limits));
        return {};
    } catch (const error& failure) {
        EXPECT_FALSE(failure.hint().empty()) << failure.what();
        return failure.what();
    }
}

TEST(launch_expressions, evaluation_errors_have_a_line)
{
    EXPECT_EQ(complaint_of("threads = 'threads'\nblocks = 'n // 3 / 2'"),
              "k.toml:11:10: 'n // 3 / 2' is 166.5, not a whole number");
    EXPECT_EQ(complaint_of("threads = 'mode'\nblocks = 1"),
              "k.toml:10:11: 'mode' is the word 'b', but a number is needed");
    EXPECT_EQ(complaint_of("threads = 'threads'\nblocks = 'mode * 2'").substr(0, 48),
              "k.toml:11:10: cannot evaluate 'mode * 2': attemp");
    EXPECT_EQ(complaint_of("threads = 'threads'\nblocks = 'n // (threads - 256)'"),
              "k.toml:11:10: cannot evaluate 'n // (threads - 256)': attempt to divide by zero");
    EXPECT_EQ(complaint_of("threads = 1.5\nblocks = 1"), "k.toml:10:11: '1.5' is 1.5, not a whole number");
    EXPECT_EQ(complaint_of("threads = 'thread'\nblocks = 1"), "k.toml:10:11: unknown name \"thread\" in threads");
    EXPECT_EQ(complaint_of("threads = 'threads'\nblocks = '4 * device.sms'",
                           limits_for_expressions(*find_sm_limits({9, 0}), nullptr)),
              "k.toml:11:10: device.sms in '4 * device.sms' is only available on a machine with the GPU");
}

TEST(launch_expressions, fill_in_arguments)
{
    const tune_spec spec = parse_tune_spec("k.toml", R"toml([tunable]
name = "k"
[parameters]
share = [0.25]
mode = ["a", "b"]
[[workload]]
n = 1048576
type = "int"
[kernel]
source = "k.cu"
name = "k"
threads = 32
blocks = 1
arguments = [
  { name = "keys", type = "{type}", count = "n * 2", fill = "random", low = 1, seed = 42 },
  { name = "out", type = "{type}", count = "n", role = "output" },
  { name = "n", type = "long long", value = "n - 1" },
  { name = "share", type = "float", value = "share * 3" },
  { name = "half", type = "double", value = -2.5 },
  { name = "is_b", type = "bool", value = "mode == 'b'" },
  { name = "from", type = "int", count = "n", fill = "file", file = "{type}.npy" },
]
)toml");
    const launch_expressions expressions(spec, {});
    const assignment with =
        values_of({{"share", 0.25}, {"mode", std::string("b")}, {"n", integer(1 << 20)}, {"type", std::string("int")}});
    const std::vector<task_argument> arguments = expressions.arguments(with);
    ASSERT_EQ(arguments.size(), 7u);
    EXPECT_EQ(arguments[0].type, "int");
    EXPECT_EQ(arguments[0].count, 2 << 20);
    EXPECT_FALSE(arguments[0].scalar);
    EXPECT_EQ(arguments[0].fill, fill_kind::random);
    EXPECT_EQ(arguments[0].low, 1);
    EXPECT_EQ(arguments[0].high, std::nullopt);
    EXPECT_EQ(arguments[0].seed, 42);
    EXPECT_EQ(arguments[1].role, argument_role::output);
    EXPECT_TRUE(arguments[2].scalar);
    EXPECT_EQ(arguments[2].integer, (1 << 20) - 1);
    EXPECT_EQ(arguments[2].number, (1 << 20) - 1);
    EXPECT_EQ(arguments[3].number, 0.75);
    EXPECT_EQ(arguments[4].number, -2.5);
    EXPECT_EQ(arguments[5].integer, 1);
    EXPECT_EQ(arguments[6].file, "int.npy");
}

std::string found_by_check(const std::string& launch, const std::string& rest)
{
    const tune_spec spec = spec_with(launch, rest);
    const limit_values limits = limits_of_a_gpu();
    const search_space space(spec, limits);
    try {
        launch_expressions(spec, limits).check(space);
        return {};
    } catch (const error& failure) {
        return failure.what();
    }
}

TEST(launch_expressions, are_evaluated_with_all_candidates_and_workloads_before_compiling)
{
    const std::string launch = "threads = 'threads'\nblocks = 'ceil_div(n, threads // 32)'";
    const std::string workloads = "[[workload]]\nn = [1000, 2000]\n";
    EXPECT_EQ(found_by_check(launch, workloads),
              "k.toml:11:10: cannot evaluate 'ceil_div(n, threads // 32)': ceil_div needs a positive divisor, with "
              "threads=16 mode=a share=0.5 wide=true n=1000");
    // Candidates that the constraints exclude do not matter, even if only for one workload.
    EXPECT_EQ(found_by_check(launch, workloads + "[constraints]\nall = ['threads >= 32']\n"), "");
    EXPECT_EQ(found_by_check(launch, workloads + "[constraints]\nall = ['threads * n >= 32000']\n"),
              "k.toml:11:10: cannot evaluate 'ceil_div(n, threads // 32)': ceil_div needs a positive divisor, with "
              "threads=16 mode=a share=0.5 wide=true n=2000");
    EXPECT_EQ(found_by_check(launch, workloads + "[constraints]\nall = ['threads * n >= 32001']\n"), "");
    EXPECT_EQ(
        found_by_check("threads = 'threads'\nblocks = 1",
                       workloads + "[[kernel.arguments]]\nname = 'x'\ntype = 'int'\ncount = 'n - 1500'\n"),
        "k.toml:18:9: 'n - 1500' is -500, but a count must be 0 or more, with threads=16 mode=a share=0.5 wide=true "
        "n=1000");
}

TEST(launch_expressions, errors_in_constraints_have_a_line)
{
    const auto complaint = [](const std::string& constraint) -> std::string {
        const tune_spec spec =
            spec_with("threads = 'threads'\nblocks = 1",
                      "[[workload]]\nn = 1000\n[constraints]\nall = ['threads > 0',\n" + ("\"" + constraint + "\"]\n"));
        try {
            const search_space space(spec, {});
            space.check_workload_constraints(spec.workloads);
            return {};
        } catch (const error& failure) {
            return failure.what();
        }
    };
    EXPECT_EQ(complaint("mode < threads"),
              "k.toml:17:1: cannot evaluate 'mode < threads': attempt to compare string "
              "with number");
    EXPECT_EQ(complaint("n // (threads - 16) > 0"),
              "k.toml:17:1: cannot evaluate 'n // (threads - 16) > 0': attempt to divide by zero");
    EXPECT_EQ(complaint("sm.max_threads > 0"),
              "k.toml:17:1: sm.max_threads in 'sm.max_threads > 0' depends on the GPU, and this machine has none");
}

}  // namespace
}  // namespace launchbox
