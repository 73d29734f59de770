// launchbox bounds: sweeps with the real compiler, measurements with benchmarks that need no GPU, and edits of a copy.
#include "scale.hpp"
#include "tool.hpp"

#include <fstream>
#include <set>

namespace launchbox {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::json;

// One kernel that needs many registers, one that does not. The program prints a time that depends on the bound that it
// was built with.
constexpr const char* sums_source = R"(#include <cstdio>
#include <cstdlib>

// Sums rows.
__global__ void __launch_bounds__(256, 8) heavy(float* data, int n)
{
    float live[48];
    for (int i = 0; i < 48; ++i) live[i] = data[i * n + threadIdx.x];
    for (int round = 0; round < n; ++round)
        for (int i = 0; i < 48; ++i) live[i] = live[i] * live[(i + 7) % 48] + live[(i + 1) % 48];
    for (int i = 0; i < 48; ++i) data[i * n + threadIdx.x] = live[i];
}

__global__ void light(float* data) { data[threadIdx.x] *= 2; }

int main()
{
    const char* blocks = std::getenv("LAUNCHBOX_MIN_BLOCKS");
    const char* registers = std::getenv("LAUNCHBOX_MAX_REGISTERS");
    if (registers != nullptr && std::atoi(registers) == 128) {
        std::puts("too many resources requested for launch");
        return 1;
    }
    std::printf("{\"time_ms\": %d}\n", 100 - (blocks != nullptr ? std::atoi(blocks) : 0));
}
)";

class BoundsVerb : public testing::Test {
protected:
    void SetUp() override
    {
        if (!has_nvcc()) GTEST_SKIP() << "there is no nvcc here";
        fs::remove_all(folder_);
        fs::create_directories(folder_);
        write_file_atomically(file(), sums_source);
        // One cache for all tests of a build folder: each compile runs once.
        environment_ = {"LAUNCHBOX_CACHE=" LAUNCHBOX_TEST_CACHE};
    }

    [[nodiscard]] std::string file(const char* name = "sums.cu") const { return (folder_ / name).string(); }
    [[nodiscard]] std::string text(const char* name = "sums.cu") const { return read_input(file(name)); }

    [[nodiscard]] call bounds(std::vector<std::string> words) const
    {
        words.insert(words.begin(), "bounds");
        return launchbox_run(words, {}, environment_);
    }

    [[nodiscard]] json swept(std::vector<std::string> words) const
    {
        words.insert(words.end(), {"--format", "json"});
        const call result = bounds(words);
        EXPECT_EQ(result.status, 0) << result.err;
        return result.json();
    }

    // The same folder for every test, since cache keys depend on file names.
    const fs::path folder_ = fs::path(LAUNCHBOX_TEST_CACHE).parent_path() / "bounds_test";
    std::vector<std::string> environment_;
};

json row_of(const json& kernel, const std::string& attribute)
{
    for (const json& row : kernel["rows"]) {
        if (row["attribute"] == attribute) return row;
        for (const json& also : row["also"])
            if (also == attribute) return row;
    }
    ADD_FAILURE() << "no row " << attribute;
    return {};
}

TEST_F(BoundsVerb, tries_the_useful_bounds_on_each_architecture)
{
    const json result = swept({file(), "--arch", "sm_80,sm_90,sm_120", "-k", "heavy"});
    EXPECT_EQ(result["schema"], "launchbox.bounds/1");
    ASSERT_EQ(result["kernels"].size(), 3u);
    for (const json& kernel : result["kernels"]) {
        EXPECT_EQ(kernel["demangled"], "heavy(float*, int)");
        EXPECT_EQ(kernel["written"], "__launch_bounds__(256, 8)");
        EXPECT_EQ(row_of(kernel, "__launch_bounds__(256, 4)")["resident_blocks"], 4);
        EXPECT_LE(row_of(kernel, "__launch_bounds__(256, 4)")["registers"], 64);
        EXPECT_EQ(row_of(kernel, "__maxnreg__(64)")["threads"], 256);
    }
    // sm_120 holds 6 blocks of 256 threads, so 8 is not tried there.
    EXPECT_EQ(result["kernels"][1]["architecture"], "sm_90");
    for (const json& row : result["kernels"][2]["rows"]) {
        if (row["as_written"]) continue;
        EXPECT_EQ(row["attribute"].get<std::string>().find(", 8)"), std::string::npos) << row;
    }
}

// Attributes that make no difference share a row.
TEST_F(BoundsVerb, rows_have_different_code)
{
    const json kernel = swept({file(), "--arch", "sm_90", "-k", "light", "--threads", "256"})["kernels"][0];
    ASSERT_EQ(kernel["rows"].size(), 1u) << kernel["rows"];
    EXPECT_EQ(kernel["rows"][0]["attribute"], "");
    EXPECT_GE(kernel["rows"][0]["also"].size(), 10u);
}

TEST_F(BoundsVerb, the_second_run_compiles_nothing)
{
    const std::vector<std::string> words{file(), "--arch", "sm_90", "-k", "light", "--threads", "512"};
    environment_ = {"LAUNCHBOX_CACHE=" + folder_.string()};
    const json first = swept(words);
    EXPECT_GT(first["compiles"], 0);
    EXPECT_EQ(first["from_cache"], 0);
    EXPECT_EQ(swept(words)["kernels"], first["kernels"]);
    EXPECT_EQ(swept(words)["compiles"], 0);
    if (!is_exhaustive()) return;
    std::vector<std::string> fresh = words;
    fresh.emplace_back("--no-cache");
    const json again = swept(fresh);
    EXPECT_GT(again["compiles"], 0);
    EXPECT_EQ(again["kernels"], first["kernels"]);
}

TEST_F(BoundsVerb, invalid_calls_are_refused)
{
    expect_refused(bounds({file(), "--arch", "sm_90", "-k", "haevy"}), "no kernel matches 'haevy'");
    EXPECT_TRUE(bounds({file(), "--arch", "sm_90", "-k", "haevy"}).says("did you mean heavy?"));
    for (const char* threads : {"0", "1025", "128,", "abc", "128;256", "-5"})
        expect_refused(bounds({file(), "--arch", "sm_90", std::string("--threads=") + threads}), "is not a block size");
    write_file_atomically(file("empty.cu"), "int main() {}\n");
    expect_refused(bounds({file("empty.cu"), "--arch", "sm_90"}), "has no instantiated __global__ function");
    EXPECT_TRUE(bounds({file(), "--arch", "sm_60"}).says("cannot compile for sm_60"));
    expect_refused(bounds({file("none.cu"), "--arch", "sm_90"}), "none.cu");
    expect_refused(bounds({file(), "--arch", "sm_95"}), "sm_95");
    expect_refused(bounds({file(), "--arch", "sm_90", "--dynamic-shared", "12Q"}), "--dynamic-shared");
    expect_refused(bounds({file(), "--arch", "sm_90", "--measure", "'./x"}), "is not closed");
    expect_refused(bounds({file(), "--arch", "sm_80,sm_90", "--measure", "./x"}), "no GPU");
    expect_refused(bounds({file(), "--arch", "sm_90", "--apply", "--revert"}), "--revert");
    expect_refused(bounds({file(), "--arch", "sm_90", "--build", "make"}), "--measure");
}

TEST_F(BoundsVerb, a_source_that_does_not_compile_is_reported_with_its_place_and_a_fix)
{
    write_file_atomically(file("broken.cu"), "#include \"mine.hpp\"\n__global__ void k(int* p) { *p = 1; }\n");
    const call result = bounds({file("broken.cu"), "--arch", "sm_90"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.says("mine.hpp")) << result.err;
    EXPECT_TRUE(result.says("--")) << result.err;
    write_file_atomically(file("mine.hpp"), "");
    EXPECT_EQ(bounds({file("broken.cu"), "--arch", "sm_90", "--threads", "64", "--", "-I" + folder_.string()}).status,
              0);
}

TEST_F(BoundsVerb, a_benchmark_decides_and_a_failing_one_is_named)
{
    const call result =
        bounds({file(), "--arch", "sm_90", "-k", "heavy", "--measure", "{program}", "--runs", "6", "--format", "json"});
    const json kernel = result.json()["kernels"][0];
    // The program's time decreases with min_blocks: the row with the largest is fastest, and it is that of the source.
    std::set<double> times;
    int failures = 0;
    for (const json& row : kernel["rows"]) {
        if (!row["time_ns"].is_null()) times.insert(row["time_ns"]["median"].get<double>());
        failures += !row["failure"].is_null();
    }
    EXPECT_GE(times.size(), 2u) << result.err;
    EXPECT_EQ(*times.begin(), 92e6);
    EXPECT_EQ(row_of(kernel, "__launch_bounds__(256, 8)")["time_ns"]["median"], 92e6);
    EXPECT_EQ(row_of(kernel, "__launch_bounds__(256, 8)")["time_ns"]["count"], 6);
    EXPECT_EQ(kernel["recommendation"]["attribute"], "__launch_bounds__(256, 8)");
    if (failures > 0) {
        EXPECT_EQ(result.status, 2);
        EXPECT_TRUE(result.says("too many resources requested for launch")) << result.err;
    }
    EXPECT_EQ(result.json()["measured"]["command"], "{program}");
    EXPECT_EQ(result.json()["measured"]["runs"], 6);
}

TEST_F(BoundsVerb, no_measurable_difference_is_a_valid_result)
{
    const call result =
        bounds({file(), "--arch", "sm_90", "-k", "heavy", "--measure", "sh -c 'echo time: 5 ms'", "--runs", "6"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_TRUE(result.shows("no measurable difference")) << result.out;
}

TEST_F(BoundsVerb, a_benchmark_that_prints_no_time_is_named)
{
    const call result = bounds({file(), "--arch", "sm_90", "-k", "heavy", "--measure", "echo hello", "--runs", "1"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.says("it prints no time; its last line is: hello")) << result.err;
    EXPECT_TRUE(result.shows("heavy, sm_90")) << "the table is there all the same";
    const call absent =
        bounds({file(), "--arch", "sm_90", "-k", "heavy", "--measure", "./no-such-benchmark", "--runs", "1"});
    EXPECT_EQ(absent.status, 2);
    EXPECT_TRUE(absent.says("cannot run ./no-such-benchmark")) << absent.err;
}

TEST_F(BoundsVerb, a_program_that_was_not_rebuilt_is_refused)
{
    const std::string program = file("bench");
    ASSERT_EQ(std::system(("nvcc -arch=sm_90 '" + file() + "' -o '" + program + "' 2>/dev/null").c_str()), 0);
    const call result = bounds({file(), "--arch", "sm_90", "-k", "heavy", "--measure", program + " --json"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.says("every launch bound gives the same time")) << result.err;
    EXPECT_TRUE(result.says("--build")) << result.err;
}

TEST_F(BoundsVerb, apply_writes_the_recommended_bound_and_revert_undoes_it)
{
    const call applied = bounds({file(), "--arch", "sm_90", "-k", "heavy", "--apply"});
    ASSERT_EQ(applied.status, 0) << applied.err;
    EXPECT_TRUE(applied.shows("-__global__ void __launch_bounds__(256, 8) heavy(float* data, int n)")) << applied.out;
    EXPECT_TRUE(applied.says("--revert restores it"));
    EXPECT_NE(text(), sums_source);
    // The applied bound is now right.
    const json kernel = swept({file(), "--arch", "sm_90", "-k", "heavy"})["kernels"][0];
    EXPECT_TRUE(kernel["recommendation"]["verdict"] == "keep" || kernel["recommendation"]["verdict"] == "no_bound")
        << kernel["recommendation"];
    const call reverted = bounds({file(), "--revert"});
    EXPECT_EQ(reverted.status, 0) << reverted.err;
    EXPECT_EQ(text(), sums_source);
    EXPECT_EQ(bounds({file(), "--revert"}).status, 2) << "there is nothing left to take back";
    std::size_t files = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(folder_)) ++files;
    EXPECT_EQ(files, 1u) << "no backup stays";
}

TEST_F(BoundsVerb, apply_for_several_architectures_writes_a_macro_that_gives_each_its_own)
{
    const std::string architectures = is_exhaustive() ? "sm_80,sm_90,sm_120" : "sm_80,sm_120";
    const std::vector<std::string> words{file(), "--arch", architectures, "-k", "heavy"};
    const json wanted = swept(words)["kernels"];
    std::vector<std::string> apply = words;
    apply.emplace_back("--apply");
    ASSERT_EQ(bounds(apply).status, 0);
    const json now = swept(words)["kernels"];
    ASSERT_EQ(now.size(), is_exhaustive() ? 3U : 2U);
    for (std::size_t i = 0; i < now.size(); ++i)
        EXPECT_EQ(now[i]["written"], wanted[i]["recommendation"]["attribute"]) << now[i]["architecture"];
    EXPECT_EQ(bounds({file(), "--revert"}).status, 0);
    EXPECT_EQ(text(), sums_source);
}

TEST_F(BoundsVerb, apply_needs_to_know_the_block_size)
{
    // An SM holds only one block, so that few bounds need to be tried for each size.
    const std::string source =
        "__global__ void light(float* data)\n{\n    __shared__ float all[12000];\n"
        "    all[threadIdx.x] = data[threadIdx.x];\n    __syncthreads();\n"
        "    data[threadIdx.x] = all[1023 - threadIdx.x];\n}\n";
    write_file_atomically(file("large.cu"), source);
    const call result = bounds({file("large.cu"), "--arch", "sm_75", "--apply"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.says("--threads 256")) << result.err;
    EXPECT_EQ(text("large.cu"), source);
}

TEST_F(BoundsVerb, apply_refuses_a_template_with_the_text_to_paste)
{
    std::string source = sums_source;
    const auto rewrite = [&](const std::string& from, const std::string& to) {
        const std::size_t at = source.find(from);
        ASSERT_NE(at, std::string::npos) << from;
        source.replace(at, from.size(), to);
    };
    rewrite("__global__ void __launch_bounds__(256, 8) heavy(float*",
            "template <class T>\n__global__ void "
            "__launch_bounds__(256, 8) heavy(T*");
    rewrite("int main()", "template __global__ void heavy<float>(float*, int);\n\nint main()");
    write_file_atomically(file("templated.cu"), source);
    const call result = bounds({file("templated.cu"), "--arch", "sm_90", "-k", "heavy*", "--apply"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.says("template")) << result.err;
    EXPECT_TRUE(result.says("write there:")) << result.err;
}

}  // namespace
}  // namespace launchbox
