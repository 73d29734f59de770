// The members of `ar` archives, the format of static libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "image/container/image_diagnostic.hpp"

namespace launchbox {

struct archive_member {
    std::string_view name;
    std::uint64_t offset = 0;  ///< of `bytes` in the archive
    std::string_view bytes;
};

bool is_archive(std::string_view bytes);

/// The members in order, without symbol indexes and name tables; GNU, BSD and System V formats. A thin archive, whose
/// members are other files, is a diagnostic. Every error becomes a diagnostic with its offset; the members before it
/// are returned, and the available part of a truncated one. Views into `bytes`.
std::vector<archive_member> read_archive(std::string_view bytes, std::vector<image_diagnostic>& diagnostics);

}  // namespace launchbox
