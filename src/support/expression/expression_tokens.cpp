// SPDX-License-Identifier: Apache-2.0
#include "support/expression/expression_tokens.hpp"
#include "support/text/ascii.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "support/error.hpp"
#include "support/expression/lua_machine.hpp"

namespace launchbox {

namespace {

const std::string general_hint =
    "write it with + - * / // % ^ == ~= < <= > >=, and, or, not, min, max, ceil_div, brackets and names";

constexpr std::array<std::string_view, 3> functions{"min", "max", "ceil_div"};
constexpr std::array<std::string_view, 5> keywords{"and", "or", "not", "true", "false"};
constexpr std::array<std::string_view, 17> statements{"break", "do",    "else",  "elseif", "end",     "for",
                                                      "goto",  "if",    "in",    "local",  "nil",     "repeat",
                                                      "then",  "until", "while", "return", "function"};
// Longer ones first.
constexpr std::array<std::string_view, 22> signs{"//", "==", "~=", "<=", ">=", "<<", ">>", "+", "-", "*", "/",
                                                 "%",  "^",  "<",  ">",  "(",  ")",  ",",  "&", "|", "~", "."};

// C++ operators that Lua lacks, and what to write instead.
constexpr std::array<std::pair<std::string_view, std::string_view>, 6> foreign{
    {{"&&", "and"}, {"||", "or"}, {"!=", "~="}, {"!", "not"}, {"..", ""}, {"--", ""}}};

template <class List>
bool has(const List& list, std::string_view word)
{
    return std::find(list.begin(), list.end(), word) != list.end();
}

class scanner {
public:
    explicit scanner(const std::string& text) : text_(text) {}

    std::vector<expression_token> tokens()
    {
        if (text_.size() > longest_expression) refuse("is longer than 4096 characters", general_hint);
        for (skip_blanks(); at_ < text_.size(); skip_blanks()) one();
        if (result_.empty()) refuse("is not an expression: it is empty", general_hint);
        return std::move(result_);
    }

private:
    void one()
    {
        const char c = text_[at_];
        if (is_letter(c)) return name();
        if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) return number();
        if (c == '"' || c == '\'') return quoted(c);
        for (const auto& [theirs, ours] : foreign)
            if (rest().starts_with(theirs))
                refuse("is not an expression: there is no " + std::string(theirs) + " here",
                       ours.empty() ? general_hint : "write " + std::string(ours));
        for (const std::string_view sign : signs)
            if (rest().starts_with(sign)) {
                if (sign == ".") break;
                result_.push_back({expression_token::kind::sign, std::string(sign)});
                at_ += sign.size();
                return;
            }
        if (c == '=') refuse("is not an expression: = changes a value", "write == to compare");
        const bool printable = c > ' ' && c < 0x7f;
        refuse("is not an expression: " + (printable ? std::string(1, c) : "a character") + " is not allowed",
               general_hint);
    }

    void name()
    {
        std::string words = word();
        if (has(statements, words)) refuse("is not an expression: '" + words + "' is not allowed", general_hint);
        if (has(keywords, words)) return result_.push_back({expression_token::kind::keyword, words});
        if (has(functions, words)) {
            skip_blanks();
            if (at_ == text_.size() || text_[at_] != '(')
                refuse("is not an expression: " + words + " without brackets", "write " + words + "(a, b)");
            return result_.push_back({expression_token::kind::function, words});
        }
        while (at_ + 1 < text_.size() && text_[at_] == '.' && is_letter(text_[at_ + 1])) {
            ++at_;
            words += "." + word();
        }
        skip_blanks();
        if (at_ < text_.size() && text_[at_] == '(')
            refuse("is not an expression: there is no function " + words, "there are min, max and ceil_div");
        result_.push_back({expression_token::kind::name, words});
    }

    std::string word()
    {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
        return text_.substr(begin, at_ - begin);
    }

    // As Lua reads it: surplus letters and digits are left for Lua to reject.
    void number()
    {
        const std::size_t begin = at_;
        const bool hexadecimal = rest().starts_with("0x") || rest().starts_with("0X");
        const std::string_view exponent = hexadecimal ? "pP" : "eE";
        while (at_ < text_.size()) {
            const char c = text_[at_];
            const bool sign =
                (c == '+' || c == '-') && at_ > begin && exponent.find(text_[at_ - 1]) != std::string::npos;
            if (!is_letter(c) && !is_digit(c) && c != '.' && !sign) break;
            ++at_;
        }
        result_.push_back({expression_token::kind::number, text_.substr(begin, at_ - begin)});
    }

    void quoted(char quote)
    {
        const std::size_t begin = at_++;
        while (at_ < text_.size() && text_[at_] != quote) at_ += text_[at_] == '\\' ? 2 : 1;
        if (at_ >= text_.size()) refuse("is not an expression: a quote is not closed", "close it");
        ++at_;
        result_.push_back({expression_token::kind::text, text_.substr(begin, at_ - begin)});
    }

    void skip_blanks()
    {
        while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
    }

    [[nodiscard]] std::string_view rest() const { return std::string_view(text_).substr(at_); }

    [[noreturn]] void refuse(const std::string& what, const std::string& hint) const
    {
        throw error(quoted_expression(text_) + " " + what, hint);
    }

    const std::string& text_;
    std::size_t at_ = 0;
    std::vector<expression_token> result_;
};

}  // namespace

std::vector<expression_token> expression_tokens(const std::string& text)
{
    return scanner(text).tokens();
}

std::vector<std::string> names_in(const std::vector<expression_token>& tokens)
{
    std::vector<std::string> names;
    for (const expression_token& token : tokens)
        if (token.what == expression_token::kind::name && !has(names, token.words)) names.push_back(token.words);
    return names;
}

bool is_name(std::string_view word)
{
    return !word.empty() && is_letter(word[0]) &&
           std::all_of(word.begin(), word.end(), [](char c) { return is_letter(c) || is_digit(c); }) &&
           !has(functions, word) && !has(keywords, word) && !has(statements, word);
}

}  // namespace launchbox
