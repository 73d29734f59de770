#include "support/text/typed_number.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace launchbox {
namespace {

TEST(typed_number, reads_sizes_in_all_common_forms)
{
    for (const char* text : {"49152", "49,152", "48K", "48k", "48KB", "48kb", "48KiB", "48 KiB", " 48 K ", "48kib"})
        EXPECT_EQ(read_bytes(text), 49152) << text;
    EXPECT_EQ(read_bytes("0"), 0);
    EXPECT_EQ(read_bytes("100 B"), 100);
    EXPECT_EQ(read_bytes("1M"), 1 << 20);
    EXPECT_EQ(read_bytes("2 GiB"), std::int64_t{2} << 30);
    EXPECT_EQ(read_bytes("1T"), std::int64_t{1} << 40);
}

TEST(typed_number, refuses_invalid_sizes)
{
    for (const char* text : {"",
                             " ",
                             "-1",
                             "K",
                             "KiB",
                             "1e3",
                             "0x100",
                             "4.5K",
                             "48X",
                             "48KK",
                             "48 K B",
                             "48iB",
                             "4,8K",
                             "1,5",
                             ",100",
                             "1,0000",
                             "1,000,",
                             "48K 2",
                             "9999999999999999999",
                             "9999999999T",
                             "\xff",
                             "４８"})
        EXPECT_EQ(read_bytes(text), std::nullopt) << text;
}

TEST(typed_number, reads_integers)
{
    EXPECT_EQ(read_whole_number("256"), 256);
    EXPECT_EQ(read_whole_number(" 1,024 "), 1024);
    EXPECT_EQ(read_whole_number("-1"), -1);
    EXPECT_EQ(read_whole_number("007"), 7);
    EXPECT_EQ(read_whole_number("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
    for (const char* text :
         {"", "-", "--1", "+1", "1e3", "0x10", "1.0", "1.5", "48K", "1 2", "-1,5", "9223372036854775808", "NaN"})
        EXPECT_EQ(read_whole_number(text), std::nullopt) << text;
}

}  // namespace
}  // namespace launchbox
