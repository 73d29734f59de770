// Findings by kernel, and how kernels are counted.
#include "advice/inspect/kernel_findings.hpp"

#include <gtest/gtest.h>

#include "advice/inspect/kernel_counts.hpp"
#include "image/names/demangle.hpp"
#include "image/names/kernel_identity.hpp"
#include "known_kernels.hpp"

namespace launchbox {
namespace {

inspected_kernel spilling(const std::string& name, std::int64_t bytes, const std::string& architecture = "sm_90")
{
    inspected_kernel kernel = known_kernel(name, 40, architecture);
    kernel.info.figures.spill_store_bytes = bytes;
    kernel.info.figures.spill_load_bytes = bytes;
    return kernel;
}

kernel_counts counts_of(const std::vector<inspected_kernel>& kernels)
{
    std::vector<const inspected_kernel*> pointers;
    for (const inspected_kernel& kernel : kernels) pointers.push_back(&kernel);
    return count_kernels(pointers);
}

inspected_kernel instance(const std::string& name, const std::string& short_form, const std::string& architecture)
{
    inspected_kernel kernel = known_kernel(name, 40, architecture);
    kernel.info.demangled = kernel.info.short_form = short_form;
    return kernel;
}

TEST(kernel_findings, are_one_per_kernel_and_the_worst_comes_first)
{
    const std::vector<inspected_kernel> kernels{known_kernel("clean", 40), spilling("little", 8),
                                                spilling("much", 400, "sm_80"), spilling("much", 400, "sm_90")};
    const std::vector<kernel_findings> found = findings_by_kernel(kernels);
    ASSERT_EQ(found.size(), 2u);
    EXPECT_EQ(found[0].kernel->info.name, "much");
    EXPECT_EQ(found[0].spilled_bytes, 800);
    EXPECT_EQ(found[1].kernel->info.name, "little");
    const std::vector<finding_count> counts = count_findings(found);
    ASSERT_FALSE(counts.empty());
    EXPECT_EQ(counts.front().kernels, 2u) << "not three: one of them is there for two architectures";
}

TEST(kernel_counts, one_kernel_for_three_architectures_is_one)
{
    const kernel_counts counts = counts_of({known_kernel("a", 40, "sm_80"), known_kernel("a", 40, "sm_90"),
                                            known_kernel("a", 40, "sm_120"), known_kernel("b", 40, "sm_80")});
    EXPECT_EQ(counts.kernels, 2u);
    EXPECT_EQ(counts.instances, 2u);
    EXPECT_EQ(counts.architectures, 3u);
    EXPECT_EQ(counts.compiled, 4u);
}

TEST(kernel_counts, a_template_is_one_kernel_with_instances)
{
    const kernel_counts counts =
        counts_of({instance("a1", "ns::sort<int, 4>", "sm_80"), instance("a2", "ns::sort<float, 4>", "sm_80"),
                   instance("a1", "ns::sort<int, 4>", "sm_90"), instance("b", "ns::merge", "sm_80")});
    EXPECT_EQ(counts.kernels, 2u);
    EXPECT_EQ(counts.instances, 3u);
    EXPECT_EQ(counts.compiled, 4u);
}

TEST(kernel_counts, a_namespace_with_the_architecture_does_not_make_another_kernel)
{
    const kernel_counts counts =
        counts_of({instance("a", "cub::CUB_300001_SM_800::detail::Scan<CUB_300001_SM_800::T, 1>", "sm_80"),
                   instance("b", "cub::CUB_300001_SM_900::detail::Scan<CUB_300001_SM_900::T, 1>", "sm_90")});
    EXPECT_EQ(counts.kernels, 1u);
    EXPECT_EQ(counts.instances, 1u);
    EXPECT_EQ(counts.architectures, 2u);
    EXPECT_EQ(counts.compiled, 2u);
    EXPECT_EQ(without_architectures("THRUST_200800_SM_800_900_NS::f"), "THRUST_200800_NS::f");
    for (const char* own : {"v2_SM_80", "CUB_SM_80", "CUB_1_SM_", "CUB_1_SM_x", "_SM_80", "", "f_SM_80<int>"})
        EXPECT_EQ(without_architectures(own), own);
}

TEST(template_name, has_no_arguments)
{
    EXPECT_EQ(template_name("merge"), "merge");
    EXPECT_EQ(template_name("merge<int, 4>"), "merge");
    EXPECT_EQ(template_name("Agent<int>::run<(4 > 3), A<B<C>>>"), "Agent::run");
    EXPECT_EQ(template_name("(anonymous namespace)::k<int>"), "(anonymous namespace)::k");
    EXPECT_EQ(template_name("A::operator<"), "A::operator<");
    EXPECT_EQ(template_name("<lambda>"), "<lambda>");
    EXPECT_EQ(template_name("broken<int"), "broken");
    EXPECT_EQ(template_name(""), "");
}

}  // namespace
}  // namespace launchbox
