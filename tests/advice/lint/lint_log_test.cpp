// What a log says without naming the kernel.
#include "advice/lint/lint_log.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

std::string report_of(const std::string& kernel)
{
    return "ptxas info    : Compiling entry function '" + kernel +
           "' for 'sm_90a'\nptxas info    : Function properties for " + kernel +
           "\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n" +
           "ptxas info    : Used 24 registers, used 0 barriers\n";
}

std::vector<diagnosis> found_in(const std::string& text)
{
    const resource_log log = parse_resource_log(text, "k.log");
    return lint_logs({{&log, "k.log", {}}});
}

const std::string too_big_option = "ptxas warning : Too big maxrregcount value specified 300, will be ignored\n";
const std::string ignored_loss =
    "ptxas info    : (C7508) Potential Performance Loss: 'setmaxnreg' ignored; unable to determine register count at "
    "entry.\n";

TEST(lint_log, maxrregcount_that_is_too_big_limits_no_kernel)
{
    const std::vector<diagnosis> findings =
        found_in(too_big_option +
                 "ptxas info    : Overriding maximum register limit 256 for '_Z1aPf' with  255 of maxrregcount option\n"
                 "ptxas info    : 0 bytes gmem\n" +
                 report_of("_Z1aPf") + report_of("_Z1bPf"));
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].id, "maxrregcount_ignored");
    EXPECT_EQ(findings[0].place, (source_location{"k.log", 1}));
    EXPECT_EQ(findings[0].message,
              "-maxrregcount 300 limits no kernel: it is above 255, and ptxas ignored it and used 255 for a, which can "
              "give other registers than without the flag");
    EXPECT_NE(found_in("ptxas warning : Too big maxrregcount value specified -1, will be ignored\n")
                  .at(0)
                  .message.find("it is negative"),
              std::string::npos);
}

TEST(lint_log, maxrregcount_that_ptxas_raised)
{
    const std::vector<diagnosis> findings =
        found_in("ptxas warning : For profile sm_80 adjusting per thread register count of 8 to lower bound of 24\n" +
                 report_of("k"));
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].id, "maxrregcount_raised");
}

TEST(lint_log, maxrregcount_counts_for_the_kernels_that_ptxas_names)
{
    const std::string text =
        "ptxas info    : Overriding global maxrregcount 32 with entry-specific value 128 computed using thread count\n"
        "ptxas info    : Overriding maximum register limit 256 for 'free' with  32 of maxrregcount option\n"
        "ptxas info    : 0 bytes gmem\n" +
        report_of("bounded") + report_of("free");
    const resource_log log = parse_resource_log(text, "k.log");
    ASSERT_EQ(log.kernels.size(), 2u);
    EXPECT_EQ(log.kernels[0].bounds.maxrregcount, std::nullopt);
    EXPECT_EQ(log.kernels[0].bounds.outranks_maxrregcount, 32);
    EXPECT_EQ(log.kernels[1].bounds.maxrregcount, 32);
    EXPECT_EQ(log.kernels[1].bounds.register_cap, 32);
    const std::vector<diagnosis> findings = found_in(text);
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_NE(findings[0].message.find("-maxrregcount 32 does not limit bounded: "), std::string::npos);
}

TEST(lint_log, a_loss_without_a_kernel_is_not_assigned_to_one_of_several)
{
    const std::vector<diagnosis> findings =
        found_in(ignored_loss + "ptxas info    : 0 bytes gmem\n" + report_of("roles") + report_of("plain"));
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_EQ(findings[0].id, "setmaxnreg_ignored");
    EXPECT_NE(findings[0].message.find("(of 1 of these 2 kernels; ptxas does not say which: plain, roles)"),
              std::string::npos)
        << findings[0].message;
    EXPECT_EQ(findings[0].place, (source_location{"k.log", 1}));
    // If the kernel is the only one of its module, or it is said of each, it is assigned.
    EXPECT_TRUE(found_in(ignored_loss + "ptxas info    : 0 bytes gmem\n" + report_of("roles")).empty());
    const std::string each =
        ignored_loss + ignored_loss + "ptxas info    : 0 bytes gmem\n" + report_of("roles") + report_of("plain");
    EXPECT_TRUE(found_in(each).empty());
    for (const kernel_info& kernel : parse_resource_log(each, "").kernels) EXPECT_EQ(kernel.warnings.size(), 1u);
    // Without a report no kernel is known.
    EXPECT_NE(found_in(ignored_loss).at(0).message.find("ptxas does not say of which kernel"), std::string::npos);
}

TEST(lint_log, equal_findings_of_several_architectures_are_one)
{
    const resource_log one = parse_resource_log(too_big_option, ""), none = parse_resource_log("", "");
    EXPECT_EQ(lint_logs({{&one, {}, "sm_80"}, {&one, {}, "sm_90"}}).size(), 1u);
    const std::vector<diagnosis> findings = lint_logs({{&one, {}, "sm_80"}, {&none, {}, "sm_90"}});
    ASSERT_EQ(findings.size(), 1u);
    EXPECT_TRUE(findings[0].message.ends_with("(sm_80)")) << findings[0].message;
    EXPECT_EQ(findings[0].place, std::nullopt);
}

}  // namespace
}  // namespace launchbox
