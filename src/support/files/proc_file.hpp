// Reads files of /proc, which may vanish meanwhile.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <filesystem>
#include <fstream>
#include <string>

namespace launchbox {

/// The readable content of a file; may be empty. If the process ends between opening and reading, an iterator over the
/// stream's buffer would throw.
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
