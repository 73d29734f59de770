#include "image/ptx/ptx.hpp"

#include <algorithm>
#include <map>
#include <tuple>

#include "image/cubin.hpp"
#include "image/ptx/ptx_modules.hpp"
#include "image/ptx/ptx_tokens.hpp"
#include "kernels.hpp"
#include "support/error.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

using triple = std::array<int, 3>;

const std::string header = ".version 9.0\n.target sm_90a\n.address_size 64\n";

kernel_info only_kernel(const std::string& text)
{
    const ptx_contents ptx = read_ptx(header + text, "a.ptx");
    EXPECT_TRUE(ptx.diagnostics.empty()) << ptx.diagnostics.front().what;
    EXPECT_EQ(ptx.kernels.size(), 1u);
    return ptx.kernels.empty() ? kernel_info{} : ptx.kernels.front();
}

TEST(ptx, reads_an_entry_with_all_directives)
{
    const kernel_info kernel = only_kernel(R"(
.visible .entry $k%1(
    .param .u32 a,
    .param .align 16 .b8 b[20],
    .param .u64 .ptr .global .align 128 c,
    .param .f16 d
)
.explicitcluster
.maxntid 64, 2
.minnctapersm 3
.maxnreg 0x40
.maxclusterrank 8
.reqnctapercluster 2
.noreturn_or_what_comes_next 7, 8
.pragma "nounroll";
{ ret; })");
    EXPECT_EQ(kernel.name, "$k%1");
    EXPECT_EQ(kernel.architecture, "sm_90a");
    EXPECT_EQ(kernel.source, (kernel_source{"a.ptx", "ptx", "line 5"}));
    EXPECT_EQ(kernel.figures.parameter_bytes, 16 + 20 + 4 + 8 + 2);
    EXPECT_EQ(kernel.bounds.max_threads, (triple{64, 2, 1}));
    EXPECT_EQ(kernel.bounds.min_blocks, 3);
    EXPECT_EQ(kernel.bounds.requested_max_registers, 64);
    EXPECT_EQ(kernel.bounds.max_cluster_blocks, 8);
    EXPECT_EQ(kernel.bounds.cluster, (triple{2, 1, 1}));
    EXPECT_EQ(kernel.bounds.required_threads, std::nullopt);
    EXPECT_EQ(kernel.figures.registers, std::nullopt);
    EXPECT_EQ(kernel.figures.static_shared_bytes, std::nullopt);
}

TEST(ptx, finds_entries_in_every_form)
{
    const ptx_contents ptx = read_ptx(header + R"(
.extern .entry prototype(.param .u32 a);
.visible .entry prototype2()
;
.func f() { .entry_is_no_word; ret; }
.entry bare { ret; }
.weak .entry weak() .reqntid 1,2,3 { { { ret; } } }
.visible
.entry
apart
(
)
{
}
// .entry commented() {}
/* .entry commented2() {}
*/ .entry /* why */ after_comment /* not */ () // here
.maxntid /* x */ 5 // {
{ .pragma "} // /* "; ret; /* } */ // }
}
.section .debug_str { .b8 46, 101 }
.entry last(.param .b32 a) { ret; })",
                                      "-");
    EXPECT_TRUE(ptx.diagnostics.empty());
    ASSERT_EQ(ptx.kernels.size(), 5u);
    const std::vector<std::string> names{"bare", "weak", "apart", "after_comment", "last"};
    for (std::size_t i = 0; i < names.size(); ++i) EXPECT_EQ(ptx.kernels[i].name, names[i]);
    EXPECT_EQ(ptx.kernels[0].figures.parameter_bytes, 0);
    EXPECT_EQ(ptx.kernels[1].bounds.required_threads, (triple{1, 2, 3}));
    EXPECT_EQ(ptx.kernels[3].bounds.max_threads, (triple{5, 1, 1}));
    EXPECT_EQ(ptx.kernels[4].figures.parameter_bytes, 4);
    EXPECT_EQ(ptx.kernels[4].source.entry, "line 25");
    EXPECT_EQ(ptx.version, "9.0");
    EXPECT_EQ(ptx.target, "sm_90a");
}

TEST(ptx, an_unknown_type_makes_the_parameters_unknown)
{
    EXPECT_EQ(only_kernel(".entry k(.param .u32 a, .param .texref t) {}").figures.parameter_bytes, std::nullopt);
    // For ptxas it is 35 bytes on sm_75 and 19 on sm_90.
    EXPECT_EQ(only_kernel(".entry k(.param .u8 a, .param .align 32 .b8 b[3]) {}").figures.parameter_bytes,
              std::nullopt);
    EXPECT_EQ(only_kernel(".entry k(.param .b8 a[999999999999]) {}").figures.parameter_bytes, std::nullopt);
    EXPECT_EQ(only_kernel(".entry k(.param .b8 a[2000000000][2000000000][2000000000]) {}").figures.parameter_bytes,
              std::nullopt);
}

TEST(ptx, reports_what_it_cannot_read_and_continues)
{
    const auto diagnostics = [](const std::string& text) { return read_ptx(text, "-").diagnostics; };
    EXPECT_EQ(diagnostics("").size(), 1u);
    EXPECT_EQ(diagnostics("hello {").size(), 2u);
    EXPECT_EQ(diagnostics(header + ".entry k() { ret;").size(), 1u);
    EXPECT_EQ(diagnostics(header + ".entry k(").size(), 2u);
    EXPECT_EQ(diagnostics(header + ".entry k() .maxntid { ret; }").size(), 1u);
    EXPECT_EQ(diagnostics(header + ".entry k() .maxntid 1, 2, { ret; }").size(), 1u);
    EXPECT_EQ(diagnostics(header + ".entry k() .minnctapersm 99999999999 { ret; }").size(), 1u);
    const image_diagnostic where = diagnostics(header + "  .entry k() .maxnreg x { ret; }").front();
    EXPECT_EQ(where.offset, header.size() + 13);
    EXPECT_EQ(where.what, ".maxnreg without a number");
    EXPECT_EQ(read_ptx(header + ".entry k() .maxntid x { ret; } .entry l() { ret; }", "-").kernels.size(), 2u);
}

TEST(ptx, counts_functions_with_a_body_and_no_prototypes)
{
    const ptx_contents contents = read_ptx(
        ".version 9.0\n.target sm_90\n.extern .func (.param .b32 r) vprintf(.param .b64 a);\n"
        ".func helper(.param .b64 p) ;\n.global .b8 text[2] = {1, 2};\n"
        ".func helper(.param .b64 p) { ret; }\n.entry k() { call helper, (%rd1); }\n.weak .func other() { ret; }\n",
        "x.ptx");
    EXPECT_EQ(contents.functions, 2u);
    EXPECT_EQ(contents.kernels.size(), 1u);
}

TEST(ptx, an_outline_gives_the_same_as_the_whole_text)
{
    const std::string text =
        ".version 9.0 // {\n.target sm_90\n.global .b8 s[3] = {1, 2, 3};\n.func f() { { ret; } }\n"
        ".entry k(.param .u64 p) .maxntid 128, 1, 1 .minnctapersm 4 { .pragma \"}\"; { mov.u32 %r1, 7; } ret; }\n"
        ".entry l() .maxnreg 40 { ret; }";
    const std::string outline = ptx_outline(text);
    EXPECT_EQ(outline.find("mov"), std::string::npos) << outline;
    const ptx_contents whole = read_ptx(text, "x.ptx", false), rest = read_ptx(outline, "x.ptx", false);
    EXPECT_EQ(whole.kernels.size(), 2u);
    EXPECT_EQ(rest.kernels, whole.kernels);
    EXPECT_EQ(rest.functions, whole.functions);
    EXPECT_EQ(rest.version, whole.version);
    EXPECT_EQ(ptx_outline(outline), outline);
    for (std::size_t size = 0; size < text.size(); ++size)  // truncated texts, too
        EXPECT_LE(ptx_outline(text.substr(0, size)).size(), size + 8) << size;
}

TEST(ptx, reads_all_forms_of_integers)
{
    EXPECT_EQ(parse_ptx_integer("256"), 256);
    EXPECT_EQ(parse_ptx_integer("256U"), 256);
    EXPECT_EQ(parse_ptx_integer("0x1F"), 31);
    EXPECT_EQ(parse_ptx_integer("0b101"), 5);
    EXPECT_EQ(parse_ptx_integer("017"), 15);
    EXPECT_EQ(parse_ptx_integer("0"), 0);
    for (const char* text : {"", "U", "0x", "0b2", "08", "-1", "1.5", "1e3", "2147483648", "x"})
        EXPECT_EQ(parse_ptx_integer(text), std::nullopt) << text;
}

// Figures that are both in PTX and in its cubin must be equal.
TEST(ptx, agrees_with_the_cubin_for_ptx_from_nvcc)
{
    SKIP_WITHOUT_TOOLKIT();
    for (const std::string architecture : {"sm_75", "sm_90a", "sm_120"}) {
        std::string source = plain_kernels + callee_kernels;
        if (architecture != "sm_75") source += cluster_kernels;
        const compiled made = compile({"nvcc", "-ptx", "-arch=" + architecture}, source, ".cu");
        ASSERT_EQ(made.exit_code, 0) << made.log;
        const ptx_contents ptx = read_ptx(made.image, "-");
        const cubin_contents cubin = read_cubin(assemble(made.image, architecture).image, "-");
        EXPECT_TRUE(ptx.diagnostics.empty());
        EXPECT_EQ(ptx.version, "9." + std::to_string(toolkit_version() - 130));  // in CUDA 13.x
        EXPECT_EQ(ptx.target, architecture);
        ASSERT_EQ(ptx.kernels.size(), cubin.kernels.size());
        EXPECT_GT(ptx.kernels.size(), 20u);
        for (const kernel_info& kernel : ptx.kernels) {
            SCOPED_TRACE(architecture + " " + kernel.name);
            const auto same = std::find_if(cubin.kernels.begin(), cubin.kernels.end(),
                                           [&](const kernel_info& other) { return other.name == kernel.name; });
            ASSERT_NE(same, cubin.kernels.end());
            EXPECT_EQ(kernel.figures.parameter_bytes, same->figures.parameter_bytes);
            EXPECT_EQ(kernel.bounds.max_threads, same->bounds.max_threads);
            EXPECT_EQ(kernel.bounds.required_threads, same->bounds.required_threads);
            EXPECT_EQ(kernel.bounds.cluster, same->bounds.cluster);
            EXPECT_EQ(kernel.bounds.max_cluster_blocks, same->bounds.max_cluster_blocks);
            EXPECT_EQ(kernel.bounds.min_blocks, kernel.name == "two_bounds"     ? std::optional(1)
                                                : kernel.name == "three_bounds" ? std::optional(2)
                                                : kernel.name == "more_spills"  ? std::optional(8)
                                                                                : std::nullopt);
            EXPECT_EQ(kernel.bounds.requested_max_registers,
                      kernel.name == "max_registers" ? std::optional(40) : std::nullopt);
        }
    }
}

// ptxas is the oracle for parameter layouts.
TEST(ptx, lays_out_parameters_like_ptxas)
{
    SKIP_WITHOUT_TOOLKIT();
    std::mt19937 random(random_seed());
    const std::vector<std::string> types{".b8",  ".u8",  ".s8",  ".b16", ".u16", ".s16", ".f16",  ".b32",  ".u32",
                                         ".s32", ".f32", ".b64", ".u64", ".s64", ".f64", ".bf16", ".f16x2"};
    const auto pick = [&](std::size_t count) {
        return std::uniform_int_distribution<std::size_t>(0, count - 1)(random);
    };
    std::string text = ".version 9.0\n.target sm_75\n.address_size 64\n";
    for (int i = 0; i < 300; ++i) {
        text += ".visible .entry k" + std::to_string(i) + "(";
        const std::size_t count = pick(12);
        for (std::size_t j = 0; j < count; ++j) {
            text += std::string(j > 0 ? ", " : "") + ".param ";
            const std::string name = "p" + std::to_string(j);
            const std::string align = ".align " + std::to_string(1u << (1 + pick(4))) + " ";
            switch (pick(4)) {
                case 0:
                    text += align + ".b8 " + name + "[" + std::to_string(1 + pick(50)) + "]";
                    break;
                case 1:
                    text += ".u64 .ptr .global " + align + name;
                    break;
                default:
                    text += types[pick(15)] + " " + name;
                    break;
            }
        }
        text += ") { ret; }\n";
    }
    const ptx_contents ptx = read_ptx(text, "-");
    ASSERT_EQ(ptx.kernels.size(), 300u);
    for (const std::string architecture : {"sm_75", "sm_90", "sm_120"}) {
        const compiled made = assemble(text, architecture);
        ASSERT_EQ(made.exit_code, 0) << made.log;
        const cubin_contents cubin = read_cubin(made.image, "-");
        ASSERT_EQ(cubin.kernels.size(), 300u);
        std::map<std::string, std::optional<std::int64_t>> expected;
        for (const kernel_info& kernel : cubin.kernels) expected[kernel.name] = kernel.figures.parameter_bytes;
        for (const kernel_info& kernel : ptx.kernels)
            EXPECT_EQ(kernel.figures.parameter_bytes, expected.at(kernel.name)) << architecture << " " << kernel.name;
    }
}

TEST(ptx, dynamic_shared_memory_is_used_if_a_body_or_a_called_function_names_it)
{
    const std::string text =
        ".version 8.0\n.target sm_80\n.address_size 64\n.extern .shared .align 16 .b8 some[];\n"
        ".func helper() { mov.u32 %r1, some; ret; }\n"
        ".visible .entry direct() { mov.u32 %r1, some; ret; }\n"
        ".visible .entry by_call() { call helper; ret; }\n"
        ".visible .entry none() { ret; }\n";
    for (const std::string& read : {text, ptx_outline(text)}) {
        const ptx_contents found = read_ptx(read, "k.ptx");
        ASSERT_EQ(found.kernels.size(), 3u);
        EXPECT_EQ(found.kernels[0].launches.uses_dynamic_shared, true) << read;
        EXPECT_EQ(found.kernels[1].launches.uses_dynamic_shared, true) << read;
        EXPECT_EQ(found.kernels[2].launches.uses_dynamic_shared, false) << read;
        EXPECT_TRUE(found.diagnostics.empty());
    }
    std::string none = text;
    none.erase(none.find(".extern"), none.find(".func") - none.find(".extern"));
    for (const kernel_info& kernel : read_ptx(none, "k.ptx").kernels)
        EXPECT_EQ(kernel.launches.uses_dynamic_shared, false);
    // More variables than are searched for one by one: then any kernel may use them.
    std::string many = ".version 8.0\n.target sm_80\n";
    for (int i = 0; i < 20; ++i) many += ".extern .shared .align 4 .b8 s" + std::to_string(i) + "[];\n";
    many += ".visible .entry k() { ret; }\n";
    for (const std::string& read : {many, ptx_outline(many)})
        EXPECT_EQ(read_ptx(read, "k.ptx").kernels.at(0).launches.uses_dynamic_shared, true);
    EXPECT_TRUE(read_ptx(".version 8.0\n.extern .shared", "k.ptx").kernels.empty());
}

TEST(ptx, a_kernel_reads_its_block_size_if_its_body_or_a_called_function_does)
{
    const std::string head = ".version 8.0\n.target sm_80\n.address_size 64\n";
    const std::string reads = "{ mov.u32 %r1, %ntid.x; ret; }\n", none = "{ ret; }\n",
                      calls = "{ call helper; ret; }\n";
    const auto answer = [&](const std::string& rest, std::size_t kernel) {
        const std::string text = head + rest;
        const auto whole = read_ptx(text, "k.ptx"), outline = read_ptx(ptx_outline(text), "k.ptx");
        EXPECT_EQ(whole.kernels.at(kernel).launches, outline.kernels.at(kernel).launches) << text;
        return whole.kernels.at(kernel).launches.reads_block_size;
    };
    EXPECT_EQ(answer(".entry a() " + reads, 0), true);
    EXPECT_EQ(answer(".entry a() " + none, 0), false);
    EXPECT_EQ(answer(".entry a() " + reads + ".entry b() " + none, 1), false);
    EXPECT_EQ(answer(".func helper() " + reads + ".entry a() " + calls + ".entry b() " + none, 0), true);
    EXPECT_EQ(answer(".func helper() " + reads + ".entry a() " + calls + ".entry b() " + none, 1), false);
    EXPECT_EQ(answer(".func helper() " + none + ".entry a() " + calls, 0), false);
    // A function of another module may read it; those of the runtime do not.
    const std::string other = ".extern .func (.param .b32 r) helper (.param .b64 p);\n";
    EXPECT_EQ(answer(other + ".entry a() " + calls + ".entry b() " + none, 0), std::nullopt);
    EXPECT_EQ(answer(other + ".entry a() " + calls + ".entry b() " + none, 1), false);
    EXPECT_EQ(answer(".extern .func (.param .b32 r) vprintf (.param .b64 a);\n.entry a() { call vprintf; }\n", 0),
              false);
}

TEST(ptx, an_attribute_is_only_replaced_for_its_kernel)
{
    const std::string text =
        ".version 8.0\n.target sm_90\n.address_size 64\n"
        ".visible .entry first(.param .u64 p)\n.maxntid 512, 1, 1\n.minnctapersm 2\n.pragma \"x\";\n{ ret; }\n"
        ".visible .entry second()\n.maxnreg 40\n{ ret; }\n";
    const auto bounds_of = [&](const launch_attribute& attribute, const char* kernel, std::size_t shown) {
        const ptx_contents found = read_ptx(with_attribute(text, kernel, attribute), "k.ptx");
        EXPECT_TRUE(found.diagnostics.empty());
        const auto& bounds = found.kernels.at(shown).bounds;
        return std::tuple(bounds.max_threads ? bounds.max_threads->at(0) : 0, bounds.min_blocks.value_or(0),
                          bounds.requested_max_registers.value_or(0), bounds.max_cluster_blocks.value_or(0));
    };
    EXPECT_EQ(bounds_of({}, "first", 0), std::tuple(0, 0, 0, 0));
    EXPECT_EQ(bounds_of({}, "first", 1), std::tuple(0, 0, 40, 0)) << "the other one keeps its own";
    EXPECT_EQ(bounds_of({.threads = 256}, "first", 0), std::tuple(256, 0, 0, 0));
    EXPECT_EQ(bounds_of({.threads = 256, .min_blocks = 4, .max_cluster_blocks = 8}, "first", 0),
              std::tuple(256, 4, 0, 8));
    EXPECT_EQ(bounds_of({.max_registers = 64}, "first", 0), std::tuple(0, 0, 64, 0));
    EXPECT_EQ(bounds_of({.threads = 128, .min_blocks = 3}, "second", 1), std::tuple(128, 3, 0, 0));
    EXPECT_EQ(bounds_of({.threads = 128, .min_blocks = 3}, "second", 0), std::tuple(512, 2, 0, 0));
    EXPECT_THROW((void)with_attribute(text, "third", {}), error);
    EXPECT_THROW((void)with_attribute(text.substr(0, text.size() - 4), "second", {}), error);
}

TEST(ptx, shared_memory_by_variable)
{
    const std::string text = header +
                             ".extern .shared .align 16 .b8 dynamic[];\n.shared .align 8 .f64 of_module[4];\n"
                             ".shared .b8 of_nobody;\n.func h() { .shared .b32 in_function[2]; }\n"
                             ".entry k() {\n\t.reg .b32 r;\n\t// .shared .b8 in_a_comment[9];\n\t.shared .align 4 .b8 "
                             "tile[1024];\n\t.shared .align 4 .b32 grid[3][5];\n\tld.shared.u32 r, [tile];\n"
                             "\tst.shared.f64 [of_module], r;\n}\n.entry other() { ret; }\n";
    const auto variables_of = [](const std::string& module) {
        std::string all;
        for (const kernel_info& kernel : read_ptx(module, "k").kernels) {
            all += kernel.name + ":";
            for (const shared_variable& variable : kernel.figures.shared_variables)
                all += " " + variable.name + " " + std::to_string(variable.bytes);
            all += "; ";
        }
        return all;
    };
    EXPECT_EQ(variables_of(text), "k: tile 1024 grid 60 of_module 32; other:; ");
    EXPECT_EQ(variables_of(ptx_outline(text)), variables_of(text));
    EXPECT_EQ(variables_of(header + ".entry k() { .shared .b8 a[99999999999]; .shared .b8 b[0]; .shared .b8"), "k:; ");
}

TEST(ptx_modules, a_register_limit_replaces_incompatible_bounds)
{
    const std::string text =
        header +
        "// .entry f {\n.func f_() { }\n.entry f(.param .u64 a) ;\n"
        ".entry g .minnctapersm 2 { .reg .b32 r; }\n"
        ".entry f(.param .u64 a)\n.maxntid 256\n.pragma \"nounroll {\"; .minnctapersm 4 .maxnreg 99\n{ ret; }\n"
        ".entry h { }";
    const std::string limited = with_max_registers(text, "f", 40);
    const ptx_contents read = read_ptx(limited, "limited");
    ASSERT_EQ(read.kernels.size(), 3u);
    EXPECT_EQ(read.kernels[0].bounds.min_blocks, 2);
    EXPECT_EQ(read.kernels[1].bounds.requested_max_registers, 40);
    EXPECT_EQ(read.kernels[1].bounds.max_threads, (triple{256, 1, 1}));
    EXPECT_FALSE(read.kernels[1].bounds.min_blocks);
    EXPECT_FALSE(read.kernels[2].bounds.requested_max_registers);
    EXPECT_THROW((void)with_max_registers(text, "f_", 40), error);
    EXPECT_THROW((void)with_max_registers("", "f", 40), error);
    EXPECT_THROW((void)with_max_registers(header + ".entry f(", "f", 40), error);
    for (const char* between : {"", ")"}) {  // another entry within its parameters, or after them
        const std::string cut =
            std::string(".entry f(.param .u32 a") + between + "\n.entry f(.param .u32 a)\n{ ret; }\n";
        EXPECT_THROW((void)with_max_registers(header + cut, "f", 40), error);
    }
}

TEST(ptx_modules, ptxas_keeps_the_limit_of_a_kernel_with_launch_bounds)
{
    if (!has_toolkit()) GTEST_SKIP() << "there is no CUDA toolkit in PATH";
    const compiled ptx =
        compile({"nvcc", "-ptx", "-arch=compute_90"},
                "__global__ void __launch_bounds__(256, 1) f(float* x, int n) { float v[64];\n"
                "for (int i = 0; i < 64; ++i) v[i] = x[i * n + threadIdx.x];\n"
                "for (int k = 0; k < n; ++k) for (int i = 0; i < 64; ++i) v[i] += v[(i + 1) % 64] * k;\n"
                "for (int i = 0; i < 64; ++i) x[i * n + threadIdx.x] = v[i]; }\n",
                ".cu");
    ASSERT_EQ(ptx.exit_code, 0) << ptx.log;
    const auto registers = [&](const std::string& text) {
        const compiled module = compile({"ptxas", "-arch=sm_90"}, text, ".ptx");
        EXPECT_EQ(module.exit_code, 0) << module.log;
        return read_cubin(module.image, "f").kernels.at(0).figures.registers.value_or(0);
    };
    EXPECT_GT(registers(ptx.image), 60);
    EXPECT_LE(registers(with_max_registers(ptx.image, "_Z1fPfi", 32)), 32);
}

TEST(ptx_modules, each_module_of_a_fat_binary_is_returned_as_text)
{
    if (!has_toolkit()) GTEST_SKIP() << "there is no CUDA toolkit in PATH";
    for (const char* compression : {"-no-compress", "-compress-mode=size"}) {
        const compiled made = compile({"nvcc", "-fatbin", compression, "-gencode", "arch=compute_80,code=compute_80",
                                       "-gencode", "arch=compute_90,code=[compute_90,sm_90]"},
                                      "extern \"C\" __global__ void f() {}", ".cu");
        ASSERT_EQ(made.exit_code, 0) << made.log;
        std::string targets;
        for_each_ptx(made.image, [&](std::string_view ptx) {
            const ptx_contents read = read_ptx(ptx, "f");
            EXPECT_TRUE(read.diagnostics.empty());
            targets += read.target + " ";
        });
        EXPECT_EQ(targets, "sm_80 sm_90 ");
    }
    int alone = 0;
    for_each_ptx(header, [&](std::string_view text) { alone += text == header ? 1 : 0; });
    EXPECT_EQ(alone, 1);
}

}  // namespace
}  // namespace launchbox
