#include "image/container/elf.hpp"

#include <gtest/gtest.h>

#include <string>

#include "image/container/nv_info.hpp"

namespace launchbox {
namespace {

template <class Number>
void put_at(std::string& bytes, std::size_t offset, Number value)
{
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

struct test_section {
    std::uint32_t name, type;
    std::uint64_t offset, size;
    std::uint32_t link = 0;
};

// An ELF image: a header of 64 bytes, `content`, and section headers with `sections` after an empty one.
std::string image_of(const std::string& content, const std::vector<test_section>& sections)
{
    std::string bytes = std::string(
                            "\x7f"
                            "ELF\x02\x01\x01",
                            7) +
                        std::string(57, '\0') + content;
    const std::size_t headers = bytes.size();
    bytes.resize(headers + (sections.size() + 1) * 64);
    put_at<std::uint64_t>(bytes, 40, headers);
    put_at<std::uint16_t>(bytes, 58, 64);
    put_at<std::uint16_t>(bytes, 60, static_cast<std::uint16_t>(sections.size() + 1));
    put_at<std::uint16_t>(bytes, 62, 1);
    for (std::size_t i = 0; i < sections.size(); ++i) {
        const std::size_t at = headers + (i + 1) * 64;
        put_at(bytes, at, sections[i].name);
        put_at(bytes, at + 4, sections[i].type);
        put_at(bytes, at + 24, sections[i].offset);
        put_at(bytes, at + 32, sections[i].size);
        put_at(bytes, at + 40, sections[i].link);
    }
    return bytes;
}

const std::string names("\0.names\0.data", 13);  // without a NUL at the end

TEST(elf, reads_names_and_contents)
{
    const std::string bytes = image_of(names, {{1, 3, 64, 13}, {8, 1, 64, 5}, {8, 8, 1u << 30, 1u << 30}});
    std::vector<image_diagnostic> diagnostics;
    const auto image = read_elf(bytes, diagnostics);
    ASSERT_TRUE(image);
    ASSERT_EQ(image->sections.size(), 4u);
    EXPECT_EQ(image->sections[1].name, ".names");
    EXPECT_EQ(image->sections[2].name, ".data");
    EXPECT_EQ(image->sections[2].content, std::string("\0.nam", 5));
    EXPECT_EQ(image->sections[3].content, "");
    EXPECT_EQ(image->sections[3].size, 1u << 30);
    EXPECT_TRUE(diagnostics.empty());
}

TEST(elf, section_bounds_do_not_overflow)
{
    for (const auto& [offset, size] : std::vector<std::pair<std::uint64_t, std::uint64_t>>{
             {64, 10000}, {10000, 1}, {~0ull, 2}, {2, ~0ull}, {~0ull, ~0ull}}) {
        const std::string bytes = image_of(names, {{1, 3, 64, 13}, {8, 1, offset, size}});
        std::vector<image_diagnostic> diagnostics;
        const auto image = read_elf(bytes, diagnostics);
        ASSERT_TRUE(image);
        EXPECT_EQ(image->sections[2].content, "");
        ASSERT_EQ(diagnostics.size(), 1u);
        EXPECT_EQ(diagnostics[0].offset, 64 + 13 + 2 * 64u);
    }
}

TEST(elf, takes_large_numbers_from_section_header_0)
{
    std::string bytes = image_of(names, {{1, 3, 64, 13}, {8, 1, 64, 5}});
    const std::size_t headers = 64 + 13;
    put_at<std::uint16_t>(bytes, 60, 0);
    put_at<std::uint16_t>(bytes, 62, 0xffff);
    put_at<std::uint64_t>(bytes, headers + 32, 3);
    put_at<std::uint32_t>(bytes, headers + 40, 1);
    std::vector<image_diagnostic> diagnostics;
    const auto image = read_elf(bytes, diagnostics);
    ASSERT_TRUE(image);
    ASSERT_EQ(image->sections.size(), 3u);
    EXPECT_EQ(image->sections[2].name, ".data");
}

TEST(elf, counts_beyond_the_file_are_truncated)
{
    std::string bytes = image_of(names, {{1, 3, 64, 13}});
    put_at<std::uint16_t>(bytes, 60, 0);
    put_at<std::uint64_t>(bytes, 64 + 13 + 32, ~0ull);
    std::vector<image_diagnostic> diagnostics;
    const auto image = read_elf(bytes, diagnostics);
    ASSERT_TRUE(image);
    EXPECT_EQ(image->sections.size(), 2u);
    EXPECT_EQ(diagnostics.size(), 1u);
}

TEST(elf, reads_symbols_with_wide_section_numbers)
{
    std::string content = names + std::string(24 * 2 + 8 + 5, '\0');
    const std::size_t symbols = 64 + 13, wide = symbols + 48;
    std::string bytes = image_of(
        content,
        {{1, 3, 64, 13}, {0, elf::section_symbols, symbols, 53, 1}, {0, elf::section_symbol_indices, wide, 8}});
    put_at<std::uint32_t>(bytes, symbols + 24, 8);
    put_at<std::uint8_t>(bytes, symbols + 28, 0x12);
    put_at<std::uint8_t>(bytes, symbols + 29, 0x10);
    put_at<std::uint16_t>(bytes, symbols + 30, 0xffff);
    put_at<std::uint32_t>(bytes, wide + 4, 70000);
    std::vector<image_diagnostic> diagnostics;
    const auto image = read_elf(bytes, diagnostics);
    ASSERT_TRUE(image);
    ASSERT_EQ(image->symbols.size(), 2u);
    EXPECT_EQ(image->symbol_name(image->symbols[1]), ".data");
    EXPECT_EQ(image->symbols[1].type, elf::symbol_function);
    EXPECT_EQ(image->symbols[1].other, 0x10);
    EXPECT_EQ(image->symbols[1].section, 70000u);
    EXPECT_EQ(diagnostics.size(), 1u);  // 53 bytes are two symbols and a fragment
}

// Only its headers determine the length of an image in the middle of a file.
TEST(elf, ends_after_the_last_part_named_in_its_headers)
{
    const auto end_of = [](const std::string& bytes) {
        std::vector<image_diagnostic> diagnostics;
        const auto image = read_elf(bytes + std::string(1000, 'x'), diagnostics, elf_parts::sections);
        return image ? image->end : 0;
    };
    std::string bytes = image_of(names, {{1, 3, 64, 13}, {8, 1, 64, 5}});
    EXPECT_EQ(end_of(bytes), bytes.size());  // section headers
    EXPECT_EQ(end_of(image_of(names, {{1, 3, 64, 13}, {8, 1, 300, 77}})), 377u);
    // Sections without bytes in the file do not count, whatever their offsets.
    EXPECT_EQ(end_of(image_of(names, {{1, 3, 64, 13}, {8, 8, 900, 900}})), bytes.size());
    for (const unsigned type : {0x70000007u, 0x70000009u, 0x7000000au, 0x70000015u})
        EXPECT_EQ(end_of(image_of(names, {{1, 3, 64, 13}, {8, type, 900, 900}})), bytes.size()) << type;
    // Sizes saturate instead of wrapping around.
    EXPECT_EQ(end_of(image_of(names, {{1, 3, 64, 13}, {8, 1, ~0ull - 3, 900}})), ~std::uint64_t{0});
    put_at<std::uint64_t>(bytes, 32, 500);  // program headers
    put_at<std::uint16_t>(bytes, 54, 56);
    put_at<std::uint16_t>(bytes, 56, 3);
    EXPECT_EQ(end_of(bytes), 500u + 3 * 56);
    put_at<std::uint64_t>(bytes, 32, ~std::uint64_t{0} - 10);
    EXPECT_EQ(end_of(bytes), ~std::uint64_t{0});
}

TEST(elf, missing_sections_and_names_are_reported)
{
    std::string bytes = image_of(names, {{1, 3, 64, 13}});
    put_at<std::uint16_t>(bytes, 62, 0);
    std::vector<image_diagnostic> diagnostics;
    EXPECT_TRUE(read_elf(bytes, diagnostics));
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics[0].offset, 62u);
    put_at<std::uint16_t>(bytes, 60, 0);
    diagnostics.clear();
    EXPECT_FALSE(read_elf(bytes, diagnostics));
    ASSERT_EQ(diagnostics.size(), 1u);
    EXPECT_EQ(diagnostics[0].offset, 60u);
}

TEST(elf, refuses_unreadable_images)
{
    const std::string good = image_of(names, {{1, 3, 64, 13}});
    const auto changed = [&](std::size_t offset, auto value) {
        std::string bytes = good;
        put_at(bytes, offset, value);
        return bytes;
    };
    const std::pair<std::string, std::uint64_t> cases[] = {{"", 0},
                                                           {"PK", 0},
                                                           {good.substr(0, 63), 63},
                                                           {changed(4, std::uint8_t{1}), 4},
                                                           {changed(5, std::uint8_t{2}), 4},
                                                           {changed(58, std::uint16_t{40}), 58},
                                                           {changed(40, ~std::uint64_t{0}), 40},
                                                           {changed(40, std::uint64_t{0}), 40}};
    for (const auto& [bytes, offset] : cases) {
        std::vector<image_diagnostic> diagnostics;
        EXPECT_FALSE(read_elf(bytes, diagnostics));
        ASSERT_EQ(diagnostics.size(), 1u);
        EXPECT_EQ(diagnostics[0].offset, offset);
    }
}

// All records of a section as a list.
std::vector<nv_info_record> read_nv_info(std::string_view section, std::uint64_t offset,
                                         std::vector<image_diagnostic>& diagnostics)
{
    std::vector<nv_info_record> records;
    nv_info_reader reader(section, offset, diagnostics);
    for (nv_info_record record; reader.next(record);) records.push_back(record);
    return records;
}

TEST(nv_info, reads_every_format)
{
    const std::string records(
        "\x01\x3e\x00\x00"
        "\x02\x4c\x05\xff"
        "\x03\x1b\xff\x01"
        "\x04\x2f\x08\x00\x01\x00\x00\x00\x02\x00\x00\x00"
        "\x04\x70\x01\x00Q\x00\x00\x00"
        "\x03\x19\x04\x00",
        4 * 3 + 12 + 8 + 4);
    std::vector<image_diagnostic> diagnostics;
    const auto read = read_nv_info(records, 1000, diagnostics);
    EXPECT_TRUE(diagnostics.empty());
    ASSERT_EQ(read.size(), 6u);
    EXPECT_EQ(read[1].value, 5);
    EXPECT_EQ(read[2].value, 0x1ff);
    EXPECT_TRUE(read[3].is(nv_info_attribute::register_count));
    EXPECT_EQ(read[3].pair(), std::pair(1u, 2u));
    EXPECT_EQ(read[3].triple(), std::nullopt);
    EXPECT_EQ(read[4].payload, "Q");
    EXPECT_EQ(read[4].number(), std::nullopt);
    EXPECT_EQ(read[5].offset, 1032u);
}

TEST(nv_info, stops_at_an_invalid_record)
{
    for (const std::string& tail :
         {std::string("\x04"), std::string("\x04\x2f\x08\x00\x01\x00", 6), std::string("\x07\x2f\x00\x00", 4)}) {
        std::vector<image_diagnostic> diagnostics;
        const auto read = read_nv_info(std::string("\x01\x3e\x00\x00", 4) + tail, 100, diagnostics);
        EXPECT_EQ(read.size(), 1u);
        ASSERT_EQ(diagnostics.size(), 1u);
        EXPECT_EQ(diagnostics[0].offset, 104u);
    }
}

}  // namespace
}  // namespace launchbox
