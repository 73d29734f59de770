// The behaviour of nvcc and ptxas with launch bounds that docs/bounds.md and the advice rely on. A toolkit that behaves
// differently fails here. The caps themselves, and which numbers are dropped, are tested by register_cap.* in
// tests/image.
#include <gtest/gtest.h>

#include <launchbox/launch_bounds.hpp>
#include <launchbox/occupancy.hpp>

#include <map>
#include <string>
#include <vector>

#include "image/cubin.hpp"
#include "image/ptx/ptx.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

const std::vector<std::string> architectures{"sm_75", "sm_90", "sm_120"};

const sm_limits& limits_of(const std::string& architecture)
{
    return *find_sm_limits(parse_compute_capability(architecture).value());
}

bool contains(const std::string& text, const std::string& part)
{
    return text.find(part) != std::string::npos;
}

struct assembled {
    int cap = -1;  ///< the register limit in the cubin; -1: there is no cubin
    std::string log;
};

// An empty kernel with these directives.
assembled assemble_with(const std::string& architecture, const std::string& directives,
                        const std::vector<std::string>& options = {})
{
    const std::string ptx = ".version 9.0\n.target " + architecture + "\n.address_size 64\n.visible .entry k()\n" +
                            directives + "\n{ ret; }\n";
    const compiled made = assemble(ptx, architecture, options);
    assembled result{.log = made.log};
    if (made.exit_code != 0) return result;
    result.cap = read_cubin(made.image, "-").kernels.at(0).bounds.register_cap.value_or(-1);
    return result;
}

TEST(LaunchBoundsFacts, OutOfRangeBoundsAreDroppedWithAMessage)
{
    SKIP_WITHOUT_TOOLKIT();
    const auto log = [](const std::string& directives) { return assemble_with("sm_90", directives).log; };
    EXPECT_TRUE(contains(log(".maxntid 64\n.minnctapersm 33"),
                         "Value of minnctapersm for entry k is out of range. minnctapersm will be ignored"));
    EXPECT_TRUE(contains(log(".maxntid 1024\n.minnctapersm 3"),
                         "Value of threads per SM for entry k is out of range. .minnctapersm will be ignored"));
    EXPECT_TRUE(contains(log(".maxntid 2049\n.minnctapersm 1"),
                         "Value of maxntid, for entry k is out of range. .minnctapersm and .maxntid will be ignored"));
    EXPECT_TRUE(
        contains(log(".maxntid 2049"),
                 "Value of threads per SM for entry k is out of range. .minnctapersm and .maxntid will be ignored"));
    // min_blocks is checked before threads, and threads count in whole warps: 22 × 65 are 1,430 threads, but 66 warps.
    EXPECT_TRUE(contains(log(".maxntid 2049\n.minnctapersm 33"), "Value of minnctapersm"));
    EXPECT_TRUE(contains(log(".maxntid 65\n.minnctapersm 22"), "Value of threads per SM"));
    EXPECT_EQ(log(".maxntid 64\n.minnctapersm 22"), "");
}

TEST(LaunchBoundsFacts, ABoundThatNoLaunchCanHaveIsAcceptedSilently)
{
    SKIP_WITHOUT_TOOLKIT();
    for (const char* architecture : {"sm_80", "sm_86", "sm_90", "sm_120"}) {
        const compiled made = compile_cuda("__global__ void __launch_bounds__(1536) k() {}", architecture);
        ASSERT_EQ(made.exit_code, 0) << made.log;
        EXPECT_FALSE(contains(made.log, "warning")) << made.log;
        EXPECT_EQ(read_cubin(made.image, "-").kernels.at(0).bounds.max_threads->front(), 1536);
    }
}

TEST(LaunchBoundsFacts, WhichDirectiveSetsTheCap)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string one = ".maxntid 512", two = ".maxntid 512\n.minnctapersm 2", cap_40 = "-maxrregcount=40";
    for (const std::string& architecture : architectures) {
        SCOPED_TRACE(architecture);
        const sm_limits& limits = limits_of(architecture);
        const int of_one = register_cap(limits, 512, 1).value(), of_two = register_cap(limits, 512, 2).value();
        ASSERT_EQ(of_one, 128);
        ASSERT_EQ(of_two, 64);
        const auto expect = [&](const std::string& directives, const std::vector<std::string>& options, int cap,
                                const std::string& sentence = {}) {
            const assembled made = assemble_with(architecture, directives, options);
            std::string how = directives;
            for (const std::string& option : options) how += " " + option;
            EXPECT_EQ(made.cap, cap) << how;
            if (sentence.empty())
                EXPECT_EQ(made.log, "") << how;
            else
                EXPECT_TRUE(contains(made.log, sentence)) << how << "\n" << made.log;
        };
        expect("", {}, 255);
        expect("", {cap_40}, 40);
        expect("", {"-maxrregcount=10"}, 24,
               "For profile " + architecture + " adjusting per thread register count of 10 to lower bound of 24");
        expect("", {"-maxrregcount=300"}, 255, "Too big maxrregcount value specified 300, will be ignored");
        expect("", {"-maxrregcount=archmax"}, 255);
        expect("", {"-maxrregcount=archmin"}, 32);
        // A bound overrides -maxrregcount silently.
        expect(one, {}, of_one);
        expect(one, {cap_40}, of_one);
        expect(".reqntid 512", {cap_40}, of_one);
        expect(two, {}, of_two);
        expect(two, {cap_40}, of_two);
        expect(".maxntid 512\n.minnctapersm 9", {cap_40}, of_one, "will be ignored");
        expect(".maxnreg 40", {}, 40);
        expect(".maxnreg 40", {"-maxrregcount=64"}, 40);
        expect(".maxnreg 8", {}, 24, "For entry k adjusting per thread register count of 8 to lower bound of 24");
        expect(".maxnreg 300", {}, 255, "Too many maxnreg specified for entry k, will be ignored");
        // .maxnreg next to .maxntid is used as given, even if no block can be launched with it.
        expect(".maxntid 1024\n.maxnreg 128", {}, 128);
        EXPECT_EQ(resident_blocks(limits, {.registers = 128}, {.threads = 1024}), 0);
        expect(two + "\n.maxnreg 128", {}, of_two);
        expect(two + "\n.maxnreg 40", {}, 40);
        expect(".minnctapersm 2", {}, 255, ".minnctapersm is ignored when neither .maxntid nor .reqntid is specified.");
        expect(two, {cap_40, "--override-directive-values"}, 40);
        expect("", {"-maxntid=512", "-minnctapersm=2"}, of_two);
        expect(two, {"-maxntid=256", "-minnctapersm=1"}, of_two);
        expect("", {"-maxntid=512", "-minnctapersm=2", cap_40}, 40,
               "Conflicting options -maxrregcount and -minnctapersm specified, ignoring -minnctapersm option");
    }
}

TEST(LaunchBoundsFacts, DirectivesThatExcludeEachOther)
{
    SKIP_WITHOUT_TOOLKIT();
    const auto refused = [](const std::string& directives) {
        const assembled made = assemble_with("sm_90", directives);
        EXPECT_EQ(made.cap, -1) << directives;
        return made.log;
    };
    EXPECT_TRUE(contains(refused(".maxntid 256\n.reqntid 256"), ".maxntid and .reqntid cannot both be specified"));
    EXPECT_TRUE(contains(refused(".reqntid 128\n.reqnctapercluster 2\n.maxclusterrank 4"),
                         ".reqnctapercluster and .maxclusterrank cannot both be specified"));
    EXPECT_TRUE(contains(refused(".noreturn"), "noreturn"));
    refused(".maxnctapersm 2");
    // A repeated directive is accepted silently.
    const assembled twice = assemble_with("sm_90", ".maxntid 1024\n.maxntid 512");
    EXPECT_EQ(twice.log, "");
    EXPECT_EQ(twice.cap, 128);
}

// Whether nvcc compiles a kernel with this attribute, and its messages.
compiled with_attribute(const std::string& attribute, const std::string& architecture = "sm_90")
{
    return compile_cuda("extern \"C\" __global__ void " + attribute + " k(float* out) { out[0] = 1; }\n", architecture);
}

TEST(LaunchBoundsFacts, RefusedByNvcc)
{
    SKIP_WITHOUT_TOOLKIT();
    const auto refused = [](const std::string& attribute, const std::string& sentence,
                            const std::string& architecture = "sm_90") {
        const compiled made = with_attribute(attribute, architecture);
        EXPECT_NE(made.exit_code, 0) << attribute;
        EXPECT_TRUE(contains(made.log, sentence)) << attribute << "\n" << made.log;
    };
    refused("__launch_bounds__(128) __maxnreg__(64)",
            "The __launch_bounds__ and __maxnreg__ qualifiers cannot be applied to the same kernel");
    refused("__maxnreg__(0)", "must be positive");
    refused("__launch_bounds__(128, 1, 2)", "cannot specify max blocks per cluster for this GPU architecture", "sm_80");
    refused("__cluster_dims__(2, 1, 1)", "cluster", "sm_80");
    refused("__cluster_dims__(8, 1, 1) __launch_bounds__(128, 1, 4)", "cluster");
    refused("__block_size__((128, 2, 1), (2, 1, 1)) __launch_bounds__(256)",
            ".maxntid and .reqntid cannot both be specified");
    EXPECT_EQ(with_attribute("__block_size__((128, 2, 1), (2, 1, 1))").exit_code, 0);
    EXPECT_EQ(with_attribute("__block_size__((128, 2, 1), (2, 1, 1)) __maxnreg__(64)").exit_code, 0);
    EXPECT_EQ(with_attribute("__cluster_dims__(2, 1, 1) __maxnreg__(64)").exit_code, 0);
    EXPECT_EQ(with_attribute("__launch_bounds__(128, 0, 4)").exit_code, 0);
}

TEST(LaunchBoundsFacts, BoundsOfNoThreadsAreDroppedSilently)
{
    SKIP_WITHOUT_TOOLKIT();
    for (const char* attribute : {"__launch_bounds__(0)", "__launch_bounds__(-1)"}) {
        const compiled made = with_attribute(attribute);
        ASSERT_EQ(made.exit_code, 0) << made.log;
        EXPECT_FALSE(contains(made.log, "warning")) << made.log;
        EXPECT_EQ(read_cubin(made.image, "-").kernels.at(0).bounds.max_threads, std::nullopt) << attribute;
        EXPECT_EQ(read_cubin(made.image, "-").kernels.at(0).bounds.register_cap, 255);
    }
}

// The compiled kernels of a source, by name.
std::map<std::string, kernel_info> kernels_of(const std::string& source, const std::string& architecture,
                                              std::string* log = nullptr)
{
    const compiled made = compile_cuda(source, architecture);
    EXPECT_EQ(made.exit_code, 0) << made.log;
    if (log != nullptr) *log = made.log;
    std::map<std::string, kernel_info> result;
    for (const kernel_info& kernel : read_cubin(made.image, "-", {.hash_code = true}).kernels)
        result.emplace(kernel.name, kernel);
    return result;
}

// A source with one kernel per attribute. `live` floats are live at the same time; `step` is the new value of v[i] in
// round k.
std::string source_of(int live, const std::string& step,
                      const std::vector<std::pair<std::string, std::string>>& name_and_attribute)
{
    std::string source = "constexpr int live = " + std::to_string(live) + R"(;
__device__ __forceinline__ void body(const float* in, float* out, int n)
{
    float v[live];
    #pragma unroll
    for (int i = 0; i < live; ++i) v[i] = in[threadIdx.x + i * 32];
    for (int k = 0; k < n; ++k) {
        #pragma unroll
        for (int i = 0; i < live; ++i) v[i] = )" +
                         step + R"(;
    }
    #pragma unroll
    for (int i = 0; i < live; ++i) out[threadIdx.x + i * 32] = v[i];
}
)";
    for (const auto& [name, attribute] : name_and_attribute)
        source += "extern \"C\" __global__ void " + attribute + " " + name +
                  "(const float* in, float* out, int n) { body(in, out, n); }\n";
    return source;
}

// With loads in the loop, which ptxas moves forward as far as registers allow.
const char* const loading = "v[i] * in[k * live + i + threadIdx.x] + v[(i + 1) % live]";

TEST(LaunchBoundsFacts, TwoArgumentsReduceAndRaiseRegisters)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string source = source_of(60, loading,
                                         {{"none", ""},
                                          {"one", "__launch_bounds__(256, 1)"},
                                          {"four", "__launch_bounds__(256, 4)"},
                                          {"whole", "__launch_bounds__(1024)"},
                                          {"dropped", "__launch_bounds__(1024, 4)"}});
    const std::map<std::string, std::pair<int, int>> registers{
        {"sm_75", {72, 142}}, {"sm_90", {80, 142}}, {"sm_100", {80, 132}}, {"sm_120", {80, 132}}};
    for (const auto& [architecture, counts] : registers) {
        const auto [without, with_one] = counts;
        SCOPED_TRACE(architecture);
        std::string log;
        const auto kernels = kernels_of(source, architecture, &log);
        const sm_limits& limits = limits_of(architecture);
        const auto blocks = [&](const char* name) {
            return resident_blocks(limits, {.registers = kernels.at(name).figures.registers.value()}, {.threads = 256});
        };
        EXPECT_LE(kernels.at("four").figures.registers, register_cap(limits, 256, 4));
        EXPECT_GE(blocks("four"), 4);
        EXPECT_EQ(kernels.at("none").figures.registers, without);
        EXPECT_EQ(kernels.at("one").figures.registers, with_one) << "raised, with no warning";
        EXPECT_EQ(blocks("one"), 1);
        EXPECT_EQ(blocks("none"), 3);
        // (1024, 4) is always out of range: a warning, and the code of (1024).
        EXPECT_TRUE(contains(log, "for entry dropped is out of range")) << log;
        EXPECT_FALSE(contains(log, "for entry one")) << log;
        EXPECT_EQ(kernels.at("dropped").figures.code_hash, kernels.at("whole").figures.code_hash);
        EXPECT_EQ(kernels.at("whole").bounds.register_cap, 64);
    }
}

TEST(LaunchBoundsFacts, OneArgumentMayLimitRegistersTooFar)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string source = source_of(
        300, "fmaf(v[i], v[(i * 7 + 3) % live], in[i + k])",
        {{"none", ""}, {"one_argument", "__launch_bounds__(256)"}, {"two_arguments", "__launch_bounds__(256, 1)"}});
    for (const auto& [architecture, registers] :
         std::map<std::string, int>{{"sm_75", 64}, {"sm_90", 32}, {"sm_120", 40}}) {
        SCOPED_TRACE(architecture);
        const auto kernels = kernels_of(source, architecture);
        EXPECT_EQ(kernels.at("none").figures.registers, 255);
        EXPECT_EQ(kernels.at("one_argument").figures.registers, registers);
        EXPECT_EQ(kernels.at("one_argument").bounds.register_cap, 255) << "the cap that is stored does not tell";
        EXPECT_EQ(kernels.at("two_arguments").figures.registers, 255);
        EXPECT_GT(kernels.at("one_argument").figures.spill_store_bytes, kernels.at("none").figures.spill_store_bytes);
        EXPECT_EQ(kernels.at("two_arguments").figures.spill_store_bytes, kernels.at("none").figures.spill_store_bytes);
    }
}

TEST(LaunchBoundsFacts, PtxasIgnoresSharedMemory)
{
    SKIP_WITHOUT_TOOLKIT();
    std::string source = source_of(60, "v[i] * v[(i + 7) % live] + v[(i + 13) % live]", {});
    source += R"(
extern "C" __global__ void __launch_bounds__(128, 8) k(const float* in, float* out, int n)
{
    __shared__ float held[12000];
    held[threadIdx.x] = in[n];
    __syncthreads();
    body(held, out, n);
}
)";
    for (const auto& [architecture, blocks] :
         std::map<std::string, int>{{"sm_75", 1}, {"sm_80", 3}, {"sm_90", 4}, {"sm_120", 2}}) {
        SCOPED_TRACE(architecture);
        const kernel_info kernel = kernels_of(source, architecture).at("k");
        EXPECT_EQ(kernel.figures.static_shared_bytes, 48000);
        EXPECT_EQ(kernel.figures.registers, 64) << "the cap for 8 blocks";
        EXPECT_GT(kernel.figures.spill_store_bytes, 0);
        EXPECT_EQ(
            resident_blocks(limits_of(architecture), {.registers = 64, .static_shared_bytes = 48000}, {.threads = 128}),
            blocks);
    }
}

TEST(LaunchBoundsFacts, SpillingToSharedMemoryChangesTheSharedMemory)
{
    SKIP_WITHOUT_TOOLKIT();
    const auto source = [](const char* pragma) {
        return source_of(60, "v[i] * v[(i + 7) % live] + v[(i + 13) % live]", {}) +
               "extern \"C\" __global__ void __launch_bounds__(256, 8) k(const float* in, float* out, int n)\n{\n" +
               pragma + "    body(in, out, n);\n}\n";
    };
    const char* const pragma = "    asm volatile(\".pragma \\\"enable_smem_spilling\\\";\");\n";
    const kernel_info plain = kernels_of(source(""), "sm_90").at("k"),
                      spilling = kernels_of(source(pragma), "sm_90").at("k");
    EXPECT_EQ(plain.figures.static_shared_bytes, 0);
    EXPECT_GT(spilling.figures.static_shared_bytes, 0) << "which the source does not show";
    EXPECT_EQ(spilling.figures.static_shared_bytes.value() % 256, 0) << "so much for each thread";
    const compiled relocatable = compile_cuda(source(pragma), "sm_90", {"-rdc=true"});
    EXPECT_NE(relocatable.exit_code, 0);
    EXPECT_TRUE(contains(relocatable.log, "not allowed for per-function compilation modes")) << relocatable.log;
}

TEST(LaunchBoundsFacts, SetmaxnregNeedsBothBounds)
{
    SKIP_WITHOUT_TOOLKIT();
    std::string source;
    for (const auto& [name, attribute] : std::map<std::string, std::string>{
             {"none", ""}, {"one", "__launch_bounds__(384)"}, {"two", "__launch_bounds__(384, 1)"}})
        source += "extern \"C\" __global__ void " + attribute + " " + name +
                  "(float* out) { asm volatile(\"setmaxnreg.inc.sync.aligned.u32 240;\"); out[0] = 1; }\n";
    const compiled made = compile_cuda(source, "sm_90a");
    ASSERT_EQ(made.exit_code, 0) << made.log;
    const std::string sentence = "'setmaxnreg' ignored; unable to determine register count at entry.";
    std::size_t times = 0;
    for (std::size_t at = made.log.find(sentence); at != std::string::npos; at = made.log.find(sentence, at + 1))
        ++times;
    EXPECT_EQ(times, 2u) << made.log;
    for (const kernel_info& kernel : read_cubin(made.image, "-").kernels)
        EXPECT_EQ(kernel.figures.registers == 168, kernel.name == "two")
            << kernel.name << " " << *kernel.figures.registers;
}

TEST(LaunchBoundsFacts, LinkingRaisesRegistersOrFails)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string callee = source_of(150, "v[i] * v[(i + 7) % live] + v[(i + 13) % live]", {}) +
                               "__device__ void far(const float* in, float* out, int n) { body(in, out, n); }\n";
    const auto caller = [](const char* attribute) {
        return "__device__ void far(const float*, float*, int);\nextern \"C\" __global__ void " +
               std::string(attribute) + " rk(const float* in, float* out, int n) { far(in, out, n); }\nint main() {}\n";
    };
    const temporary_directory folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    write_file_atomically(path("callee.cu"), callee);
    write_file_atomically(path("free.cu"), caller(""));
    write_file_atomically(path("bound.cu"), caller("__launch_bounds__(256, 4)"));
    const auto object = [&](const std::string& name) {
        return run({"nvcc", "-arch=sm_90", "-rdc=true", "-Xptxas=-v", "-c", "-o", path((name + ".o").c_str()),
                    path((name + ".cu").c_str())});
    };
    const std::string compiled_alone = object("free").output;
    ASSERT_EQ(object("callee").exit_code, 0);
    ASSERT_EQ(object("bound").exit_code, 0);
    EXPECT_TRUE(contains(compiled_alone, "Used 24 registers")) << "its own alone: " << compiled_alone;
    const auto link = [&](const std::string& name) {
        return run({"nvcc", "-arch=sm_90", "-rdc=true", "-dlink", "-Xnvlink=-v", "-o", path("linked.o"),
                    path((name + ".o").c_str()), path("callee.o")});
    };
    const subprocess_result linked = link("free");
    EXPECT_EQ(linked.exit_code, 0) << linked.output;
    EXPECT_FALSE(contains(linked.output, "used 24 registers")) << linked.output;
    const subprocess_result failed = link("bound");
    EXPECT_NE(failed.exit_code, 0);
    EXPECT_TRUE(contains(failed.output, "entry function 'rk' with max regcount of 64 calls function")) << failed.output;
}

TEST(LaunchBoundsFacts, LocalMaxnregNeedsRelocatableCode)
{
    SKIP_WITHOUT_TOOLKIT();
    const compiled made = compile_cuda(
        "__device__ __noinline__ void __local_maxnreg__(64) far(float* out) { out[1] = 2; }\n"
        "extern \"C\" __global__ void k(float* out) { far(out); out[0] = 1; }\n",
        "sm_90");
    EXPECT_EQ(made.exit_code, 0) << made.log;
    EXPECT_TRUE(contains(made.log, ".local_maxnreg")) << made.log;
}

}  // namespace
}  // namespace launchbox
