// Debug builds, registers spilled to shared memory, and bounds that the front end used: all verbs agree.
#include <filesystem>

#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

class kinds_of_code : public testing::Test {
protected:
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    std::string file(const std::string& name, const std::string& text) const
    {
        write_file_atomically(folder_.path() / name, text);
        return path(name);
    }
    std::string make(const std::string& source, const std::string& name, std::vector<std::string> options) const
    {
        options.insert(options.begin(), {"nvcc", "-cubin", "-arch=sm_90", source, "-o", path(name)});
        const subprocess_result made = run(options);
        EXPECT_EQ(made.exit_code, 0) << made.output;
        return path(name);
    }
    static json kernel_of(const std::vector<std::string>& words)
    {
        std::vector<std::string> all{"inspect", "--format", "json"};
        all.insert(all.end(), words.begin(), words.end());
        const call found = launchbox_run(all);
        EXPECT_EQ(found.status, 0) << found.err;
        return found.json()["kernels"].at(0);
    }
    static std::string ids(const json& kernel)
    {
        std::string text;
        for (const json& finding : kernel["diagnoses"])
            text += (text.empty() ? "" : " ") + finding["id"].get<std::string>();
        return text;
    }

private:
    temporary_directory folder_;
};

const std::string array_source =
    "extern \"C\" __global__ void __launch_bounds__(256) k(float* p, int n)\n{\n    float v[64];\n    for (int i = 0; "
    "i < 64; "
    "++i) v[i] = p[i * n];\n    for (int i = 0; i < n; ++i) v[(i * 7) & 63] += p[i];\n    p[threadIdx.x] = v[n & "
    "63];\n}\n";

TEST_F(kinds_of_code, a_debug_build_is_labelled_and_gets_no_advice)
{
    NEEDS_NVCC();
    const std::string source = file("k.cu", array_source);
    EXPECT_EQ(ids(kernel_of({source, "--arch", "sm_90"})), "local_array");
    for (const auto& [flags, name] : {std::pair{std::vector<std::string>{"-G"}, "debug"},
                                      {{"-Xptxas", "-O0"}, "none"},
                                      {{"-Xptxas=-O0,-v"}, "none"}}) {
        SCOPED_TRACE(flags[0]);
        std::vector<std::string> words{source, "--arch", "sm_90", "--"};
        words.insert(words.end(), flags.begin(), flags.end());
        const json from_source = kernel_of(words);
        const json from_cubin = kernel_of({make(source, "k.cubin", flags)});
        for (const json* kernel : {&from_source, &from_cubin}) {
            EXPECT_EQ((*kernel)["optimisation"], name);
            EXPECT_EQ(ids(*kernel), "debug_build");
            EXPECT_TRUE((*kernel)["occupancy"]["next_step"].is_null());
        }
    }
    const call bounds = launchbox_run({"bounds", source, "--arch", "sm_90", "--", "-G"});
    EXPECT_TRUE(bounds.shows("debug build (-G)")) << bounds.out << bounds.err;
    EXPECT_FALSE(bounds.shows("maxnreg") || bounds.shows("(256,")) << bounds.out;
}

TEST_F(kinds_of_code, debug_and_release_builds_are_not_compared)
{
    NEEDS_NVCC();
    const std::string source = file("k.cu", array_source);
    const std::string release = make(source, "release.cubin", {}), debug = make(source, "debug.cubin", {"-G"}),
                      slow = make(source, "slow.cubin", {"-Xptxas=-O0"});
    for (const auto& [before, after] : {std::pair{release, debug}, {debug, release}, {slow, release}}) {
        const call diff = launchbox_run({"inspect", before, "--diff", after});
        EXPECT_EQ(diff.status, 2);
        EXPECT_EQ(diff.out, "");
        EXPECT_TRUE(diff.says("a debug build is not compared with a release build")) << diff.err;
        const call page = launchbox_run({"report", after, "--against", before, "-o", path("page.html")});
        EXPECT_EQ(page.status, 2) << page.err;
        EXPECT_FALSE(fs::exists(path("page.html")));
    }
    EXPECT_EQ(launchbox_run({"inspect", debug, "--diff", debug}).status, 0);
    EXPECT_EQ(launchbox_run({"inspect", release, "--diff", release}).status, 0);

    const auto check = [&](const std::string& cubin, const char* what) {
        return launchbox_run({"check", cubin, "--baseline", path("base"), what == nullptr ? "--allow-empty" : what});
    };
    ASSERT_EQ(check(release, "--write-baseline").status, 0);
    const call other = check(debug, nullptr);
    EXPECT_EQ(other.status, 1) << other.out;
    EXPECT_TRUE(other.shows("release build  debug build")) << other.out;
    EXPECT_EQ(check(release, nullptr).status, 0);
    ASSERT_EQ(check(debug, "--write-baseline").status, 0);
    EXPECT_EQ(check(release, nullptr).status, 1);
    EXPECT_EQ(check(debug, nullptr).status, 0);
}

const std::string shared_source =
    "extern \"C\" __global__ void __launch_bounds__(256, 4) k(float* p, int n)\n{\n"
    "    asm volatile(\".pragma \\\"enable_smem_spilling\\\";\");\n    float v[100];\n#pragma unroll\n"
    "    for (int i = 0; i < 100; ++i) v[i] = p[i * 256 + threadIdx.x];\n    for (int j = 0; j < n; ++j) {\n#pragma "
    "unroll\n"
    "        for (int i = 0; i < 100; ++i) v[i] = v[i] * v[(i + 3) % 100] + p[j];\n    }\n#pragma unroll\n"
    "    for (int i = 0; i < 100; ++i) p[i * 256 + threadIdx.x] = v[i];\n}\n";

TEST_F(kinds_of_code, spills_to_shared_memory_are_the_same_from_source_and_cubin_and_in_checks)
{
    NEEDS_NVCC();
    const std::string source = file("k.cu", shared_source), cubin = make(source, "k.cubin", {"-lineinfo"});
    const json from_source = kernel_of({source, "--arch", "sm_90"}), from_cubin = kernel_of({cubin});
    for (const char* figure :
         {"spill_store_bytes", "spill_load_bytes", "shared_spill_store_bytes", "shared_spill_load_bytes"})
        EXPECT_EQ(from_source[figure], from_cubin[figure]) << figure;
    const auto local = from_cubin["spill_store_bytes"].get<int>() + from_cubin["spill_load_bytes"].get<int>();
    const auto shared =
        from_cubin["shared_spill_store_bytes"].get<int>() + from_cubin["shared_spill_load_bytes"].get<int>();
    ASSERT_GT(local, 0);
    ASSERT_GT(shared, 0);
    // A log has only the spills to local memory.
    const subprocess_result log =
        run({"nvcc", "-cubin", "-arch=sm_90", "-Xptxas=-v", source, "-o", path("again.cubin")});
    const json logged = launchbox_run({"inspect", "-", "--format", "json"}, log.output).json()["kernels"].at(0);
    EXPECT_EQ(logged["spill_store_bytes"], from_cubin["spill_store_bytes"]);
    EXPECT_TRUE(logged["shared_spill_store_bytes"].is_null());

    const auto passes = [&](const std::string& limits) {
        const std::string budget = file("budget.toml", "[defaults]\n" + limits + "\n");
        const int of_source = launchbox_run({"check", source, "--arch", "sm_90", "--budget", budget}).status;
        EXPECT_EQ(launchbox_run({"check", cubin, "--budget", budget}).status, of_source) << limits;
        return of_source == 0;
    };
    EXPECT_TRUE(passes("max_spill_bytes = " + std::to_string(local)));
    EXPECT_FALSE(passes("max_spill_bytes = " + std::to_string(local - 1)));
    EXPECT_TRUE(passes("max_shared_spill_bytes = " + std::to_string(shared)));
    EXPECT_FALSE(passes("max_shared_spill_bytes = " + std::to_string(shared - 1)));

    ASSERT_EQ(launchbox_run({"check", cubin, "--baseline", path("base"), "--write-baseline"}).status, 0);
    EXPECT_NE(read_input(path("base")).find(" shared_spills="), std::string::npos);
    EXPECT_EQ(launchbox_run({"check", source, "--arch", "sm_90", "--baseline", path("base")}).status, 0);
    // More spills than before are worse.
    std::string less = read_input(path("base"));
    const std::size_t at = less.find("shared_spills=") + 14;
    less.replace(at, less.find('/', at) - at, "0");
    write_file_atomically(path("base"), less);
    const call worse = launchbox_run({"check", cubin, "--baseline", path("base")});
    EXPECT_EQ(worse.status, 1);
    EXPECT_TRUE(worse.shows("B spilled to shared memory")) << worse.out;

    const json lines = kernel_of({cubin, "--lines"})["lines"];
    EXPECT_EQ(lines["total"]["spill_store_bytes"], from_cubin["spill_store_bytes"]) << lines.dump();
    EXPECT_EQ(lines["total"]["shared_spill_store_bytes"], from_cubin["shared_spill_store_bytes"]);
    const std::string both = std::to_string(from_cubin["shared_spill_store_bytes"].get<int>());
    EXPECT_TRUE(launchbox_run({"inspect", cubin}).shows(" +" + both + "/"));
}

TEST_F(kinds_of_code, a_bound_that_ptxas_drops_may_have_affected_the_front_end)
{
    NEEDS_NVCC();
    // The code differs from that without the second bound; 2,048 threads are more than 7.5 has.
    const std::string body =
        " k(const double* __restrict__ a, const double* __restrict__ b, double* c, int n)\n{\n    double s[24];\n"
        "    for (int i = 0; i < 24; ++i) s[i] = 0;\n    for (int j = threadIdx.x; j < n; j += 256) {\n"
        "        double x = a[j], y = exp(x);\n        for (int i = 0; i < 24; ++i) s[i] += y * b[j * 24 + i] + x * "
        "b[(j + "
        "3) * 24 + i];\n    }\n    for (int i = 0; i < 24; ++i) c[threadIdx.x * 24 + i] = s[i];\n}\n";
    const std::string start = "extern \"C\" __global__ void ";
    const json bound = kernel_of({file("two.cu", start + "__launch_bounds__(256, 8)" + body), "--arch", "sm_75"});
    const json without = kernel_of({file("one.cu", start + "__launch_bounds__(256)" + body), "--arch", "sm_75"});
    EXPECT_NE(bound["registers"], without["registers"]) << "the front end does not use it any more";
    ASSERT_EQ(ids(bound), "bound_ignored");
    const std::string message = bound["diagnoses"][0]["message"];
    EXPECT_EQ(message.find("compiled as"), std::string::npos) << message;
    const std::string fix = bound["diagnoses"][0]["fix"];
    EXPECT_NE(fix.find("front end has already used the 8"), std::string::npos) << fix;

    // PTX was not compiled yet, so no bound was ignored.
    const subprocess_result ptx = run({"nvcc", "-ptx", "-arch=compute_75", path("two.cu"), "-o", path("two.ptx")});
    ASSERT_EQ(ptx.exit_code, 0) << ptx.output;
    const std::string of_ptx = kernel_of({path("two.ptx")})["diagnoses"].at(0)["message"];
    EXPECT_TRUE(of_ptx.starts_with("compiling it for sm_75 will ignore min_blocks 8")) << of_ptx;
}

// Triton's metadata for a kernel, and a GPU whose blocks have less shared memory than the one that it was tuned on.
TEST_F(kinds_of_code, a_cache_with_a_kernel_that_cannot_launch_there)
{
    NEEDS_NVCC();
    const std::string source =
        file("k.cu",
             "extern \"C\" __global__ void __launch_bounds__(128) k(float* p) { extern __shared__ "
             "float s[]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[5]; }\n");
    const subprocess_result made = run({"nvcc", "-cubin", "-arch=sm_80", source, "-o", path("k.cubin")});
    ASSERT_EQ(made.exit_code, 0) << made.output;
    file("k.json", R"({"name": "k", "shared": 147456, "num_warps": 4, "num_stages": 4})");
    const std::string cubin = path("k.cubin");
    EXPECT_EQ(ids(kernel_of({cubin})), "") << "8.0 has enough";
    const json finding = kernel_of({cubin, "--arch", "sm_86"})["diagnoses"].at(0);
    EXPECT_EQ(finding["id"], "never_launches");
    EXPECT_NE(finding["message"].get<std::string>().find("sm_86"), std::string::npos) << finding;
    EXPECT_NE(finding["fix"].get<std::string>().find("num_stages"), std::string::npos) << finding;
    EXPECT_NE(finding["fix"].get<std::string>().find("101,376"), std::string::npos) << finding;
    // Without Triton's metadata, the fix is to change the launch.
    fs::remove(path("k.json"));
    const json plain = kernel_of({cubin, "--arch", "sm_89", "-d", "120K"})["diagnoses"].at(0);
    EXPECT_EQ(plain["id"], "never_launches");
    EXPECT_EQ(plain["fix"], "launch with at most 101,376 B of dynamic shared memory");
    EXPECT_EQ(ids(kernel_of({cubin, "--arch", "sm_89", "-d", "90K"})), "");
}

}  // namespace
}  // namespace launchbox
