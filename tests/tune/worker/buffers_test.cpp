// The content of buffers, the 16-bit floating-point types, and the comparison of outputs.
#include "tune/worker/buffers.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <set>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "tune/worker/compare/compare_outputs.hpp"
#include "tune/worker/compare/half.hpp"

namespace launchbox {
namespace {

using kind = element_type::kind;

template <class Value>
std::vector<Value> filled(const task_argument& argument)
{
    std::vector<Value> values(static_cast<std::size_t>(argument.count));
    argument_filler(argument).fill(0, argument.count, reinterpret_cast<char*>(values.data()));
    return values;
}

TEST(buffers, every_half_is_converted_both_ways)
{
    // The next half above each one: numbers between them are rounded to the nearer one, and the midpoint to the even
    // one.
    for (unsigned bits = 0; bits < 0x7c00; ++bits) {
        const double value = half_value(static_cast<std::uint16_t>(bits));
        EXPECT_EQ(half_bits(value), bits);
        EXPECT_EQ(half_bits(-value), bits | 0x8000);
        if (bits == 0x7bff) break;
        const double next = half_value(static_cast<std::uint16_t>(bits + 1)), middle = (value + next) / 2;
        ASSERT_LT(value, next);
        EXPECT_EQ(half_bits(middle), bits + (bits & 1));
        EXPECT_EQ(half_bits(std::nextafter(middle, 0)), bits);
        EXPECT_EQ(half_bits(std::nextafter(middle, 1e9)), bits + 1);
    }
    EXPECT_EQ(half_value(0x3c00), 1);
    EXPECT_EQ(half_value(0x0001), 0x1p-24);
    EXPECT_EQ(half_bits(65519.99), 0x7bff);
    EXPECT_EQ(half_bits(65520), 0x7c00);
    EXPECT_TRUE(std::isnan(half_value(half_bits(NAN))));
    EXPECT_EQ(bfloat16_bits(1), 0x3f80);
    EXPECT_EQ(bfloat16_bits(1 + 0x1p-8f), 0x3f80);
    EXPECT_EQ(bfloat16_bits(1 + 3 * 0x1p-8f), 0x3f82);
    EXPECT_EQ(bfloat16_value(0x3f82), 1 + 0x1p-6);
}

TEST(buffers, random_numbers_are_within_their_limits)
{
    const auto check = [](const std::string& type, auto example, double low, double high, bool open) {
        using value = decltype(example);
        const auto values = filled<value>(
            {.name = "x", .type = type, .count = 5000, .fill = fill_kind::random, .low = low, .high = high});
        std::set<double> seen;
        for (const value sample : values) {
            double number = static_cast<double>(sample);
            if constexpr (sizeof(value) == 2) {
                if (type == "half") number = half_value(static_cast<std::uint16_t>(sample));
                if (type == "__nv_bfloat16") number = bfloat16_value(static_cast<std::uint16_t>(sample));
            }
            EXPECT_GE(number, low);
            EXPECT_TRUE(open ? number < high : number <= high) << number;
            seen.insert(number);
        }
        return seen;
    };
    EXPECT_EQ(check("int", 0, -3, 4, false).size(), 8u);
    EXPECT_EQ(check("unsigned char", std::uint8_t{}, 0, 255, false).size(), 256u);
    EXPECT_EQ(check("signed char", std::int8_t{}, -128, 127, false).size(), 256u);
    EXPECT_GT(check("long long", 0LL, -1e18, 1e18, false).size(), 4990u);
    EXPECT_GT(check("unsigned long long", 0ULL, 1e19, 1.2e19, false).size(), 4000u);
    EXPECT_GT(check("float", 0.0F, 0, 1, true).size(), 4990u);
    EXPECT_GT(check("double", 0.0, -2, 5, true).size(), 4999u);
    check("half", std::uint16_t{}, 0, 1, true);
    check("half", std::uint16_t{}, 1000, 1001, true);
    check("__nv_bfloat16", std::uint16_t{}, 0, 1, true);
    EXPECT_EQ(check("bool", std::uint8_t{}, 0, 1, false).size(), 2u);
    EXPECT_THROW(
        argument_filler({.name = "x", .type = "int", .count = 1, .fill = fill_kind::random, .low = 5, .high = 4}),
        error);
}

TEST(buffers, random_numbers_use_the_whole_range_and_depend_on_the_seed)
{
    task_argument argument{.name = "x", .type = "int", .count = 4000, .fill = fill_kind::random, .seed = 1};
    const auto values = filled<std::int32_t>(argument);
    EXPECT_LT(*std::min_element(values.begin(), values.end()), -2'000'000'000);
    EXPECT_GT(*std::max_element(values.begin(), values.end()), 2'000'000'000);
    EXPECT_EQ(filled<std::int32_t>(argument), values);
    argument.seed = 2;
    EXPECT_NE(filled<std::int32_t>(argument), values);
    // The first numbers of SplitMix64 with seed 0, as published by its author.
    argument = {.name = "x", .type = "unsigned long long", .count = 3, .fill = fill_kind::random, .seed = 0};
    EXPECT_EQ(filled<std::uint64_t>(argument),
              (std::vector<std::uint64_t>{0xe220a8397b1dcdaf, 0x6e789e6aa1b965f4, 0x06c45d188009454f}));
}

TEST(buffers, any_part_equals_that_of_the_whole)
{
    for (const fill_kind fill : {fill_kind::random, fill_kind::sequence, fill_kind::poison, fill_kind::constant}) {
        const task_argument argument{.name = "x", .type = "short", .count = 100, .integer = 7, .fill = fill};
        const auto all = filled<std::int16_t>(argument);
        std::vector<std::int16_t> part(31);
        argument_filler(argument).fill(33, 31, reinterpret_cast<char*>(part.data()));
        EXPECT_EQ(part, std::vector<std::int16_t>(all.begin() + 33, all.begin() + 64));
    }
    EXPECT_EQ(filled<float>({.name = "x", .type = "float", .count = 3, .fill = fill_kind::sequence}),
              (std::vector<float>{0, 1, 2}));
    EXPECT_EQ(
        filled<std::uint16_t>({.name = "x", .type = "half", .count = 2, .number = 1.5, .fill = fill_kind::constant}),
        (std::vector<std::uint16_t>{0x3e00, 0x3e00}));
    const auto poison = filled<std::uint16_t>({.name = "x", .type = "half", .count = 2, .fill = fill_kind::poison});
    for (const std::uint16_t t : poison) EXPECT_TRUE(std::isnan(half_value(t)));
}

TEST(buffers, files_must_have_the_size_of_the_buffer)
{
    const temporary_directory folder;
    const std::string file = (folder.path() / "raw").string();
    write_file_atomically(file, std::string("\1\0\0\0\2\0\0\0", 8));
    task_argument argument{.name = "x", .type = "int", .count = 2, .fill = fill_kind::file, .file = file};
    EXPECT_EQ(filled<std::int32_t>(argument), (std::vector<std::int32_t>{1, 2}));
    argument.count = 3;
    EXPECT_THROW(argument_filler{argument}, error);
    argument.count = std::int64_t{1} << 62;
    EXPECT_THROW(bytes_of(argument), error);
}

TEST(buffers, a_checksum_detects_every_change_and_is_a_sum)
{
    std::string bytes(1003, '\0');
    argument_filler({.name = "x", .type = "char", .count = 1003, .fill = fill_kind::random})
        .fill(0, 1003, bytes.data());
    const std::uint64_t whole = checksum(bytes);
    EXPECT_EQ(checksum(std::string_view(bytes).substr(0, 512)) + checksum(std::string_view(bytes).substr(512), 64),
              whole);
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string other = bytes;
        other[i] = static_cast<char>(other[i] ^ 0x10);
        EXPECT_NE(checksum(other), whole) << i;
    }
    std::string exchanged = bytes;
    std::swap_ranges(exchanged.begin(), exchanged.begin() + 8, exchanged.begin() + 8);
    EXPECT_NE(checksum(exchanged), whole);
    EXPECT_EQ(checksum_text(0x12ab), "00000000000012ab");
}

TEST(buffers, outputs_are_compared_by_their_type)
{
    const auto differing = [](const element_type& type, auto is, auto wanted, double absolute, double relative) {
        output_comparison comparison(type, absolute, relative);
        comparison.add({reinterpret_cast<const char*>(&is), sizeof is},
                       {reinterpret_cast<const char*>(&wanted), sizeof wanted});
        return comparison.result().differing;
    };
    const element_type single{kind::floating, 4}, wide{kind::signed_integer, 8}, natural{kind::unsigned_integer, 8};
    EXPECT_EQ(differing(single, 1.0F, 1.001F, 0, 0), 1);
    EXPECT_EQ(differing(single, 1.0F, 1.001F, 0.01, 0), 0);
    EXPECT_EQ(differing(single, 1.0F, 1.001F, 0, 0.01), 0);
    EXPECT_EQ(differing(single, NAN, -NAN, 0, 0), 0);
    EXPECT_EQ(differing(single, NAN, 1.0F, 1e30, 1e30), 1);
    EXPECT_EQ(differing(single, INFINITY, 1.0F, 1e30, 1e30), 1);
    EXPECT_EQ(differing(single, 0.0F, -0.0F, 0, 0), 0);
    EXPECT_EQ(differing(wide, (1LL << 60) + 1, 1LL << 60, 0, 0), 1);
    EXPECT_EQ(differing(wide, (1LL << 60) + 3, 1LL << 60, 2, 0), 1);
    EXPECT_EQ(differing(wide, (1LL << 60) + 2, 1LL << 60, 2, 0), 0);
    EXPECT_EQ(differing(wide, -5LL, 5LL, 9, 0), 1);
    EXPECT_EQ(differing(natural, ~0ULL - 1, ~0ULL, 1, 0), 0);
    EXPECT_EQ(differing({kind::unsigned_integer, 4}, poison_word, poison_word + 1, 10, 0), 1);
    EXPECT_EQ(differing({kind::unsigned_integer, 4}, poison_word, poison_word, 0, 0), 0);

    output_comparison three({kind::signed_integer, 4}, 0, 0);
    const std::array<int, 3> is{1, 17, 4}, wanted{1, 3, 5};
    three.add({reinterpret_cast<const char*>(is.data()), 12}, {reinterpret_cast<const char*>(wanted.data()), 12});
    EXPECT_EQ(three.result(), (output_difference{.differing = 2, .first = 1, .largest = 14}));
    EXPECT_EQ(difference_sentence("out", {kind::signed_integer, 4}, three.result(), 3,
                                  reinterpret_cast<const char*>(&is[1]), reinterpret_cast<const char*>(&wanted[1])),
              "out[1] is 17, and the reference is 3; 2 of 3 differ, by 14 at most");
}

}  // namespace
}  // namespace launchbox
