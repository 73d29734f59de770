// Values as text: the text in a command is read back as the same value.
#include "support/expression/parameter_value.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <limits>

namespace launchbox {
namespace {

TEST(parameter_value, as_text)
{
    EXPECT_EQ(parameter_text(parameter_value(true)), "true");
    EXPECT_EQ(parameter_text(parameter_value(false)), "false");
    EXPECT_EQ(parameter_text(parameter_value(std::int64_t{256})), "256");
    EXPECT_EQ(parameter_text(parameter_value(std::numeric_limits<std::int64_t>::min())), "-9223372036854775808");
    EXPECT_EQ(parameter_text(parameter_value(0.5)), "0.5");
    EXPECT_EQ(parameter_text(parameter_value(std::string("long long"))), "long long");
}

TEST(parameter_value, a_fraction_is_read_back_as_the_same_number)
{
    for (const double value : {0.1, 1.0 / 3, 1e300, -2.5e-308, 5e-324, 123456789.125})
        EXPECT_EQ(std::strtod(parameter_text(parameter_value(value)).c_str(), nullptr), value);
}

TEST(parameter_value, an_assignment_is_searched_written_and_joined)
{
    const assignment candidate{{{"threads", std::int64_t{256}}, {"fast", true}}};
    ASSERT_NE(candidate.find("fast"), nullptr);
    EXPECT_EQ(*candidate.find("fast"), parameter_value(true));
    EXPECT_EQ(candidate.find("fas"), nullptr);
    EXPECT_EQ(parameter_text(candidate), "threads=256 fast=true");
    EXPECT_EQ(parameter_text(assignment{}), "");
    EXPECT_EQ(parameter_text(joined(candidate, {{{"n", std::int64_t{1}}}})), "threads=256 fast=true n=1");
}

TEST(parameter_value, assignments_with_any_texts_are_distinguished)
{
    const auto with = [](std::vector<std::pair<std::string, parameter_value>> values) {
        return identity_of(assignment{std::move(values)});
    };
    EXPECT_EQ(with({{"a", std::int64_t{1}}, {"b", true}}), with({{"b", true}, {"a", std::int64_t{1}}}));
    EXPECT_EQ(parameter_text(assignment{{{"a", "1 b=2"}}}), parameter_text(assignment{{{"a", "1"}, {"b", "2"}}}));
    EXPECT_NE(with({{"a", "1 b=2"}}), with({{"a", "1"}, {"b", "2"}}));
    EXPECT_NE(with({{"a", "1\nb=2"}}), with({{"a", "1"}, {"b", "2"}}));
    EXPECT_NE(with({{"a", "11:b"}}), with({{"a", "1"}, {"b", ""}}));
    EXPECT_NE(with({{"a", ""}}), with({}));
}

}  // namespace
}  // namespace launchbox
