// Splits JSON that may be cut, unclosed or written by Python into pieces, so that the intact ones can be read.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace launchbox {

struct json_piece {
    std::string name;       ///< of a member of an object
    std::string_view text;  ///< the value
    bool whole = true;      ///< false: the text ends, or is broken, before the value does
};

/// The members of one object or the elements of one array, found by brackets alone; their contents are not parsed.
class json_pieces {
public:
    /// `text` starts with the container; anything behind it is ignored. Other text has no pieces.
    explicit json_pieces(std::string_view text);

    std::optional<json_piece> next();

    /// After the last piece: whether the closing bracket followed.
    [[nodiscard]] bool closed() const { return closed_; }

    /// Continues on the line after the start of the last piece, because that piece is broken. False: no more pieces.
    bool skip_line();

private:
    [[nodiscard]] std::size_t skip_blanks(std::size_t place) const;

    std::string_view text_;
    std::size_t place_ = 0, begin_ = 0;
    char end_ = 0;
    bool closed_ = false;
};

/// Python's NaN and Infinity, which JSON lacks, are read as the texts "NaN" and "Infinity". `nullopt`: broken JSON.
std::optional<nlohmann::ordered_json> parse_piece(std::string_view text);

/// The member; null if it is missing or null.
const nlohmann::ordered_json* member_of(const nlohmann::ordered_json& object, const char* name);

/// The member if it is text, else empty.
std::string text_member(const nlohmann::ordered_json& object, const char* name);

/// The member if it is a number, also if it is written as text.
std::optional<double> number_member(const nlohmann::ordered_json& object, const char* name);

/// Whether the member is true, or 1.
bool is_true(const nlohmann::ordered_json& object, const char* name);

/// A number, also if it is written as text.
std::optional<double> number_in(const nlohmann::ordered_json& value);

}  // namespace launchbox
