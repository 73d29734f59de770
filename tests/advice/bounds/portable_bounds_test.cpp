#include "advice/bounds/portable_bounds.hpp"

#include <gtest/gtest.h>

#include <launchbox/launch_bounds.hpp>

#include <algorithm>
#include <random>

#include "advice/bounds/shared_declarations.hpp"
#include "compiler/run/compile.hpp"
#include "support/error.hpp"
#include "trial_kernels.hpp"

namespace launchbox {
namespace {

launch_attribute launch_bound(int threads, int blocks = 0)
{
    return {.threads = threads, .min_blocks = blocks};
}

architecture_bound on(const char* architecture, const launch_attribute& attribute)
{
    return {parse_compute_capability(architecture).value(), attribute};
}

using lines = std::vector<std::string>;

TEST(PortableBounds, OneBoundForAll)
{
    const portable_bounds same =
        portable_bounds_for("merge", 256, {on("sm_80", launch_bound(256, 2)), on("sm_120", launch_bound(256, 2))});
    EXPECT_EQ(same.attribute, "__launch_bounds__(256, 2)");
    EXPECT_EQ(same.lines, lines{});
    EXPECT_EQ(same.rows, (lines{"// sm<80, row{.threads = 256, .min_blocks = 2}>",
                                "// sm<120, row{.threads = 256, .min_blocks = 2}>"}));
    EXPECT_EQ(same.notes, lines{});

    const portable_bounds none = portable_bounds_for("merge", 256, {on("sm_80", {}), on("sm_120", {})});
    EXPECT_EQ(none.attribute, "");
    EXPECT_EQ(none.lines, lines{});

    const portable_bounds eight =
        portable_bounds_for("merge", 256, {on("sm_80", launch_bound(256, 8)), on("sm_90", launch_bound(256, 8))});
    EXPECT_EQ(eight.attribute, "__launch_bounds__(256, 8)");
    ASSERT_EQ(eight.notes.size(), 1u);
    EXPECT_NE(eight.notes[0].find("sm_86"), std::string::npos);
    EXPECT_EQ(eight.notes[0].find("sm_100,"), std::string::npos);
}

TEST(PortableBounds, ARangeWhereEveryArchitectureAcceptsIt)
{
    const portable_bounds found = portable_bounds_for(
        "merge", 256,
        {on("sm_120", launch_bound(256, 3)), on("sm_80", launch_bound(256, 2)), on("sm_90", launch_bound(256, 2))});
    EXPECT_EQ(found.attribute, "MERGE_BOUNDS");
    EXPECT_EQ(found.lines, (lines{"#if __CUDA_ARCH__ >= 1200", "#define MERGE_BOUNDS __launch_bounds__(256, 3)",
                                  "#elif __CUDA_ARCH__ >= 800", "#define MERGE_BOUNDS __launch_bounds__(256, 2)",
                                  "#else", "#define MERGE_BOUNDS __launch_bounds__(256)", "#endif"}));
}

TEST(PortableBounds, NumbersWhereSomeArchitecturesDropIt)
{
    const portable_bounds found =
        portable_bounds_for("merge", 256, {on("sm_80", launch_bound(256, 2)), on("sm_90", launch_bound(256, 8))});
    EXPECT_EQ(found.lines, (lines{"#if __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 || __CUDA_ARCH__ == 1030",
                                  "#define MERGE_BOUNDS __launch_bounds__(256, 8)", "#elif __CUDA_ARCH__ >= 900",
                                  "#define MERGE_BOUNDS __launch_bounds__(256)", "#elif __CUDA_ARCH__ >= 800",
                                  "#define MERGE_BOUNDS __launch_bounds__(256, 2)", "#else",
                                  "#define MERGE_BOUNDS __launch_bounds__(256)", "#endif"}));
}

TEST(PortableBounds, OtherAttributes)
{
    const portable_bounds found =
        portable_bounds_for("sort", 128,
                            {on("sm_75", {}), on("sm_86", {.max_registers = 40}),
                             on("sm_90", {.threads = 128, .min_blocks = 4, .max_cluster_blocks = 8})});
    EXPECT_EQ(found.lines,
              (lines{"#if __CUDA_ARCH__ == 900 || __CUDA_ARCH__ == 1000 || __CUDA_ARCH__ == 1010 || "
                     "__CUDA_ARCH__ == 1030 || __CUDA_ARCH__ == 1070 || __CUDA_ARCH__ == 1100 || "
                     "__CUDA_ARCH__ == 1200 || __CUDA_ARCH__ == 1210",
                     "#define SORT_BOUNDS __launch_bounds__(128, 4, 8)", "#elif __CUDA_ARCH__ >= 900",
                     "#define SORT_BOUNDS __launch_bounds__(128)", "#elif __CUDA_ARCH__ >= 860",
                     "#define SORT_BOUNDS __maxnreg__(40)", "#elif __CUDA_ARCH__ >= 750", "#define SORT_BOUNDS",
                     "#else", "#define SORT_BOUNDS __launch_bounds__(128)", "#endif"}));
}

TEST(PortableBounds, VariantsOfOneNumber)
{
    const portable_bounds found = portable_bounds_for(
        "merge", 256,
        {on("sm_90a", launch_bound(256, 3)), on("sm_90", launch_bound(256, 2)), on("sm_100f", launch_bound(256, 2))});
    EXPECT_EQ(found.attribute, "__launch_bounds__(256, 2)") << "the weaker";
    ASSERT_EQ(found.notes.size(), 1u);
    EXPECT_NE(found.notes[0].find("9.0"), std::string::npos);
    EXPECT_EQ(found.rows.size(), 2u);
}

TEST(PortableBounds, NamesOfMacros)
{
    EXPECT_EQ(bounds_macro_name("merge"), "MERGE_BOUNDS");
    EXPECT_EQ(bounds_macro_name("cub::detail::DeviceMergeSort<int, (bool)1>::run"), "DEVICEMERGESORT_BOUNDS");
    EXPECT_EQ(bounds_macro_name("ns::merge_tiles<int, 256, 23>"), "MERGE_TILES_BOUNDS");
    EXPECT_EQ(bounds_macro_name("_Z3fooPf"), "Z3FOOPF_BOUNDS");
    EXPECT_EQ(bounds_macro_name("3d"), "KERNEL_3D_BOUNDS");
    EXPECT_EQ(bounds_macro_name("\xc3\xa4\"; #"), "KERNEL_BOUNDS");
    EXPECT_EQ(bounds_macro_name(""), "KERNEL_BOUNDS");
}

// Evaluates the macro by the rules of the preprocessor: the bound that an architecture gets.
std::string expanded(const portable_bounds& bounds, int number)
{
    if (bounds.lines.empty()) return bounds.attribute;
    bool taken = false, holds = false;
    for (const std::string& line : bounds.lines) {
        if (line.starts_with("#define")) {
            if (holds && !taken) {
                const std::string prefix = "#define " + bounds.attribute;
                return line.size() > prefix.size() ? line.substr(prefix.size() + 1) : "";
            }
            continue;
        }
        if (line == "#endif") break;
        holds = line == "#else";
        std::string rest = line;
        for (std::size_t at = rest.find("__CUDA_ARCH__ "); at != std::string::npos; at = rest.find("__CUDA_ARCH__ ")) {
            rest = rest.substr(at + 14);
            const int value = std::stoi(rest.substr(3));
            holds |= rest.starts_with(">=") ? number * 10 >= value : number * 10 == value;
        }
    }
    return "nothing";
}

// Whatever is wanted: each swept architecture gets the bound that it wants, and no architecture gets one that it would
// drop.
TEST(PortableBounds, NoArchitectureGetsABoundThatItDrops)
{
    std::mt19937 random(20);  // any fixed seed would do; a failure prints its case
    const auto draw = [&](int from, int to) { return std::uniform_int_distribution(from, to)(random); };
    for (int round = 0; round < 2000; ++round) {
        const int threads = 32 * draw(1, 32);
        std::vector<architecture_bound> wanted;
        for (const sm_limits& row : sm_limits_table)
            if (row.capability.major >= 7 && draw(0, 3) == 0)
                wanted.push_back({row.capability, launch_bound(threads, draw(0, max_legal_min_blocks(row, threads)))});
        if (wanted.empty()) continue;
        const portable_bounds found = portable_bounds_for("k", threads, wanted);
        std::string text;
        for (const std::string& line : found.lines) text += line + "\n";
        for (const architecture_bound& bound : wanted)
            EXPECT_EQ(expanded(found, bound.architecture.number()), attribute_source(bound.attribute))
                << bound.architecture.number() << "\n"
                << text;
        if (found.lines.empty()) continue;  // one bound for all: it says itself which architectures would drop it
        EXPECT_EQ(expanded(found, 0), attribute_source(launch_bound(threads))) << "the host";
        for (int number = 50; number < 200; ++number) {
            const std::string got = expanded(found, number);
            const auto comma = got.find(", ");
            const int blocks = comma == std::string::npos ? 0 : std::stoi(got.substr(comma + 2));
            for (const sm_limits& row : sm_limits_table) {
                // An unknown chip may be as small as any since the oldest swept one.
                const bool unknown = find_sm_limits({number / 10, number % 10}) == nullptr;
                const bool counts =
                    unknown ? row.capability >= wanted.front().architecture : row.capability.number() == number;
                if (!counts || number < wanted.front().architecture.number()) continue;
                EXPECT_EQ(check_launch_bounds(row, threads, blocks), launch_bounds_verdict::honoured)
                    << number << " " << got << "\n"
                    << text;
            }
            EXPECT_TRUE(number >= wanted.front().architecture.number() || blocks == 0) << number;
        }
    }
}

TEST(PortableBounds, FromAnswers)
{
    const auto answer = [](const char* architecture, const std::vector<std::pair<launch_attribute, made_code>>& codes) {
        return answer_bounds(trials_of(architecture, {}, {256, 512}, codes));
    };
    const bounds_answer old =
        answer("sm_80", {{{}, {70, 0, 100}}, {launch_bound(256, 4), {64, 0, 100}}, {launch_bound(512), {70, 0, 100}}});
    const bounds_answer young =
        answer("sm_90", {{{}, {90, 0, 100}}, {launch_bound(256, 3), {80, 0, 100}}, {launch_bound(512), {70, 0, 100}}});
    const auto found = portable_bounds_of({&old, &young});
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->threads, 256) << "more warps on both than with 512";
    EXPECT_EQ(found->attribute, "MERGE_BOUNDS");
    EXPECT_EQ(expanded(*found, 80), "__launch_bounds__(256, 4)");
    EXPECT_EQ(expanded(*found, 90), "__launch_bounds__(256, 3)");
    EXPECT_EQ(portable_bounds_of({&old}), std::nullopt);
    bounds_answer nothing = young;
    nothing.block_sizes.clear();
    EXPECT_EQ(portable_bounds_of({&old, &nothing}), std::nullopt);
}

TEST(SharedDeclarations, OneDeclarationHasOneAttribute)
{
    const auto instance = [](const char* name, const char* architecture, int registers, int line) {
        bounds_answer answer = answer_bounds(
            trials_of(architecture, {}, {256}, {{{}, {80, 0, 100}}, {launch_bound(256, 4), {registers, 0, 100}}}));
        answer.short_form = name;
        answer.declared_at = {"merge.cu", line};
        return answer;
    };
    EXPECT_EQ(
        conflicting_declarations({instance("merge<int>", "sm_90", 64, 7), instance("merge<long>", "sm_90", 80, 7)}),
        (lines{"merge.cu:7, sm_90: merge<int> needs __launch_bounds__(256, 4), merge<long> needs no attribute, and a "
               "declaration has only one attribute; let it depend on a template parameter: "
               "__launch_bounds__(threads_of<T>)"}));
    EXPECT_EQ(
        conflicting_declarations({instance("merge<int>", "sm_90", 64, 7), instance("merge<long>", "sm_90", 64, 7)}),
        lines{});
    EXPECT_EQ(conflicting_declarations({instance("merge<int>", "sm_90", 64, 7), instance("sort<int>", "sm_90", 80, 9)}),
              lines{});
    EXPECT_EQ(
        conflicting_declarations({instance("merge<int>", "sm_90", 64, 7), instance("merge<int>", "sm_80", 80, 7)}),
        lines{})
        << "the macro is for that";
}

// The macro as the compiler evaluates it, for every architecture that it compiles for.
TEST(PortableBounds, AsCompiled)
{
    SKIP_WITHOUT_TOOLKIT();
    const portable_bounds found =
        portable_bounds_for("merge", 256,
                            {on("sm_75", launch_bound(256, 4)), on("sm_80", launch_bound(256, 8)),
                             on("sm_90", launch_bound(256, 3)), on("sm_120", launch_bound(256, 6))});
    ASSERT_FALSE(found.lines.empty());
    std::string source;
    for (const std::string& line : found.lines) source += line + "\n";
    source += "extern \"C\" __global__ void " + found.attribute + " k(float* out) { out[0] = 1; }\n" +
              "int main() { k<<<1, 256>>>(nullptr); return 0; }\n";
    const temporary_directory folder;
    const std::string file = (folder.path() / "macro.cu").string();
    write_file_atomically(file, source);
    const toolchain tools = find_toolchain();
    compile_request request{.source = file, .architectures = compiler_architectures(tools), .flags = {}};
    request.architectures.push_back({9, 0, architecture_variant::accelerated});
    request.architectures.push_back({10, 0, architecture_variant::family});
    for (const compile_result& result : compile_kernels(tools, request)) {
        const std::string name(architecture_name(result.architecture).view());
        ASSERT_TRUE(result.succeeded) << name << result.log;
        EXPECT_EQ(result.log.find("ignored"), std::string::npos) << name << result.log;
        ASSERT_EQ(result.kernels.size(), 1u);
        ASSERT_TRUE(result.kernels[0].bounds.max_threads.has_value()) << name;
        EXPECT_EQ(attribute_source(launch_bound(result.kernels[0].bounds.max_threads->front(),
                                                result.kernels[0].bounds.min_blocks.value_or(0))),
                  expanded(found, result.architecture.number()))
            << name;
    }
    // The host's compiler, too, which sees no __CUDA_ARCH__.
    const compiled whole = compile({"nvcc", "-arch=sm_90", "-c", "-Xcompiler=-Wall,-Wextra,-Werror"}, source, ".cu");
    EXPECT_EQ(whole.exit_code, 0) << whole.log;
}

}  // namespace
}  // namespace launchbox
