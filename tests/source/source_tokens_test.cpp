// CUDA C++ text, split into tokens.
#include "source/source_tokens.hpp"

#include <gtest/gtest.h>

#include <string>

namespace launchbox {
namespace {

// The tokens, separated by |; numbers as n:, literals as t:, identifiers unchanged, punctuation as p:
std::string words(std::string_view text)
{
    std::string result;
    for (const source_token& token : read_source_text(text).tokens) {
        if (!result.empty()) result += '|';
        if (token.kind == source_token_kind::number) result += "n:";
        if (token.kind == source_token_kind::text) result += "t:";
        if (token.kind == source_token_kind::punctuation) result += "p:";
        result += token.text;
    }
    return result;
}

TEST(source_tokens, words_numbers_and_punctuation)
{
    EXPECT_EQ(words("int x=1'000u+0x1p-3*.5e+7f;"), "int|x|p:=|n:1'000u|p:+|n:0x1p-3|p:*|n:.5e+7f|p:;");
    EXPECT_EQ(words("a::b->c<=d==e&&f"), "a|p:::|b|p:->|c|p:<=|d|p:==|e|p:&&|f");
    EXPECT_EQ(words("k<int><<<g,b>>>(x)"), "k|p:<|int|p:>|p:<<<|g|p:,|b|p:>|p:>|p:>|p:(|x|p:)");
    EXPECT_EQ(words("1<<2 größe $x"), "n:1|p:<<|n:2|größe|$x");
    EXPECT_EQ(words("0xe+1"), "n:0xe+1");  // one number according to the standard
    EXPECT_EQ(words("1..2"), "n:1..2");
    EXPECT_EQ(words("'a' 1'0"), "t:'a'|n:1'0");
}

TEST(source_tokens, literals_and_comments_hide_their_content)
{
    EXPECT_EQ(words("a/*b\"*/c//d\n\"/*\" e'\\'' f\"\\\"\"_g"), "a|c|t:\"/*\"|e|t:'\\''|f|t:\"\\\"\"_g");
    EXPECT_EQ(words("R\"(a\"b)\" c R\"x()\")x\" d u8R\"()\"_s e"), "t:R\"(a\"b)\"|c|t:R\"x()\")x\"|d|t:u8R\"()\"_s|e");
    EXPECT_EQ(words("L'x' u8\"y\" XR\"(\" z"), "t:L'x'|t:u8\"y\"|XR|t:\"(\"|z");
    EXPECT_EQ(words("\"lost\nx"), "t:\"lost|x");
    EXPECT_EQ(words("\"on\\\ne\" x"), "t:\"on\\\ne\"|x");
    EXPECT_EQ(words("// on\\\n more\nx /* no end"), "x");
    EXPECT_EQ(words("R\"no paren\" x"), "t:R\"no paren\"|x");
    EXPECT_EQ(words("R\"(no end"), "t:R\"(no end");
}

TEST(source_tokens, places)
{
    const std::string text =
        "\xef\xbb\xbf"
        "a\r\n  b \\\r\n c /*\n*/ d";
    const source_text source = read_source_text(text);
    ASSERT_EQ(source.tokens.size(), 4u);
    EXPECT_EQ(source.tokens[0].begin, 3u);
    EXPECT_EQ(source.tokens[1].line, 2);
    EXPECT_EQ(source.tokens[1].column, 3);
    EXPECT_EQ(source.tokens[2].line, 3);
    EXPECT_EQ(source.tokens[3].line, 4);
    EXPECT_EQ(source.tokens[3].column, 4);
    for (const source_token& token : source.tokens)
        EXPECT_EQ(text.substr(token.begin, token.end - token.begin), token.text);
    ASSERT_EQ(source.comments.size(), 1u);
    EXPECT_EQ(source.comments[0].line, 3);
    EXPECT_EQ(source.comments[0].last_line, 4);
    EXPECT_EQ(line_begin(text, source.tokens[1].begin), text.find("  b"));
    EXPECT_EQ(line_end(text, source.tokens[3].begin), text.size());
}

TEST(source_tokens, directives_are_tokens_of_their_own)
{
    const source_text source =
        read_source_text("  # define A(x) \\\n x /* 1\n 2 */ y // z\nb # c\n#\n%: x\n/**/#undef A");
    ASSERT_EQ(source.directives.size(), 3u);
    const source_directive& define = source.directives[0];
    EXPECT_EQ(define.name, "define");
    EXPECT_EQ(define.line, 1);
    EXPECT_EQ(define.last_line, 3);
    ASSERT_EQ(define.tokens.size(), 6u);
    EXPECT_TRUE(define.tokens[0].is("A"));
    EXPECT_TRUE(define.tokens[5].is("y"));
    EXPECT_EQ(source.directives[1].name, "");
    EXPECT_EQ(source.directives[2].name, "undef");
    ASSERT_EQ(source.tokens.size(), 6u);  // b # c % : x
    EXPECT_TRUE(source.tokens[1].is("#"));
}

TEST(source_tokens, branches_know_their_if_and_its_place)
{
    const source_text source =
        read_source_text("a\n#if 1\nb\n#ifdef X\nc\n#else\nd\n#endif\ne\n#elif 2\nf\n#endif\ng\n#else\n#endif\nh");
    ASSERT_EQ(source.branches.size(), 4u);  // if 1, ifdef X, else, elif 2
    std::string places;
    for (const source_token& token : source.tokens)
        places += std::string(token.text) + std::to_string(token.branch) + ' ';
    EXPECT_EQ(places, "a-1 b0 c1 d2 e0 f3 g-1 h-1 ");
    EXPECT_EQ(source.branches[1].outer, 0);
    EXPECT_EQ(source.branches[2].outer, 0);
    EXPECT_EQ(source.branches[2].group, 1);
    EXPECT_EQ(source.branches[3].outer, -1);
    EXPECT_EQ(source.branches[3].group, 0);
    EXPECT_TRUE(source.directives[source.branches[3].directive].name == "elif");
    EXPECT_EQ(source.directives[1].branch, 0);   // ifdef X
    EXPECT_EQ(source.directives[4].branch, -1);  // elif 2
}

TEST(source_tokens, every_byte_is_read_once)
{
    for (int c = 0; c < 256; ++c) {
        const std::string text = std::string("x ") + static_cast<char>(c) + " y";
        const source_text source = read_source_text(text);
        ASSERT_GE(source.tokens.size() + source.directives.size(), 1u) << c;
        std::size_t end = 0;
        for (const source_token& token : source.tokens) {
            EXPECT_GE(token.begin, end);
            EXPECT_GT(token.end, token.begin);
            end = token.end;
        }
        EXPECT_LE(end, text.size());
    }
}

}  // namespace
}  // namespace launchbox
