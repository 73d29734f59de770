// SPDX-License-Identifier: Apache-2.0
#include "image/container/fatbin.hpp"

#include "image/container/elf.hpp"

namespace launchbox {

namespace {

constexpr std::size_t header_size = 16;
constexpr std::size_t min_entry_header = 64;       // up to 152 are in use
constexpr std::uint32_t max_entry_header = 65536;  // larger ones are not headers
constexpr std::uint16_t version = 1, entry_version = 0x0101;
constexpr std::uint64_t flag_debug = 0x2, flag_lz4 = 0x2000, flag_zstd = 0x8000, flag_accelerated = 0x100000,
                        flag_family = 0x200000;

struct entry_header {
    std::uint16_t kind = 0, version = 0;
    std::uint32_t size = 0;
    std::uint64_t payload_bytes = 0;

    [[nodiscard]] bool is_plausible() const
    {
        return version == entry_version && size >= min_entry_header && size <= max_entry_header && size % 8 == 0;
    }
};

std::optional<entry_header> read_header(std::string_view bytes, std::uint64_t offset);
fatbin_entry read_entry(std::string_view bytes, std::uint64_t offset, const entry_header& header,
                        std::vector<image_diagnostic>& diagnostics);

}  // namespace

bool is_fatbin(std::string_view bytes)
{
    if (bytes.size() < header_size || !bytes.starts_with(fatbin_magic)) return false;
    if (read_number<std::uint16_t>(bytes, 4) != version || read_number<std::uint16_t>(bytes, 6) != header_size)
        return false;
    const auto first = read_header(bytes, header_size);
    return first && first->is_plausible();
}

std::optional<fatbin_contents> read_fatbin(std::string_view bytes, std::vector<image_diagnostic>& diagnostics)
{
    if (bytes.size() < header_size || !bytes.starts_with(fatbin_magic)) {
        add_diagnostic(diagnostics, 0, "not a fat binary");
        return std::nullopt;
    }
    if (read_number<std::uint16_t>(bytes, 4) != version || read_number<std::uint16_t>(bytes, 6) != header_size) {
        add_diagnostic(diagnostics, 4,
                       "a fat binary of version " + std::to_string(read_number<std::uint16_t>(bytes, 4)) +
                           " with a header of " + std::to_string(read_number<std::uint16_t>(bytes, 6)) +
                           " bytes; known is version 1 with 16");
        return std::nullopt;
    }
    fatbin_contents result;
    const std::uint64_t said = read_number<std::uint64_t>(bytes, 8);
    const bool cut = said > bytes.size() - header_size;
    const std::uint64_t end = cut ? bytes.size() : header_size + said;
    result.claimed = end;
    if (cut)
        add_diagnostic(diagnostics, 8,
                       "a fat binary of " + std::to_string(said) + " bytes, but only " +
                           std::to_string(bytes.size() - header_size) + " are there");

    std::uint64_t at = header_size;
    while (at < end) {
        const auto header = read_header(bytes.substr(0, end), at);
        if (!header) {
            if (!cut) add_diagnostic(diagnostics, at, "the last entry of a fat binary is cut off");
            break;
        }
        if (!header->is_plausible()) {
            add_diagnostic(diagnostics, at,
                           "no entry of a fat binary: version " + std::to_string(header->version) + ", header of " +
                               std::to_string(header->size) + " bytes; the rest of the container is not read");
            result.size = at;
            return result;
        }
        if (header->size > end - at || header->payload_bytes > end - at - header->size) {
            if (!cut)
                add_diagnostic(diagnostics, at + 8,
                               "an entry claims to have " + std::to_string(header->payload_bytes) +
                                   " bytes, which reach beyond the end of its fat binary");
            break;
        }
        result.entries.push_back(read_entry(bytes, at, *header, diagnostics));
        at += header->size + header->payload_bytes;
    }
    result.size = end;
    return result;
}

namespace {

std::optional<entry_header> read_header(std::string_view bytes, std::uint64_t offset)
{
    const auto header = slice(bytes, offset, min_entry_header);
    if (!header) return std::nullopt;
    return entry_header{.kind = read_number<std::uint16_t>(*header, 0),
                        .version = read_number<std::uint16_t>(*header, 2),
                        .size = read_number<std::uint32_t>(*header, 4),
                        .payload_bytes = read_number<std::uint64_t>(*header, 8)};
}

fatbin_entry read_entry(std::string_view bytes, std::uint64_t offset, const entry_header& header,
                        std::vector<image_diagnostic>& diagnostics)
{
    const auto at = static_cast<std::size_t>(offset);
    const std::uint32_t compressed = read_number<std::uint32_t>(bytes, at + 16);
    const std::uint32_t architecture = read_number<std::uint32_t>(bytes, at + 28);
    const std::uint64_t flags = read_number<std::uint64_t>(bytes, at + 40);
    const std::uint64_t decompressed = read_number<std::uint64_t>(bytes, at + 56);

    fatbin_entry entry;
    entry.offset = offset;
    entry.kind = header.kind;
    if (architecture < 1000)
        entry.architecture = static_cast<int>(architecture);
    else
        add_diagnostic(diagnostics, offset + 28, "an implausible architecture: " + std::to_string(architecture));
    entry.variant = (flags & flag_accelerated) != 0 ? 'a' : (flags & flag_family) != 0 ? 'f' : '\0';
    entry.debug = (flags & flag_debug) != 0;
    entry.payload_offset = offset + header.size;
    entry.payload = bytes.substr(at + header.size, static_cast<std::size_t>(header.payload_bytes));
    entry.decompressed_bytes = entry.payload.size();

    const bool lz4 = (flags & flag_lz4) != 0, zstd = (flags & flag_zstd) != 0;
    if (lz4 || zstd) {
        if (lz4 && zstd)
            add_diagnostic(diagnostics, offset + 40, "an entry is marked as both LZ4 and zstd; read as zstd");
        entry.compression = zstd ? fatbin_compression::zstd : fatbin_compression::lz4;
        entry.decompressed_bytes = decompressed;
        if (compressed <= entry.payload.size())
            entry.payload = entry.payload.substr(0, compressed);
        else
            add_diagnostic(diagnostics, offset + 16,
                           "an entry claims to have " + std::to_string(compressed) + " compressed bytes of " +
                               std::to_string(entry.payload.size()));
    } else if (compressed > 0) {
        add_diagnostic(diagnostics, offset + 40, "an entry is compressed in an unknown way; read uncompressed");
    }
    return entry;
}

}  // namespace

}  // namespace launchbox
