// Size expressions: their results, and that no expression hangs, exhausts memory or ends the tool.
#include "support/expression/value_expression.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"
#include "support/expression/expression_tokens.hpp"

namespace launchbox {
namespace {

std::int64_t value_of(const std::string& text, std::int64_t threads = 256)
{
    return value_expression(text).integer({{{"threads", threads}}});
}

// The error message and its advice; empty if there is no error.
std::string complaint_about(const std::string& text)
{
    try {
        value_of(text);
        return {};
    } catch (const error& failure) {
        EXPECT_EQ(failure.status(), exit_status::bad_input);
        EXPECT_FALSE(failure.hint().empty()) << text;
        return failure.what();
    }
}

TEST(expression, calculates_with_integers)
{
    EXPECT_EQ(value_of("11264"), 11264);
    EXPECT_EQ(value_of("4*threads"), 1024);
    EXPECT_EQ(value_of("(threads + 31)//32 * 128", 33), 256);
    EXPECT_EQ(value_of("threads % 100"), 56);
    EXPECT_EQ(value_of("-7 // 2"), -4);  // rounds down, as Lua does
    EXPECT_EQ(value_of("2^3"), 8);       // a float, but a whole one
    EXPECT_EQ(value_of("threads >= 256 and 1024 or 0"), 1024);
    EXPECT_EQ(value_of("threads >= 256 and 1024 or 0", 128), 0);
    EXPECT_EQ(value_of("0x7fffffffffffffff"), INT64_MAX);
}

TEST(expression, has_min_max_and_ceil_div)
{
    EXPECT_EQ(value_of("min(threads, 100, 300)"), 100);
    EXPECT_EQ(value_of("max(threads, 100, 300)"), 300);
    EXPECT_EQ(value_of("min(5)"), 5);
    EXPECT_EQ(value_of("ceil_div(threads, 100)"), 3);
    EXPECT_EQ(value_of("ceil_div(200, 100)"), 2);
    EXPECT_EQ(value_of("ceil_div(-5, 2)"), -2);
    EXPECT_NE(complaint_about("ceil_div(1, 0)").find("positive divisor"), std::string::npos);
    EXPECT_NE(complaint_about("min()"), "");
    EXPECT_NE(complaint_about("max('a')"), "");
}

TEST(expression, can_be_evaluated_again_with_other_values)
{
    const auto integer = [](std::int64_t value) { return parameter_value(value); };
    const value_expression two("a*10 + b");
    EXPECT_EQ(two.integer({{{"a", integer(1)}, {"b", integer(2)}}}), 12);
    EXPECT_EQ(two.integer({{{"a", integer(-3)}, {"b", integer(0)}}}), -30);
    value_expression moved("a");
    moved = value_expression("a+1");
    EXPECT_EQ(moved.integer({{{"a", integer(1)}}}), 2);
    EXPECT_EQ(moved.text(), "a+1");
}

// No made-up values are tried: a divisor could be 0 with them.
TEST(expression, is_only_evaluated_with_the_given_values)
{
    EXPECT_EQ(value_of("ceil_div(1000, threads // 32)"), 125);
    EXPECT_EQ(value_of("1000 // (threads // 32)", 64), 500);
    EXPECT_NE(complaint_about("ceil_div(1000, threads // 512)").find("positive divisor"), std::string::npos);
}

TEST(expression, a_result_that_is_not_an_integer_is_reported)
{
    for (const char* text : {"'abc'", "\"12\"", "1.5", "threads/0", "0/0", "true", "2^63", "threads*2^60"})
        EXPECT_NE(complaint_about(text).find(", not a whole number"), std::string::npos) << text;
    EXPECT_NE(complaint_about("1//0").find("divide by zero"), std::string::npos);
    EXPECT_NE(complaint_about("1 % 0"), "");
}

TEST(expression, invalid_expressions_are_reported)
{
    for (const char* text : {"",
                             " ",
                             "threads*",
                             "48K",
                             "4*threads)",
                             "(",
                             "4*threads) or (1",
                             "1, 2",
                             "1; return 2",
                             "threads = 5",
                             "return 1",
                             "\x1b[31m",
                             "\x1bLua",
                             "-- nothing",
                             "4*\nthreads",
                             "nil",
                             "{}",
                             "min",
                             "(function() while true do end end)()",
                             "('x'):rep(10)",
                             "load('x')"})
        EXPECT_NE(complaint_about(text).find("is not an expression"), std::string::npos) << text;
}

TEST(expression, an_unknown_name_is_named)
{
    for (const char* name : {"blocks", "Threads", "string", "os", "io", "_ENV", "_G", "debug", "threads.x"})
        EXPECT_NE(complaint_about(name).find(std::string("unknown name '") + name + "'"), std::string::npos) << name;
    EXPECT_NE(complaint_about("threads > 1 or blocks").find("unknown name 'blocks'"), std::string::npos);
}

TEST(expression, messages_are_short_and_without_line_numbers_of_the_interpreter)
{
    for (const std::string& text :
         {std::string("threads*"), std::string("threads.x"), std::string("setmetatable"), std::string("1 +* 2"),
          std::string(4000, '('), std::string(4000, 'x'), std::string("'") + std::string(4000, 'x') + "'"}) {
        const std::string message = complaint_about(text);
        EXPECT_EQ(message.find("[string"), std::string::npos) << message;
        EXPECT_EQ(message.find("]:"), std::string::npos) << message;
        EXPECT_LT(message.size(), 300u) << message;
    }
    EXPECT_NE(complaint_about(std::string(10'000, '1')).find("4096"), std::string::npos);
}

const assignment some_values{
    {{"threads", std::int64_t{256}}, {"share", 0.5}, {"precision", std::string("half")}, {"use_shared", true}}};
const named_constants some_limits{{"sm.max_threads", std::int64_t{2048}}, {"device.name", std::string("H200")}};

parameter_value typed(const std::string& text)
{
    return value_expression(text)(some_values, some_limits);
}

std::string typed_complaint(const std::string& text)
{
    try {
        static_cast<void>(typed(text));
        return {};
    } catch (const error& failure) {
        EXPECT_FALSE(failure.hint().empty()) << text;
        return failure.what();
    }
}

TEST(value_expression, calculates_with_values_of_every_type)
{
    const auto integer = [](std::int64_t value) { return parameter_value(value); };
    EXPECT_EQ(typed("threads * 4"), integer(1024));
    EXPECT_EQ(typed("ceil_div(threads, 100) + 0x10"), integer(19));
    EXPECT_EQ(typed("max(threads, 1, 300)"), integer(300));
    EXPECT_EQ(typed("min(threads, 1.5)"), parameter_value(1.5));
    EXPECT_EQ(typed("share * 3"), parameter_value(1.5));
    EXPECT_EQ(typed("1e-1 + .5"), parameter_value(0.6));
    EXPECT_EQ(typed("sm.max_threads // threads"), integer(8));
    EXPECT_EQ(typed("threads & (threads - 1)"), integer(0));
    EXPECT_EQ(typed("-7 // 2"), integer(-4));
    EXPECT_EQ(typed("precision"), parameter_value(std::string("half")));
    EXPECT_EQ(typed("precision == \"half\" and threads <= 512"), parameter_value(true));
    EXPECT_EQ(typed("precision == 'float' or not use_shared"), parameter_value(false));
    EXPECT_EQ(typed("device.name ~= 'H100'"), parameter_value(true));
    EXPECT_EQ(typed("use_shared and 1 or 2"), integer(1));
}

TEST(value_expression, lists_the_names_it_uses)
{
    EXPECT_EQ(value_expression("a + sm.max_threads * a - b.c.d + max(e, 1)").names(),
              (std::vector<std::string>{"a", "sm.max_threads", "b.c.d", "e"}));
    EXPECT_TRUE(value_expression("true and 'name' == \"x\"").names().empty());
    EXPECT_TRUE(is_name("a_1"));
    for (const char* word : {"", "1a", "a.b", "min", "and", "end", "a-b", "\xc3\xa4"})
        EXPECT_FALSE(is_name(word)) << word;
}

TEST(value_expression, the_result_must_have_the_wanted_type)
{
    EXPECT_EQ(value_expression("2^3").integer({}), 8);
    EXPECT_TRUE(value_expression("1 < 2").truth({}));
    EXPECT_THROW(static_cast<void>(value_expression("1").truth({})), error);
    EXPECT_THROW(static_cast<void>(value_expression("1.5").integer({})), error);
    EXPECT_THROW(static_cast<void>(value_expression("1e300").integer({})), error);
    EXPECT_THROW(static_cast<void>(value_expression("true").integer({})), error);
}

TEST(value_expression, forbidden_constructs_are_reported)
{
    for (const char* text : {"",
                             " ",
                             "threads *",
                             "1) or (2",
                             "1, 2",
                             "(",
                             "threads threads",
                             "48K",
                             "'a",
                             "{}",
                             "a[1]",
                             "function() end",
                             "while true do end",
                             "a = 1",
                             "a; b",
                             "a:b()",
                             "#precision",
                             "precision .. 'x'",
                             "1 -- comment",
                             "nil",
                             "f(1)",
                             "max",
                             "a.min(1)",
                             "\x1bLua",
                             "a\nb",
                             "threads \xe2\x89\xa4 1",
                             "..."})
        EXPECT_NE(typed_complaint(text).find("is not an expression"), std::string::npos)
            << text << typed_complaint(text);
    EXPECT_NE(typed_complaint(std::string(5000, '1')).find("4096"), std::string::npos);
    EXPECT_NE(typed_complaint(std::string(4000, '(')), "");
    EXPECT_NE(typed_complaint("'" + std::string(4000, 'x')), "");
    try {
        const value_expression refused("a && b");
        FAIL();
    } catch (const error& failure) {
        EXPECT_EQ(failure.hint(), "write and");
    }
}

TEST(value_expression, evaluation_errors_use_the_users_names)
{
    EXPECT_EQ(typed_complaint("thread + 1"), "unknown name 'thread' in 'thread + 1'");
    EXPECT_EQ(typed_complaint("precision < threads"),
              "cannot evaluate 'precision < threads': attempt to compare string with number");
    EXPECT_NE(typed_complaint("use_shared + 1").find("'use_shared'"), std::string::npos)
        << typed_complaint("use_shared + 1");
    EXPECT_EQ(typed_complaint("threads // 0"), "cannot evaluate 'threads // 0': attempt to divide by zero");
    EXPECT_NE(typed_complaint("max('a', 1)"), "");
    EXPECT_NE(typed_complaint("'10' + 1"), "");
}

}  // namespace
}  // namespace launchbox
