#include "image/cubin.hpp"

#include <algorithm>
#include <launchbox/compute_capability.hpp>
#include <map>
#include <stdexcept>

#include "flat_binary.hpp"
#include "image/container/elf.hpp"
#include "kernels.hpp"
#include "ptxas_log.hpp"
#include "scale.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

// One architecture per layout of cubins, or all.
const std::vector<std::string> architectures =
    is_exhaustive()
        ? std::vector<std::string>{"sm_75", "sm_80", "sm_86", "sm_90", "sm_90a", "sm_100", "sm_100a", "sm_120"}
        : std::vector<std::string>{"sm_75", "sm_86", "sm_90a", "sm_120"};

using triple = std::array<int, 3>;

const kernel_info& kernel(const cubin_contents& cubin, const std::string& name)
{
    const auto found = std::find_if(cubin.kernels.begin(), cubin.kernels.end(),
                                    [&](const kernel_info& info) { return info.name == name; });
    if (found == cubin.kernels.end()) throw std::runtime_error("no kernel " + name);
    return *found;
}

void expect_equal_to_log(const std::string& source, const std::string& architecture,
                         const std::vector<std::string>& options)
{
    const compiled made = compile_cuda(source, architecture, options);
    SCOPED_TRACE(architecture + " " + (options.empty() ? "" : options.front()) + "\n" + made.log);
    ASSERT_EQ(made.exit_code, 0);
    const ptxas_log log = parse_ptxas_log(made.log);
    const cubin_contents cubin = read_cubin(made.image, "kernels.cubin");
    const bool relocatable = std::find(options.begin(), options.end(), "-rdc=true") != options.end();

    EXPECT_EQ(diagnostics_of(cubin), "");
    EXPECT_EQ(cubin.architecture, architecture);
    EXPECT_EQ(cubin.toolkit_version, toolkit_version());
    EXPECT_EQ(cubin.relocatable, relocatable);
    EXPECT_EQ(cubin.kernels.size(), log.kernels.size());
    EXPECT_EQ(cubin.global_bytes, log.module.at("gmem"));
    if (before_sm_90(architecture)) {  // ptxas prints no constant banks from sm_90 on
        for (const constant_bank& bank : cubin.module_constant_banks)
            EXPECT_EQ(bank.bytes, log.module.at("cmem[" + std::to_string(bank.bank) + "]"));
        EXPECT_EQ(cubin.module_constant_banks.size(), log.module.size() - 1);
    }

    for (const kernel_info& info : cubin.kernels) {
        SCOPED_TRACE(info.name);
        ASSERT_TRUE(log.kernels.contains(info.name));
        const logged_kernel& expected = log.kernels.at(info.name);
        const auto used = [&](const std::string& what) {
            return expected.used.contains(what) ? expected.used.at(what) : 0;
        };
        EXPECT_EQ(info.figures.registers, used("registers"));
        EXPECT_EQ(info.figures.barriers, used("barriers"));
        EXPECT_EQ(info.figures.static_shared_bytes, used("smem"));
        EXPECT_EQ(info.figures.stack_frame_bytes, expected.frame);
        EXPECT_EQ(info.figures.spill_store_bytes, expected.stores + expected.callee_stores);
        EXPECT_EQ(info.figures.spill_load_bytes, expected.loads + expected.callee_loads);
        EXPECT_EQ(info.figures.cumulative_stack_bytes,
                  relocatable ? std::nullopt : std::optional<std::int64_t>(used("cumulative")));
        if (before_sm_90(architecture)) {
            for (const constant_bank& bank : info.figures.constant_banks)
                EXPECT_EQ(bank.bytes, used("cmem[" + std::to_string(bank.bank) + "]"));
        }
        EXPECT_FALSE(info.figures.constant_banks.empty());
        EXPECT_GT(info.figures.code_bytes.value_or(0), 0);
        EXPECT_EQ(info.architecture, architecture);
        EXPECT_EQ(info.source.file, "kernels.cubin");
        EXPECT_EQ(info.relocatable, relocatable);
    }
}

class cubin_of : public testing::TestWithParam<std::string> {};

TEST_P(cubin_of, equals_ptxas_v)
{
    SKIP_WITHOUT_TOOLKIT();
    expect_equal_to_log(plain_kernels, GetParam(), {});
}

// Each option with the layouts before and from sm_90 on, or with all.
TEST(cubin, equals_ptxas_v_with_other_options)
{
    SKIP_WITHOUT_TOOLKIT();
    using strings = std::vector<std::string>;
    for (const auto& [options, some] : std::vector<std::pair<strings, strings>>{
             {{"-rdc=true"}, {"sm_86", "sm_90a"}},
             {{"-G"}, {"sm_75", "sm_120"}},
             {{"-maxrregcount=32", "-lineinfo", "--use_fast_math"}, {"sm_75", "sm_90a"}}})
        for (const std::string& architecture : is_exhaustive() ? architectures : some)
            expect_equal_to_log(plain_kernels, architecture, options);
}

// ptxas counts the variables in the kernel; nvlink adds those of templates, of the file and of called functions.
TEST(cubin, shared_memory_that_the_linker_adds_is_unknown_before_linking)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string source = R"(
__shared__ int of_file[1000];
__device__ __noinline__ int helper(int* p) { __shared__ int s[128]; s[threadIdx.x] = p[threadIdx.x]; __syncthreads(); return s[p[0]]; }
__device__ __noinline__ int without(int* p) { return p[p[0]]; }
template <int N> __global__ void of_template(int* p) { __shared__ int s[N]; s[threadIdx.x] = p[0]; __syncthreads(); p[0] = s[p[1]]; }
template __global__ void of_template<64>(int*);
extern "C" __global__ void of_kernel(int* p) { __shared__ int s[64]; s[threadIdx.x] = p[0]; __syncthreads(); p[0] = s[p[1]]; }
extern "C" __global__ void uses_file(int* p) { of_file[threadIdx.x] = p[0]; __syncthreads(); p[0] = of_file[p[1]]; }
extern "C" __global__ void calls(int* p) { p[0] = helper(p); }
extern "C" __global__ void calls_another(int* p) { p[0] = without(p); }
extern "C" __global__ void prints(int* p) { p[0] = 1; }
)";
    for (const char* architecture : {"sm_80", "sm_90"}) {
        const compiled made = compile_cuda(source, architecture, {"-rdc=true"});
        ASSERT_EQ(made.exit_code, 0) << made.log;
        std::map<std::string, std::optional<std::int64_t>> found;
        for (const kernel_info& info : read_cubin(made.image, "k.cubin").kernels)
            found[info.name] = info.figures.static_shared_bytes;
        const std::map<std::string, std::optional<std::int64_t>> wanted{
            {"_Z11of_templateILi64EEvPi", std::nullopt},
            {"of_kernel", 256},
            {"uses_file", std::nullopt},
            {"calls", std::nullopt},
            {"calls_another", std::nullopt},  // which function uses which memory is not recorded
            {"prints", 0}};
        EXPECT_EQ(found, wanted) << architecture;
    }
}

// Libraries of CUDA 8, such as cuDNN 7, have the flag for sm_60 and sm_61 too.
TEST(cubin, only_from_sm_90_on_is_code_for_one_chip_alone)
{
    std::string image = read_input(std::string(LAUNCHBOX_SOURCE_DIR) + "/tests/fuzz/corpus/cubin/sm_75.cubin");
    image[8] = 7;  // the ABI up to CUDA 12
    const auto architecture = [&](int sm, int flags) {
        image[48] = static_cast<char>(sm);
        image[49] = static_cast<char>(flags >> 8);
        image[50] = static_cast<char>(sm);
        const cubin_contents cubin = read_cubin(image, "k.cubin");
        return cubin.architecture + " " + cubin.kernels.at(0).virtual_architecture;
    };
    EXPECT_EQ(architecture(60, 0x0d00), "sm_60 compute_60");
    EXPECT_EQ(architecture(61, 0x0500), "sm_61 compute_61");
    EXPECT_EQ(architecture(90, 0x0d00), "sm_90a compute_90a");
    EXPECT_EQ(architecture(90, 0x0500), "sm_90 compute_90");
}

// CUDA 12.8 and 12.9 do not write it into .nv.compat, only into the command line that they keep.
TEST(cubin, code_for_one_chip_is_known_by_its_command_line)
{
    SKIP_WITHOUT_TOOLKIT();
    for (const auto& [architecture, is_one_chip] : {std::pair("sm_100a", true), std::pair("sm_100", false)}) {
        compiled made = compile_cuda("__global__ void k(int* p) { *p = 1; }", architecture, {});
        ASSERT_EQ(made.exit_code, 0) << made.log;
        std::vector<image_diagnostic> diagnostics;
        const auto image = read_elf(made.image, diagnostics, elf_parts::sections);
        ASSERT_TRUE(image);
        const auto compat = std::ranges::find(image->sections, ".nv.compat", &elf_section::name);
        ASSERT_NE(compat, image->sections.end());
        const std::size_t begin = compat->offset;
        const std::size_t record = made.image.find(std::string("\x02\x09\x01\x00", 4), begin);
        ASSERT_EQ(record != std::string::npos && record < begin + compat->size, is_one_chip);
        if (is_one_chip) made.image[record + 2] = 0;
        EXPECT_EQ(read_cubin(made.image, "k.cubin").architecture, architecture);
    }
}

TEST(cubin, uninitialised_variables_of_a_relocatable_cubin_have_no_bytes)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string source = R"(
__device__ int table[100000];
__managed__ int shared_with_host[50000];
__global__ void reads(int* p) { __shared__ int s[64]; s[threadIdx.x] = table[p[0]]; __syncthreads(); p[0] = s[p[1]] + shared_with_host[p[2]]; }
)";
    for (const char* architecture : {"sm_75", "sm_90", "sm_120"}) {
        const compiled made = compile_cuda(source, architecture, {"-rdc=true"});
        ASSERT_EQ(made.exit_code, 0) << made.log;
        const cubin_contents cubin = read_cubin(made.image, "k.cubin");
        EXPECT_TRUE(cubin.diagnostics.empty()) << cubin.diagnostics.front().what;
        EXPECT_EQ(kernel(cubin, "_Z5readsPi").name, "_Z5readsPi");
        std::vector<image_diagnostic> diagnostics;
        const auto image = read_elf(made.image + std::string(1'000'000, 'x'), diagnostics, elf_parts::sections);
        ASSERT_TRUE(image);
        EXPECT_EQ(image->end, made.image.size()) << "the next image begins there";
    }
}

TEST_P(cubin_of, reads_launch_attributes)
{
    SKIP_WITHOUT_TOOLKIT();
    const compiled made = compile_cuda(plain_kernels, GetParam());
    const cubin_contents cubin = read_cubin(made.image, "-");
    EXPECT_EQ(kernel(cubin, "empty").figures.parameter_bytes, 0);
    EXPECT_EQ(kernel(cubin, "parameters").figures.parameter_bytes, 33);
    EXPECT_EQ(kernel(cubin, "large_parameter").figures.parameter_bytes, 3608);
    EXPECT_EQ(kernel(cubin, "empty").bounds.max_threads, std::nullopt);
    EXPECT_EQ(kernel(cubin, "empty").bounds.register_cap, 255);
    EXPECT_EQ(kernel(cubin, "one_bound").bounds.max_threads, (triple{256, 1, 1}));
    EXPECT_EQ(kernel(cubin, "one_bound").bounds.register_cap, 255);
    EXPECT_EQ(kernel(cubin, "two_bounds").bounds.max_threads, (triple{288, 1, 1}));
    EXPECT_EQ(kernel(cubin, "two_bounds").bounds.register_cap, 168);
    EXPECT_EQ(kernel(cubin, "max_registers").bounds.register_cap, 40);
    EXPECT_EQ(kernel(cubin, "named_barriers").figures.barriers, 6);
    EXPECT_EQ(kernel(cubin, "any_barrier").figures.barriers, 16);
    EXPECT_GT(kernel(cubin, "spills").figures.spill_store_bytes, 0);
    EXPECT_EQ(kernel(cubin, "spills").bounds.cluster, std::nullopt);
    EXPECT_EQ(kernel(cubin, "static_shared").figures.static_shared_bytes, 4048);
    EXPECT_EQ(kernel(cubin, "static_shared").figures.reserved_shared_bytes, before_sm_90(GetParam()) ? 0 : 1024);
    EXPECT_EQ(kernel(cubin, "empty").bounds.min_blocks, std::nullopt);
}

TEST_P(cubin_of, reads_clusters)
{
    SKIP_WITHOUT_TOOLKIT();
    if (before_sm_90(GetParam())) {  // no clusters there
        for (const kernel_info& info : read_cubin(compile_cuda(plain_kernels, GetParam()).image, "-").kernels)
            EXPECT_EQ(info.bounds.cluster, std::nullopt);
        return;
    }
    const cubin_contents cubin = read_cubin(compile_cuda(cluster_kernels, GetParam()).image, "-");
    EXPECT_EQ(kernel(cubin, "cluster").bounds.cluster, (triple{2, 1, 1}));
    EXPECT_EQ(kernel(cubin, "cluster_3d").bounds.cluster, (triple{1, 2, 4}));
    EXPECT_EQ(kernel(cubin, "none").bounds.cluster, std::nullopt);
    EXPECT_EQ(kernel(cubin, "none").bounds.max_cluster_blocks, std::nullopt);
    EXPECT_EQ(kernel(cubin, "three_bounds").bounds.max_cluster_blocks, 4);
    EXPECT_EQ(kernel(cubin, "block_size").bounds.cluster, (triple{2, 1, 1}));
    EXPECT_EQ(kernel(cubin, "block_size").bounds.required_threads, (triple{128, 2, 1}));
}

INSTANTIATE_TEST_SUITE_P(architectures, cubin_of, testing::ValuesIn(architectures),
                         [](const auto& info) { return info.param; });

// ptxas lists a function that it does not inline next to its kernel; the cubin has one sum and one frame.
TEST(cubin, adds_up_kernel_and_callee)
{
    SKIP_WITHOUT_TOOLKIT();
    for (const std::string& architecture : architectures) {
        const compiled made = compile_cuda(callee_kernels, architecture);
        SCOPED_TRACE(made.log);
        const ptxas_log log = parse_ptxas_log(made.log);
        const cubin_contents cubin = read_cubin(made.image, "-");
        EXPECT_EQ(diagnostics_of(cubin), "");
        ASSERT_EQ(cubin.kernels.size(), 5u);
        for (const kernel_info& info : cubin.kernels) {
            const logged_kernel& expected = log.kernels.at(info.name);
            EXPECT_EQ(info.figures.registers, expected.used.at("registers")) << info.name;
            // Registers that a function saves for its caller count as spills for ptxas, but not in the cubin.
            const bool pushes = info.name == "calls_recursive";
            EXPECT_EQ(info.figures.spill_store_bytes, expected.stores + (pushes ? 0 : expected.callee_stores))
                << info.name;
            EXPECT_EQ(info.figures.spill_load_bytes, expected.loads + (pushes ? 0 : expected.callee_loads))
                << info.name;
        }
        EXPECT_GT(kernel(cubin, "calls_many").figures.spill_store_bytes, 0);
        EXPECT_EQ(kernel(cubin, "calls_framed").figures.cumulative_stack_bytes, 80);
        EXPECT_EQ(kernel(cubin, "calls_recursive").figures.cumulative_stack_bytes, std::nullopt);
        EXPECT_EQ(kernel(cubin, "divides").figures.cumulative_stack_bytes, 0);
    }
}

// nvlink adds the reserved memory of sm_90 to the kernel's, and does not know the stack of a recursion.
TEST(cubin, equals_nvlink_v)
{
    SKIP_WITHOUT_TOOLKIT();
    if (find_in_path("nvlink").empty()) GTEST_SKIP() << "needs nvlink in PATH";
    for (const std::string& architecture : architectures) {
        const compiled object = compile_cuda(plain_kernels + callee_kernels, architecture, {"-rdc=true"});
        const compiled linked = compile({"nvlink", "-v", "-arch=" + architecture}, object.image, ".cubin");
        SCOPED_TRACE(linked.log);
        ASSERT_EQ(linked.exit_code, 0);
        const cubin_contents cubin = read_cubin(linked.image, "-");
        EXPECT_EQ(diagnostics_of(cubin), "");
        EXPECT_FALSE(cubin.relocatable);
        int compared = 0;
        int of_another = 0;  // kernels without barriers for which nvlink prints some
        std::istringstream lines(linked.log);
        for (std::string line, name; std::getline(lines, line);) {
            const std::string properties = "Function properties for '";
            if (const auto at = line.find(properties); at != std::string::npos) {
                name = line.substr(at + properties.size());
                name.resize(name.find('\''));
            } else if (const auto used = line.find("used "); used != std::string::npos) {
                std::map<std::string, std::int64_t> amounts = parse_amounts(line.substr(used));
                const kernel_info& info = kernel(cubin, name);
                const std::int64_t counted = architecture.starts_with("sm_90") && amounts["smem"] > 0 ? 1024 : 0;
                EXPECT_EQ(info.figures.registers, amounts["registers"]) << name;
                if (nvlink_repeats_barriers() && info.figures.barriers == 0) {
                    of_another += amounts["barriers"] > 0;
                } else {
                    EXPECT_EQ(info.figures.barriers, amounts["barriers"]) << name;
                }
                EXPECT_EQ(info.figures.static_shared_bytes, amounts["smem"] - counted) << name;
                EXPECT_EQ(info.figures.cumulative_stack_bytes,
                          name == "calls_recursive" ? std::nullopt : std::optional(amounts["stack"]))
                    << name;
                EXPECT_EQ(info.figures.stack_unbounded, name == "calls_recursive") << name;
                ++compared;
            }
        }
        EXPECT_EQ(compared, static_cast<int>(cubin.kernels.size()));
        EXPECT_GT(compared, 20);
        EXPECT_EQ(of_another > 0, nvlink_repeats_barriers()) << "corrected? Then say until which release it is so";
    }
}

// More sections than fit into 16 bits: the number is in section header 0, and a separate table has the indices.
TEST(cubin, reads_more_sections_than_16_bits_number_exhaustive)
{
    SKIP_WITHOUT_TOOLKIT();
    std::string ptx = ".version 9.0\n.target sm_75\n.address_size 64\n";
    for (int i = 0; i < 9000; ++i)
        ptx +=
            ".visible .entry k" + std::to_string(i) + "()\n.maxntid " + std::to_string(1 + i % 1024) + "\n{ ret; }\n";
    const compiled made = assemble(ptx, "sm_120");
    ASSERT_EQ(made.exit_code, 0) << made.log;
    const cubin_contents cubin = read_cubin(made.image, "-");
    EXPECT_EQ(diagnostics_of(cubin), "");
    ASSERT_EQ(cubin.kernels.size(), 9000u);
    for (const kernel_info& info : cubin.kernels) {
        const int number = std::stoi(info.name.substr(1));
        EXPECT_EQ(info.bounds.max_threads, (triple{1 + number % 1024, 1, 1}));
        EXPECT_TRUE(info.figures.registers && info.bounds.register_cap && info.figures.code_bytes > 0) << info.name;
    }
}

// The list of spills in a cubin wraps at 8,192; the code still shows all.
TEST(cubin, counts_more_spills_than_fit_into_the_list)
{
    SKIP_WITHOUT_TOOLKIT();
    constexpr int values = 4300;  // live at the same time; each is stored and loaded by a kernel with 64 registers
    std::string ptx =
        ".version 9.0\n.target sm_75\n.address_size 64\n.visible .entry huge(.param .u64 p)\n.maxntid 1024\n{\n"
        ".reg .f32 %f<" +
        std::to_string(values) + ">;\n.reg .b64 %p;\nld.param.u64 %p, [p];\n";
    for (int i = 0; i < values; ++i)
        ptx += "ld.global.f32 %f" + std::to_string(i) + ", [%p + " + std::to_string(i * 4) + "];\n";
    ptx += "bar.sync 0;\n";
    for (int i = 0; i < values; ++i)
        ptx += "st.global.f32 [%p + " + std::to_string(i * 4) + "], %f" + std::to_string((i * 7 + 3) % values) + ";\n";
    const compiled made = assemble(ptx + "ret;\n}\n", "sm_80", {"-v"});
    ASSERT_EQ(made.exit_code, 0) << made.log;
    const logged_kernel expected = parse_ptxas_log(made.log).kernels.at("huge");
    ASSERT_GT(expected.stores + expected.loads, 8192 * 4) << "not a test of the wrapped list";
    const cubin_contents cubin = read_cubin(made.image, "-");
    EXPECT_EQ(kernel(cubin, "huge").figures.spill_store_bytes, expected.stores);
    EXPECT_EQ(kernel(cubin, "huge").figures.spill_load_bytes, expected.loads);
}

}  // namespace
}  // namespace launchbox
