// Text for JSON: names and paths are bytes, JSON is UTF-8.
#pragma once

#include <string>
#include <string_view>

#include "support/terminal.hpp"

namespace launchbox {

/// The text as it is when it is printable UTF-8; otherwise with the offending bytes as \xNN.
inline std::string json_text(std::string_view text)
{
    return escape_for_terminal(text);
}

}  // namespace launchbox
