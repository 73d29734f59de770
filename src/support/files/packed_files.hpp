// Members of packed files (zip, wheel, conda, tar, deb, or one compressed file), one at a time, in memory.
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

/// "7z" for a packed file of a known kind that is not read; empty for anything else.
std::string_view kind_of_other_archive(std::string_view bytes);

/// The packages of Debian: archives of `ar` as static libraries are, with other members.
bool is_debian_package(std::string_view bytes);

struct packed_limits {
    std::uint64_t max_member = std::uint64_t{4} << 30;  ///< bytes of a member that is read
    /// All members together, those that are skipped included: this many for each packed byte, and `free_bytes`.
    /// Real libraries have 2 to 6; a file made to use up memory or time has thousands.
    std::uint64_t max_ratio = 200;
    std::uint64_t free_bytes = std::uint64_t{256} << 20;
};

/// What is found in a packed file besides members that are read.
struct packed_findings {
    std::vector<std::string> errors;           ///< "'../x' leads out of it, and is not read", and the like
    std::vector<std::string> nested_archives;  ///< names of archives within it, which are not opened
    std::size_t not_listed = 0;                ///< further ones of both
    /// Bytes before and after a zip or tar file, as far as they are known.
    std::vector<std::string_view> rest;
};

struct packed_reader {
    /// Whether a member is wanted, by its name and its first bytes: at least 65,536 if it has as many; `is_all`: there
    /// are no more. Also called for an empty member; not for a folder, link or device without content.
    std::function<bool(std::string_view name, std::string_view beginning, bool is_all)> wanted;
    /// Called for each that is, in the order of the file. The bytes are gone when it returns. False: no more.
    std::function<bool(const std::string& name, std::string_view bytes)> use;
};

/// Nothing is written to a disk; of all members, one is in memory at a time. Never throws on bad input. The tar files
/// that a conda or Debian package consists of are opened; other archives within archives are named and not opened.
packed_findings read_packed(std::string_view bytes, const packed_reader& reader, const packed_limits& limits = {});

}  // namespace launchbox
