// The progress messages for many GPUs.
#include "cli/tune_messages.hpp"

#include <gtest/gtest.h>

namespace launchbox::cli {

TEST(fleet_progress_test, rate_idle_share_failures_and_losses)
{
    tune_progress now{.done = 30, .total = 100, .seconds = 10};
    now.devices = {
        {.name = "rank 1 (n1, GPU 0)",
         .host = {},
         .uuid = {},
         .measured = 18,
         .failed = 2,
         .busy_seconds = 9,
         .seconds = 10},
        {.name = "rank 2 (n1, GPU 1)", .host = {}, .uuid = {}, .measured = 10, .busy_seconds = 5, .seconds = 10}};
    EXPECT_EQ(fleet_text(now), "2 GPUs, 3.0/s, 70 % busy (least: rank 2 (n1, GPU 1), 50 %), 2 failed");
    // A lost GPU is not the least busy one: it is left out.
    now.devices[1].lost = "rank 2 is left out";
    EXPECT_EQ(fleet_text(now), "2 GPUs, 3.0/s, 70 % busy (least: rank 1 (n1, GPU 0), 90 %), 2 failed, 1 lost");
    now.devices.pop_back();
    EXPECT_EQ(fleet_text(now), "") << "of one GPU there is nothing to compare";
}

TEST(fleet_progress_test, the_log_of_a_job_has_a_line_per_gpu)
{
    tune_progress now{.done = 30, .total = 100, .seconds_left = 7300, .seconds = 10};
    now.devices = {
        {.name = "rank 1", .host = {}, .uuid = {}, .measured = 18, .failed = 2, .busy_seconds = 9, .seconds = 10},
        {.name = "rank 2", .host = {}, .uuid = {}, .measured = 10, .busy_seconds = 5, .seconds = 10}};
    EXPECT_EQ(fleet_lines("sum", "2 x GPU A", now),
              (std::vector<std::string>{"sum on 2 x GPU A: 30 of 100 results, 2.0 h left; 2 GPUs, 3.0/s, 70 % busy "
                                        "(least: rank 2, 50 %), 2 failed",
                                        "  rank 2: 10 measured, 0 failed, 1.00/s, 50 % idle",
                                        "  rank 1: 18 measured, 2 failed, 2.00/s, 10 % idle"}));
    for (int i = 3; i < 40; ++i)
        now.devices.push_back({.name = "rank " + std::to_string(i), .host = {}, .uuid = {}, .busy_seconds = 1});
    EXPECT_EQ(fleet_lines("sum", "39 x GPU A", now).size(), 17U) << "the most idle stand for all";
}

}  // namespace launchbox::cli
