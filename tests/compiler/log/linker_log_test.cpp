// Lines of nvJitLink, cuLink and the driver, which do not name their program, and which figures are final.
#include <gtest/gtest.h>

#include "compiler/log/resource_log.hpp"
#include "describe.hpp"

namespace launchbox {
namespace {

using line_list = std::vector<std::string>;

std::string compiled_apply(const std::string& architecture, const std::string& registers)
{
    return "ptxas info    : 0 bytes gmem\nptxas info    : Compiling entry function 'apply' for '" + architecture +
           "'\nptxas info    : Function properties for apply\n"
           "ptxas         .     16 bytes stack frame, 8 bytes spill stores, 4 bytes spill loads\n"
           "ptxas info    : Used " +
           registers + " registers, used 0 barriers, 364 bytes cmem[0]\nptxas info    : Compile time = 1.9 ms\n";
}

std::string linked_apply(const std::string& registers, const std::string& in_front = "")
{
    return in_front + "info    : 0 bytes gmem\n" + in_front + "info    : Function properties for 'apply':\n" +
           in_front + "info    : used " + registers +
           " registers, used 1 barriers, 32 stack, 48 bytes smem, 364 bytes cmem[0], 0 bytes lmem\n";
}

line_list final_kernels(const std::string& text)
{
    resource_log log = parse_resource_log(text, "");
    EXPECT_EQ(describe_all(log.diagnostics), line_list{});
    EXPECT_FALSE(log.ends_inside_a_report);
    leave_out_unlinked(log.kernels);
    return describe_all(log.kernels);
}

TEST(linker_log, the_figures_of_the_linker_are_the_final_ones)
{
    EXPECT_EQ(
        final_kernels(compiled_apply("sm_80", "24") + linked_apply("109")),
        (line_list{"apply sm_80 line 8: 109 registers, 1 barriers, stack 16/8/4 of 32, smem 48 cmem[0]=364, linked"}));
}

TEST(linker_log, a_linkers_log_alone_is_read)
{
    const std::string expected = "109 registers, 1 barriers, stack ?/?/? of 32, smem 48 cmem[0]=364, linked";
    for (const char* in_front :
         {"", "  ", "[2026-01-05 12:00:01] ", "JIT log: ", "DEBUG:numba.cuda.cudadrv.driver:", "1>", "service-1  | "})
        EXPECT_EQ(final_kernels(linked_apply("109", in_front)), (line_list{"apply ? line 2: " + expected})) << in_front;
}

TEST(linker_log, sentences_of_other_programs_are_not_the_linkers)
{
    for (const char* text : {"app info    : used cars for sale\n", "info    : 12 bytes of gmem left\n",
                             "server info    : used 3 workers\n", "info    : Function keys are ready\n"})
        EXPECT_EQ(final_kernels(text), line_list{}) << text;
}

TEST(linker_log, with_several_architectures_no_figures_are_final)
{
    resource_log log = parse_resource_log(
        compiled_apply("sm_80", "24") + compiled_apply("sm_90", "28") + linked_apply("109") + linked_apply("110"), "");
    leave_out_unlinked(log.kernels);
    ASSERT_EQ(log.kernels.size(), 4u);
    for (const kernel_info& kernel : log.kernels) EXPECT_NE(kernel.linked, kernel.relocatable) << describe(kernel);
}

TEST(linker_log, compiled_twice_with_different_spills_they_are_unknown)
{
    std::string other = compiled_apply("sm_80", "24");
    other.replace(other.find("8 bytes spill"), 1, "9");
    EXPECT_EQ(
        final_kernels(compiled_apply("sm_80", "24") + other + linked_apply("109")),
        (line_list{"apply sm_80 line 14: 109 registers, 1 barriers, stack ?/?/? of 32, smem 48 cmem[0]=364, linked"}));
}

TEST(linker_log, a_failed_link_leaves_the_compiled_figures)
{
    const std::string refusal =
        "entry function 'apply' with max regcount of 64 calls function 'field' with regcount of 254";
    resource_log log =
        parse_resource_log(compiled_apply("sm_80", "24") + "nvlink error   : " + refusal + " (target: sm_80)\n", "");
    leave_out_unlinked(log.kernels);
    EXPECT_EQ(
        describe_all(log.kernels),
        (line_list{
            "apply sm_80 line 2: 24 registers, 0 barriers, stack 16/8/4 of ?, smem 0 cmem[0]=364, relocatable, \"" +
            refusal + "\""}));
    // Without the compiler's log, and in the driver's words.
    log = parse_resource_log("error   : " + refusal + "\n", "");
    EXPECT_EQ(
        describe_all(log.kernels),
        (line_list{"apply ? line 1: ? registers, ? barriers, stack ?/?/? of ?, smem ?, linked, \"" + refusal + "\""}));
}

}  // namespace
}  // namespace launchbox
