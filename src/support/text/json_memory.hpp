// How much memory JSON takes when it is read whole.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace launchbox {

/// What nlohmann's values for this text take at most, about: a text of brackets takes 25 times its size. Strings that
/// are no JSON do not matter.
std::uint64_t json_memory(std::string_view text);

/// Throws `error` where that is more than 512 MiB and 128 times `bytes_of_file` together. Files of results take 3 to 10
/// times their size, and, compressed, ten times as much. `name`: of the file.
void refuse_large_json(std::string_view text, std::uint64_t bytes_of_file, const std::string& name);

}  // namespace launchbox
