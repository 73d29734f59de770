// Byte order marks, and text in UTF-16.
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

TEST(utf8_text, only_loses_its_byte_order_mark)
{
    EXPECT_EQ(utf8_text("plain\n"), "plain\n");
    EXPECT_EQ(utf8_text("\xEF\xBB\xBFplain\n"), "plain\n");
    EXPECT_EQ(utf8_text("\xEF\xBB\xBF"), "");
    EXPECT_EQ(utf8_text("\xEF\xBB"), "\xEF\xBB");
    EXPECT_EQ(utf8_text("a\xEF\xBB\xBF"), "a\xEF\xBB\xBF");
    EXPECT_EQ(utf8_text(""), "");
    EXPECT_FALSE(
        is_not_utf8("\x7f"
                    "ELF"));
}

TEST(utf8_text, is_converted_from_utf16)
{
    for (const bool little_endian : {true, false}) {
        EXPECT_EQ(utf8_text(utf16(u"ptxas info\r\n", little_endian)), "ptxas info\r\n");
        EXPECT_EQ(utf8_text(utf16(u"\u00e4\u20ac\U0001F600\uFFFD", little_endian)), "ä€😀\uFFFD");
        EXPECT_EQ(utf8_text(utf16({0xD800, u'x'}, little_endian)), "\uFFFDx");  // half of a surrogate pair
        EXPECT_EQ(utf8_text(utf16({0xDC00}, little_endian)), "\uFFFD");
        EXPECT_EQ(utf8_text(utf16({0xD83D}, little_endian)), "\uFFFD");
        EXPECT_EQ(utf8_text(utf16(u"x", little_endian) + "y"), "x\uFFFD");  // half of a code unit
        EXPECT_EQ(utf8_text(utf16(u"", little_endian)), "");
        EXPECT_TRUE(is_not_utf8(utf16(u"", little_endian)));
    }
}

std::string unmarked(const std::u16string& text, bool little_endian)
{
    return utf16(text, little_endian).substr(2);
}

TEST(utf8_text, is_converted_from_utf16_without_a_mark)
{
    for (const bool little_endian : {true, false}) {
        EXPECT_EQ(utf8_text(unmarked(u"ptxas info\r\n", little_endian)), "ptxas info\r\n");
        EXPECT_EQ(utf8_text(unmarked(u"ptxas info : \u65e5\u672c\U0001F600 ok\n", little_endian)),
                  "ptxas info : 日本😀 ok\n");
        EXPECT_TRUE(is_not_utf8(unmarked(u"nvcc -Xptxas -v\n", little_endian)));
    }
}

// `>>` of PowerShell after another shell's output, and the other way round; several files, each with its mark.
TEST(utf8_text, several_encodings_in_one_file)
{
    for (const bool little_endian : {true, false}) {
        EXPECT_EQ(utf8_text("nvcc k.cu\n" + unmarked(u"ptxas info\r\n", little_endian)), "nvcc k.cu\nptxas info\r\n");
        EXPECT_EQ(utf8_text(utf16(u"ptxas info\r\n", little_endian) + "nvcc k.cu\nptxas\n"),
                  "ptxas info\r\nnvcc k.cu\nptxas\n");
        EXPECT_EQ(utf8_text(utf16(u"one\n", little_endian) + utf16(u"two\n", little_endian)), "one\ntwo\n");
        EXPECT_EQ(utf8_text(utf16(u"one\n", little_endian) + utf16(u"two\n", !little_endian)), "one\ntwo\n");
    }
    EXPECT_EQ(utf8_text("\xEF\xBB\xBFone\n\xEF\xBB\xBFtwo\n"), "one\ntwo\n");
    // Lines in which no code unit has a zero byte are not converted.
    EXPECT_EQ(utf8_text(utf16(u"\u6162\u6364\n\u6566\u6768\n", true)), "慢捤\n敦杨\n");
}

TEST(utf8_text, binaries_are_not_converted)
{
    using namespace std::string_literals;
    for (const std::string& bytes :
         {"\x7f"
          "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0"s,
          "\x50\xed\x55\xba\x01\0\x10\0\x40\0\0\0\0\0\0\0"s, ".version 8.0\n.target sm_80\n\0"s, "\0"s, "a\0"s,
          "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"s, "a\0b\0\0\0\x01\0c\0d\0e\0f\0g\0h\0"s})
        EXPECT_FALSE(is_not_utf8(bytes));
}

TEST(file_ending, is_recognised_in_any_case)
{
    for (const char* name : {"k.cu", "K.CU", "a.b.Cu", ".cu"}) EXPECT_TRUE(has_ending(name, ".cu")) << name;
    for (const char* name : {"k.cuh", "cu", "", "k.cu "}) EXPECT_FALSE(has_ending(name, ".cu")) << name;
}

}  // namespace
}  // namespace launchbox
