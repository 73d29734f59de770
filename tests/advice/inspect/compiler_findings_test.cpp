// What ptxas and nvlink of CUDA 13.0 print about a kernel, and the fix for each cause.
#include "advice/inspect/compiler_findings.hpp"

#include <gtest/gtest.h>

#include <set>

namespace launchbox {
namespace {

kernel_info warned(const std::string& sentence)
{
    kernel_info kernel;
    kernel.name = "roles";
    set_architecture(kernel, "sm_90a");
    kernel.warnings = {sentence};
    return kernel;
}

diagnosis only_loss(const kernel_info& kernel)
{
    std::vector<diagnosis> findings;
    add_compiler_findings(kernel, findings);
    EXPECT_EQ(findings.size(), 1u);
    return findings.empty() ? diagnosis{} : findings.front();
}

std::string setmaxnreg(const std::string& cause)
{
    return "(C7504) Potential Performance Loss: 'setmaxnreg' ignored" + cause;
}

std::string serialised(const std::string& cause)
{
    return "(C7510) Potential Performance Loss: wgmma.mma_async instructions are serialized due to " + cause;
}

TEST(compiler_findings, the_fix_for_ignored_setmaxnreg_depends_on_its_cause)
{
    const std::pair<const char*, const char*> causes[] = {
        {" to maintain compatibility across compilation units.", "without -rdc=true"},
        {" to maintain compatibility into 'extern' call.", "remove the call"},
        {" to allow debugging.", "without -G"},
        {"; unable to determine register count at entry.", "both launch bounds"},
        {" to maintain minimum register requirements.", "raise the count of setmaxnreg.dec"}};
    std::set<std::string> remedies;
    for (const auto& [cause, words] : causes) {
        const diagnosis finding = only_loss(warned(setmaxnreg(cause)));
        EXPECT_EQ(finding.id, "setmaxnreg_ignored");
        EXPECT_EQ(finding.level, severity::error);
        EXPECT_NE(finding.fix.find(words), std::string::npos) << finding.fix;
        remedies.insert(finding.fix);
    }
    EXPECT_EQ(remedies.size(), std::size(causes));
    // A cause that no version has printed so far: launch bounds are not suggested.
    EXPECT_EQ(only_loss(warned(setmaxnreg(" for another reason."))).fix.find("both launch bounds"), std::string::npos);
}

TEST(compiler_findings, the_missing_bound_is_named)
{
    kernel_info kernel = warned(setmaxnreg("; unable to determine register count at entry."));
    kernel.bounds.max_threads = {384, 1, 1};
    EXPECT_EQ(only_loss(kernel).fix, "write __launch_bounds__(384, 1): with min_blocks the count at entry is known");
    kernel.bounds.max_cluster_blocks = 2;
    EXPECT_EQ(only_loss(kernel).fix, "write __launch_bounds__(384, 1, 2): with min_blocks the count at entry is known");
}

TEST(compiler_findings, the_fix_for_serialised_wgmma_depends_on_its_cause)
{
    const std::pair<const char*, const char*> causes[] = {
        {"presence of Extern calls in the function 'tile'", "into this file"},
        {"wgmma pipeline crossing function boundary at a function call in the function 'tile'", "inline"},
        {"insufficient register resources for the wgmma pipeline in the function 'tile'", "more registers"},
        {"non wgmma instructions defining input registers of a wgmma between start and end of the pipeline stage in "
         "the "
         "function 'tile'",
         "registers of A"},
        {"non wgmma instructions reading accumulator registers of a wgmma between start and end of the pipeline stage "
         "in "
         "the function 'tile'",
         "before the accumulators are read"},
        {"non wgmma instructions defining accumulator registers of a wgmma between start and end of the pipeline stage "
         "in the function 'tile'",
         "scale-d 0"},
        {"ill formed pipeline stage in the function 'tile'", "one after the other"},
        {"program dependence on compiler-inserted WG.AR in divergent path in the function 'tile'", "out of branches"}};
    std::set<std::string> remedies;
    for (const auto& [cause, words] : causes) {
        const diagnosis finding = only_loss(warned(serialised(cause)));
        EXPECT_EQ(finding.id, "wgmma_serialised");
        EXPECT_NE(finding.fix.find(words), std::string::npos) << finding.fix;
        EXPECT_EQ(finding.message.find("'tile'"), std::string::npos) << finding.message;
        remedies.insert(finding.fix);
    }
    EXPECT_EQ(remedies.size(), std::size(causes));
}

TEST(compiler_findings, one_finding_for_several_functions_of_a_kernel)
{
    kernel_info kernel = warned(serialised("ill formed pipeline stage in the function 'tile'"));
    kernel.warnings.push_back(serialised("ill formed pipeline stage in the function 'other'"));
    EXPECT_EQ(only_loss(kernel).id, "wgmma_serialised");
    EXPECT_EQ(only_loss(warned("(C7999) Potential Performance Loss: something else")).id, "performance_loss");
}

TEST(compiler_findings, a_callee_with_more_registers_than_its_kernel_may_use)
{
    const diagnosis finding = only_loss(
        warned("entry function '_Z5applyPf' with max regcount of 64 calls function '_Z5fieldf' with regcount of 254"));
    EXPECT_EQ(finding.id, "callee_over_register_limit");
    EXPECT_EQ(finding.level, severity::error);
    EXPECT_EQ(finding.message, "it may use 64 registers and calls field, which uses 254: the build fails");
    EXPECT_NE(finding.fix.find("raise the limit to 254"), std::string::npos) << finding.fix;
    EXPECT_NE(finding.fix.find("at most 256 threads"), std::string::npos) << finding.fix;
    kernel_info several =
        warned("entry function '_Z5applyPf' with max regcount of 64 calls function '_Z5fieldf' with regcount of 80");
    several.warnings.push_back(
        "entry function '_Z5applyPf' with max regcount of 64 calls function '_Z4curlf' with regcount of 96");
    EXPECT_EQ(only_loss(several).message,
              "it may use 64 registers and calls curl, which uses 96, and 1 other function: the build fails");
    for (const char* damaged : {"with max regcount of ", "' with max regcount of 64 calls function '",
                                "calls function ' ' with max regcount of 64' with regcount of 2"}) {
        std::vector<diagnosis> findings;
        add_compiler_findings(warned(damaged), findings);
        EXPECT_TRUE(findings.empty()) << damaged;
    }
}

}  // namespace
}  // namespace launchbox
