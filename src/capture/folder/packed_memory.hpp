// The bytes of captured memory, read and written piece by piece, compressed with zstd if that is worth the time.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string_view>

namespace launchbox {

/// Whether this memory compresses well, judged by samples. A few megabytes always count as compressible.
bool packs_well(std::string_view bytes);

/// Writes these bytes, compressed on all cores. Throws `error` if writing fails. Returns their hash.
std::uint64_t write_packed(const std::filesystem::path& file, std::string_view bytes);

/// Reads a file that must contain exactly `bytes` bytes with this hash, compressed if its name ends with .zst. Its
/// memory does not depend on what the file claims.
class packed_reader {
public:
    /// Throws `error` for a file that cannot be read.
    packed_reader(const std::filesystem::path& file, std::uint64_t bytes, std::uint64_t hash);
    packed_reader(const std::filesystem::path& file, std::uint64_t bytes, std::uint64_t hash, bool is_packed);
    ~packed_reader();
    packed_reader(const packed_reader&) = delete;
    packed_reader& operator=(const packed_reader&) = delete;

    /// The next bytes. Throws `error` if the file is damaged or too short; with the last bytes also if it is too long,
    /// or has another hash.
    void read(char* to, std::size_t bytes);

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace launchbox
