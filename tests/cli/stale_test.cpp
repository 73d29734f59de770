// Results must not outlive their inputs: the files that a compile reads, and a temporary lack of resources.
#include <fstream>
#include <utility>

#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

// 72 registers, or fewer with an option of ptxas.
constexpr const char* large_kernel =
    "__global__ void k(float* p) {\n  float a[64];\n#pragma unroll\n  for (int i = 0; i < 64; ++i) a[i] = p[i];\n"
    "  __syncthreads();\n#pragma unroll\n  for (int i = 0; i < 64; ++i) p[63 - i] = a[i] * a[(i + 7) % 64];\n}\n";

class stale : public testing::Test {
protected:
    void write(const std::string& name, const std::string& text) const { std::ofstream(here / name) << text; }
    [[nodiscard]] std::string path(const std::string& name) const { return (here / name).string(); }

    temporary_directory folder;
    const fs::path here = folder.path();
    const std::vector<std::string> cache{"LAUNCHBOX_CACHE=" + (here / "cache").string()};
};

TEST_F(stale, an_options_file_for_ptxas_is_part_of_the_compile)
{
    NEEDS_NVCC();
    write("k.cu", large_kernel);
    write("budget.toml", "[defaults]\nmax_registers = 32\n");
    write("outer.txt", "--options-file=" + path("inner.txt") + "\n");
    const std::vector<std::string> flags{"--", "-Xptxas", "--options-file=" + path("outer.txt")};
    const auto with_flags = [&](std::vector<std::string> words) {
        words.insert(words.end(), flags.begin(), flags.end());
        return launchbox_run(words, {}, cache);
    };
    const auto registers = [&] {
        const call inspected = with_flags({"inspect", path("k.cu"), "--arch", "sm_90", "--format", "json"});
        EXPECT_EQ(inspected.status, 0) << inspected.err;
        return inspected.json()["kernels"][0]["registers"].get<int>();
    };
    const auto check = [&] {
        return with_flags({"check", path("k.cu"), "--arch", "sm_90", "--budget", path("budget.toml")}).status;
    };
    write("inner.txt", "--maxrregcount=24\n");
    EXPECT_EQ(check(), 0);
    EXPECT_EQ(registers(), 24);
    write("inner.txt", "--maxrregcount=40\n");
    EXPECT_EQ(check(), 1);
    EXPECT_EQ(registers(), 40);
}

TEST_F(stale, the_includes_of_a_candidate_are_those_of_its_compiler)
{
    NEEDS_NVCC();
    write("k.toml",
          "[tunable]\nname = 'k'\n[parameters]\nn = [1, 2]\n[kernel]\nsource = 'k.cu'\nname = 'k<{n}>'\n"
          "threads = 32\nblocks = 1\narguments = [{ name = 'p', type = 'float', count = '64', role = 'in_out' }]\n");
    std::string kernel = large_kernel;
    kernel.replace(kernel.find("__global__"), 10, "template <int n> __global__ __launch_bounds__(32)");
    kernel.replace(kernel.find("int i = 0; i < 64"), 17, "int i = 0; i < COUNT");
    write("k.cu", "#define WHERE \"count.h\"\n/* here */ %:include WHERE\n" + kernel);
    const auto registers = [&] {
        const call built =
            launchbox_run({"tune", path("k.toml"), "--build-only", "--arch", "sm_90", "--format", "json"}, {}, cache);
        EXPECT_EQ(built.status, 0) << built.err;
        return built.json()["candidates"][0]["resources"]["registers"].get<int>();
    };
    write("count.h", "#define COUNT 4\n");
    const int few = registers();
    EXPECT_EQ(registers(), few);
    write("count.h", "#define COUNT 64\n");
    EXPECT_GT(registers(), few);
}

// A compiler is asked which headers a program has; for make and scripts, `sources` in the spec names them.
TEST_F(stale, a_program_is_measured_again_when_one_of_its_headers_changes)
{
    write("sum.toml",
          "[tunable]\nname = 'sum'\nbaseline = { a = 1 }\n[parameters]\na = [1, 2]\n[program]\n"
          "build = ['" LAUNCHBOX_CXX "', '-DA={a}', 'sum.cpp', '-o', '{output}']\nrun = ['{output}']\n");
    write("sum.cpp",
          "#include \"time.h\"\n#include <cstdio>\nint main() { std::printf(\"time: %d ms\", A * TIME); }\n");
    write("time.h", "#define TIME 1\n");
    const auto best = [&] {
        const call tuned = launchbox_run({"tune", path("sum.toml"), "--store", path("sum.db"), "--format", "json"});
        EXPECT_EQ(tuned.status, 0) << tuned.err;
        return std::pair(tuned.json()["best"][0]["median_ns"].get<double>(), tuned.says("nothing new"));
    };
    EXPECT_EQ(best(), std::pair(1e6, false));
    EXPECT_EQ(best(), std::pair(1e6, true));
    const auto emit = [&] {
        return launchbox_run(
            {"emit", path("sum.db"), "--spec", path("sum.toml"), "--allow-unverified", "--format", "json"});
    };
    EXPECT_EQ(emit().status, 0) << emit().err;
    write("time.h", "#define TIME 7\n");
    expect_refused(emit(), "is stale");
    EXPECT_EQ(best(), std::pair(7e6, false));
}

// A header that only some candidates include is not known beforehand: it is noticed when they are built.
TEST_F(stale, a_header_of_only_some_builds_of_a_program_must_be_named)
{
    const auto spec = [&](const std::string& sources) {
        write("sum.toml",
              "[tunable]\nname = 'sum'\nbaseline = { a = 1 }\n[parameters]\na = [1, 2]\n[program]\n" + sources +
                  "build = ['" LAUNCHBOX_CXX "', '-DA={a}', 'sum.cpp', '-o', '{output}']\nrun = ['{output}']\n");
    };
    spec("");
    write("sum.cpp",
          "#if A == 2\n#include \"two.h\"\n#else\n#define TIME 9\n#endif\n#include <cstdio>\n"
          "int main() { std::printf(\"time: %d ms\", TIME); }\n");
    write("two.h", "#define TIME 5\n");
    const auto tune = [&] {
        return launchbox_run({"tune", path("sum.toml"), "--store", path("sum.db"), "--format", "json"});
    };
    const call refused = tune();
    EXPECT_EQ(refused.status, 2);
    EXPECT_TRUE(refused.says("the build with a=2 reads two.h, but the build of the baseline does not")) << refused.err;
    EXPECT_TRUE(refused.says("sources = [\"two.h\"]")) << refused.err;
    spec("sources = ['two.h']\n");
    const auto best = [&] { return tune().json()["best"][0]["median_ns"].get<double>(); };
    EXPECT_EQ(best(), 5e6);
    write("two.h", "#define TIME 1\n");
    EXPECT_EQ(best(), 1e6);
}

// A message of the program itself about a lack of resources is its own result: it is stored, and the next call neither
// tries the candidate again nor ends early.
TEST_F(stale, a_programs_own_message_about_resources_is_its_result)
{
    write("sum.toml",
          "[tunable]\nname = 'sum'\nbaseline = { a = 1 }\n[parameters]\na = { from = 1, to = 8 }\n"
          "[program]\nrun = ['sh', 'bench.sh', '{a}']\n");
    write("bench.sh",
          "[ $1 -gt 2 ] && { echo 'sum: Cannot allocate memory (No space left on device)'; exit 1; }\n"
          "[ $1 = 2 ] && { echo '{\"failure\": \"device_lost\"}'; exit 0; }\necho time: 1 ms\n");
    const std::vector<std::string> command{"tune", path("sum.toml"), "--store", path("sum.db")};
    const call first = launchbox_run(command);
    EXPECT_EQ(first.status, 0) << first.err;
    EXPECT_FALSE(first.says("lack")) << first.err;
    const call results = launchbox_run({"results", path("sum.db"), "--format", "json"});
    EXPECT_EQ(results.json()["candidates"].size(), 8u);
    const call again = launchbox_run(command);
    EXPECT_EQ(again.status, 0) << again.err;
    EXPECT_TRUE(again.says("nothing new")) << again.err;
}

// Threads have stacks of 1 GiB, and the memory only has room for one or a few: the others cannot be started, as with a
// limit of processes. The running threads must not wait for them, which would block forever and ignore SIGTERM.
TEST_F(stale, threads_that_cannot_be_started_are_not_waited_for)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "memory is not limited under the address sanitizer";
#endif
    write("sum.toml",
          "[tunable]\nname = 'sum'\nbaseline = { a = 1 }\n[parameters]\na = [1, 2]\n"
          "[program]\nrun = ['sh', 'bench.sh', '{a}']\n");
    write("bench.sh", "echo time: $1 ms\n");
    if (run({"sh", "-c", "ulimit -s 1048576"}).exit_code != 0) GTEST_SKIP() << "stacks cannot be made larger here";
    for (const char* kilobytes : {"1400000", "2600000", "5000000"}) {
        const subprocess_result ran =
            run({"sh", "-c", std::string("ulimit -s 1048576; ulimit -v ") + kilobytes + "; exec \"$@\"", "sh",
                 LAUNCHBOX_TOOL, "tune", path("sum.toml"), "--store", path("sum.db"), "-j", "8"},
                {.directory = {}, .environment = {}, .time_limit = 120});
        EXPECT_FALSE(ran.timed_out) << kilobytes;
        EXPECT_TRUE(ran.exit_code == 0 || ran.exit_code == 3) << ran.exit_code << ran.output;
        if (ran.exit_code == 3) {
            EXPECT_NE(ran.output.find("the system cannot start another thread"), std::string::npos) << ran.output;
        }
    }
}

// nvcc takes flags from the environment; they can name options files, too.
TEST_F(stale, a_file_named_in_the_environment_is_part_of_the_compile)
{
    NEEDS_NVCC();
    write("k.toml",
          "[tunable]\nname = 'k'\n[parameters]\nn = [1, 2]\n[kernel]\nsource = 'k.cu'\nname = 'k<{n}>'\n"
          "threads = 32\nblocks = 1\narguments = [{ name = 'p', type = 'float', count = '64', role = 'in_out' }]\n");
    std::string kernel = large_kernel;
    kernel.replace(kernel.find("__global__"), 10, "template <int n> __global__");
    write("k.cu", kernel);
    std::vector<std::string> environment = cache;
    environment.push_back("NVCC_APPEND_FLAGS=-Xptxas=--options-file=" + path("o.txt"));
    const auto registers = [&] {
        const call built = launchbox_run(
            {"tune", path("k.toml"), "--build-only", "--compiler", "nvcc", "--arch", "sm_90", "--format", "json"}, {},
            environment);
        EXPECT_EQ(built.status, 0) << built.err;
        return built.json()["candidates"][0]["resources"]["registers"].get<int>();
    };
    write("o.txt", "--maxrregcount=24\n");
    EXPECT_EQ(registers(), 24);
    write("o.txt", "--maxrregcount=40\n");
    EXPECT_EQ(registers(), 40);
}

// Response files, nested ones, and flags in the environment are part of a program, too.
TEST_F(stale, a_program_is_measured_again_when_its_options_change)
{
    write("sum.toml",
          "[tunable]\nname = 'sum'\nbaseline = { a = 1 }\n[parameters]\na = [1, 2]\n[program]\n"
          "build = ['" LAUNCHBOX_CXX "', '-DA={a}', '@outer.txt', 'sum.cpp', '-o', '{output}']\nrun = ['{output}']\n");
    write("sum.cpp", "#include <cstdio>\nint main() { std::printf(\"time: %d ms\", A * TIME); }\n");
    write("outer.txt", "@" + path("inner.txt") + "\n");
    write("inner.txt", "-DTIME=1\n");
    std::vector<std::string> environment;
    const auto best = [&] {
        const call tuned =
            launchbox_run({"tune", path("sum.toml"), "--store", path("sum.db"), "--format", "json"}, {}, environment);
        EXPECT_EQ(tuned.status, 0) << tuned.err;
        return std::pair(tuned.json()["best"][0]["median_ns"].get<double>(), tuned.says("nothing new"));
    };
    EXPECT_EQ(best(), std::pair(1e6, false));
    EXPECT_EQ(best(), std::pair(1e6, true));
    write("inner.txt", "-DTIME=7\n");
    EXPECT_EQ(best(), std::pair(7e6, false));
    environment = {"NVCC_APPEND_FLAGS=-G"};
    EXPECT_EQ(best(), std::pair(7e6, false));
    EXPECT_EQ(best(), std::pair(7e6, true));
}

}  // namespace
}  // namespace launchbox
