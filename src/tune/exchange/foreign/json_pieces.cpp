// SPDX-License-Identifier: Apache-2.0
#include "tune/exchange/foreign/json_pieces.hpp"

#include <charconv>
#include <cmath>

namespace launchbox {

namespace {

using nlohmann::ordered_json;

struct extent {
    std::size_t end = 0;
    bool whole = true;
};

bool is_blank(char letter)
{
    return letter == ' ' || letter == '\n' || letter == '\t' || letter == '\r';
}

// Begins at an opening quote. A JSON string cannot contain a line break: there the file was cut.
extent string_at(std::string_view text, std::size_t place)
{
    for (++place; place < text.size() && text[place] != '\n'; ++place) {
        if (text[place] == '"') return {place + 1, true};
        if (text[place] == '\\') ++place;
    }
    return {std::min(place, text.size()), false};
}

extent value_at(std::string_view text, std::size_t place)
{
    std::size_t depth = 0;
    while (place < text.size()) {
        const char letter = text[place];
        if (letter == '"') {
            const extent string = string_at(text, place);
            if (!string.whole || depth == 0) return string;
            place = string.end;
            continue;
        }
        if (letter == '{' || letter == '[') {
            ++depth;
        } else if (letter == '}' || letter == ']') {
            if (depth == 0) return {place, true};  // the end of the container
            if (--depth == 0) return {place + 1, true};
        } else if (depth == 0 && (letter == ',' || is_blank(letter))) {
            return {place, true};
        }
        ++place;
    }
    return {place, false};
}

// The text with quotes around number words that only Python writes.
std::string with_quoted_numbers(std::string_view text)
{
    std::string quoted;
    for (std::size_t place = 0; place < text.size();) {
        if (text[place] == '"') {
            const std::size_t end = string_at(text, place).end;
            quoted += text.substr(place, end - place);
            place = end;
            continue;
        }
        bool found = false;
        for (const std::string_view word : {"NaN", "-Infinity", "Infinity"})
            if (text.substr(place, word.size()) == word) {
                quoted += '"';
                quoted += word;
                quoted += '"';
                place += word.size();
                found = true;
                break;
            }
        if (!found) quoted += text[place++];
    }
    return quoted;
}

}  // namespace

json_pieces::json_pieces(std::string_view text) : text_(text)
{
    place_ = skip_blanks(0);
    if (place_ == text_.size()) return;
    end_ = text_[place_] == '{' ? '}' : text_[place_] == '[' ? ']' : '\0';
    ++place_;
}

std::size_t json_pieces::skip_blanks(std::size_t place) const
{
    while (place < text_.size() && is_blank(text_[place])) ++place;
    return place;
}

std::optional<json_piece> json_pieces::next()
{
    if (end_ == 0) return std::nullopt;
    place_ = skip_blanks(place_);
    while (place_ < text_.size() && text_[place_] == ',') place_ = skip_blanks(place_ + 1);
    if (place_ == text_.size()) return std::nullopt;
    if (text_[place_] == end_) {
        closed_ = true;
        end_ = 0;
        return std::nullopt;
    }
    begin_ = place_;
    json_piece piece;
    if (end_ == '}') {
        const extent name = text_[place_] == '"' ? string_at(text_, place_) : extent{place_, false};
        const std::size_t colon = skip_blanks(name.end);
        if (!name.whole || colon == text_.size() || text_[colon] != ':') {
            piece.text = text_.substr(begin_);
            piece.whole = false;
            place_ = text_.size();
            return piece;
        }
        const ordered_json read = ordered_json::parse(text_.substr(place_, name.end - place_), nullptr, false);
        piece.name = read.is_string() ? read.get<std::string>() : std::string();
        place_ = skip_blanks(colon + 1);
    }
    const extent value = value_at(text_, place_);
    // A broken value may still be readable piece by piece.
    piece.text = text_.substr(place_, value.whole ? value.end - place_ : text_.npos);
    piece.whole = value.whole && value.end > place_;
    // Always advance: an empty value would be found again and again.
    place_ = value.end > place_ ? value.end : place_ + 1;
    if (!value.whole) place_ = text_.size();
    return piece;
}

bool json_pieces::skip_line()
{
    const std::size_t line = text_.find('\n', begin_);
    place_ = line == std::string_view::npos ? text_.size() : line + 1;
    return place_ < text_.size();
}

std::optional<ordered_json> parse_piece(std::string_view text)
{
    ordered_json value = ordered_json::parse(text, nullptr, false);
    if (value.is_discarded()) value = ordered_json::parse(with_quoted_numbers(text), nullptr, false);
    if (value.is_discarded()) return std::nullopt;
    return value;
}

const ordered_json* member_of(const ordered_json& object, const char* name)
{
    if (!object.is_object()) return nullptr;
    const auto found = object.find(name);
    return found == object.end() || found->is_null() ? nullptr : &*found;
}

std::string text_member(const ordered_json& object, const char* name)
{
    const ordered_json* value = member_of(object, name);
    return value != nullptr && value->is_string() ? value->get<std::string>() : std::string();
}

std::optional<double> number_member(const ordered_json& object, const char* name)
{
    const ordered_json* value = member_of(object, name);
    return value == nullptr ? std::nullopt : number_in(*value);
}

bool is_true(const ordered_json& object, const char* name)
{
    const ordered_json* value = member_of(object, name);
    return value != nullptr && (*value == true || *value == 1);
}

std::optional<double> number_in(const ordered_json& value)
{
    double number = 0;
    if (value.is_number()) {
        number = value.get<double>();
    } else if (value.is_string()) {
        const auto& text = value.get_ref<const std::string&>();
        const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    } else {
        return std::nullopt;
    }
    if (!std::isfinite(number)) return std::nullopt;
    return number;
}

}  // namespace launchbox
