// Marks before text, and text in UTF-16.
#include "support/text/utf8_text.hpp"

#include <gtest/gtest.h>

#include <cstdint>

namespace launchbox {
namespace {

std::string utf16(const std::u16string& text, bool little_endian)
{
    std::string bytes = little_endian ? "\xFF\xFE" : "\xFE\xFF";
    for (const char16_t unit : text) {
        const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
        bytes += little_endian ? low : high;
        bytes += little_endian ? high : low;
    }
    return bytes;
}

TEST(utf8_text, loses_its_mark_and_nothing_else)
{
    EXPECT_EQ(utf8_text("plain\n"), "plain\n");
    EXPECT_EQ(utf8_text("\xEF\xBB\xBFplain\n"), "plain\n");
    EXPECT_EQ(utf8_text("\xEF\xBB\xBF"), "");
    EXPECT_EQ(utf8_text("\xEF\xBB"), "\xEF\xBB");
    EXPECT_EQ(utf8_text("a\xEF\xBB\xBF"), "a\xEF\xBB\xBF");
    EXPECT_EQ(utf8_text(""), "");
    EXPECT_FALSE(
        is_no_utf8_text("\x7f"
                      "ELF"));
}

TEST(utf8_text, is_made_of_utf16)
{
    for (const bool little_endian : {true, false}) {
        EXPECT_EQ(utf8_text(utf16(u"ptxas info\r\n", little_endian)), "ptxas info\r\n");
        EXPECT_EQ(utf8_text(utf16(u"\u00e4\u20ac\U0001F600\uFFFD", little_endian)), "ä€😀\uFFFD");
        EXPECT_EQ(utf8_text(utf16({0xD800, u'x'}, little_endian)), "\uFFFDx");  // half of a pair
        EXPECT_EQ(utf8_text(utf16({0xDC00}, little_endian)), "\uFFFD");
        EXPECT_EQ(utf8_text(utf16({0xD83D}, little_endian)), "\uFFFD");
        EXPECT_EQ(utf8_text(utf16(u"x", little_endian) + "y"), "x\uFFFD");  // half of a unit
        EXPECT_EQ(utf8_text(utf16(u"", little_endian)), "");
        EXPECT_TRUE(is_no_utf8_text(utf16(u"", little_endian)));
    }
}

TEST(file_ending, is_recognised_in_any_case)
{
    for (const char* name : {"k.cu", "K.CU", "a.b.Cu", ".cu"}) EXPECT_TRUE(has_ending(name, ".cu")) << name;
    for (const char* name : {"k.cuh", "cu", "", "k.cu "}) EXPECT_FALSE(has_ending(name, ".cu")) << name;
}

}  // namespace
}  // namespace launchbox
