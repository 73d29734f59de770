// The chart of the best so far.
#include "report/tune/convergence_report.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

TEST(convergence_report, chart_is_a_staircase)
{
    convergence found;
    found.evaluations = 8;
    for (const auto& [evaluation, gap] : {std::pair{1u, 0.25}, {3u, 0.09}, {6u, 0.04}, {7u, 0.0}})
        found.improvements.push_back(
            {.evaluation = evaluation, .seconds = 0, .value = 0, .gap = gap, .parameters = {}});
    EXPECT_EQ(convergence_chart(found, {}),
              "  % above the final best, by evaluations\n"
              "  20 % ┤██\n"
              "  10 % ┤██\n"
              "   5 % ┤█████\n"
              "   2 % ┤██████\n"
              "   1 % ┤██████\n"
              "       └────────\n"
              "        1      8\n");
}

TEST(convergence_report, nothing_that_wins_has_no_chart)
{
    convergence found;
    found.evaluations = 1;
    EXPECT_EQ(convergence_chart(found, {}), "");
}

}  // namespace
}  // namespace launchbox
