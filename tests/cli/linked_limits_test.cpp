// Limits that the device linker enforces: all verbs that read kernels agree.
#include "tool.hpp"

#include <filesystem>

namespace launchbox {
namespace {

namespace fs = std::filesystem;

class linked_limits : public testing::Test {
protected:
    void SetUp() override
    {
        NEEDS_NVCC();
        write_file_atomically(
            source_,
            "__device__ float helper(float);\n"
            "__global__ void __launch_bounds__(256) k(float* p) { __shared__ float s[SHARED / 4]; "
            "s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); p[0] = helper(s[255 - threadIdx.x]); }\n"
            "extern __shared__ float more[];\n"
            "__global__ void __launch_bounds__(256) d(float* p) { __shared__ float s[SHARED / 4]; "
            "s[threadIdx.x] = p[0]; more[threadIdx.x] = p[1]; __syncthreads(); "
            "p[0] = helper(s[255 - threadIdx.x] + more[2]); }\n");
    }
    call run_on(std::vector<std::string> words, int shared, const std::string& arch = "sm_90",
                const std::string& input = {}) const
    {
        words.insert(words.begin() + 1, {source_, "--arch", arch});
        words.insert(words.end(), {"--", "-rdc=true", "-DSHARED=" + std::to_string(shared)});
        return launchbox_run(words, input);
    }

    temporary_directory folder_;

private:
    std::string source_ = (folder_.path() / "k.cu").string();
};

// The linker adds the shared memory of a template: before linking no verb has a figure for it, and no check passes.
TEST_F(linked_limits, unlinked_shared_memory_has_no_figure)
{
    const std::string source = (folder_.path() / "t.cu").string();
    write_file_atomically(
        source,
        "template <int N> __global__ void k(float* p) { __shared__ float s[N]; s[threadIdx.x] = p[0]; "
        "__syncthreads(); p[0] = s[5]; }\ntemplate __global__ void k<10000>(float*);\n");
    const auto ask = [&](std::vector<std::string> words, const std::string& input = {}) {
        words.insert(words.begin() + 1, {source, "--arch", "sm_80"});
        words.insert(words.end(), {"--", "-rdc=true"});
        return launchbox_run(words, input);
    };
    const nlohmann::json kernel = ask({"inspect", "--threads", "128", "--format", "json"}).json()["kernels"][0];
    EXPECT_TRUE(kernel["static_shared_bytes"].is_null()) << kernel;
    EXPECT_EQ(kernel["occupancy"]["at_most"], true);
    const call table = ask({"inspect", "--threads", "128"});
    EXPECT_TRUE(table.shows("≤16x128")) << table.out;
    EXPECT_TRUE(ask({"occupancy", "--threads", "128"}).shows("at most 16 blocks per SM"));
    EXPECT_TRUE(ask({"bounds", "--threads", "128", "--all"}).shows("≤16  ≤100 %"));
    EXPECT_TRUE(ask({"advise", "--threads", "128"}).shows("≤16x128"));
    for (const char* limit : {"max_static_shared = 100", "threads = 128\nmin_blocks_per_sm = 8"})
        EXPECT_EQ(ask({"check", "--budget", "-"}, "[defaults]\n" + std::string(limit)).status, 1) << limit;
}

TEST_F(linked_limits, static_shared_memory_above_48_kb_is_refused_by_all)
{
    struct linked_case {
        int shared = 0;
        std::string arch;
        bool dynamic = false;
    };
    for (const auto& [shared, arch, dynamic] :
         {linked_case{49152, "sm_90", true}, linked_case{49156, "sm_80"}, linked_case{80000, "sm_90", true}}) {
        const bool links = shared <= 49152;
        const auto json_of = [&, shared = shared, arch = arch, dynamic = dynamic](const std::string& verb) {
            std::vector<std::string> words{verb, "--format", "json"};
            if (dynamic) words.insert(words.end(), {"--dynamic-shared", "1024"});
            return run_on(words, shared, arch).json();
        };
        SCOPED_TRACE(std::to_string(shared) + " " + arch);
        const nlohmann::json inspected = json_of("inspect")["kernels"], explained = json_of("occupancy")["results"],
                             suggested = json_of("suggest")["results"];
        ASSERT_EQ(inspected.size(), 2u);
        ASSERT_EQ(explained.size(), 2u);
        ASSERT_EQ(suggested.size(), 2u);
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(inspected[i]["occupancy"]["resident_blocks"], explained[i]["resident_blocks"]);
            EXPECT_EQ(inspected[i]["occupancy"]["resident_blocks"] == 0, !links);
            EXPECT_EQ(suggested[i]["threads"].is_null(), !links);
            const std::string found = inspected[i]["diagnoses"].dump();
            EXPECT_EQ(found.find("nvlink refuses more than 49,152 B") != std::string::npos, !links) << found;
        }
        const call checked = run_on({"check", "--budget", "-", "--dynamic-shared", dynamic ? "1024" : "0"}, shared,
                                    arch, "[defaults]\nmin_blocks_per_sm = 1\n");
        EXPECT_EQ(checked.status, links ? 0 : 1) << checked.out;
    }
}

}  // namespace
}  // namespace launchbox
