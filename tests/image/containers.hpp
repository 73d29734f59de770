// Fat binaries, archives and ELF files of hosts, made by hand to control their content and their errors.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// Overwrites the bytes at `offset` with a number.
template <class Number>
void put(std::string& bytes, std::size_t offset, Number value)
{
    ASSERT_LE(offset + sizeof value, bytes.size());
    std::memcpy(bytes.data() + offset, &value, sizeof value);
}

/// One entry of a fat binary; unset fields have the values that nvcc writes.
struct made_entry {
    std::uint16_t kind = 2;  // cubin
    std::string payload;     // as stored; padded to 8 bytes
    std::uint32_t architecture = 90;
    std::uint64_t flags = 0;
    std::uint32_t compressed = 0;
    std::uint64_t decompressed = 0;
    std::uint32_t header = 64;
};

inline constexpr std::uint64_t flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_a = 0x100000, flag_f = 0x200000;

inline std::string make_entry(const made_entry& entry)
{
    std::string payload = entry.payload;
    payload.resize((payload.size() + 7) / 8 * 8);
    std::string bytes(entry.header, '\0');
    put(bytes, 0, entry.kind);
    put(bytes, 2, std::uint16_t{0x0101});
    put(bytes, 4, entry.header);
    put(bytes, 8, std::uint64_t{payload.size()});
    put(bytes, 16, entry.compressed);
    put(bytes, 28, entry.architecture);
    put(bytes, 40, entry.flags);
    put(bytes, 56, entry.decompressed);
    return bytes + payload;
}

inline std::string make_fatbin(const std::vector<made_entry>& entries)
{
    std::string content;
    for (const made_entry& entry : entries) content += make_entry(entry);
    std::string bytes("\x50\xed\x55\xba\x01\x00\x10\x00", 8);
    bytes.resize(16);
    put(bytes, 8, std::uint64_t{content.size()});
    return bytes + content;
}

/// A header of an archive member: the name exactly as in the field, the size in decimal.
inline std::string archive_header(const std::string& field, const std::string& size)
{
    const auto padded = [](std::string text, std::size_t width) {
        text.resize(width, ' ');
        return text;
    };
    return padded(field, 16) + padded("0", 12) + padded("0", 6) + padded("0", 6) + padded("644", 8) + padded(size, 10) +
           "`\n";
}

inline std::string archive_member_of(const std::string& field, const std::string& content)
{
    return archive_header(field, std::to_string(content.size())) + content + (content.size() % 2 == 1 ? "\n" : "");
}

struct made_section {
    std::string name, content;
    std::uint64_t flags = 2;  // allocated
};

/// A 64-bit ELF file of the host: a shared library (3), an executable (2), an object file (1).
inline std::string make_host(const std::vector<made_section>& sections, std::uint16_t type = 3)
{
    std::string bytes(
        "\x7f"
        "ELF\x02\x01\x01",
        7);
    bytes.resize(64);
    put(bytes, 16, type);
    put(bytes, 18, std::uint16_t{62});
    put(bytes, 58, std::uint16_t{64});
    put(bytes, 60, static_cast<std::uint16_t>(sections.size() + 2));
    put(bytes, 62, std::uint16_t{1});
    std::string names("\0.shstrtab\0", 11), headers(128, '\0');
    for (const made_section& section : sections) {
        bytes.resize((bytes.size() + 7) / 8 * 8);
        std::string header(64, '\0');
        put(header, 0, static_cast<std::uint32_t>(names.size()));
        put(header, 4, std::uint32_t{1});
        put(header, 8, section.flags);
        put(header, 24, std::uint64_t{bytes.size()});
        put(header, 32, std::uint64_t{section.content.size()});
        headers += header;
        names += section.name + '\0';
        bytes += section.content;
    }
    put(headers, 64, std::uint32_t{1});
    put(headers, 68, std::uint32_t{3});
    put(headers, 64 + 24, std::uint64_t{bytes.size()});
    put(headers, 64 + 32, std::uint64_t{names.size()});
    bytes += names;
    bytes.resize((bytes.size() + 7) / 8 * 8);
    put(bytes, 40, std::uint64_t{bytes.size()});
    return bytes + headers;
}

}  // namespace launchbox
