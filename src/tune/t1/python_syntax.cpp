// SPDX-License-Identifier: Apache-2.0
#include "tune/t1/python_syntax.hpp"
#include "support/text/ascii.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <utility>

#include "support/error.hpp"

namespace launchbox {

namespace {

constexpr std::size_t longest_text = 256 * 1024;  // lists of values may be written out
constexpr int deepest = 200;
const std::string subset_hint =
    "there are numbers, words in quotes, lists, comprehensions, operators, and range, list, max, min, abs, len, int, "
    "float, str, sum, sorted, pow, round, any and all";

using kind = python_node::kind;

struct token {
    enum class kind { end, number, text, name, keyword, sign };
    kind what = kind::end;
    std::string words = {};
    int column = 1;
};

constexpr std::array<std::string_view, 35> keywords{
    "False",  "None",     "True", "and",    "as",   "assert", "async",  "await",   "break", "class",  "continue", "def",
    "del",    "elif",     "else", "except", "for",  "from",   "global", "finally", "if",    "import", "in",       "is",
    "lambda", "nonlocal", "not",  "or",     "pass", "raise",  "return", "try",     "while", "with",   "yield"};
// The longer ones first.
constexpr std::array<std::string_view, 26> signs{"**", "//", "==", "!=", "<=", ">=", "<<", ">>", "+",
                                                 "-",  "*",  "/",  "%",  "<",  ">",  "(",  ")",  "[",
                                                 "]",  ",",  "&",  "|",  "^",  "~",  "=",  "."};

class scanner {
public:
    explicit scanner(const std::string& text) : text_(text) {}

    std::vector<token> tokens()
    {
        if (text_.size() > longest_text) throw error("a Python expression is longer than 256 KiB", "shorten it");
        std::vector<token> result;
        for (skip_blanks(); at_ < text_.size(); skip_blanks()) result.push_back(one());
        result.push_back({token::kind::end, "", static_cast<int>(at_) + 1});
        return result;
    }

private:
    token one()
    {
        const int column = static_cast<int>(at_) + 1;
        const char c = text_[at_];
        if (is_letter(c)) {
            const std::size_t begin = at_;
            while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
            std::string word = text_.substr(begin, at_ - begin);
            const bool keyword = std::find(keywords.begin(), keywords.end(), word) != keywords.end();
            if (at_ < text_.size() && (text_[at_] == '"' || text_[at_] == '\''))
                refuse(column, "strings with a prefix are not supported");
            return {keyword ? token::kind::keyword : token::kind::name, std::move(word), column};
        }
        if (is_digit(c) || (c == '.' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))) {
            const std::size_t begin = at_;
            const bool hexadecimal = text_.compare(at_, 2, "0x") == 0 || text_.compare(at_, 2, "0X") == 0;
            while (at_ < text_.size()) {
                const char d = text_[at_];
                const bool sign = (d == '+' || d == '-') && !hexadecimal && at_ > begin &&
                                  (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E');
                if (!is_letter(d) && !is_digit(d) && d != '.' && !sign) break;
                ++at_;
            }
            return {token::kind::number, text_.substr(begin, at_ - begin), column};
        }
        if (c == '"' || c == '\'') return quoted(c, column);
        for (const std::string_view sign : signs)
            if (text_.compare(at_, sign.size(), sign) == 0) {
                at_ += sign.size();
                return {token::kind::sign, std::string(sign), column};
            }
        refuse(column, c > ' ' && c < 0x7f ? std::string(1, c) + " is not allowed in an expression"
                                           : "a character is not allowed in an expression");
    }

    token quoted(char quote, int column)
    {
        if (text_.compare(at_, 3, std::string(3, quote)) == 0)
            refuse(column, "strings in three quotes are not supported");
        std::string words;
        for (++at_; at_ < text_.size() && text_[at_] != quote; ++at_) {
            char c = text_[at_];
            if (c == '\n') break;
            if (c == '\\') {
                constexpr std::string_view known = "\\'\"nt", meant = "\\'\"\n\t";
                const std::size_t which = at_ + 1 < text_.size() ? known.find(text_[at_ + 1]) : std::string::npos;
                if (which == std::string::npos) refuse(static_cast<int>(at_) + 1, "this \\ is not supported");
                c = meant[which];
                ++at_;
            }
            words += c;
        }
        if (at_ >= text_.size() || text_[at_] != quote) refuse(column, "a quote is not closed");
        ++at_;
        return {token::kind::text, std::move(words), column};
    }

    void skip_blanks()
    {
        while (at_ < text_.size() &&
               (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n' || text_[at_] == '\r'))
            ++at_;
    }

    [[noreturn]] void refuse(int column, const std::string& what) const
    {
        throw error(what + " (" + python_place(text_, column) + ")", subset_hint);
    }

    const std::string& text_;
    std::size_t at_ = 0;
};

class parser {
public:
    explicit parser(const std::string& text) : text_(text), tokens_(scanner(text).tokens()) {}

    python_node whole_text()
    {
        if (now().what == token::kind::end) refuse("the expression is empty");
        python_node node = with_commas();
        if (now().what != token::kind::end) refuse("unexpected " + shown(now()));
        return node;
    }

private:
    // a, b without brackets is a tuple.
    python_node with_commas()
    {
        const int column = now().column;
        python_node first = expression();
        if (!is_sign(",")) return first;
        python_node tuple{.what = kind::tuple, .column = column};
        tuple.parts.push_back(std::move(first));
        while (take_sign(",")) {
            if (now().what == token::kind::end || is_sign(")")) break;
            tuple.parts.push_back(expression());
        }
        return made(std::move(tuple));
    }

    python_node expression()
    {
        const deeper guard(*this);
        python_node value = disjunction();
        if (!is_keyword("if")) return value;
        python_node choice{.what = kind::choice, .column = next().column};
        choice.parts.push_back(std::move(value));
        choice.parts.push_back(disjunction());
        if (!is_keyword("else")) refuse("`a if c` needs `else b`");
        next();
        choice.parts.push_back(expression());
        return made(std::move(choice));
    }

    python_node disjunction()
    {
        return joined("or", [this] { return joined("and", [this] { return negation(); }); });
    }

    template <class Part>
    python_node joined(const char* word, const Part& part)
    {
        python_node first = part();
        if (!is_keyword(word)) return first;
        python_node logic{.what = kind::logic, .word = word, .column = now().column};
        logic.parts.push_back(std::move(first));
        while (is_keyword(word)) {
            next();
            logic.parts.push_back(part());
        }
        return made(std::move(logic));
    }

    python_node negation()
    {
        const deeper guard(*this);
        if (!is_keyword("not")) return comparison();
        python_node node{.what = kind::unary, .word = "not", .column = next().column};
        node.parts.push_back(negation());
        return made(std::move(node));
    }

    python_node comparison()
    {
        python_node first = binary(0);
        python_node chain{.what = kind::comparison, .column = now().column};
        for (std::string sign = comparison_sign(); !sign.empty(); sign = comparison_sign()) {
            if (chain.parts.empty()) chain.parts.push_back(std::move(first));
            chain.signs.push_back(std::move(sign));
            chain.parts.push_back(binary(0));
        }
        return chain.signs.empty() ? std::move(first) : made(std::move(chain));
    }

    std::string comparison_sign()
    {
        if (is_keyword("is")) refuse("`is` is not supported; == compares");
        if (is_keyword("in")) return next().words;
        if (is_keyword("not")) {
            next();
            if (!is_keyword("in")) refuse("`not` stands before a value, or in `not in`");
            next();
            return "not in";
        }
        for (const char* sign : {"==", "!=", "<=", ">=", "<", ">"})
            if (take_sign(sign)) return sign;
        return {};
    }

    python_node binary(std::size_t level)
    {
        static const std::vector<std::vector<std::string>> levels{{"|"},        {"^"},      {"&"},
                                                                  {"<<", ">>"}, {"+", "-"}, {"*", "//", "/", "%"}};
        if (level == levels.size()) return signed_value();
        python_node left = binary(level + 1);
        while (now().what == token::kind::sign &&
               std::find(levels[level].begin(), levels[level].end(), now().words) != levels[level].end()) {
            python_node node{.what = kind::binary, .word = now().words, .column = now().column};
            next();
            node.parts.push_back(std::move(left));
            node.parts.push_back(binary(level + 1));
            left = made(std::move(node));
        }
        return left;
    }

    python_node signed_value()
    {
        const deeper guard(*this);
        for (const char* sign : {"+", "-", "~"})
            if (is_sign(sign)) {
                python_node node{.what = kind::unary, .word = sign, .column = next().column};
                node.parts.push_back(signed_value());
                return made(std::move(node));
            }
        python_node base = element();
        if (!is_sign("**")) return base;
        python_node node{.what = kind::binary, .word = "**", .column = next().column};
        node.parts.push_back(std::move(base));
        node.parts.push_back(signed_value());
        return made(std::move(node));
    }

    python_node element()
    {
        python_node value = atom();
        for (;;) {
            if (is_sign(".")) refuse("modules and methods are not supported");
            if (is_sign("(")) refuse("only functions with a name can be called");
            if (!is_sign("[")) return value;
            python_node node{.what = kind::element, .column = next().column};
            node.parts.push_back(std::move(value));
            node.parts.push_back(expression());
            close("]");
            value = made(std::move(node));
        }
    }

    python_node atom()
    {
        const token first = next();
        python_node node{.column = first.column};
        switch (first.what) {
            case token::kind::number:
                return number(first);
            case token::kind::text: {
                std::string words = first.words;
                while (now().what == token::kind::text) words += next().words;  // "a" "b" is "ab"
                node.literal = std::move(words);
                return node;
            }
            case token::kind::name:
                node.word = first.words;
                if (is_sign("(")) return call(std::move(node));
                node.what = kind::name;
                return node;
            case token::kind::keyword:
                if (first.words == "True" || first.words == "False") node.literal = first.words == "True";
                if (first.words == "True" || first.words == "False" || first.words == "None") return node;
                break;
            case token::kind::sign:
                if (first.words == "[") return listed(first.column);
                if (first.words == "(") return bracketed(first.column);
                break;
            case token::kind::end:
                break;
        }
        --at_;
        refuse("unexpected " + shown(first));
    }

    python_node number(const token& of) const
    {
        python_node node{.column = of.column};
        std::string digits = of.words;
        const bool underscores_right =
            digits.front() != '_' && digits.back() != '_' && digits.find("__") == std::string::npos;
        if (underscores_right) digits.erase(std::remove(digits.begin(), digits.end(), '_'), digits.end());
        const char* end = digits.data() + digits.size();
        int base = 10;
        const char* begin = digits.data();
        if (digits.size() > 2 && digits[0] == '0')
            for (const auto& [letters, of_base] : {std::pair("xX", 16), std::pair("oO", 8), std::pair("bB", 2)})
                if (digits[1] == letters[0] || digits[1] == letters[1]) base = of_base;
        if (base != 10) begin += 2;
        std::int64_t integer = 0;
        const auto [integer_end, integer_failure] = std::from_chars(begin, end, integer, base);
        // Python has no 007.
        const bool zeros_before =
            base == 10 && digits.size() > 1 && digits[0] == '0' && digits.find_first_not_of('0') != std::string::npos;
        if (integer_end == end && *begin != '-') {
            if (integer_failure == std::errc::result_out_of_range)
                throw error("the number " + of.words.substr(0, 40) + " does not fit in 64 bits", "write a smaller one");
            if (integer_failure == std::errc() && !zeros_before) {
                node.literal = integer;
                return node;
            }
        }
        double number = 0;
        const auto [number_end, number_failure] = std::from_chars(digits.data(), end, number);
        const bool has_point = digits.find_first_of(".eE") != std::string::npos;
        if (base != 10 || number_end != end || number_failure != std::errc() || !has_point)
            throw error(of.words.substr(0, 40) + " is not a number (" + python_place(text_, of.column) + ")",
                        subset_hint);
        node.literal = number;
        return node;
    }

    python_node listed(int column)
    {
        python_node list{.what = kind::list, .column = column};
        if (take_sign("]")) return list;
        list.parts.push_back(expression());
        if (is_keyword("for")) return comprehension(std::move(list), "]");
        while (take_sign(",") && !is_sign("]")) list.parts.push_back(expression());
        close("]");
        return made(std::move(list));
    }

    python_node bracketed(int column)
    {
        python_node tuple{.what = kind::tuple, .column = column};
        if (take_sign(")")) return tuple;
        python_node inside = with_commas();
        if (is_keyword("for")) refuse("a comprehension in round brackets is only supported as a function's argument");
        close(")");
        return inside;
    }

    python_node comprehension(python_node list, const char* end)
    {
        list.what = kind::comprehension;
        while (is_keyword("for")) {
            next();
            python_node::loop loop;
            const bool brackets = take_sign("(");
            do {
                if (now().what != token::kind::name) refuse("`for` needs a name");
                loop.targets.push_back(next().words);
            } while (take_sign(","));
            if (brackets) close(")");
            if (!is_keyword("in")) refuse("`for` needs `in`");
            next();
            loop.iterable = list.parts.size();
            list.parts.push_back(disjunction());
            while (is_keyword("if")) {
                next();
                loop.conditions.push_back(list.parts.size());
                list.parts.push_back(disjunction());
            }
            list.loops.push_back(std::move(loop));
        }
        close(end);
        return made(std::move(list));
    }

    python_node call(python_node node)
    {
        node.what = kind::call;
        next();
        while (!is_sign(")")) {
            const int column = now().column;
            python_node argument = expression();
            if (is_sign("=")) refuse("named arguments are not supported");
            if (node.parts.empty() && is_keyword("for")) {
                python_node list{.column = column};
                list.parts.push_back(std::move(argument));
                node.parts.push_back(comprehension(std::move(list), ")"));
                return made(std::move(node));
            }
            node.parts.push_back(std::move(argument));
            if (!take_sign(",")) break;
        }
        close(")");
        return made(std::move(node));
    }

    [[nodiscard]] const token& now() const { return tokens_[at_]; }
    token next() { return tokens_[at_ + 1 < tokens_.size() ? at_++ : at_]; }
    [[nodiscard]] bool is_sign(std::string_view sign) const
    {
        return now().what == token::kind::sign && now().words == sign;
    }
    [[nodiscard]] bool is_keyword(std::string_view word) const
    {
        return now().what == token::kind::keyword && now().words == word;
    }
    bool take_sign(std::string_view sign)
    {
        if (!is_sign(sign)) return false;
        next();
        return true;
    }
    void close(const char* bracket)
    {
        if (!take_sign(bracket)) refuse(std::string(bracket) + " expected, but there is " + shown(now()));
    }

    static std::string shown(const token& of)
    {
        if (of.what == token::kind::end) return "end";
        return of.what == token::kind::text ? "string" : "'" + of.words.substr(0, 40) + "'";
    }

    python_node made(python_node node) const
    {
        for (const python_node& part : node.parts) node.depth = std::max(node.depth, part.depth + 1);
        if (node.depth > deepest) too_deep();
        return node;
    }

    struct deeper {
        explicit deeper(parser& of) : depth(of.depth_)
        {
            if (++depth > deepest) of.too_deep();
        }
        ~deeper() { --depth; }
        deeper(const deeper&) = delete;
        deeper& operator=(const deeper&) = delete;
        int& depth;
    };

    [[noreturn]] void too_deep() const
    {
        throw error("the expression is nested too deeply (" + python_place(text_, now().column) + ")", "split it");
    }

    [[noreturn]] void refuse(const std::string& what) const
    {
        throw error(what + " (" + python_place(text_, now().column) + ")", subset_hint);
    }

    const std::string& text_;
    const std::vector<token> tokens_;
    std::size_t at_ = 0;
    int depth_ = 0;
};

}  // namespace

python_node read_python(const std::string& text)
{
    return parser(text).whole_text();
}

std::string python_place(const std::string& text, int column)
{
    constexpr std::size_t shown = 60;
    return "column " + std::to_string(column) + " of '" + text.substr(0, shown) + (text.size() > shown ? "...'" : "'");
}

}  // namespace launchbox
