// Rates from work and time, and their format.
#include "tune/types/work_amounts.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

const work_kind &elements = work_kinds[0], &bytes = work_kinds[1], &flops = work_kinds[2];

TEST(work_amounts, rates_are_known_if_work_and_time_are)
{
    EXPECT_EQ(per_second({.elements = 3e6, .bytes = 12e6}, 2e6), (work_amounts{.elements = 1.5e9, .bytes = 6e9}));
    EXPECT_EQ(per_second({.flops = 1}, 1e9), work_amounts{.flops = 1});
    EXPECT_FALSE(per_second({}, 5).any());
    EXPECT_FALSE(per_second({.elements = 3}, 0).any()) << "the clock is too coarse";
    EXPECT_FALSE(per_second({.elements = 3}, -1).any());
}

TEST(work_amounts, four_digits_in_the_unit_of_the_largest_rate)
{
    EXPECT_EQ(rate_text(elements, 11.6508e9, 0), "11.65 G");
    EXPECT_EQ(rate_text(elements, 999.4e6, 11.6508e9), "1.00 G");
    EXPECT_EQ(rate_text(elements, 2.5e12, 0), "2.500 T");
    EXPECT_EQ(rate_text(elements, 2.5e15, 0), "2,500 T");
    EXPECT_EQ(rate_text(elements, 1234, 0), "1.234 k");
    EXPECT_EQ(rate_text(elements, 12.34, 0), "12.34");
    EXPECT_EQ(rate_text(elements, 99.996e6, 0), "100.0 M") << "not 100.00";
    EXPECT_EQ(rate_text(elements, 999.99e6, 0), "1.000 G");
    EXPECT_EQ(rate_text(bytes, 46.6e9, 0), "46.60");
    EXPECT_EQ(rate_text(bytes, 4.66e9, 46.6e9), "4.66");
    EXPECT_EQ(rate_text(flops, 60.1234e12, 0), "60,123");
    EXPECT_EQ(rate_text(bytes, 799.92e6, 0), "0.7999");
    EXPECT_EQ(rate_text(bytes, 3, 0), "3e-09") << "never 0";
    EXPECT_EQ(rate_text(bytes, 3, 1e12), "3e-09");
}

TEST(work_amounts, in_one_line)
{
    EXPECT_EQ(rates_text({}), "");
    EXPECT_EQ(rates_text({.elements = 11.6508e9, .bytes = 46.6e9, .flops = 5e9}),
              "11.65 G elements/s, 46.60 GB/s, 5.000 GFLOP/s");
    EXPECT_EQ(rates_text({.elements = 2.33e9, .bytes = 7e9}, {.elements = 11.6508e9, .bytes = 7e9}),
              "2.330 G to 11.65 G elements/s, 7.000 GB/s");
}

}  // namespace
}  // namespace launchbox
