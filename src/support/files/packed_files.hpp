// Reads the members of packed files (zip, wheel, conda, tar, deb, or one compressed file), one at a time, in memory.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// Whether a file with these first bytes is of a kind that `read_packed` reads. A script followed by a zip file
/// (Python's zipapp) is recognised by its end.
bool looks_packed(std::string_view bytes);

/// "7z" for a packed file of a known but unsupported kind; empty for anything else.
std::string_view kind_of_other_archive(std::string_view bytes);

/// Debian packages: `ar` archives, like static libraries, but with other members.
bool is_debian_package(std::string_view bytes);

struct packed_limits {
    std::uint64_t max_member = std::uint64_t{4} << 30;  ///< largest member that is read, in bytes
    /// Limit for all members together, including skipped ones: this many bytes for each packed byte, plus `free_bytes`.
    /// Real libraries have 2 to 6; a decompression bomb has thousands.
    std::uint64_t max_ratio = 200;
    std::uint64_t free_bytes = std::uint64_t{256} << 20;
};

/// Findings in a packed file besides the members that are read.
struct packed_findings {
    std::vector<std::string> errors;           ///< such as "'../x' leads out of it, and is not read"
    std::vector<std::string> nested_archives;  ///< names of nested archives, which are not opened
    std::size_t not_listed = 0;                ///< further entries of both
    /// Bytes before and after a zip or tar archive, as far as they are known.
    std::vector<std::string_view> rest;
};

struct packed_reader {
    /// Whether a member is wanted, by its name and its first bytes: at least 65,536 unless it is shorter; `is_all`:
    /// these are all of it. Also called for empty members, but not for folders, links or devices without content.
    std::function<bool(std::string_view name, std::string_view beginning, bool is_all)> wanted;
    /// Called for each wanted member, in the order of the file. The bytes are invalid afterwards. Return false to stop.
    std::function<bool(const std::string& name, std::string_view bytes)> use;
};

/// Writes nothing to disk, and keeps one member in memory at a time. Never throws on bad input. The tar files inside a
/// conda or Debian package are opened; other nested archives are named but not opened.
packed_findings read_packed(std::string_view bytes, const packed_reader& reader, const packed_limits& limits = {});

}  // namespace launchbox
