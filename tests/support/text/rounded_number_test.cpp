#include "support/text/rounded_number.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace launchbox {
namespace {

TEST(rounded_number, has_no_decimals_if_they_say_nothing)
{
    EXPECT_EQ(rounded_with_commas(0), "0");
    EXPECT_EQ(rounded_with_commas(1234567.4), "1,234,567");
    EXPECT_EQ(rounded_with_commas(-999.6), "-1,000");
    EXPECT_EQ(rounded_with_commas(999999999999999), "999,999,999,999,999");
    EXPECT_EQ(rounded_with_commas(9.16425e+22), "9.164e+22");
    EXPECT_EQ(rounded_with_commas(-1e300), "-1e+300");
    EXPECT_EQ(rounded_with_commas(std::numeric_limits<double>::infinity()), "inf");
    EXPECT_EQ(rounded_with_commas(std::numeric_limits<double>::quiet_NaN()), "nan");
}

TEST(rounded_number, keeps_significant_zeros)
{
    EXPECT_EQ(in_three_digits(2), "2.00");
    EXPECT_EQ(in_three_digits(1.9999), "2.00");
    EXPECT_EQ(in_three_digits(0.022), "0.0220");
    EXPECT_EQ(in_three_digits(0.00012), "0.000120");
    EXPECT_EQ(in_three_digits(9.996), "10.0");
    EXPECT_EQ(in_three_digits(13), "13.0");
    EXPECT_EQ(in_three_digits(99.96), "100");
    EXPECT_EQ(in_three_digits(1234.5), "1,235");
    EXPECT_EQ(in_three_digits(0.00000123), "1.23e-06");
}

}  // namespace
}  // namespace launchbox
