#include "support/process/command_words.hpp"

#include <gtest/gtest.h>

#include "support/error.hpp"

namespace launchbox {
namespace {

using words = std::vector<std::string>;

TEST(command_words, are_split_at_blanks_outside_quotes)
{
    EXPECT_EQ(command_words("./bench --json"), (words{"./bench", "--json"}));
    EXPECT_EQ(command_words("  a\t'b  c' \"d 'e'\" f\\ g '' h\"i\"'j'"),
              (words{"a", "b  c", "d 'e'", "f g", "", "hij"}));
    EXPECT_EQ(command_words("sh -c 'a | b \\ $HOME *'"), (words{"sh", "-c", "a | b \\ $HOME *"}));
}

TEST(command_words, bad_commands_are_refused)
{
    for (const char* bad : {"", "  ", "''", "a 'b", "a \"b"}) EXPECT_THROW(command_words(bad), error) << bad;
}

TEST(command_words, placeholders_are_filled_in)
{
    const words command{"{program}", "--threads={threads}", "{{x}}"};
    EXPECT_TRUE(mentions(command, "threads"));
    EXPECT_FALSE(mentions(command, "x"));
    EXPECT_EQ(filled_in(command, {{"program", "/tmp/a b"}, {"threads", "256"}}),
              (words{"/tmp/a b", "--threads=256", "{x}"}));
}

TEST(command_words, an_option_with_an_empty_value_is_left_out)
{
    const words options{"-O3", "-maxrregcount={cap}", "-D{a}={b}", "{more}", ""};
    EXPECT_EQ(filled_options(options, {{"cap", ""}, {"a", "A"}, {"b", "1"}, {"more", "-lineinfo"}}),
              (words{"-O3", "-DA=1", "-lineinfo", ""}));
    EXPECT_EQ(filled_options(options, {{"cap", "64"}, {"a", "A"}, {"b", ""}, {"more", ""}}),
              (words{"-O3", "-maxrregcount=64", ""}));
    EXPECT_THROW(filled_options({"{cap}"}, {}), error);
}

TEST(command_words, an_unknown_placeholder_lists_the_known_ones)
{
    try {
        filled_in({"{thread}"}, {{"program", ""}, {"threads", ""}});
        FAIL();
    } catch (const error& failure) {
        EXPECT_STREQ(failure.what(), "{thread} in the command is not a known name");
        EXPECT_EQ(failure.hint(), "there are {program}, {threads}; write {{ for a brace");
    }
    for (const char* bad : {"{a", "a}", "{"}) EXPECT_THROW(filled_in({bad}, {}), error) << bad;
}

}  // namespace
}  // namespace launchbox
