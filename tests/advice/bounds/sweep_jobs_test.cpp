// Which attributes share a compile.
#include "advice/bounds/sweep_jobs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace launchbox;

namespace {

kernel_trials kernel_at(int declared, std::optional<int> own, const std::vector<launch_attribute>& attributes,
                        const std::string& file = "k.cu")
{
    kernel_trials kernel;
    kernel.declared_at = source_location{file, declared};
    if (own) kernel.attribute_at = source_location{file, *own};
    for (const launch_attribute& attribute : attributes)
        kernel.trials.push_back({.attribute = attribute, .kernel = {}});
    return kernel;
}

const launch_attribute none, small{.threads = 64}, large{.threads = 512}, few{.max_registers = 40};

std::size_t count(const std::vector<sweep_job>& jobs, const kernel_trials& kernel, const launch_attribute& attribute)
{
    return static_cast<std::size_t>(std::ranges::count_if(jobs, [&](const sweep_job& job) {
        return std::ranges::find(job, variant_of(kernel, attribute)) != job.end();
    }));
}

TEST(SweepJobs, KernelsOnDifferentLinesShareACompile)
{
    const std::vector<kernel_trials> kernels{kernel_at(1, {}, {none, small, large, few}),
                                             kernel_at(2, {}, {none, few, small}), kernel_at(3, 4, {none, large})};
    const std::vector<sweep_job> jobs = jobs_for(kernels, true);
    ASSERT_EQ(jobs.size(), 3u);
    EXPECT_EQ(jobs[0].size(), 3u);
    for (const kernel_trials& kernel : kernels)
        for (const bounds_trial& trial : kernel.trials)
            EXPECT_EQ(count(jobs, kernel, trial.attribute), trial.attribute == kernel.attribute ? 0u : 1u);
    EXPECT_EQ(jobs_for(kernels, false).size(), 3u + 2u + 1u);  // the compile without attribute exists already
}

TEST(SweepJobs, TheKernelsOwnAttributeIsNotCompiledAgain)
{
    kernel_trials kernel = kernel_at(1, 1, {none, small, large});
    kernel.attribute = small;
    const std::vector<sweep_job> jobs = jobs_for({kernel}, true);
    ASSERT_EQ(jobs.size(), 2u);
    EXPECT_EQ(jobs[0], sweep_job{variant_of(kernel, none)});
    EXPECT_EQ(jobs[1], sweep_job{variant_of(kernel, large)});
}

TEST(SweepJobs, InstantiationsOfOneTemplateShareTheirVariants)
{
    kernel_trials first = kernel_at(1, 1, {none, small, few}), second = kernel_at(1, 1, {none, large, few});
    first.attribute = small;  // the other instantiation must not skip this attribute
    second.attribute = large;
    second.trials.push_back({.attribute = small, .kernel = {}});
    const std::vector<sweep_job> jobs = jobs_for({first, second}, true);
    EXPECT_EQ(jobs.size(), 3u);
    for (const sweep_job& job : jobs) EXPECT_EQ(job.size(), 1u);
    EXPECT_EQ(count(jobs, first, none), 1u);
    EXPECT_EQ(count(jobs, first, few), 1u);
    EXPECT_EQ(count(jobs, second, small), 1u);
    EXPECT_EQ(count(jobs, second, large), 0u);
}

TEST(SweepJobs, KernelsOnTheSameLineNeverShareACompile)
{
    const kernel_trials plain = kernel_at(5, {}, {none, small, large}), same_line = kernel_at(5, 5, {none, few}),
                        other_file = kernel_at(5, {}, {none, small}, "other.cuh"),
                        attribute_there = kernel_at(7, 5, {none, small}), apart = kernel_at(9, {}, {none, small});
    const std::vector<sweep_job> jobs = jobs_for({plain, same_line, other_file, attribute_there, apart}, true);
    for (const sweep_job& job : jobs) {
        int in_line_5 = 0;
        for (const site_variant& variant : job)
            in_line_5 +=
                variant.declared_at.line == 5 || (variant.attribute_at && variant.attribute_at->line == 5) ? 1 : 0;
        EXPECT_LE(in_line_5, 1);
    }
    EXPECT_EQ(count(jobs, apart, small), 1u);
    EXPECT_EQ(jobs.size(), 2u + 1u + 1u + 1u);
}

TEST(SweepJobs, AKernelThatIsNotSweptGetsNoCompile)
{
    kernel_trials kernel = kernel_at(1, {}, {});
    kernel.not_swept = "why";
    kernel.declared_at = std::nullopt;
    EXPECT_TRUE(jobs_for({kernel}, true).empty());
    EXPECT_TRUE(jobs_for({}, true).empty());
}

}  // namespace
