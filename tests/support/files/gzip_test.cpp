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

TEST(gzip, returns_the_compressed_text)
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

TEST(gzip, a_zlib_stream_is_read_if_it_is_complete)
{
    // zlib.compress(b"stack " * 4), by Python
    const std::string stream("\x78\x9c\x2b\x2e\x49\x4c\xce\x56\x28\xc6\x20\x01\x72\x14\x08\xd9", 16);
    const std::string text = "stack stack stack stack ";
    EXPECT_EQ(read_zlib_stream(stream, 1000), text);
    EXPECT_EQ(read_zlib_stream(stream + "more", 1000), text);
    EXPECT_EQ(read_zlib_stream(stream, text.size() - 1), std::nullopt);
    for (std::size_t size = 0; size < stream.size(); ++size)
        EXPECT_EQ(read_zlib_stream(stream.substr(0, size), 1000), std::nullopt) << size;
    std::string damaged = stream;
    damaged[6] = static_cast<char>(damaged[6] ^ 1);
    for (const std::string& other : {damaged, std::string("x^ is a power"), gzip(text), std::string("x\x9c")})
        EXPECT_EQ(read_zlib_stream(other, 1000), std::nullopt);
}

TEST(gzip, several_members_are_concatenated)
{
    EXPECT_EQ(gunzip(gzip("one ") + gzip("two") + std::string(20, '\0')).text, "one two");
}

TEST(gzip, a_truncated_stream_gives_its_beginning)
{
    const std::string text = varied_text(), packed = gzip(text);
    for (std::size_t size : {std::size_t{3}, std::size_t{10}, packed.size() / 2, packed.size() - 1}) {
        const decompressed_text read = gunzip(std::string_view(packed).substr(0, size));
        EXPECT_TRUE(text.starts_with(read.text));
        EXPECT_NE(read.damage.find("truncated"), std::string::npos) << size;
    }
    EXPECT_GT(gunzip(std::string_view(packed).substr(0, packed.size() / 2)).text.size(), text.size() / 3);
}

TEST(gzip, damage_is_reported)
{
    std::string packed = gzip(varied_text());
    packed[packed.size() - 6] ^= 1;  // in the checksum
    EXPECT_NE(gunzip(packed).damage.find("damaged"), std::string::npos);
}

TEST(gzip, stops_at_the_limit)
{
    const decompressed_text read = gunzip(gzip(std::string(3'000'000, 'x')), 1'000'000);
    EXPECT_EQ(read.text.size(), 1'000'000U);
    EXPECT_NE(read.damage.find("more than the limit"), std::string::npos);
}

}  // namespace
}  // namespace launchbox
