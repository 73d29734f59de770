// The bytes of captured memory, compressed with zstd where that is worth the time, read and written piece by piece.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace launchbox {

/// Whether memory of this content becomes much smaller, by a look at parts of it. A few megabytes always count as such.
bool packs_well(std::string_view bytes);

/// Writes these bytes, compressed on all cores. Throws `error` where that cannot be written. Returns their hash.
std::uint64_t write_packed(const std::filesystem::path& file, std::string_view bytes);

/// Reads a file that has exactly `bytes` bytes with this hash, compressed if its name ends with .zst; memory does not
/// depend on what the file claims.
class packed_reader {
public:
    /// Throws `error` for a file that cannot be read.
    packed_reader(const std::filesystem::path& file, std::uint64_t bytes, std::uint64_t hash);
    packed_reader(const std::filesystem::path& file, std::uint64_t bytes, std::uint64_t hash, bool is_packed);
    ~packed_reader();
    packed_reader(const packed_reader&) = delete;
    packed_reader& operator=(const packed_reader&) = delete;

    /// The next bytes. Throws `error`: damaged, or shorter than it should be; with the last bytes also: longer, or with
    /// another hash.
    void read(char* to, std::size_t bytes);

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace launchbox
