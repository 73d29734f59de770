// SPDX-License-Identifier: Apache-2.0
#include "support/files/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <limits>
#include <new>
#include <optional>
#include <utility>

namespace launchbox {

namespace {

constexpr int gzip_only = 16 + MAX_WBITS;
constexpr std::size_t first_room = std::size_t{1} << 16;
// Deflate expands a byte to at most 1,032: a file that claims more is damaged, and not decompressed.
constexpr std::size_t max_ratio = 1040;

unsigned piece_of(std::size_t bytes)
{
    return static_cast<unsigned>(std::min<std::size_t>(bytes, std::numeric_limits<unsigned>::max() / 2));
}

struct inflater {
    z_stream stream{};
    explicit inflater(int format)
    {
        if (inflateInit2(&stream, format) != Z_OK) throw std::bad_alloc();
    }
    ~inflater() { inflateEnd(&stream); }
    inflater(const inflater&) = delete;
    inflater& operator=(const inflater&) = delete;
};

struct deflater {
    z_stream stream{};
    deflater()
    {
        if (deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, gzip_only, 8, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~deflater() { deflateEnd(&stream); }
    deflater(const deflater&) = delete;
    deflater& operator=(const deflater&) = delete;
};

}  // namespace

bool is_gzip(std::string_view bytes)
{
    return bytes.size() >= 3 && bytes.substr(0, 3) == "\x1f\x8b\x08";
}

namespace {

// `format`: as inflateInit2 has it.
decompressed_text inflated(std::string_view bytes, std::size_t cap, int format)
{
    decompressed_text read;
    cap = std::min(cap, bytes.size() * max_ratio + first_room);
    inflater state(format);
    z_stream& stream = state.stream;
    std::size_t used = 0, made = 0;
    while (true) {
        if (made == read.text.size()) {
            if (made == cap) {
                read.damage = "it unpacks to more than the limit for one file; the rest is left out";
                break;
            }
            read.text.resize(std::min(cap, std::max(first_room, made * 2)));
        }
        const unsigned offered = piece_of(bytes.size() - used), room = piece_of(read.text.size() - made);
        // zlib's interface predates const.
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(bytes.data() + used));
        stream.avail_in = offered;
        stream.next_out = reinterpret_cast<Bytef*>(read.text.data() + made);
        stream.avail_out = room;
        const int status = inflate(&stream, Z_NO_FLUSH);
        used += offered - stream.avail_in;
        made += room - stream.avail_out;
        if (status == Z_STREAM_END) {
            // Data after the last member, such as padding, is ignored.
            if (format != gzip_only || !is_gzip(bytes.substr(used))) break;
            inflateReset2(&stream, gzip_only);
        } else if (status == Z_BUF_ERROR || (status == Z_OK && used == bytes.size() && stream.avail_out > 0)) {
            read.damage = "it is truncated; the existing part was decompressed";
            break;
        } else if (status != Z_OK) {
            read.damage = "it is damaged; the part before the damage was decompressed";
            break;
        }
    }
    read.text.resize(made);
    return read;
}

}  // namespace

decompressed_text gunzip(std::string_view bytes, std::size_t cap)
{
    return inflated(bytes, cap, gzip_only);
}

std::optional<std::string> read_zlib_stream(std::string_view bytes, std::size_t cap)
{
    constexpr unsigned deflate = 8;
    if (bytes.size() < 2) return std::nullopt;
    const auto first = static_cast<unsigned char>(bytes[0]), second = static_cast<unsigned char>(bytes[1]);
    if ((first & 15u) != deflate || first >> 4 > 7 || (first << 8 | second) % 31 != 0) return std::nullopt;
    decompressed_text read = inflated(bytes, cap, MAX_WBITS);
    if (!read.damage.empty()) return std::nullopt;
    return std::move(read.text);
}

std::string gzip(std::string_view text)
{
    deflater state;
    z_stream& stream = state.stream;
    std::string made(deflateBound(&stream, text.size()), '\0');
    std::size_t used = 0, size = 0;
    while (true) {
        const unsigned offered = piece_of(text.size() - used), room = piece_of(made.size() - size);
        stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data() + used));
        stream.avail_in = offered;
        stream.next_out = reinterpret_cast<Bytef*>(made.data() + size);
        stream.avail_out = room;
        const int status = deflate(&stream, used + offered == text.size() ? Z_FINISH : Z_NO_FLUSH);
        used += offered - stream.avail_in;
        size += room - stream.avail_out;
        if (status == Z_STREAM_END) break;
        if (size == made.size()) made.resize(made.size() + first_room);
    }
    made.resize(size);
    return made;
}

}  // namespace launchbox
