// Letters and digits in identifiers, independent of the locale.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

constexpr bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

constexpr bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

constexpr char to_upper(char c)
{
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
}

}  // namespace launchbox
