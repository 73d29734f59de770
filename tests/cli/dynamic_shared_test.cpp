// Dynamic shared memory: which kernels use it, how much, and what is reported if that is unknown.
#include <algorithm>

#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

const std::string users_of_shared = R"(
extern __shared__ float some[];
__device__ __noinline__ float helper(int i) { return some[i]; }
extern "C" __global__ void __launch_bounds__(128) direct(float* p)
{ some[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = some[127 - threadIdx.x]; }
extern "C" __global__ void __launch_bounds__(128) by_call(float* p) { p[threadIdx.x] = helper(int(p[0])); }
extern "C" __global__ void __launch_bounds__(128) fixed(float* p)
{ __shared__ float s[128]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[threadIdx.x] = s[127 - threadIdx.x]; }
extern "C" __global__ void __launch_bounds__(128) none(float* p) { p[threadIdx.x] = 1; }
)";

class dynamic_shared : public testing::Test {
protected:
    std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
    std::string file(const std::string& name, const std::string& text) const
    {
        write_file_atomically(folder_.path() / name, text);
        return path(name);
    }
    // The source with `more` in front of it, compiled by nvcc with these options.
    std::string made(const std::string& name, const std::string& text, std::vector<std::string> options) const
    {
        options.insert(options.begin(), {"nvcc", "-w"});
        options.insert(options.end(), {"-o", path(name), file(name + ".cu", text)});
        const subprocess_result result = run(options);
        EXPECT_EQ(result.exit_code, 0) << result.output;
        return path(name);
    }
    std::string one_kernel() const
    {
        return made(
            "kernel.cubin",
            users_of_shared.substr(0, users_of_shared.find("extern \"C\" __global__ void __launch_bounds__(128) by")),
            {"-cubin", "-arch=sm_90"});
    }

private:
    temporary_directory folder_;
};

nlohmann::json kernel_in(const std::vector<std::string>& words, const std::string& name)
{
    std::vector<std::string> command = words;
    command.insert(command.end(), {"--format", "json"});
    const nlohmann::json json = launchbox_run(command).json();
    for (const nlohmann::json& kernel : json["kernels"])
        if (kernel["name"] == name) return kernel;
    return {};
}

TEST_F(dynamic_shared, of_unknown_size_makes_every_figure_an_upper_bound)
{
    NEEDS_NVCC();
    const std::string cubin = one_kernel();
    const call table = launchbox_run({"inspect", cubin}, {}, {"COLUMNS=200"});
    EXPECT_EQ(table.status, 0) << table.err;
    EXPECT_TRUE(table.shows("  0+?  ")) << table.out;
    EXPECT_TRUE(table.shows("≤16x128  ≤100 %  ? (dynamic shared memory of unknown size: --dynamic-shared)"))
        << table.out;
    EXPECT_TRUE(table.shows("≤: at most")) << table.out;
    const call list = launchbox_run({"inspect", cubin, "--sort", "name"});
    EXPECT_TRUE(list.shows("≤16x128  ≤100 %")) << list.out;
    const nlohmann::json kernel = kernel_in({"inspect", cubin}, "direct");
    EXPECT_EQ(kernel["uses_dynamic_shared"], true);
    EXPECT_EQ(kernel["dynamic_shared_bytes"], nullptr);
    EXPECT_EQ(kernel["occupancy"]["at_most"], true);
    EXPECT_EQ(kernel["occupancy"]["shape"]["dynamic_shared_bytes"], nullptr);
    EXPECT_EQ(kernel["occupancy"]["next_step"], nullptr);
    EXPECT_TRUE(launchbox_run({"inspect", cubin, "--format", "csv"}).shows(",true,"));
    const nlohmann::json diff = launchbox_run({"inspect", cubin, "--diff", log_90, "--format", "json"}).json();
    EXPECT_EQ(diff["vanished"][0]["figures"]["resident_blocks"], nullptr);

    const call occupancy = launchbox_run({"occupancy", cubin});
    EXPECT_TRUE(occupancy.shows("at most 16 blocks per SM")) << occupancy.out;
    EXPECT_TRUE(occupancy.shows("dynamic shared memory of unknown size")) << occupancy.out;
    EXPECT_TRUE(launchbox_run({"suggest", cubin}).shows("dynamic shared ?"));
}

TEST_F(dynamic_shared, given_by_the_user_is_counted)
{
    NEEDS_NVCC();
    const std::string cubin = one_kernel();
    for (const char* size : {"196608", "192K", "1536*threads"}) {
        const nlohmann::json kernel = kernel_in({"inspect", cubin, "--dynamic-shared", size}, "direct");
        EXPECT_EQ(kernel["dynamic_shared_bytes"], 196608) << size;
        EXPECT_EQ(kernel["occupancy"]["resident_blocks"], 1) << size;
        EXPECT_EQ(kernel["occupancy"]["limiters"], nlohmann::json::array({"shared"})) << size;
        EXPECT_EQ(kernel["occupancy"]["at_most"], false) << size;
    }
    const call table = launchbox_run({"inspect", cubin, "--dynamic-shared", "196608"});
    EXPECT_TRUE(table.shows("0+196,608")) << table.out;
    EXPECT_FALSE(table.shows("≤")) << table.out;
    expect_refused(launchbox_run({"inspect", cubin, "--dynamic-shared", "4*thread"}), "thread");
    expect_refused(launchbox_run({"inspect", cubin, "--dynamic-shared", "-1"}), "--dynamic-shared");
}

TEST_F(dynamic_shared, is_read_from_the_metadata_of_triton)
{
    NEEDS_NVCC();
    const std::string cubin = one_kernel();
    file("kernel.json", R"({"name": "direct", "shared": 196608, "num_warps": 4, "num_stages": 3})");
    EXPECT_EQ(kernel_in({"inspect", cubin}, "direct")["occupancy"]["resident_blocks"], 1);
    const call occupancy = launchbox_run({"occupancy", cubin, "--format", "json"});
    EXPECT_EQ(occupancy.json()["results"][0]["resident_blocks"], 1);
    EXPECT_TRUE(launchbox_run({"suggest", cubin}).shows("dynamic shared 196608"));
    file("kernel.json", R"({"name": "direct", "shared": 196608, "num_warps": 4, "maxnreg": 40})");
    EXPECT_EQ(kernel_in({"inspect", cubin}, "direct")["requested_max_registers"], 40);
    // The user's value takes precedence.
    EXPECT_EQ(kernel_in({"inspect", cubin, "--dynamic-shared", "0"}, "direct")["occupancy"]["resident_blocks"], 16);
    for (const char* other : {R"({"name": "another", "shared": 196608, "num_warps": 4})", R"({"shared": 1})", "[", "",
                              R"({"shared": -1, "num_warps": 4})", R"({"shared": "x", "num_warps": 1e99})"}) {
        file("kernel.json", other);
        EXPECT_EQ(kernel_in({"inspect", cubin}, "direct")["occupancy"]["at_most"], true) << other;
    }
    // Without a launch bound, threads are calculated from the warps.
    const std::string unbounded = made("free.cubin",
                                       "extern __shared__ int some[]; extern \"C\" __global__ void free_kernel(int* p) "
                                       "{ some[threadIdx.x] = p[0]; __syncthreads(); p[threadIdx.x] = some[0]; }",
                                       {"-cubin", "-arch=sm_90"});
    file("free.json", R"({"name": "free_kernel", "shared": 98304, "num_warps": 8})");
    const nlohmann::json kernel = kernel_in({"inspect", unbounded}, "free_kernel");
    EXPECT_EQ(kernel["occupancy"]["shape"]["threads"], 256);
    EXPECT_EQ(kernel["occupancy"]["resident_blocks"], 2);
}

// Fuzz targets cover the other kinds of files; this reader is a JSON library and a few look-ups.
TEST_F(dynamic_shared, damaged_metadata_of_triton_only_change_what_they_describe)
{
    NEEDS_NVCC();
    const std::string cubin = one_kernel();
    const nlohmann::json known = kernel_in({"inspect", cubin}, "direct")["registers"];
    const std::string good = R"({"name": "direct", "shared": 1024, "num_warps": 4, "maxnreg": 40, "launch_pdl": true})";
    std::vector<std::string> damaged{std::string(3000, '['), "{\"shared\": 1, \"num_warps\": 1, \"\\ud800\": 1}",
                                     "\xff\xfe{}", std::string(std::size_t{2} << 20, ' '),
                                     std::string(good.size(), '\0')};
    for (std::size_t length = 1; length < good.size(); length += 9) damaged.push_back(good.substr(0, length));
    for (const char* member : {"name", "shared", "num_warps", "maxnreg", "launch_pdl"})
        for (const char* value : {"null", "-1", "1e308", "9223372036854775808", "[[]]", "\"\\u0000\\u001b[2J\""}) {
            nlohmann::json changed = nlohmann::json::parse(good);
            changed[member] = nlohmann::json::parse(value);
            damaged.push_back(changed.dump());
        }
    for (const std::string& text : damaged) {
        file("kernel.json", text);
        const call made = launchbox_run({"inspect", cubin, "--format", "json"});
        const bool is_json = nlohmann::json::accept(text);
        EXPECT_EQ(made.status, is_json ? 0 : 2) << text.substr(0, 200) << made.err;
        EXPECT_EQ(made.err.find("kernel.json") == std::string::npos, is_json) << text.substr(0, 200) << made.err;
        EXPECT_EQ(made.json()["kernels"].size(), 1u) << text.substr(0, 200);
        EXPECT_EQ(made.json()["kernels"][0]["registers"], known) << text.substr(0, 200);
        EXPECT_EQ(read_input(path("kernel.json")), text);
    }
}

TEST_F(dynamic_shared, is_used_only_by_the_kernels_that_use_it_in_ptx)
{
    NEEDS_NVCC();
    const auto uses = [&](const std::vector<std::string>& words) {
        std::string text;
        for (const char* name : {"direct", "by_call", "fixed", "none"}) {
            const nlohmann::json used = kernel_in(words, name)["uses_dynamic_shared"];
            text += used.is_null() ? '?' : used ? '1' : '0';
        }
        return text;
    };
    const std::string file_name = file("k.cu", users_of_shared);
    EXPECT_EQ(uses({"inspect", file_name, "--arch", "sm_90"}), "1100");
    EXPECT_EQ(uses({"inspect", file_name, "--arch", "sm_90"}), "1100");  // from the cache
    for (const char* architecture : {"80", "90", "120"}) {
        const std::string code = "-gencode=arch=compute_" + std::string(architecture) + ",code=";
        const std::string both = "[sm_" + std::string(architecture) + ",compute_" + architecture + "]";
        EXPECT_EQ(uses({"inspect", made("both", users_of_shared, {"-fatbin", code + both})}), "1100");
        // A cubin alone only says it of the whole module.
        const std::string sm = "-arch=sm_" + std::string(architecture);
        EXPECT_EQ(uses({"inspect", made("alone", users_of_shared, {"-cubin", sm})}), "1111");
        EXPECT_EQ(uses({"inspect", made("rdc", users_of_shared, {"-cubin", "-rdc=true", sm})}), "1111");
        std::string without = users_of_shared;
        without.erase(0, without.find("extern \"C\" __global__ void __launch_bounds__(128) fixed"));
        EXPECT_EQ(uses({"inspect", made("without", without, {"-cubin", sm})}), "??00");
    }
}

TEST_F(dynamic_shared, of_unknown_size_is_not_taken_as_0)
{
    NEEDS_NVCC();
    const std::string cubin = one_kernel();
    const auto check = [&](const std::string& limits, const std::vector<std::string>& more = {}) {
        std::vector<std::string> words{"check", cubin, "--budget", file("b.toml", limits)};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(words);
    };
    const call unknown = check("[defaults]\nmin_blocks_per_sm = 2\n");
    EXPECT_EQ(unknown.status, 1);
    EXPECT_TRUE(unknown.shows("Cannot be checked")) << unknown.out;
    EXPECT_TRUE(unknown.shows("dynamic shared memory of unknown size")) << unknown.out;
    // Even the upper bound is too low.
    EXPECT_TRUE(check("[defaults]\nmin_blocks_per_sm = 17\n").shows("Broken"));
    EXPECT_EQ(check("[defaults]\nmin_blocks_per_sm = 2\ndynamic_shared = 0\n").status, 0);
    EXPECT_EQ(check("[defaults]\nmin_blocks_per_sm = 2\n", {"--dynamic-shared", "8*threads"}).status, 0);
    EXPECT_TRUE(check("[defaults]\nmin_blocks_per_sm = 2\n", {"--dynamic-shared", "196608"}).shows("Broken"));
    // The threads come from the rule, and the rule's memory counts.
    EXPECT_EQ(check("[defaults]\nmin_blocks_per_sm = 2\nthreads = 64\n", {"--dynamic-shared", "1536*threads"}).status,
              0);
    EXPECT_EQ(check("[defaults]\nmin_blocks_per_sm = 2\ndynamic_shared = 0\n", {"--dynamic-shared", "192K"}).status, 0);
    const std::string baseline = path("b");
    for (const auto& [option, resident] : {std::pair("", "resident=? "), std::pair("192K", "resident=1x128 ")}) {
        std::vector<std::string> words{"check", cubin, "--baseline", baseline, "--write-baseline"};
        if (*option != '\0') words.insert(words.end(), {"--dynamic-shared", option});
        EXPECT_EQ(launchbox_run(words).status, 0);
        EXPECT_NE(read_input(baseline).find(resident), std::string::npos) << read_input(baseline);
    }
}

}  // namespace
}  // namespace launchbox
