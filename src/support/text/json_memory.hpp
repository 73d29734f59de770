// Estimates the memory that JSON takes when it is read as a whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace launchbox {

/// About the most that nlohmann's values for this text take: brackets take 25 times their size. The text need not be
/// valid JSON.
std::uint64_t json_memory(std::string_view text);

/// Throws `error` if that exceeds 512 MiB plus 128 times `bytes_of_file`. Result files take 3 to 10 times their size,
/// and compressed ones ten times as much. `name`: of the file.
void refuse_large_json(std::string_view text, std::uint64_t bytes_of_file, const std::string& name);

}  // namespace launchbox
