// Untrusted text for a terminal: no byte of it may have an effect there.
#include "support/text/terminal.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <cstdlib>

namespace launchbox {
namespace {

bool is_printable_ascii(unsigned char byte)
{
    return byte >= 0x20 && byte < 0x7f;
}

TEST(terminal, every_single_byte_is_shown_or_escaped)
{
    for (int value = 0; value < 256; ++value) {
        const auto byte = static_cast<unsigned char>(value);
        const std::string text(1, static_cast<char>(byte));
        char expected[8];
        std::snprintf(expected, sizeof expected, "\\x%02x", value);
        EXPECT_EQ(escape_for_terminal(text), is_printable_ascii(byte) ? text : std::string(expected)) << value;
        EXPECT_EQ(escape_for_terminal("a" + text + "b"),
                  "a" + (is_printable_ascii(byte) ? text : std::string(expected)) + "b");
    }
}

TEST(terminal, utf_8_is_kept)
{
    for (const char* text :
         {"é", "−15 registers → 5 blocks", "日本語", "😀", "\xC2\xA0", "\xEF\xBF\xBF", "\xF4\x8F\xBF\xBF"})
        EXPECT_EQ(escape_for_terminal(text), text);
}

// U+0080 to U+009F: U+009B is ESC [ in one character.
TEST(terminal, c1_control_characters_are_escaped)
{
    for (int value = 0x80; value < 0xA0; ++value) {
        const std::string text = {'\xC2', static_cast<char>(value)};
        char expected[16];
        std::snprintf(expected, sizeof expected, "\\xc2\\x%02x", value);
        EXPECT_EQ(escape_for_terminal(text), expected);
    }
}

TEST(terminal, characters_that_hide_or_reverse_text_are_escaped)
{
    EXPECT_EQ(escape_for_terminal("a\u202Eb"), "a\\xe2\\x80\\xaeb");  // right-to-left override
    for (const char* text : {"\u061C", "\u200B", "\u200F", "\u2028", "\u202A", "\u2060", "\u2066", "\u206F", "\uFEFF"})
        EXPECT_EQ(escape_for_terminal(text).substr(0, 2), "\\x") << text;
    for (const char* text : {"\u061B", "\u200A", "\u2010", "\u2027", "\u202F", "\u2030", "\u2070", "\uFEFE"})
        EXPECT_EQ(escape_for_terminal(text), text);
}

TEST(terminal, invalid_utf_8_is_escaped_byte_by_byte)
{
    EXPECT_EQ(escape_for_terminal("\xC3"), "\\xc3");                             // truncated
    EXPECT_EQ(escape_for_terminal("\xE2\x88"), "\\xe2\\x88");                    // truncated
    EXPECT_EQ(escape_for_terminal("\xC0\x80"), "\\xc0\\x80");                    // overlong 0
    EXPECT_EQ(escape_for_terminal("\xC1\xBF"), "\\xc1\\xbf");                    // overlong
    EXPECT_EQ(escape_for_terminal("\xE0\x9B\xBF"), "\\xe0\\x9b\\xbf");           // overlong
    EXPECT_EQ(escape_for_terminal("\xF0\x82\x82\xAC"), "\\xf0\\x82\\x82\\xac");  // overlong
    EXPECT_EQ(escape_for_terminal("\xED\xA0\x80"), "\\xed\\xa0\\x80");           // half of a surrogate pair
    EXPECT_EQ(escape_for_terminal("\xF4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80");  // above U+10FFFF
    EXPECT_EQ(escape_for_terminal("\xFF\xFEk"), "\\xff\\xfek");
    EXPECT_EQ(escape_for_terminal("\xC3(\xC3\xA9"), "\\xc3(é");
}

TEST(terminal, escaping_twice_changes_nothing)
{
    std::string all;
    for (int value = 0; value < 256; ++value) all += static_cast<char>(value);
    const std::string once = escape_for_terminal(all + "é→\xC2\x9B");
    EXPECT_EQ(escape_for_terminal(once), once);
}

TEST(terminal, to_ascii_gives_ascii_for_any_text)
{
    std::string text = "−→×≤≥…·│⌈⌉–±◀ é 日本 😀";
    for (int value = 1; value < 256; ++value) text += {'\xE2', static_cast<char>(value), static_cast<char>(value), ' '};
    for (int value = 0x80; value < 256; ++value) text += {static_cast<char>(value), 'x'};
    for (char c : to_ascii(text)) EXPECT_LT(static_cast<unsigned char>(c), 0x80);
}

// A question mark means "unknown" in our tables, so none of our own signs may become one.
TEST(terminal, our_own_signs_have_ascii_spellings)
{
    for (const char* sign : {"−", "→", "×", "≤", "≥", "…", "·", "│", "–", "±", "◀"})
        EXPECT_EQ(to_ascii(sign).find('?'), std::string::npos) << sign;
    EXPECT_EQ(to_ascii("−15 registers → 5 blocks"), "-15 registers -> 5 blocks");
    EXPECT_EQ(to_ascii("plain"), "plain");
    EXPECT_EQ(to_ascii("é"), "?");
}

TEST(terminal, width_counts_characters_and_not_colours)
{
    EXPECT_EQ(display_width(""), 0);
    EXPECT_EQ(display_width("abc"), 3);
    EXPECT_EQ(display_width("−15 → 5"), 7);
    EXPECT_EQ(display_width("\x1b[1mbold\x1b[0m"), 4);
    EXPECT_EQ(display_width("\x1b[31"), 0);  // truncated: must still end
    EXPECT_EQ(display_width("\xff\xff"), 2);
}

TEST(terminal, thousands_are_separated_by_commas)
{
    EXPECT_EQ(with_commas(0), "0");
    EXPECT_EQ(with_commas(999), "999");
    EXPECT_EQ(with_commas(1000), "1,000");
    EXPECT_EQ(with_commas(-999), "-999");
    EXPECT_EQ(with_commas(-1000), "-1,000");
    EXPECT_EQ(with_commas(-123456), "-123,456");
    EXPECT_EQ(with_commas(1234567), "1,234,567");
    EXPECT_EQ(with_commas(INT64_MAX), "9,223,372,036,854,775,807");
    EXPECT_EQ(with_commas(INT64_MIN), "-9,223,372,036,854,775,808");
}

// Each case starts as a new process would.
class style_of : public testing::Test {
protected:
    void SetUp() override
    {
        for (const char* name : {"COLUMNS", "LC_ALL", "LC_CTYPE", "LANG"}) ::unsetenv(name);
    }
    static int width_with(const char* columns)
    {
        ::setenv("COLUMNS", columns, 1);
        return style_of_standard_output().width;
    }
    static bool unicode_with(const char* name, const char* value)
    {
        ::setenv(name, value, 1);
        return style_of_standard_output().unicode;
    }
};

TEST_F(style_of, columns_sets_the_width_within_limits)
{
    EXPECT_EQ(width_with("80"), 80);
    EXPECT_EQ(width_with("1"), 40);
    EXPECT_EQ(width_with("99999"), 400);
    const int otherwise = width_with("");
    for (const char* nonsense : {"-80", "0", "80x", " 80", "99999999999999999999"})
        EXPECT_EQ(width_with(nonsense), otherwise) << nonsense;
}

TEST_F(style_of, the_locale_decides_between_utf_8_and_ascii)
{
    EXPECT_TRUE(style_of_standard_output().unicode);
    EXPECT_FALSE(unicode_with("LANG", "C"));
    EXPECT_TRUE(unicode_with("LC_CTYPE", "de_DE.utf8"));
    EXPECT_FALSE(unicode_with("LC_ALL", "POSIX"));
    EXPECT_TRUE(unicode_with("LC_ALL", "C.UTF-8"));
}

TEST(terminal, long_text_is_shortened_in_the_middle)
{
    EXPECT_EQ(shortened("abcdef", 6), "abcdef");
    EXPECT_EQ(shortened("abcdefghij", 7), "abcd…ij");
    EXPECT_EQ(shortened("ä→öüß×ñ", 4), "ä→…ñ");
    const std::string text = "κ\xff" + std::string(1000, 'x') + "→";
    for (int width = 1; width < 50; ++width) EXPECT_EQ(display_width(shortened(text, width)), width);
}

}  // namespace
}  // namespace launchbox
