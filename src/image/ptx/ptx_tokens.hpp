// The tokens of PTX text, without comments.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace launchbox {

/// Walks over the text once. A token is a directive (`.maxntid`), a name, a number (`9.0`), a string with its quotes,
/// or one other character; empty at the end of the text.
class ptx_tokens {
public:
    explicit ptx_tokens(std::string_view text) : text_(text) {}

    std::string_view next();
    std::string_view peek();

    /// Skips to after the `}` that closes a `{` just read; false if the text ends before it.
    bool skip_block();

    /// Skips to after the `;` of a `.pragma` just read; stops before a `{`.
    void skip_pragma();

    /// Where the last token starts.
    [[nodiscard]] std::size_t offset() const { return token_; }
    /// The position after what was read or skipped last.
    [[nodiscard]] std::size_t position() const { return at_; }
    /// The line of the last token, from 1.
    int line();

private:
    bool skip_to_mark();
    void skip_space();
    bool skip_comment();
    void skip_string();

    std::string_view text_;
    std::size_t at_ = 0, token_ = 0;
    std::size_t counted_to_ = 0;
    int line_ = 1;
};

/// An integer in PTX: `256`, `0x100`, `0b11`, `0400`, `256U`. `nullopt` for anything else, and above 2^31 - 1.
std::optional<int> parse_ptx_integer(std::string_view token);

}  // namespace launchbox
