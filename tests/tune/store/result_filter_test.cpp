// The results that match a filter of parameters and workload values.
#include "tune/store/result_filter.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace launchbox {
namespace {

TEST(result_filter, compares_numbers_as_numbers)
{
    const assignment values{{{"type", std::string("int")},
                             {"n", std::int64_t{100'000'000}},
                             {"part", 0.5},
                             {"on", true},
                             {"most", std::int64_t{9'007'199'254'740'993}}}};
    const auto matches = [&](const std::string& text) { return parse_value_filter({text}, "--x").matches(values); };
    for (const char* text : {"n=1e8", "n=100000000", "n=1e8 type=int", "type=int,part=0.50", "part=5e-1", "on=true",
                             "most=9007199254740993"})
        EXPECT_TRUE(matches(text)) << text;
    for (const char* text : {"n=1e7", "n=1e8 type=long", "m=1", "type=", "on=1", "n=1e8x", "most=9007199254740992"})
        EXPECT_FALSE(matches(text)) << text;
    // After a comma comes another name, or another value of the previous one.
    for (const char* text : {"type=int,n=1e8", "type=float,int,n=1e8", "n=5,1e8,type=int", "n=5 n=1e8", "n=5,n=1e8"})
        EXPECT_TRUE(matches(text)) << text;
    for (const char* text : {"type=float,double,n=1e8", "type=int,n=5,6", "n=1 x"}) EXPECT_FALSE(matches(text)) << text;
    const value_filter words = parse_value_filter({"type=long long,int n=5", "n=6"}, "--x");
    ASSERT_EQ(words.wanted.size(), 2u);
    EXPECT_EQ(words.wanted[0].second, (std::vector<std::string>{"long long", "int"}));
    EXPECT_EQ(words.wanted[1].second, (std::vector<std::string>{"5", "6"}));
    for (const char* text : {"n", "=5", "5,n=1", "n=1 =x", "", " ", ","})
        EXPECT_THROW(parse_value_filter({text}, "--x"), error) << text;
}

}  // namespace
}  // namespace launchbox
