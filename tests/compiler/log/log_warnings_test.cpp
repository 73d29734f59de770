// Warnings that contain figures (--warn-on-spills, --warn-on-local-memory-usage), with and without reports; and names
// that contain quotes.
#include <gtest/gtest.h>

#include "compiler/log/log_line.hpp"
#include "compiler/log/resource_log.hpp"
#include "describe.hpp"

namespace launchbox {
namespace {

const std::string spill_warning =
    "ptxas warning : Registers are spilled to local memory in function 'k', 520 bytes spill stores, "
    "536 bytes spill loads\n";
const std::string local_warning =
    "ptxas warning : Local memory used for function 'k', size of stack frame: 272 bytes\n";

std::string report_of_k(const std::string& architecture, const std::string& stores)
{
    return "ptxas info    : Compiling entry function 'k' for '" + architecture +
           "'\nptxas info    : Function properties for k\n    272 bytes stack frame, " + stores +
           " bytes spill stores, 536 bytes spill loads\nptxas info    : Used 32 registers, used 0 barriers\n";
}

std::string figures_text(const kernel_info& kernel)
{
    return kernel.name + " " + (kernel.architecture.empty() ? "?" : kernel.architecture) + " " +
           describe(kernel.figures.registers) + " " + describe(kernel.figures.stack_frame_bytes) + "/" +
           describe(kernel.figures.spill_store_bytes) + "/" + describe(kernel.figures.spill_load_bytes) + " " +
           describe(kernel.figures.static_shared_bytes);
}

std::vector<std::string> all_figures(const std::string& text)
{
    std::vector<std::string> all;
    for (const kernel_info& kernel : parse_resource_log(text, "").kernels) all.push_back(figures_text(kernel));
    return all;
}

using line_list = std::vector<std::string>;

TEST(log_warnings, give_figures_if_there_is_no_report)
{
    EXPECT_EQ(all_figures(spill_warning + local_warning), line_list{"k ? ? 272/520/536 ?"});
    EXPECT_EQ(all_figures(local_warning), line_list{"k ? ? 272/?/? ?"});
    EXPECT_EQ(all_figures("1>" + spill_warning), line_list{"k ? ? ?/520/536 ?"});
    EXPECT_EQ(
        all_figures("ptxas error   : Entry function 'big' uses too much shared data (0x11000 bytes, 0xc000 max)\n"),
        line_list{"big ? ? ?/?/? 69632"});
}

TEST(log_warnings, of_two_compiles_give_two_kernels)
{
    std::string other = spill_warning;
    other.replace(other.find("520"), 3, "400");
    EXPECT_EQ(all_figures(spill_warning + other), (line_list{"k ? ? ?/520/536 ?", "k ? ? ?/400/536 ?"}));
    EXPECT_EQ(all_figures(spill_warning + spill_warning).size(), 2u);
}

TEST(log_warnings, are_merged_into_the_report_of_their_kernel)
{
    EXPECT_EQ(all_figures(spill_warning + local_warning + report_of_k("sm_80", "520")),
              line_list{"k sm_80 32 272/520/536 0"});
    // With other figures it comes from another compile, which has no report.
    EXPECT_EQ(all_figures(spill_warning + report_of_k("sm_80", "16")),
              (line_list{"k sm_80 32 272/16/536 0", "k ? ? ?/520/536 ?"}));
}

TEST(log_warnings, about_a_function_compiled_separately_give_no_kernel)
{
    std::string text =
        "ptxas warning : Registers are spilled to local memory in function 'helper', 8 bytes spill stores, 8 "
        "bytes spill loads\nptxas info    : 0 bytes gmem\nptxas info    : Function properties for helper\n"
        "    8 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads\n"
        "ptxas info    : Compile time = 1 ms\n";
    EXPECT_EQ(all_figures(text), line_list{});
}

TEST(log_warnings, a_loss_in_a_function_is_assigned_to_the_calling_kernel)
{
    const std::string
        loss =
            "ptxas info    : (C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due "
            "to ill formed pipeline stage in the function 'helper'\n",
        helper =
            "ptxas info    : Function properties for helper\n"
            "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n",
        module = "ptxas info    : 0 bytes gmem\n";
    const resource_log called = parse_resource_log(loss + module + report_of_k("sm_90a", "0") + helper, "");
    ASSERT_EQ(called.kernels.size(), 1u);
    EXPECT_EQ(called.kernels[0].warnings.size(), 1u);
    EXPECT_TRUE(called.losses.empty());
    // Compiled for device linking: only the linker knows the callers.
    const resource_log alone = parse_resource_log(loss + module + helper + "ptxas info    : Compile time = 1 ms\n", "");
    EXPECT_TRUE(alone.kernels.empty());
    ASSERT_EQ(alone.losses.size(), 1u);
    EXPECT_EQ(alone.losses[0].line, 1u);
}

TEST(log_warnings, impossible_figures_are_ignored)
{
    for (const char* stores : {"-8", "99999999999999999999", "x", ""}) {
        std::string text = spill_warning;
        text.replace(text.find("520"), 3, stores);
        for (const kernel_info& kernel : parse_resource_log(text, "").kernels)
            EXPECT_EQ(kernel.figures.spill_store_bytes, std::nullopt) << stores;
    }
}

TEST(log_warnings, names_may_contain_quotes)
{
    for (const char* name :
         {"void run<main::'lambda'(float), 3>(float*, main::'lambda'(float))",
          "main::'lambda0'(float)::operator()(float) const", "void run<main::'lambda'(int), (char)'x'>()",
          "f(char const (&) [2])", "ns::operator<(int)", "k"}) {
        const std::string quoted = "'" + std::string(name) + "'";
        EXPECT_EQ(quoted_name(quoted + " for 'sm_90'"), name);
        EXPECT_EQ(quoted_name(quoted + ", 520 bytes spill stores"), name);
        EXPECT_EQ(all_figures("ptxas warning : Registers are spilled to local memory in function " + quoted +
                              ", 520 bytes spill stores, 536 bytes spill loads\n"),
                  line_list{std::string(name) + " ? ? ?/520/536 ?"});
        const std::string reported = "ptxas info    : Compiling entry function " + quoted +
                                     " for 'sm_90'\nptxas info    : Function properties for " + name +
                                     "\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
                                     "ptxas info    : Used 12 registers, used 0 barriers\n";
        EXPECT_EQ(all_figures(reported), line_list{std::string(name) + " sm_90 12 0/0/0 0"});
        EXPECT_EQ(all_figures("nvlink info    : Function properties for " + quoted +
                              ":\nnvlink info    : used 12 registers, 0 stack, 0 bytes smem, 0 bytes lmem\n"),
                  line_list{std::string(name) + " ? 12 ?/?/? 0"});
    }
    for (const char* damaged : {"", "k'", "'", "'k", "'run<main::'lambda'"})
        EXPECT_EQ(quoted_name(damaged), std::nullopt);
}

}  // namespace
}  // namespace launchbox
