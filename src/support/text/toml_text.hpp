// Writes text in TOML files.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

/// Quoted, on one line; TOML reads the same text back.
std::string toml_string(const std::string& text);

}  // namespace launchbox
