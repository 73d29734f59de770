// JSON that may be cut, unclosed or written by Python, taken apart piece by piece: what is whole can be read.
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

/// The members of one object or the elements of one array, by their brackets alone: what is between them is not parsed.
class json_pieces {
public:
    /// `text` starts with the container; what follows it is not looked at. Anything else has no pieces.
    explicit json_pieces(std::string_view text);

    std::optional<json_piece> next();

    /// After the last piece: whether the closing bracket followed.
    [[nodiscard]] bool closed() const { return closed_; }

    /// Goes on with the line after the one on which the last piece began, since that piece is broken. False: none.
    bool skip_line();

private:
    [[nodiscard]] std::size_t skip_blanks(std::size_t place) const;

    std::string_view text_;
    std::size_t place_ = 0, begin_ = 0;
    char end_ = 0;
    bool closed_ = false;
};

/// Python's NaN and Infinity, which JSON has not, are read as the texts "NaN" and "Infinity". `nullopt`: it is broken.
std::optional<nlohmann::ordered_json> parse_piece(std::string_view text);

/// The member, unless it is not there or null.
const nlohmann::ordered_json* member_of(const nlohmann::ordered_json& object, const char* name);

/// The member when it is text, or empty.
std::string text_member(const nlohmann::ordered_json& object, const char* name);

/// The member when it is a number, also one written as text.
std::optional<double> number_member(const nlohmann::ordered_json& object, const char* name);

/// Whether the member is true, or 1.
bool is_true(const nlohmann::ordered_json& object, const char* name);

/// A number, also one written as text.
std::optional<double> number_in(const nlohmann::ordered_json& value);

}  // namespace launchbox
