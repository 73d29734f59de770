// Files of /proc, which may end while they are read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

namespace launchbox {

/// What could be read of a file; empty: nothing. The process may end between the opening of its file and the reading,
/// for which an iterator over the stream's buffer throws.
inline std::string read_proc_file(const std::filesystem::path& path)
{
    std::ifstream file(path, std::ios::binary);
    std::string content;
    std::array<char, 4096> piece{};
    while (file.read(piece.data(), piece.size()), file.gcount() > 0)
        content.append(piece.data(), static_cast<std::size_t>(file.gcount()));
    return content;
}

}  // namespace launchbox
