// SPDX-License-Identifier: Apache-2.0
#include "source/source_tokens.hpp"

#include <algorithm>
#include <array>

#include "support/text/ascii.hpp"

namespace launchbox {

namespace {

// Bytes above ASCII are letters of some alphabet.
bool is_word(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
           static_cast<unsigned char>(c) >= 0x80;
}

class source_reader {
public:
    explicit source_reader(std::string_view text) : text_(text) {}

    source_text read();

private:
    [[nodiscard]] char at(std::size_t i) const { return i < text_.size() ? text_[i] : '\0'; }
    [[nodiscard]] std::size_t splice_at(std::size_t i) const;
    bool skip_blank(bool in_directive);
    bool skip_comment();
    void advance(std::size_t to);
    source_token next_token();
    std::size_t end_of_number() const;
    std::size_t end_of_literal(std::size_t quote) const;
    std::size_t end_of_raw_string(std::size_t quote) const;
    std::size_t end_of_suffix(std::size_t i) const;
    void read_directive();
    void nest(source_directive& directive);

    struct open_group {
        int outer = -1;
        int first = -1;
    };

    std::string_view text_;
    std::size_t at_ = 0, line_start_ = 0;
    int line_ = 1;
    int branch_ = -1;
    bool line_is_fresh_ = true;  // nothing but blanks and comments so far
    std::vector<open_group> open_;
    source_text result_;
};

source_text source_reader::read()
{
    if (text_.substr(0, 3) == "\xef\xbb\xbf") at_ = 3;  // a byte order mark
    while (at_ < text_.size()) {
        if (skip_blank(false)) continue;
        if (text_[at_] == '#' && line_is_fresh_) {
            read_directive();
            continue;
        }
        line_is_fresh_ = false;
        result_.tokens.push_back(next_token());
    }
    return std::move(result_);
}

// The length of the line continuation at this place; 0 if there is none.
std::size_t source_reader::splice_at(std::size_t i) const
{
    if (at(i) != '\\') return 0;
    if (at(i + 1) == '\n') return 2;
    return at(i + 1) == '\r' && at(i + 2) == '\n' ? 3 : 0;
}

// Skips one blank, line feed, line continuation or comment; false if there is none. In a directive, line feeds are not
// skipped.
bool source_reader::skip_blank(bool in_directive)
{
    const char c = text_[at_];
    if (c == '\n') {
        if (in_directive) return false;
        line_is_fresh_ = true;
        advance(at_ + 1);
    } else if (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f' || c == '\0') {
        ++at_;
    } else if (const std::size_t splice = splice_at(at_); splice > 0) {
        advance(at_ + splice);
    } else {
        return c == '/' && skip_comment();
    }
    return true;
}

bool source_reader::skip_comment()
{
    std::size_t end = 0;
    if (at(at_ + 1) == '/') {
        end = at_;
        while (end < text_.size() && text_[end] != '\n') end += std::max<std::size_t>(splice_at(end), 1);
    } else if (at(at_ + 1) == '*') {
        end = text_.find("*/", at_ + 2);
        end = end == std::string_view::npos ? text_.size() : end + 2;
    } else {
        return false;
    }
    end = std::min(end, text_.size());
    source_comment comment{.begin = at_, .end = end, .line = line_, .last_line = line_};
    advance(end);
    comment.last_line = line_;
    result_.comments.push_back(comment);
    return true;
}

void source_reader::advance(std::size_t to)
{
    for (to = std::min(to, text_.size()); at_ < to; ++at_)
        if (text_[at_] == '\n') {
            ++line_;
            line_start_ = at_ + 1;
        }
}

source_token source_reader::next_token()
{
    source_token token;
    token.begin = at_;
    token.line = line_;
    token.column = static_cast<int>(at_ - line_start_) + 1;
    token.branch = branch_;
    const char first = text_[at_];
    std::size_t end = at_ + 1;
    if (is_digit(first) || (first == '.' && is_digit(at(at_ + 1)))) {
        token.kind = source_token_kind::number;
        end = end_of_number();
    } else if (is_word(first) || (splice_at(at_) == 0 && first == '\\' && (at(at_ + 1) == 'u' || at(at_ + 1) == 'U'))) {
        token.kind = source_token_kind::identifier;
        while (end < text_.size() && (is_word(text_[end]) || (splice_at(end) > 0 && is_word(at(end + splice_at(end))))))
            end += std::max<std::size_t>(splice_at(end), 1);
        const std::string_view word = text_.substr(at_, end - at_);
        const bool prefix = word == "L" || word == "u" || word == "U" || word == "u8";
        const bool raw = word == "R" || word == "LR" || word == "uR" || word == "UR" || word == "u8R";
        if (at(end) == '"' && raw) {
            token.kind = source_token_kind::text;
            end = end_of_raw_string(end);
        } else if ((at(end) == '"' || at(end) == '\'') && prefix) {
            token.kind = source_token_kind::text;
            end = end_of_literal(end);
        }
    } else if (first == '"' || first == '\'') {
        token.kind = source_token_kind::text;
        end = end_of_literal(at_);
    } else {
        constexpr std::array<std::string_view, 13> longer{
            "<<<", "::", "->", "<<", "<=", ">=", "==", "!=", "&&", "||", "++", "--", "##"};
        for (std::string_view sign : longer)
            if (text_.substr(at_, sign.size()) == sign) {
                end = at_ + sign.size();
                break;
            }
    }
    token.end = std::min(end, text_.size());
    token.text = text_.substr(token.begin, token.end - token.begin);
    // Other spellings of brackets. After <:: only another : or > makes one: `traits<::size>` is not `traits[:size>`.
    constexpr std::pair<std::string_view, std::string_view> digraphs[] = {
        {"<:", "["}, {":>", "]"}, {"<%", "{"}, {"%>", "}"}};
    for (const auto& [spelling, bracket] : digraphs) {
        if (token.kind != source_token_kind::punctuation || text_.substr(at_, 2) != spelling) continue;
        if (spelling == "<:" && at(at_ + 2) == ':' && at(at_ + 3) != ':' && at(at_ + 3) != '>') continue;
        token.end = at_ + 2;
        token.text = bracket;
    }
    advance(token.end);
    return token;
}

// A preprocessing number: 1'000u, 0x1p-3, 1.5e+7f.
std::size_t source_reader::end_of_number() const
{
    std::size_t i = at_ + 1;
    while (i < text_.size()) {
        const char c = text_[i], before = text_[i - 1];
        const bool exponent = before == 'e' || before == 'E' || before == 'p' || before == 'P';
        if (is_word(c) || c == '.' || (c == '\'' && is_word(at(i + 1))) || ((c == '+' || c == '-') && exponent))
            ++i;
        else
            break;
    }
    return i;
}

// A literal ends at the end of its line at the latest, so that a missing quote cannot hide the rest of the file.
std::size_t source_reader::end_of_literal(std::size_t quote) const
{
    for (std::size_t i = quote + 1; i < text_.size();) {
        if (const std::size_t splice = splice_at(i); splice > 0)
            i += splice;
        else if (text_[i] == '\\' && i + 1 < text_.size() && text_[i + 1] != '\n')
            i += 2;
        else if (text_[i] == '\n')
            return i;
        else if (text_[i] == text_[quote])
            return end_of_suffix(i + 1);
        else
            ++i;
    }
    return text_.size();
}

std::size_t source_reader::end_of_raw_string(std::size_t quote) const
{
    constexpr std::size_t longest_delimiter = 16;
    const std::size_t open = text_.substr(0, quote + longest_delimiter + 2).find('(', quote + 1);
    if (open == std::string_view::npos) return end_of_literal(quote);
    const std::string_view delimiter = text_.substr(quote + 1, open - quote - 1);
    if (delimiter.find_first_of(" )\\\t\v\f\n\"") != std::string_view::npos) return end_of_literal(quote);
    for (std::size_t i = text_.find(')', open); i != std::string_view::npos; i = text_.find(')', i + 1))
        if (text_.substr(i + 1, delimiter.size()) == delimiter && at(i + 1 + delimiter.size()) == '"')
            return end_of_suffix(i + 2 + delimiter.size());
    return text_.size();
}

std::size_t source_reader::end_of_suffix(std::size_t i) const
{
    if (is_digit(at(i))) return i;
    while (i < text_.size() && is_word(text_[i])) ++i;
    return i;
}

void source_reader::read_directive()
{
    source_directive directive;
    directive.begin = at_;
    directive.line = line_;
    directive.branch = branch_;
    ++at_;
    bool named = false;
    while (at_ < text_.size() && text_[at_] != '\n') {
        if (skip_blank(true)) continue;
        const source_token token = next_token();
        if (!named && token.kind == source_token_kind::identifier)
            directive.name = token.text;
        else
            directive.tokens.push_back(token);
        named = true;
    }
    directive.end = at_;
    directive.last_line = line_;
    nest(directive);
    result_.directives.push_back(std::move(directive));
}

// An #else or #endif without an #if changes nothing.
void source_reader::nest(source_directive& directive)
{
    const std::string_view name = directive.name;
    const bool opens = name == "if" || name == "ifdef" || name == "ifndef";
    const bool goes_on = name == "elif" || name == "else" || name == "elifdef" || name == "elifndef";
    if (opens) open_.push_back({.outer = branch_, .first = static_cast<int>(result_.branches.size())});
    if (open_.empty() || !(opens || goes_on || name == "endif")) return;
    const open_group group = open_.back();
    directive.branch = group.outer;
    if (name == "endif") {
        open_.pop_back();
        branch_ = group.outer;
        return;
    }
    branch_ = static_cast<int>(result_.branches.size());
    result_.branches.push_back({.directive = result_.directives.size(), .outer = group.outer, .group = group.first});
}

}  // namespace

source_text read_source_text(std::string_view text)
{
    return source_reader(text).read();
}

std::size_t line_begin(std::string_view text, std::size_t at)
{
    if (at == 0) return 0;
    const std::size_t feed = text.rfind('\n', at - 1);
    return feed == std::string_view::npos ? 0 : feed + 1;
}

std::size_t line_end(std::string_view text, std::size_t at)
{
    return std::min(text.find('\n', at), text.size());
}

}  // namespace launchbox
