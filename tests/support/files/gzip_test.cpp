#include "support/files/gzip.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

std::string varied_text()
{
    std::string text;
    for (unsigned i = 0, state = 1; i < 200'000; ++i)
        text += static_cast<char>('a' + ((state = state * 69069 + 1) >> 24) % 26);
    return text;
}

TEST(gzip, gives_back_what_it_was_given)
{
    for (const std::string& text : {std::string(), std::string("a"), varied_text(), std::string(3'000'000, 'x')}) {
        const std::string packed = gzip(text);
        EXPECT_TRUE(is_gzip(packed));
        const decompressed_text read = gunzip(packed);
        EXPECT_TRUE(read.text == text);
        EXPECT_EQ(read.damage, "");
    }
    EXPECT_FALSE(is_gzip("{}"));
}

TEST(gzip, of_several_members_is_their_texts_joined)
{
    EXPECT_EQ(gunzip(gzip("one ") + gzip("two") + std::string(20, '\0')).text, "one two");
}

TEST(gzip, that_is_cut_gives_what_is_there)
{
    const std::string text = varied_text(), packed = gzip(text);
    for (std::size_t size : {std::size_t{3}, std::size_t{10}, packed.size() / 2, packed.size() - 1}) {
        const decompressed_text read = gunzip(std::string_view(packed).substr(0, size));
        EXPECT_TRUE(text.starts_with(read.text));
        EXPECT_NE(read.damage.find("truncated"), std::string::npos) << size;
    }
    EXPECT_GT(gunzip(std::string_view(packed).substr(0, packed.size() / 2)).text.size(), text.size() / 3);
}

TEST(gzip, that_is_damaged_is_told_of)
{
    std::string packed = gzip(varied_text());
    packed[packed.size() - 6] ^= 1;  // of the checksum
    EXPECT_NE(gunzip(packed).damage.find("damaged"), std::string::npos);
}

TEST(gzip, ends_at_the_cap)
{
    const decompressed_text read = gunzip(gzip(std::string(3'000'000, 'x')), 1'000'000);
    EXPECT_EQ(read.text.size(), 1'000'000U);
    EXPECT_NE(read.damage.find("more than the limit"), std::string::npos);
}

}  // namespace
}  // namespace launchbox
