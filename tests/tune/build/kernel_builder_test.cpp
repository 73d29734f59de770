// Really compiles with NVRTC and nvcc.
#include "tune/build/kernel_builder.hpp"
#include "tune/build/compile_worker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "compiler/run/toolchain.hpp"
#include "image/cubin.hpp"
#include "kernel_specs.hpp"
#include "launchbox/sm_limits.hpp"
#include "scale.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/backend/screen.hpp"

using namespace launchbox;
using namespace launchbox::testing_specs;
namespace fs = std::filesystem;

namespace {

constexpr const char* kernels = R"(
#include "parts/scale.hpp"
namespace outer {
namespace {
__global__ void hidden(int* p) { *p = 1; }
}  // namespace
template <class T, int n>
struct point { T x; };
template <class T, int n>
__global__ void scale(point<T, n>* p, point<T, n>* q) { p->x = q->x * n * factor; }
}  // namespace outer
extern "C" __global__ void plain(float* p) { *p = 3; }
static __global__ void single(float* p) { *p = 4; }
__global__ void twice(float* p) { *p = 3; }
__global__ void twice(int* p) { *p = 3; }
__constant__ int table[4] = {1, 2, 3, TABLE};
template <int n, int unused>
__global__ void read_table(int* p) { p[threadIdx.x] = table[threadIdx.x % 4] + n; }
template <int bound, int blocks>
__global__ __launch_bounds__(bound, blocks) void bounded(float* p) { p[threadIdx.x] *= 2; }
__device__ __noinline__ int help(int x) {
    int r = x;
    for (int i = 0; i < x; ++i) r = r * HELP + i;
    return r;
}
template <class T, int n>
__global__ void tiled(T* p) {
    __shared__ T tile[n];
    tile[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    T sum = 0;
    for (int i = 0; i < n; ++i) sum += tile[i] * tile[n - 1 - i];
    p[threadIdx.x] = sum;
}
__global__ void with_help(int* p) { *p = help(p[1]) + help(p[2]); }
)";

class KernelBuilder : public testing::TestWithParam<const char*> {
protected:
    void SetUp() override
    {
        if (const std::string missing = missing_compiler(); !missing.empty()) GTEST_SKIP() << missing;
        fs::create_directory(folder_.path() / "parts");
        write_file_atomically(folder_.path() / "kernels.cu", kernels);
        write_file_atomically(folder_.path() / "parts" / "scale.hpp", "#pragma once\n#include \"factor.hpp\"\n");
        write_file_atomically(folder_.path() / "parts" / "factor.hpp", "constexpr int factor = 2;\n");
    }

    [[nodiscard]] tune_spec spec(const std::string& name, std::vector<std::string> flags = {}) const
    {
        flags.insert(flags.begin(), {"-O3", "-DTABLE={table}", "-D", "HELP={help}"});
        return spec_of(folder_.path(), "kernels.cu", name, std::move(flags));
    }
    [[nodiscard]] static assignment values(std::int64_t n = 1, std::int64_t unused = 0, const std::string& table = "4",
                                           std::int64_t help = 3)
    {
        return values_of({{"n", integer(n)}, {"unused", integer(unused)}, {"table", table}, {"help", integer(help)}});
    }
    [[nodiscard]] builder_options options(const char* compiler, bool cached = false) const
    {
        return {.compiler = compiler, .cache_folder = cached ? folder_.path() / "cache" : fs::path(), .jobs = 2};
    }
    [[nodiscard]] build_result built(const char* compiler, const std::string& name, const assignment& with) const
    {
        kernel_builder builder(spec(name), options(compiler));
        return builder.build(with, sm_90.capability);
    }

    temporary_directory folder_;
};
INSTANTIATE_TEST_SUITE_P(, KernelBuilder, testing::Values("nvrtc", "nvcc"),
                         [](const auto& item) { return std::string(item.param); });

TEST_P(KernelBuilder, reports_the_first_error_of_ptxas)
{
    write_file_atomically(folder_.path() / "refused.cu", R"(
template <int n> __global__ void no_such(int* p)
{
    if (n == 1) asm volatile("no_instruction;");
    asm volatile("nor_that;");
    *p = n;
}
template <int n> __global__ void too_much(int* p) { __shared__ int all[n]; all[*p] = 1; __syncthreads(); *p = all[n - *p]; }
)");
    const auto reason = [&](const std::string& name) {
        kernel_builder builder(spec_of(folder_.path(), "refused.cu", name), options(GetParam()));
        const build_result result = builder.build({}, sm_90.capability);
        EXPECT_EQ(result.build.status, build_status::compile_error);
        EXPECT_EQ(result.build.machine_failure, "");
        return result.build.reason;
    };
    const std::string first = reason("no_such<1>");
    EXPECT_NE(first.find("Not a name of any known instruction: 'no_instruction'"), std::string::npos) << first;
    EXPECT_EQ(first.find("launchbox_unit"), std::string::npos) << first;
    const std::string shared = reason("too_much<20000>");
    EXPECT_NE(shared.find("uses too much shared data (0x13880 bytes, 0xc000 max)"), std::string::npos) << shared;
}

TEST_P(KernelBuilder, finds_the_name_of_every_kind_of_kernel)
{
    for (const auto& [name, part] : std::vector<std::pair<std::string, std::string>>{
             {"outer::hidden", "6hidden"},
             {"outer::scale<outer::point<int, 5>, {n}>", "5scaleINS_5pointIiLi5EEELi7E"},
             {"plain", "plain"},
             {"single", "_Z6singlePf"},
             {"twice", ""},
             {"bounded<64, 3>", "_Z7boundedILi64ELi3EEvPf"}}) {
        if (part.empty()) continue;
        // `scale` of such a type cannot be instantiated: only the name matters.
        const std::string expression = name.starts_with("outer::scale") ? "outer::scale<int, {n}>" : name;
        const build_result result = built(GetParam(), expression, values(7));
        ASSERT_EQ(result.build.status, build_status::built)
            << expression << ": " << result.build.reason << result.build.log;
        const cubin_contents contents = read_cubin(result.cubin, "");
        EXPECT_EQ(std::ranges::count(contents.kernels, result.build.kernel->name, &kernel_info::name), 1) << expression;
        const std::string wanted =
            name.starts_with("outer::scale") ? "_ZN5outer5scaleIiLi7EEEvPNS_5pointIT_XT0_EEES4_" : part;
        EXPECT_NE(result.build.kernel->name.find(wanted), std::string::npos) << result.build.kernel->name;
        EXPECT_GT(result.build.kernel->figures.registers, 0);
        EXPECT_EQ(result.build.kernel->architecture, "sm_90");
        EXPECT_FALSE(result.build.code.empty());
    }
    EXPECT_EQ(built(GetParam(), "plain", values()).build.kernel->name, "plain");
}

TEST_P(KernelBuilder, reads_both_launch_bounds)
{
    const build_result result = built(GetParam(), "bounded<64, 3>", values());
    EXPECT_EQ(result.build.kernel->bounds.max_threads, (std::array<int, 3>{64, 1, 1}));
    EXPECT_EQ(result.build.kernel->bounds.min_blocks, 3);
    EXPECT_EQ(built(GetParam(), "bounded<64, 0>", values()).build.kernel->bounds.min_blocks, std::nullopt);
}

TEST_P(KernelBuilder, resources_are_the_same_with_both_compilers)
{
    if (GetParam() != std::string("nvrtc")) return;  // once is enough
    for (const char* name : {"bounded<64, 3>", "bounded<1024, 2>", "read_table<{n}, 0>", "with_help", "plain",
                             "tiled<int, 32>", "tiled<double, 64>"}) {
        kernel_info one = built("nvrtc", name, values()).build.kernel.value(),
                    other = built("nvcc", name, values()).build.kernel.value();
        EXPECT_EQ(one.source.container, "NVRTC");
        EXPECT_EQ(other.source.container, "nvcc");
        one.source = other.source;
        one.figures.code_hash = other.figures.code_hash;    // the order of instructions may differ,
        one.figures.code_bytes = other.figures.code_bytes;  // and so may what the compilers record about the whole file
        one.figures.constant_banks = other.figures.constant_banks;
        one.warnings = other.warnings;
        one.figures.callees = other.figures.callees;
        EXPECT_EQ(one.figures.registers, other.figures.registers) << name;
        EXPECT_EQ(one.figures.spill_store_bytes, other.figures.spill_store_bytes) << name;
        EXPECT_EQ(one.figures.spill_load_bytes, other.figures.spill_load_bytes) << name;
        EXPECT_EQ(one.figures.stack_frame_bytes, other.figures.stack_frame_bytes) << name;
        EXPECT_EQ(one.figures.cumulative_stack_bytes, other.figures.cumulative_stack_bytes) << name;
        EXPECT_EQ(one.figures.static_shared_bytes, other.figures.static_shared_bytes) << name;
        EXPECT_EQ(one.bounds.min_blocks, other.bounds.min_blocks) << name;
        EXPECT_EQ(one.bounds.max_threads, other.bounds.max_threads) << name;
        EXPECT_EQ(one, other) << name;
        EXPECT_TRUE(one.figures.registers && one.figures.spill_store_bytes && one.figures.static_shared_bytes &&
                    one.figures.barriers)
            << name;
    }
    EXPECT_EQ(built("nvrtc", "tiled<double, 64>", values()).build.kernel->figures.static_shared_bytes, 64 * 8);
}

TEST_P(KernelBuilder, reports_an_expression_that_is_not_a_kernel)
{
    for (const char* name : {"nothing", "twice", "bounded<64>", "outer::scale<int>"}) {
        const build_result result = built(GetParam(), name, values());
        EXPECT_EQ(result.build.status, build_status::compile_error) << name;
        EXPECT_TRUE(result.build.reason.starts_with(std::string("kernels.cu has no kernel ") + name))
            << result.build.reason;
        EXPECT_EQ(result.build.reason.find('\n'), std::string::npos);
        EXPECT_TRUE(result.cubin.empty());
    }
}

TEST_P(KernelBuilder, reports_the_place_of_an_error)
{
    write_file_atomically(folder_.path() / "parts" / "factor.hpp",
                          "constexpr int factor = 2;\nconstexpr int factory = factors;\n");
    const build_result result = built(GetParam(), "plain", values());
    EXPECT_EQ(result.build.status, build_status::compile_error);
    EXPECT_TRUE(result.build.reason.starts_with("parts/factor.hpp(2): ")) << result.build.reason;
    EXPECT_NE(result.build.reason.find("\"factors\" is undefined"), std::string::npos) << result.build.reason;
    EXPECT_EQ(result.build.log.find(folder_.path().string()), std::string::npos) << result.build.log;

    write_file_atomically(folder_.path() / "kernels.cu", "__global__ void plain() {\n  x = 1;\n}\n");
    EXPECT_TRUE(built(GetParam(), "plain", values()).build.reason.starts_with("kernels.cu(2): "));
}

TEST_P(KernelBuilder, recognises_equal_code)
{
    const std::string read = "read_table<{n}, {unused}>";
    const build_result one = built(GetParam(), read, values(1, 0));
    ASSERT_EQ(one.build.status, build_status::built) << one.build.reason;
    EXPECT_EQ(one.build.code.size(), 32u);
    EXPECT_EQ(built(GetParam(), read, values(1, 0)).build.code, one.build.code);
    const build_result other_name = built(GetParam(), read, values(1, 1'000'000));
    EXPECT_NE(other_name.build.kernel->name, one.build.kernel->name);
    EXPECT_EQ(other_name.build.code, one.build.code) << "a parameter that is not used";
    EXPECT_NE(built(GetParam(), read, values(2, 0)).build.code, one.build.code) << "an immediate";
    if (std::string(GetParam()) == "nvcc" && !is_exhaustive()) return;  // from here on both compilers behave the same
    EXPECT_NE(built(GetParam(), read, values(1, 0, "5")).build.code, one.build.code) << "a table";

    const build_result helped = built(GetParam(), "with_help", values());
    EXPECT_NE(built(GetParam(), "with_help", values(1, 0, "4", 5)).build.code, helped.build.code)
        << "a function it calls";
    EXPECT_NE(built(GetParam(), "plain", values()).build.code, built(GetParam(), "single", values()).build.code);
    // min_blocks changes nothing in so small a kernel; the threads limit its launches.
    EXPECT_EQ(built(GetParam(), "bounded<64, 0>", values()).build.code,
              built(GetParam(), "bounded<64, 2>", values()).build.code);
    EXPECT_NE(built(GetParam(), "bounded<64, 0>", values()).build.code,
              built(GetParam(), "bounded<96, 0>", values()).build.code);
}

TEST_P(KernelBuilder, caches_builds_by_the_content_of_all_sources)
{
    const std::string name = "outer::scale<int, {n}>";
    const auto build = [&](std::int64_t n = 7) {
        kernel_builder builder(spec(name), options(GetParam(), true));
        const build_result result = builder.build(values(n), sm_90.capability);
        EXPECT_EQ(result.build.status, build_status::built) << result.build.reason;
        EXPECT_EQ(builder.compiles() + builder.from_cache(), 1u);
        EXPECT_EQ(builder.from_cache(), result.build.from_cache ? 1u : 0u);
        return std::pair(result, builder.sources(sm_90.capability).hash());
    };
    const auto [first, hash] = build();
    EXPECT_FALSE(first.build.from_cache);
    EXPECT_GT(first.build.compile_seconds, 0);
    const auto [again, same_hash] = build();
    EXPECT_TRUE(again.build.from_cache);
    EXPECT_EQ(again.cubin, first.cubin);
    EXPECT_EQ(again.build.kernel, first.build.kernel);
    EXPECT_EQ(again.build.code, first.build.code);
    EXPECT_EQ(again.build.log, first.build.log);
    EXPECT_EQ(again.build.compile_seconds, first.build.compile_seconds);
    EXPECT_EQ(same_hash, hash);
    EXPECT_FALSE(build(8).first.build.from_cache);

    const fs::path header = folder_.path() / "parts" / "factor.hpp";
    write_file_atomically(header, "constexpr int factor = 3;\n");
    const auto [edited, new_hash] = build();
    EXPECT_FALSE(edited.build.from_cache);
    EXPECT_NE(edited.build.code, first.build.code);
    EXPECT_NE(new_hash, hash);
    write_file_atomically(header, "constexpr int factor = 2;\n");
    EXPECT_TRUE(build().first.build.from_cache) << "the content counts, not the time";
}

TEST_P(KernelBuilder, flags_make_another_build_and_failures_are_not_cached)
{
    kernel_builder builder(spec("with_help"), options(GetParam(), true));
    EXPECT_FALSE(builder.build(values(1, 0, "1", 3), sm_90.capability).build.from_cache);
    EXPECT_FALSE(builder.build(values(1, 0, "1", 4), sm_90.capability).build.from_cache);
    EXPECT_TRUE(builder.build(values(1, 0, "1", 4), sm_90.capability).build.from_cache);
    EXPECT_FALSE(builder.build(values(1, 0, "1", 4), {8, 0}).build.from_cache);
    EXPECT_EQ(builder.build(values(1, 0, "no", 4), sm_90.capability).build.status, build_status::compile_error);
    const std::size_t compiles = builder.compiles();
    EXPECT_EQ(compiles, 4u);
    EXPECT_EQ(builder.build(values(1, 0, "no", 4), sm_90.capability).build.status, build_status::compile_error);
    EXPECT_EQ(builder.compiles(), compiles) << "not tried again by the same builder";
    kernel_builder next(spec("with_help"), options(GetParam(), true));
    EXPECT_EQ(next.build(values(1, 0, "no", 4), sm_90.capability).build.status, build_status::compile_error);
    EXPECT_EQ(next.compiles(), 1u);
}

TEST_P(KernelBuilder, serves_many_threads_at_once)
{
    kernel_builder builder(spec("read_table<{n}, 0>"), options(GetParam()));
    EXPECT_EQ(builder.jobs(), 2u);
    std::vector<build_result> results(8);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < results.size(); ++i)
            threads.emplace_back(
                [&, i] { results[i] = builder.build(values(static_cast<std::int64_t>(i / 2)), sm_90.capability); });
    }
    std::set<std::string> codes;
    for (std::size_t i = 0; i < results.size(); ++i) {
        ASSERT_EQ(results[i].build.status, build_status::built) << results[i].build.reason;
        EXPECT_NE(results[i].build.kernel->name.find("ILi" + std::to_string(i / 2) + "E"), std::string::npos);
        codes.insert(results[i].build.code);
    }
    EXPECT_EQ(codes.size(), 4u);
    EXPECT_EQ(builder.compiles(), 4u) << "the same candidate is compiled once";
}

TEST_P(KernelBuilder, stops_a_compiler_that_uses_too_much_memory)
{
#ifdef __SANITIZE_ADDRESS__
    GTEST_SKIP() << "memory is not limited under the address sanitizer";
#endif
    std::string big = "__device__ int big[] = {\n#define A(x) x,x,x,x,x,x,x,x,x,x\nA(A(A(A(A(A(A(1)))))))\n};\n";
    write_file_atomically(folder_.path() / "kernels.cu", big + "__global__ void plain(int* p) { *p = big[*p]; }\n");
    tune_spec limited = spec("plain");
    limited.kernel->compile_memory_bytes = std::int64_t{400} << 20;
    kernel_builder builder(limited, options(GetParam()));
    const build_result result = builder.build(values(), sm_90.capability);
    // gcc requests all the memory at once, is refused before it has used any, and reports that itself.
    const bool is_refused = GetParam() == std::string("nvcc");
    EXPECT_EQ(result.build.status, is_refused ? build_status::compile_error : build_status::compile_timeout);
    EXPECT_NE(result.build.reason.find(is_refused ? "out of memory" : "the compiler took more than 400 MiB of memory"),
              std::string::npos)
        << result.build.reason << result.build.log;
    write_file_atomically(folder_.path() / "kernels.cu", "__global__ void plain(int* p) { *p = 1; }\n");
    kernel_builder next(limited, options(GetParam()));
    EXPECT_EQ(next.build(values(), sm_90.capability).build.reason, "")
        << "the limit leaves room for compilers that work";
}

TEST(kernel_builder, compiles_ptx_with_other_register_limits)
{
    try {
        find_toolchain();
    } catch (const error& none) {
        GTEST_SKIP() << none.what();
    }
    const temporary_directory folder;
    // Eight values that are live at the same time, in a kernel whose launch bound overrides -maxrregcount.
    std::string body, sum;
    for (int i = 0; i < 40; ++i) {
        body += "ld.volatile.global.f32 f" + std::to_string(i) + ", [a+" + std::to_string(4 * i) + "];\n";
        sum += "st.volatile.global.f32 [a+" + std::to_string(4 * i) + "], f" + std::to_string(i) + ";\n";
    }
    write_file_atomically(folder.path() / "f.ptx",
                          ".version 8.0\n.target sm_90\n.address_size 64\n"
                          ".visible .entry f(.param .u64 p)\n.maxntid 128\n.minnctapersm 1\n{\n"
                          ".reg .b64 a; .reg .f32 f<40>;\nld.param.u64 a, [p];\ncvta.to.global.u64 a, a;\n" +
                              body + sum + "ret;\n}\n");
    const auto build = [&](const std::string& name, const std::vector<std::string>& flags, const char* compiler = "") {
        kernel_builder builder(spec_of(folder.path(), "f.ptx", name, flags), {.compiler = compiler, .jobs = 1});
        return builder.build(values_of({{"limit", integer(24)}}), sm_90.capability);
    };
    const build_result as_it_is = build("f", {}), limited = build("f", {"-maxrregcount={limit}"});
    ASSERT_EQ(as_it_is.build.status, build_status::built) << as_it_is.build.reason << as_it_is.build.log;
    ASSERT_EQ(limited.build.status, build_status::built) << limited.build.reason << limited.build.log;
    EXPECT_GT(as_it_is.build.kernel->figures.registers, 40);
    EXPECT_LE(limited.build.kernel->figures.registers, 24);
    EXPECT_NE(as_it_is.build.code, limited.build.code);
    EXPECT_EQ(limited.build.kernel->name, "f");
    EXPECT_EQ(build("f", {"-maxrregcount=0"}).build.code, as_it_is.build.code);
    EXPECT_EQ(build("f", {"--maxrregcount", "24"}).build.code, limited.build.code);

    const build_result none = build("g", {});
    EXPECT_EQ(none.build.status, build_status::compile_error);
    EXPECT_NE(none.build.reason.find("no kernel g"), std::string::npos) << none.build.reason;
    EXPECT_NE(build("f", {"-maxrregcount=many"}).build.reason.find("is not a number of registers"), std::string::npos);
    EXPECT_NE(build("f", {"-maxrregcount=256"}).build.reason.find("-maxrregcount=256 is not a number of registers"),
              std::string::npos);
    EXPECT_NE(build("f", {"-maxrregcount"}).build.reason.find("has no number"), std::string::npos);
    EXPECT_THROW((void)build("f", {}, "nvrtc"), error);
}

// In the spelling of nvcc 13.0. Back references in a name are shifted by one inside the marker's name.
TEST(kernel_builder, the_kernel_of_a_marker_is_found_among_its_overloads)
{
    const auto found = [](const std::string& marked, const std::vector<std::string>& kernels) {
        std::string outline = ".version 9.0\n.visible .entry _Z16launchbox_markerIXadL" + marked + "EEEvv()\n";
        for (const std::string& kernel : kernels) outline += ".visible .entry " + kernel + "(\n.param .u64 p\n)\n";
        return kernel_of_marker(outline);
    };
    EXPECT_EQ(found("_Z5scaleIiEvPT_", {"_Z5scaleIfEvPT_", "_Z5scaleIiEvPT_"}), "_Z5scaleIiEvPT_");
    EXPECT_EQ(found("_Z3twoPiS0_", {"_Z3twoPi", "_Z3twoPiS_"}), "_Z3twoPiS_");
    // f(A*, B*, A) and f(A*, B*, A*): outside the marker, the second has the name that the first has inside it.
    EXPECT_EQ(found("_Z1fP1AP1BS0_", {"_Z1fP1AP1BS0_", "_Z1fP1AP1BS_"}), "_Z1fP1AP1BS_");
    EXPECT_EQ(found("_Z1fP1AP1BS0_", {"_Z1fP1AP1BS0_"}), "");
    EXPECT_EQ(found("_Z5S_S0_PiS0_", {"_Z5S_S0_PiS_"}), "_Z5S_S0_PiS_");  // a function with the name S_S0_
    EXPECT_EQ(found("_Z3binILi20000EEvPi", {"_Z3binILi2000EEvPi", "_Z3binILi20000EEvPi"}), "_Z3binILi20000EEvPi");
    EXPECT_EQ(found("_Z5plainPf", {"plain", "plainer"}), "plain");  // extern "C"
    EXPECT_EQ(found("_Z4workPf", {"_Z5scaleIiEvPT_"}), "") << "a device function";
    EXPECT_EQ(kernel_of_marker(".visible .entry _Z5scaleIiEvPT_()\n"), "");
}

TEST(kernel_builder, refuses_specs_that_cannot_be_built)
{
    const temporary_directory folder;
    write_file_atomically(folder.path() / "k.cu", "__global__ void k() {}\n");
    EXPECT_THROW(kernel_builder(spec_of(folder.path(), "other.cu", "k"), {}), error);
    EXPECT_THROW(kernel_builder(spec_of(folder.path(), "k.cu", "k", {"-arch=sm_80"}), {}), error);
    EXPECT_THROW(kernel_builder(spec_of(folder.path(), "k.cu", "k"), {.compiler = "clang"}), error);
    EXPECT_THROW(kernel_builder(spec_of(folder.path(), "k.cu", "k"), {.compiler = "nvcc", .nvcc = "/nowhere/nvcc"}),
                 error);
}

}  // namespace
