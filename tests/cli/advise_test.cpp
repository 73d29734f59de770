// launchbox advise: one answer per kernel, the same from every verb, in fifteen lines.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

const std::vector<std::string> cache{"LAUNCHBOX_CACHE=" LAUNCHBOX_TEST_CACHE};

class advise_verb : public testing::Test {
protected:
    temporary_directory folder;
    fs::path file = folder.path() / "k.cu";

    void SetUp() override { NEEDS_NVCC(); }

    // Runs it with these words after the file.
    [[nodiscard]] call advise(const std::string& source, std::vector<std::string> words = {"--arch", "sm_90"}) const
    {
        write_file_atomically(file, source);
        words.insert(words.begin(), {"advise", file.string()});
        return launchbox_run(words, {}, cache);
    }
    [[nodiscard]] json answer(const std::string& source, std::vector<std::string> words = {"--arch", "sm_90"}) const
    {
        words.insert(words.end(), {"--format", "json"});
        const call result = advise(source, words);
        EXPECT_EQ(result.status, 0) << result.err;
        return result.json();
    }
};

const std::string spilling = R"(
__global__ void __launch_bounds__(1024, 2) fft(float* data, int n)
{
    float v[64];
    const int base = (blockIdx.x * blockDim.x + threadIdx.x) * 64;
    for (int i = 0; i < 64; ++i) v[i] = data[base + i];
    for (int r = 0; r < n; ++r)
        for (int s = 32; s > 0; s >>= 1)
#pragma unroll
            for (int i = 0; i < 64; ++i)
                if ((i & s) == 0) { const float a = v[i], b = v[i | s]; v[i] = a + b; v[i | s] = (a - b) * (0.5f + r); }
    for (int i = 0; i < 64; ++i) data[base + i] = v[i];
}
void go(float* data, int n) { fft<<<n, 1024>>>(data, n); }
)";

// Whether the page has these words, ignoring its line breaks.
bool says(const call& page, const std::string& words)
{
    std::istringstream lines(page.out);
    std::string text;
    for (std::string word; lines >> word;) text += (text.empty() ? "" : " ") + word;
    return text.find(words) != std::string::npos;
}

}  // namespace

TEST_F(advise_verb, says_which_bound_and_what_it_costs_in_fifteen_lines)
{
    write_file_atomically(file, spilling);
    const call shown = launchbox_run({"advise", file.string(), "--arch", "A100,H100,RTX 5090"}, {},
                                     {"COLUMNS=80", "LAUNCHBOX_CACHE=" LAUNCHBOX_TEST_CACHE});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_TRUE(shown.shows("k.cu:14")) << shown.out;
    EXPECT_TRUE(shown.shows("A100")) << shown.out;
    EXPECT_TRUE(shown.shows("(1024,1)")) << shown.out;
    EXPECT_TRUE(shown.shows("RTX 5090: ptxas ignored min_blocks 2")) << shown.out;
    // Counted from the table on, because the file's path may take several lines.
    const std::vector<std::string> lines = lines_of(shown.out);
    const auto table =
        std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("            regs"); });
    ASSERT_NE(table, lines.end()) << shown.out;
    const auto next = std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("  next: "); });
    EXPECT_LE(next - table, 16) << shown.out;
    const call all = advise(spilling, {"--arch", "sm_90", "--all"});
    EXPECT_TRUE(all.shows("a real trade-off against")) << all.out;
}

TEST_F(advise_verb, a_kernel_that_spills_with_every_bound_is_not_called_good)
{
    const json found = answer(
        "__global__ void __launch_bounds__(1024) k(float* p, int n)\n"
        "{\n    float v[80];\n    for (int i = 0; i < 80; ++i) v[i] = p[i * n + threadIdx.x];\n"
        "    for (int r = 0; r < n; ++r)\n#pragma unroll\n"
        "        for (int i = 0; i < 80; ++i) v[i] = v[i] * v[(i + 7) % 80] + v[(i + 1) % 80];\n"
        "    for (int i = 0; i < 80; ++i) p[i * n + threadIdx.x] = v[i];\n}\n");
    const json& one = found.at("kernels").at(0).at("architectures").at(0);
    ASSERT_GT(one.at("spill_store_bytes").get<int>(), 0);
    EXPECT_EQ(one.at("verdict"), "keep");
    EXPECT_EQ(one.at("effect"), "spills, and no other bound spills less");
}

TEST_F(advise_verb, the_block_size_is_free_fixed_or_unknown_with_the_reason)
{
    const json found = answer(
        "__global__ void reads(float* p) { p[blockIdx.x * blockDim.x + threadIdx.x] = 1; }\n"
        "__global__ void never(float* p) { p[blockIdx.x * 128 + threadIdx.x] = 1; }\n"
        "template <int N> __global__ void tied(float* p) { __shared__ float s[N]; s[threadIdx.x] = blockDim.x;\n"
        "    __syncthreads(); p[threadIdx.x] = s[N - 1 - threadIdx.x]; }\n"
        "template <int N> void launch(float* p) { tied<N><<<8, N>>>(p); }\n"
        "void go(float* p, int n) { reads<<<n, 192>>>(p); never<<<n, 128>>>(p); launch<64>(p); reads<<<8, 192>>>(p); "
        "}\n"
        "__global__ void lonely(float* p) { p[threadIdx.x] = blockDim.x; }\n"
        "__global__ void varying(float* p) { p[threadIdx.x] = blockDim.x; }\n"
        "void vary(float* p, int n) { varying<<<8, n>>>(p); }\n");
    std::map<std::string, json> by_name;
    for (const json& kernel : found.at("kernels")) by_name[kernel.at("short_name").get<std::string>()] = kernel;
    EXPECT_EQ(by_name.at("reads").at("block_size"), "free");
    EXPECT_EQ(by_name.at("reads").at("launches").size(), 2u);
    EXPECT_EQ(by_name.at("reads").at("launches").at(0).at("threads"), 192);
    EXPECT_EQ(by_name.at("reads").at("launches").at(0).at("line"), 6);
    EXPECT_EQ(by_name.at("never").at("block_size"), "fixed");
    EXPECT_EQ(by_name.at("tied<64>").at("block_size"), "fixed");
    EXPECT_EQ(by_name.at("tied<64>").at("architectures").at(0).at("threads"), 64);
    EXPECT_TRUE(by_name.at("lonely").at("launches").empty());
    EXPECT_EQ(by_name.at("lonely").at("threads_assumed"), true);
    EXPECT_EQ(by_name.at("varying").at("threads_assumed"), true);
    EXPECT_EQ(by_name.at("varying").at("launches").at(0).at("threads"), nullptr);
    EXPECT_EQ(by_name.at("reads").at("threads_assumed"), false);
}

TEST_F(advise_verb, no_bound_is_named_for_launches_of_unknown_size)
{
    // A bound would gain a fifth block with 128 threads; but launches may be larger than any bound named here.
    const std::string kernel =
        "__global__ void k(float* p, int n)\n{\n    float v[76];\n"
        "    for (int i = 0; i < 76; ++i) v[i] = p[i * n + threadIdx.x];\n    for (int r = 0; r < n; ++r)\n"
        "#pragma unroll\n        for (int i = 0; i < 76; ++i) v[i] = v[i] * v[(i + 7) % 76] + v[(i + 1) % 76];\n"
        "    for (int i = 0; i < 76; ++i) p[i * blockDim.x + threadIdx.x] = v[i];\n}\n";
    const json unknown = answer(kernel + "void go(float* p, int n, int t) { k<<<8, t>>>(p, n); }\n");
    const json known = answer(kernel + "void go(float* p, int n, int t) { k<<<8, 1024>>>(p, n); }\n");
    EXPECT_EQ(unknown.at("kernels").at(0).at("architectures").at(0).at("write"), nullptr);
    EXPECT_EQ(known.at("kernels").at(0).at("architectures").at(0).at("threads"), 1024);
    EXPECT_EQ(known.at("kernels").at(0).at("architectures").at(0).at("verdict"), "write") << known.dump(1);
}

TEST_F(advise_verb, unanswerable_kernels_are_named_and_the_others_answered)
{
    const std::string light = "__global__ void k(float* p) { p[threadIdx.x] = 1; }\n";
    const call one_fails =
        advise("#if __CUDA_ARCH__ == 800\n#error not for this one\n#endif\n" + light, {"--arch", "sm_80,sm_90"});
    EXPECT_EQ(one_fails.status, 2);
    EXPECT_TRUE(one_fails.says("not for this one")) << one_fails.err;
    EXPECT_TRUE(one_fails.shows("sm_90")) << one_fails.out;
    expect_refused(advise("template <int N> __global__ void k() {}\n"), "no instantiated __global__ function");
    expect_refused(advise(light, {"--arch", "sm_90", "--kernel", "q"}), "no kernel matches 'q'");
    expect_refused(advise(light, {"--arch", "sm_9"}), "sm_9");
    expect_refused(advise(light, {"--arch", "sm_90", "--threads", "0"}), "--threads");
    expect_refused(launchbox_run({"advise"}), "FILE is missing");
    for (const char* verb : {"advise", "bounds"})
        expect_refused(launchbox_run({verb, "tests/data/logs/basic_sm_90.log", "--arch", "sm_90"}), "is not a source");
    // nvcc is told what other files are.
    const std::string other = (folder.path() / "k.inc").string();
    write_file_atomically(other, light);
    expect_refused(launchbox_run({"advise", other, "--arch", "sm_90"}), "is not a source");
    using words = std::vector<std::string>;
    for (const words& language : {words{"-x", "cu"}, words{"--x", "cu"}, words{"-x=cu"}, words{"--x=cu"}}) {
        words all{"advise", other, "--arch", "sm_90", "--"};
        all.insert(all.end(), language.begin(), language.end());
        EXPECT_EQ(launchbox_run(all).status, 0) << language[0];
    }
    expect_refused(launchbox_run({"advise", "nothing.cu", "--arch", "sm_90"}), "nothing.cu");
}

// What the figures assume is named, and never shown as known.
TEST_F(advise_verb, what_the_source_does_not_say_is_an_assumption)
{
    const std::string kernel =
        "__global__ void k(float* p) { extern __shared__ float s[]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); "
        "p[threadIdx.x] = s[threadIdx.x ^ 1]; }\n";
    const std::string unknown = kernel + "void go(float* p, int n, int m) { k<<<8, n, m>>>(p); }\n";
    const json found = answer(unknown)["kernels"][0];
    EXPECT_EQ(found["threads_assumed"], true);
    EXPECT_EQ(found["architectures"][0]["dynamic_shared_bytes"], nullptr);
    EXPECT_EQ(found["architectures"][0]["threads"], 256);
    const call page = advise(unknown);
    EXPECT_TRUE(page.shows("≤8x256")) << page.out;
    EXPECT_TRUE(page.shows("≤100 %")) << page.out;
    EXPECT_TRUE(says(page, "the block size is fixed, and not known")) << page.out;
    EXPECT_TRUE(says(page, "256 threads are assumed")) << page.out;
    EXPECT_TRUE(says(page, "give it with --dynamic-shared")) << page.out;
    EXPECT_FALSE(says(page, "occupancy is limited by")) << page.out;
    // If it is given, it is used, and no assumption is left.
    const call given = advise(unknown, {"--arch", "sm_90", "--dynamic-shared", "100K", "--threads", "256"});
    EXPECT_TRUE(given.shows(" 2x256")) << given.out;
    EXPECT_FALSE(given.shows("--dynamic-shared")) << given.out;
    EXPECT_FALSE(given.shows("assumed")) << given.out;
    // If it depends on the block size, it is calculated for each.
    const std::string by_threads = kernel + "void go(float* p, int n) { k<<<8, n, 400 * n>>>(p); }\n";
    const json calculated = answer(by_threads)["kernels"][0];
    EXPECT_EQ(calculated["architectures"][0]["dynamic_shared_bytes"], 102'400);
    EXPECT_EQ(calculated["architectures"][0]["resident_blocks"], 2);
    EXPECT_EQ(answer(by_threads,
                     {"--arch", "sm_90", "--threads", "512"})["kernels"][0]["architectures"][0]["dynamic_shared_bytes"],
              204'800);
    // For sm_75, which holds few blocks with that much: every bound is compiled from the source.
    const call bounds = launchbox_run({"bounds", file.string(), "--arch", "sm_75", "--all"}, {}, cache);
    EXPECT_TRUE(bounds.shows("12,800 B dynamic shared a warp")) << bounds.out;
    EXPECT_TRUE(bounds.shows("which is assumed")) << bounds.out;
    // All verbs agree.
    write_file_atomically(file, unknown);
    EXPECT_TRUE(says(launchbox_run({"bounds", file.string(), "--arch", "sm_90"}, {}, cache), "--dynamic-shared"));
    const call inspected = launchbox_run({"inspect", file.string(), "--arch", "sm_90", "--threads", "128"}, {}, cache);
    EXPECT_TRUE(says(inspected, "--dynamic-shared")) << inspected.out;
    EXPECT_TRUE(inspected.shows("≤16x128")) << inspected.out;
}

TEST_F(advise_verb, a_launch_through_a_pointer_is_recognised)
{
    const std::string kernel = "__global__ void k(float* p) { *p = 1; }\n";
    const call result = advise(kernel +
                               "void (*table[])(float*) = {k};\n"
                               "void go(float* p, void (*f)(float*)) { f<<<8, 96>>>(p); }\n");
    EXPECT_TRUE(says(result, "maybe launched at " + file.string() + ":3, through a pointer")) << result.out;
    EXPECT_FALSE(says(result, "no launch was found")) << result.out;
    EXPECT_TRUE(says(advise(kernel + "void go(float* p) { auto f = k; f<<<8, 96>>>(p); }\n"), ":2 with 96 threads"));
}

}  // namespace launchbox
