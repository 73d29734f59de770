// The question that the model is asked about a compiled kernel.
#include "advice/model/kernel_question.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

kernel_info known()
{
    kernel_info info;
    info.name = "k";
    set_architecture(info, "sm_90a");
    info.figures.registers = 40;
    return info;
}

TEST(kernel_question, threads_come_from_the_user_else_from_the_bound)
{
    kernel_info info = known();
    EXPECT_FALSE(bound_threads(info));
    EXPECT_FALSE(question_for(info, {}));
    EXPECT_EQ(question_for(info, 128)->shape.threads, 128);
    info.bounds.max_threads = {32, 4, 2};
    EXPECT_EQ(bound_threads(info), 256);
    EXPECT_EQ(question_for(info, {})->shape.threads, 256);
    EXPECT_EQ(question_for(info, 128)->shape.threads, 128);
    info.bounds.required_threads = {64, 1, 1};  // .reqntid has precedence
    EXPECT_EQ(bound_threads(info), 64);
    EXPECT_EQ(question_for(info, {})->resources.max_threads, 64);
}

TEST(kernel_question, nothing_is_guessed)
{
    kernel_info info = known();
    info.figures.registers.reset();
    EXPECT_FALSE(question_for(info, 128));
    info = known();
    for (const char* architecture : {"", "sm_999", "sm_91", "gfx90a"}) {
        set_architecture(info, architecture);
        EXPECT_FALSE(question_for(info, 128)) << architecture;
    }
}

TEST(kernel_question, hostile_bounds_do_not_overflow)
{
    kernel_info info = known();
    info.bounds.max_threads = {2'000'000'000, 2'000'000'000, 2'000'000'000};
    EXPECT_GT(*bound_threads(info), 1024);
    EXPECT_EQ(resources_of(info).max_threads, 1024);
    info.bounds.max_threads = {-5, 1, 1};
    EXPECT_EQ(bound_threads(info), 0);
    EXPECT_EQ(question_for(info, {})->shape.threads, 0);
}

TEST(kernel_question, carries_what_is_known)
{
    kernel_info info = known();
    info.figures.static_shared_bytes = 4096;
    info.figures.stack_frame_bytes = 80;
    info.figures.barriers = 3;
    info.bounds.cluster = {2, 2, 1};
    const occupancy_question q = question_for(info, 128).value();
    EXPECT_EQ(
        q.resources,
        (kernel_resources{
            .registers = 40, .static_shared_bytes = 4096, .local_bytes = 80, .barriers = 3, .max_threads = 1024}));
    EXPECT_TRUE(q.barriers_known);
    EXPECT_EQ(q.shape.cluster_blocks, 4);
    EXPECT_EQ(q.limits, find_sm_limits({9, 0}));
    EXPECT_EQ(architecture_name(q.architecture).view(), "sm_90a");
    EXPECT_TRUE(q.shared_known);
    info.figures.barriers.reset();
    info.figures.static_shared_bytes.reset();
    EXPECT_FALSE(question_for(info, 128)->barriers_known);
    EXPECT_FALSE(question_for(info, 128)->shared_known);
}

}  // namespace
}  // namespace launchbox
