// Real builds with nvcc. The programs print a time instead of launching, since no GPU is needed to see what was built.
#include "tune/bench/bounds_race.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "compiler/run/toolchain.hpp"
#include "nvcc_test.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/command_words.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

// Prints what the kernel was compiled with: the time in milliseconds is its bound.
constexpr const char* source = R"(
#include <cstdio>
#include <cstdlib>
#ifndef BOUND
#define BOUND 7
#endif
__global__ void scale(float* data) { data[threadIdx.x] *= 2; }
int main(int count, char** words)
{
    if (BOUND == 96) { std::puts("too many resources requested for launch"); return 1; }
    std::printf("time: %d ms\n", count > 1 ? std::atoi(words[1]) : BOUND);
}
)";

std::string header_for(int threads)
{
    const std::string bound = std::to_string(threads);
    return "#ifdef __CUDACC__\n#include <cuda_runtime.h>\n#undef __global__\n#define BOUND " + bound +
           "\n#define __global__ __attribute__((global)) __attribute__((launch_bounds(" + bound + ")))\n#endif\n";
}

class BoundsRace : public nvcc_test {
protected:
    void SetUp() override
    {
        nvcc_test::SetUp();
        if (IsSkipped()) return;
        write_file_atomically(file("scale.cu"), source);
    }

    [[nodiscard]] std::string file(const char* name) const { return (folder_.path() / name).string(); }

    [[nodiscard]] bounds_benchmark benchmark(const std::string& command, const std::string& build = {}) const
    {
        return {.source = file("scale.cu"),
                .flags = {},
                .architecture = parse_compute_capability("sm_90").value(),
                .command = command_words(command),
                .build = build.empty() ? std::vector<std::string>{} : command_words(build),
                .race = {.runs = 2, .time_limit = 100}};
    }

    [[nodiscard]] static bounds_variant variant(int threads)
    {
        bounds_variant result{.attribute = "__launch_bounds__(" + std::to_string(threads) + ")",
                              .header = header_for(threads),
                              .threads = threads,
                              .expected = {}};
        result.expected.name = "_Z5scalePf";
        result.expected.architecture = "sm_90";
        result.expected.bounds.max_threads = {threads, 1, 1};
        return result;
    }
};

TEST_F(BoundsRace, a_program_is_built_here_for_each_bound)
{
    bounds_variant as_written = variant(0);
    as_written.header.clear();
    as_written.expected.bounds.max_threads.reset();
    std::size_t calls = 0;
    const std::vector<variant_time> times =
        race_bounds(tools_, benchmark("{program}"), {as_written, variant(128), variant(96), variant(256)},
                    [&](std::size_t done, std::size_t total) {
                        EXPECT_EQ(done, ++calls);
                        EXPECT_EQ(total, 4u + 12u);
                    });
    ASSERT_EQ(times.size(), 4u);
    EXPECT_EQ(times[0].times_ns, (std::vector<double>{7e6, 7e6})) << times[0].failure;
    EXPECT_EQ(times[1].times_ns, (std::vector<double>{128e6, 128e6})) << times[1].failure;
    EXPECT_EQ(times[2].failure, "ended with exit status 1: too many resources requested for launch");
    EXPECT_EQ(times[3].times_ns, (std::vector<double>{256e6, 256e6})) << times[3].failure;
    EXPECT_EQ(calls, 16u);
}

TEST_F(BoundsRace, the_block_size_is_passed_to_the_command)
{
    const std::vector<variant_time> times =
        race_bounds(tools_, benchmark("{program} {threads}"), {variant(64), variant(32)});
    EXPECT_EQ(times[0].times_ns, (std::vector<double>{64e6, 64e6}));
    EXPECT_EQ(times[1].times_ns, (std::vector<double>{32e6, 32e6}));
}

TEST_F(BoundsRace, the_users_build_runs_for_each_bound_and_its_programs_are_kept_apart)
{
    const std::string program = file("bench");
    const std::string build =
        "'" + tools_.nvcc.string() + "' -arch={architecture} '" + file("scale.cu") + "' -o '" + program + "'";
    const std::vector<variant_time> times =
        race_bounds(tools_, benchmark("'" + program + "'", build), {variant(128), variant(256)});
    EXPECT_EQ(times[0].times_ns, (std::vector<double>{128e6, 128e6})) << times[0].failure;
    EXPECT_EQ(times[1].times_ns, (std::vector<double>{256e6, 256e6})) << times[1].failure;
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder_.path())) files += entry.is_regular_file();
    EXPECT_EQ(files, 2u) << "the copies are gone, the source and the program are there";
}

TEST_F(BoundsRace, a_build_that_does_nothing_is_detected)
{
    const std::string program = file("bench");
    run({tools_.nvcc.string(), "-arch=sm_90", file("scale.cu"), "-o", program});
    const std::vector<variant_time> times = race_bounds(tools_, benchmark("'" + program + "'", "true"), {variant(128)});
    EXPECT_TRUE(times[0].failure.starts_with("was not rebuilt with it: the program has no launch bound"))
        << times[0].failure;
    EXPECT_TRUE(times[0].times_ns.empty());
}

TEST_F(BoundsRace, a_program_that_cannot_have_been_rebuilt_is_refused)
{
    const std::string program = file("bench");
    run({tools_.nvcc.string(), "-arch=sm_90", file("scale.cu"), "-o", program});
    try {
        race_bounds(tools_, benchmark("'" + program + "' --json"), {variant(128)});
        FAIL();
    } catch (const error& failure) {
        EXPECT_EQ(
            std::string(failure.what()),
            program +
                " is a program that contains kernels; unless it is rebuilt, every launch bound gives the same time");
        EXPECT_TRUE(failure.hint().starts_with("add --build 'make', or write {program}")) << failure.hint();
    }
}

// A script may call nvcc itself, which reads the environment.
TEST_F(BoundsRace, a_script_gets_the_bound_in_its_environment)
{
    const std::string script = file("bench.sh");
    write_file_atomically(script, "#!/bin/sh\nset -e\n'" + tools_.nvcc.string() + "' -arch=sm_90 '" + file("scale.cu") +
                                      "' -o '" + file("made") + "'\n'" + file("made") +
                                      "' | sed \"s/time/$LAUNCHBOX_THREADS\\/$LAUNCHBOX_ARCHITECTURE: time/\"\n");
    fs::permissions(script, fs::perms::owner_all);
    const std::vector<variant_time> times = race_bounds(tools_, benchmark(script), {variant(160)});
    EXPECT_EQ(times[0].times_ns, (std::vector<double>{160e6, 160e6})) << times[0].failure;
    EXPECT_THROW(race_bounds(tools_, benchmark(script, "true"), {variant(160)}), error)
        << "what is built cannot be seen";
}

TEST_F(BoundsRace, failing_builds_are_named_and_the_others_continue)
{
    bounds_variant broken = variant(64);
    broken.header += "#error this cannot be\n";
    std::vector<variant_time> times = race_bounds(tools_, benchmark("{program}"), {broken, variant(32)});
    EXPECT_NE(times[0].failure.find("does not build: "), std::string::npos);
    EXPECT_NE(times[0].failure.find("this cannot be"), std::string::npos) << times[0].failure;
    EXPECT_EQ(times[1].failure, "");
    times = race_bounds(tools_, benchmark("./bench", "sh -c 'echo lost; exit 2'"), {variant(32)});
    EXPECT_EQ(times[0].failure, "does not build: exit status 2: lost");
    times = race_bounds(tools_, benchmark("'" + file("nothing") + "'", "true"), {variant(32)});
    EXPECT_EQ(times[0].failure, "its build does not write " + file("nothing"));
}

}  // namespace
}  // namespace launchbox
