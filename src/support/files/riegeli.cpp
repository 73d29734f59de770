// SPDX-License-Identifier: Apache-2.0
#include "support/files/riegeli.hpp"

#include <snappy-c.h>
#include <zstd.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace launchbox {

namespace {

// The header of the first block, which is the same in all files: its checksum, no chunk before it, and the first chunk
// of 64 bytes.
constexpr std::string_view first_header("\x83\xaf\x70\xd1\x0d\x88\x4a\x3f\0\0\0\0\0\0\0\0\x40\0\0\0\0\0\0\0", 24);
constexpr std::size_t furthest_begin = 65536, block_bytes = 65536, block_header_bytes = 24, chunk_header_bytes = 40;
constexpr int max_depth = 4;
constexpr const char* too_large = "its records are larger than the limit for one file";
// Snappy makes at most 64 bytes of 3, zstd 128 KiB of 4.
constexpr std::size_t max_snappy_ratio = 32, max_zstd_ratio = 32768, ratio_slack = 1024;

std::uint64_t little_endian(std::string_view bytes)
{
    std::uint64_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
    return value;
}

// Takes a number of seven bits per byte from the front.
std::optional<std::uint64_t> take_varint(std::string_view& bytes)
{
    std::uint64_t value = 0;
    for (unsigned shift = 0; shift < 64 && !bytes.empty(); shift += 7) {
        const auto next = static_cast<unsigned char>(bytes.front());
        bytes.remove_prefix(1);
        value |= static_cast<std::uint64_t>(next & 127u) << shift;
        if (next < 128) return value;
    }
    return std::nullopt;
}

// The content of a file, without the header of each block. What follows the file is still there.
std::string without_block_headers(std::string_view file)
{
    std::string content;
    content.reserve(file.size());
    for (std::size_t at = 0; at < file.size(); at += block_bytes) {
        const std::string_view block = file.substr(at, block_bytes);
        content += block.substr(std::min(block.size(), block_header_bytes));
    }
    return content;
}

class record_reader {
public:
    explicit record_reader(std::size_t cap) : left_(cap) {}
    std::string unpacked(std::string_view bytes, int depth);
    std::string damage;

private:
    std::size_t read_file(std::string_view content, int depth, std::string& to);
    std::string values_of(std::string_view chunk);
    std::string decompressed(char compression, std::string_view bytes);
    std::string damaged(const char* why)
    {
        if (damage.empty()) damage = why;
        return {};
    }
    std::size_t left_;
};

// `bytes` as they are, if they have no file of records.
std::string record_reader::unpacked(std::string_view bytes, int depth)
{
    const std::size_t begin = depth < max_depth
                                  ? bytes.substr(0, furthest_begin + first_header.size()).find(first_header)
                                  : std::string_view::npos;
    std::string made(bytes.substr(0, begin));
    if (begin == std::string_view::npos) return made;
    const std::string content = without_block_headers(bytes.substr(begin));
    const std::size_t end = read_file(content, depth, made);
    return made.append(content, end);
}

// Appends the records, and returns where the file ends. Only chunks tell that.
std::size_t record_reader::read_file(std::string_view content, int depth, std::string& to)
{
    constexpr std::uint64_t no_size = std::uint64_t{1} << 40;  // no chunk, but whatever follows the file
    std::size_t at = 0;
    while (content.size() - at >= chunk_header_bytes) {
        const std::string_view header = content.substr(at, chunk_header_bytes);
        const char type = header[24];
        const std::uint64_t size = little_endian(header.substr(8, 8)), records = little_endian(header.substr(25, 7));
        if (!std::string_view("smprt").contains(type) || size >= no_size || records >= no_size) break;
        const std::size_t begin = at + chunk_header_bytes;
        if (size > content.size() - begin) {
            damaged("its file of records is truncated");
            break;
        }
        if (type == 'r') to += unpacked(values_of(content.substr(begin, size)), depth + 1);
        if (type == 't') damaged("its records are transposed (Riegeli), which is not read");
        // A chunk has at least as many bytes as records.
        at = std::min(content.size(), std::max(begin + size, at + records));
    }
    return at;
}

// The contents of a chunk's records. Their sizes are not needed.
std::string record_reader::values_of(std::string_view chunk)
{
    constexpr const char* damage_of_chunk = "a chunk of its records is damaged";
    if (chunk.empty()) return damaged(damage_of_chunk);
    const char compression = chunk.front();
    chunk.remove_prefix(1);
    const std::optional<std::uint64_t> sizes = take_varint(chunk);
    if (!sizes || *sizes > chunk.size()) return damaged(damage_of_chunk);
    return decompressed(compression, chunk.substr(*sizes));
}

std::string record_reader::decompressed(char compression, std::string_view bytes)
{
    if (compression == 'b') return damaged("its records are compressed by Brotli, which is not read");
    std::uint64_t size = bytes.size();
    if (compression != 0) {
        const std::optional<std::uint64_t> claimed = take_varint(bytes);
        const std::size_t ratio = compression == 's' ? max_snappy_ratio : max_zstd_ratio;
        if (!claimed || *claimed > bytes.size() * ratio + ratio_slack)
            return damaged("the size of its records is damaged");
        size = *claimed;
    }
    if (size > left_) return damaged(too_large);
    left_ -= size;
    if (compression == 0) return std::string(bytes);
    std::string made(size, '\0');
    std::size_t got = 0;
    if (compression == 's') {
        if (snappy_uncompressed_length(bytes.data(), bytes.size(), &got) == SNAPPY_OK && got == size &&
            snappy_uncompress(bytes.data(), bytes.size(), made.data(), &got) == SNAPPY_OK)
            return made;
    } else if (compression == 'z') {
        got = ZSTD_decompress(made.data(), made.size(), bytes.data(), bytes.size());
        if (ZSTD_isError(got) == 0 && got == size) return made;
    }
    return damaged("the compressed data of its records are damaged");
}

}  // namespace

bool holds_records(std::string_view bytes)
{
    return bytes.substr(0, furthest_begin + first_header.size()).contains(first_header);
}

unpacked_records unpack_records(std::string_view bytes, std::size_t cap)
{
    if (bytes.size() > cap) return {.bytes = {}, .damage = too_large};
    record_reader reader(cap);
    std::string made = reader.unpacked(bytes, 0);
    return {std::move(made), std::move(reader.damage)};
}

}  // namespace launchbox
