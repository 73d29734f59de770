// SPDX-License-Identifier: Apache-2.0
#include "support/text/toml_text.hpp"

#include <fmt/format.h>

namespace launchbox {

std::string toml_string(const std::string& text)
{
    std::string result = "\"";
    for (const char c : text) {
        if (c == '"' || c == '\\') result += '\\';
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            result += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
        else
            result += c;
    }
    return result + "\"";
}

}  // namespace launchbox
