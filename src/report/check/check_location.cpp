// SPDX-License-Identifier: Apache-2.0
#include "report/check/check_location.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <cstdint>

namespace launchbox {

file_line location_of(const check_finding& finding, const check_outcome& outcome)
{
    const kernel_info& info = outcome.result.kernels[finding.kernel].copy(finding.copy).info;
    if (info.analysis.written_at && !info.analysis.written_at->file.empty() && info.analysis.written_at->line > 0)
        return {relative_path(info.analysis.written_at->file, outcome.directory), info.analysis.written_at->line};
    if (!info.source.file.empty() && info.source.file != "-")
        return {relative_path(info.source.file, outcome.directory), 1};
    return {relative_path(finding.set_by.file, outcome.directory), std::max(1, finding.set_by.line)};
}

std::string relative_path(const std::string& path, const std::string& directory)
{
    std::string result = path;
    if (!directory.empty() && directory != "/" && result.starts_with(directory + '/'))
        result.erase(0, directory.size() + 1);
    while (result.starts_with("./") && result.size() > 2) result.erase(0, 2);
    return result;
}

std::string fingerprint_of(const check_finding& finding, const checked_kernel& kernel)
{
    std::uint64_t hash = 0xcbf29ce484222325;  // FNV-1a
    const auto add = [&](const std::string& text) {
        for (char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
        hash = (hash ^ 0xff) * 0x100000001b3;  // a separator that no UTF-8 name contains
    };
    add(kernel.identity);
    add(kernel.info.architecture);
    add(finding.check);
    return fmt::format("{:016x}", hash);
}

}  // namespace launchbox
