// gzip, which other tuners use for result files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace launchbox {

/// Whether `bytes` start like a gzip file.
bool is_gzip(std::string_view bytes);

struct decompressed_text {
    std::string text;
    std::string damage;  ///< why `text` is incomplete, in one sentence without a file name; empty if it is not
};

/// The content of a gzip file with one or several members. For a truncated or damaged file, `text` has the readable
/// part. No size in the file is trusted: memory grows with the output, up to `cap`.
decompressed_text gunzip(std::string_view bytes, std::size_t cap = std::size_t{1} << 30);

/// The content of a zlib stream, as Python's zlib.compress makes one; `nullopt` if it is none, damaged, or has more
/// than `cap` bytes. Its first two bytes may begin any text, so only the whole shows what it is.
std::optional<std::string> read_zlib_stream(std::string_view bytes, std::size_t cap);

/// The same bytes for the same text: without file name and time.
std::string gzip(std::string_view text);

}  // namespace launchbox
