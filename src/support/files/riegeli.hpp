// Riegeli, the files of records in which XLA, and so JAX, stores compiled programs.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace launchbox {

struct unpacked_records {
    std::string bytes;
    std::string
        damage;  ///< why records are missing, in one sentence without a file name; empty if none are known to be
};

/// Whether a file of records begins in the first 64 KiB of `bytes`. XLA has a few hundred bytes of its own before it.
bool holds_records(std::string_view bytes);

/// `bytes` with the contents of its records in place of the file that `holds_records` finds. The same for a file of
/// records in one of them, up to four deep. Reads records as they are, or compressed by Snappy or zstd; others are
/// reported as damage. No size in the file is trusted: `bytes` may have up to `cap` bytes, and what is unpacked, too.
/// Checksums are not verified. Format: riegeli/doc/riegeli_records_file_format.md of github.com/google/riegeli.
unpacked_records unpack_records(std::string_view bytes, std::size_t cap = std::size_t{1} << 29);

}  // namespace launchbox
