#include "support/files/riegeli.hpp"

#include <gtest/gtest.h>
#include <snappy-c.h>
#include <zstd.h>

#include <cstdint>

#include "support/files/files.hpp"
#include "support/files/gzip.hpp"

namespace launchbox {
namespace {

std::string little_endian(std::uint64_t value, int bytes)
{
    std::string text;
    for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> 8 * i & 255);
    return text;
}

std::string varint(std::uint64_t value)
{
    std::string text;
    for (; value > 127; value >>= 7) text += static_cast<char>((value & 127) | 128);
    return text += static_cast<char>(value);
}

std::string compressed(char how, const std::string& bytes)
{
    if (how == 0) return bytes;
    std::string made(how == 's' ? snappy_max_compressed_length(bytes.size()) : ZSTD_compressBound(bytes.size()), '\0');
    std::size_t size = made.size();
    if (how == 's')
        EXPECT_EQ(snappy_compress(bytes.data(), bytes.size(), made.data(), &size), SNAPPY_OK);
    else
        size = ZSTD_compress(made.data(), made.size(), bytes.data(), bytes.size(), 3);
    return varint(bytes.size()) + made.substr(0, size);
}

std::string chunk(char type, std::uint64_t records, const std::string& data)
{
    return little_endian(1, 8) + little_endian(data.size(), 8) + little_endian(2, 8) + type +
           little_endian(records, 7) + little_endian(0, 8) + data;
}

std::string chunk_of(char how, const std::string& record)
{
    const std::string sizes = compressed(how, varint(record.size()));
    return chunk('r', 1, how + varint(sizes.size()) + sizes + compressed(how, record));
}

// With the header of each block, as the format's description has it.
std::string records_file(const std::string& chunks)
{
    std::string file;
    const std::string content = chunk('s', 0, "") + chunks;
    for (std::size_t at = 0; at < content.size(); at += 65536 - 24) {
        if (at == 0)
            file += std::string("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f", 8) + little_endian(0, 8) + little_endian(64, 8);
        else
            file += std::string(24, '\x55');
        file += content.substr(at, 65536 - 24);
    }
    return file;
}

std::string long_text()
{
    std::string text;
    for (unsigned i = 0, state = 1; i < 300'000; ++i) text += static_cast<char>((state = state * 69069 + 1) >> 24);
    return text;
}

TEST(riegeli, records_take_the_place_of_their_file)
{
    for (const char how : {'\0', 's', 'z'})
        for (const std::string& record : {std::string("stack"), std::string(2'000'000, 'x'), long_text()}) {
            const std::string file = records_file(chunk_of(how, record) + chunk('p', 0, "pad") + chunk_of(how, "more"));
            const unpacked_records read = unpack_records("before" + file + "after");
            EXPECT_TRUE(holds_records("before" + file));
            EXPECT_TRUE(read.bytes == "before" + record + "moreafter") << how << ' ' << record.size();
            EXPECT_EQ(read.damage, "");
        }
}

TEST(riegeli, files_in_records_are_unpacked_four_deep)
{
    std::string file = "core", shallow;
    for (int depth = 1; depth <= 5; ++depth) {
        file = "head" + records_file(chunk_of('s', file));
        if (depth == 4) shallow = file;
    }
    EXPECT_EQ(unpack_records(shallow).bytes, "headheadheadheadcore");
    EXPECT_TRUE(holds_records(unpack_records(file).bytes));
}

TEST(riegeli, other_bytes_stay_as_they_are)
{
    for (const std::string& bytes :
         {std::string(), std::string("text"), std::string("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f"),
          std::string(70'000, '\0') + records_file(chunk_of('s', "far away"))}) {
        EXPECT_FALSE(holds_records(bytes));
        EXPECT_TRUE(unpack_records(bytes).bytes == bytes);
    }
    // What follows the chunks is no chunk.
    const std::string tail(1000, '\xff');
    EXPECT_EQ(unpack_records(records_file(chunk_of('s', "one")) + tail).bytes, "one" + tail);
}

TEST(riegeli, damage_is_named_and_what_is_whole_is_read)
{
    const std::string good = chunk_of('s', "good");
    const auto damage_of = [&](const std::string& bad) {
        const unpacked_records read = unpack_records(records_file(good + bad));
        EXPECT_TRUE(read.bytes.starts_with("good"));
        return read.damage;
    };
    EXPECT_EQ(damage_of(chunk('t', 1, "data")), "its records are transposed (Riegeli), which is not read");
    EXPECT_EQ(damage_of(chunk('r', 1, std::string("b\1\1\1\1", 5))),
              "its records are compressed by Brotli, which is not read");
    for (const std::string& data :
         {std::string(), std::string("s"), std::string("s\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"),
          std::string("s\x7f"), std::string("s\1a\xff", 4)})
        EXPECT_NE(damage_of(chunk('r', 1, data)), "");
    // Sizes that nothing backs.
    EXPECT_EQ(damage_of(chunk('r', 1, std::string("s\0", 2) + varint(std::uint64_t{1} << 39) + "abc")),
              "the size of its records is damaged");
    EXPECT_EQ(damage_of(chunk('r', 1, std::string("z\0", 2) + varint(10) + "abcdefgh")),
              "the compressed data of its records are damaged");
    std::string cut = records_file(good + chunk_of('\0', long_text()));
    cut.resize(cut.size() / 2);
    EXPECT_EQ(unpack_records(cut).damage, "its file of records is truncated");
    for (const std::size_t cap : {std::size_t{1000}, std::size_t{10}})
        EXPECT_EQ(unpack_records(records_file(chunk_of('s', std::string(2000, 'x'))), cap).damage,
                  "its records are larger than the limit for one file");
}

// Written by JAX 0.11.2 on an H100: jax.jit(lambda x: jax.nn.softmax(x * 2 + jnp.sin(x), -1)), without zstandard.
TEST(riegeli, a_cache_of_jax_is_unpacked)
{
    const std::string stored = read_file(std::string(LAUNCHBOX_SOURCE_DIR) + "/tests/data/caches/jit_softmax-cache");
    const std::optional<std::string> stream = read_zlib_stream(stored, 1 << 20);
    ASSERT_TRUE(stream);
    ASSERT_TRUE(holds_records(*stream));
    const unpacked_records read = unpack_records(*stream);
    EXPECT_EQ(read.damage, "");
    EXPECT_NE(read.bytes.find("triton_softmax_2"), std::string::npos);
    for (std::size_t size = 0; size < stream->size(); size += 7)
        EXPECT_LE(unpack_records(stream->substr(0, size)).bytes.size(), read.bytes.size());
}

}  // namespace
}  // namespace launchbox
