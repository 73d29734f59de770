// gzip: what other tuners' result files come in.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace launchbox {

/// Whether `bytes` start like a gzip file.
bool is_gzip(std::string_view bytes);

struct decompressed_text {
    std::string text;
    std::string damage;  ///< why `text` is not all of it, in one sentence without a name; empty: it is
};

/// The content of a gzip file of one or several members. For a truncated or damaged file `text` has the readable part.
/// No size in it is trusted: memory grows with the output, up to `cap`.
decompressed_text gunzip(std::string_view bytes, std::size_t cap = std::size_t{1} << 30);

/// The same bytes for the same text: without name and time.
std::string gzip(std::string_view text);

}  // namespace launchbox
