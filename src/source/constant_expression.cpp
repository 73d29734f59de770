// SPDX-License-Identifier: Apache-2.0
#include "source/constant_expression.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "support/text/typed_number.hpp"

namespace launchbox {

namespace {

using number = std::optional<std::int64_t>;

constexpr std::size_t longest_list = 200;  // tokens between brackets; no expression of a launch is longer

// Values in launches are small; larger ones count as unknown, so that no operation overflows.
number within_reason(std::int64_t value)
{
    constexpr std::int64_t most = std::int64_t{1} << 32;
    return value >= -most && value <= most ? number(value) : std::nullopt;
}

number integer(std::string_view token)
{
    std::string digits(token);
    std::erase(digits, '\'');
    digits.erase(digits.find_last_not_of("uUlLzZ") + 1);
    const number value = read_c_integer(digits);
    return value ? within_reason(*value) : std::nullopt;
}

// 'x'; not '\n' and '\xe9', whose value depends on the signedness of char or on a table.
number character(std::string_view token)
{
    const bool plain = token.size() == 3 && token.front() == '\'' && token.back() == '\'' && token[1] != '\\';
    return plain && static_cast<unsigned char>(token[1]) < 0x80 ? number(static_cast<std::int64_t>(token[1]))
                                                                : std::nullopt;
}

struct operation {
    std::string_view sign;
    int strength = 0;  // 1: lowest precedence
};
constexpr std::array<operation, 18> operations{{{"||", 1},
                                                {"&&", 2},
                                                {"|", 3},
                                                {"^", 4},
                                                {"&", 5},
                                                {"==", 6},
                                                {"!=", 6},
                                                {"<", 7},
                                                {">", 7},
                                                {"<=", 7},
                                                {">=", 7},
                                                {"<<", 8},
                                                {">>", 8},
                                                {"+", 9},
                                                {"-", 9},
                                                {"*", 10},
                                                {"/", 10},
                                                {"%", 10}}};

number apply(std::string_view sign, number a, number b)
{
    if (sign == "&&" && ((a && *a == 0) || (b && *b == 0))) return 0;
    if (sign == "||" && ((a && *a != 0) || (b && *b != 0))) return 1;
    if (!a || !b) return std::nullopt;
    if (sign == "&&" || sign == "||") return sign == "&&" ? 1 : 0;
    if (sign == "==") return *a == *b;
    if (sign == "!=") return *a != *b;
    if (sign == "<") return *a < *b;
    if (sign == ">") return *a > *b;
    if (sign == "<=") return *a <= *b;
    if (sign == ">=") return *a >= *b;
    if (sign == "|") return *a | *b;
    if (sign == "^") return *a ^ *b;
    if (sign == "&") return *a & *b;
    if (sign == "+") return within_reason(*a + *b);
    if (sign == "-") return within_reason(*a - *b);
    if (sign == "*") {
        std::int64_t product = 0;
        return __builtin_mul_overflow(*a, *b, &product) ? std::nullopt : within_reason(product);
    }
    if (sign == "<<") return *b >= 0 && *b < 31 && *a >= 0 ? within_reason(*a << *b) : std::nullopt;
    if (sign == ">>") return *b >= 0 && *b < 63 && *a >= 0 ? number(*a >> *b) : std::nullopt;
    if (*b == 0) return std::nullopt;
    return sign == "/" ? *a / *b : *a % *b;
}

bool are_adjacent(const source_token& a, const source_token& b)
{
    return a.end == b.begin;
}

class expression_reader {
public:
    expression_reader(token_span tokens, const expression_names& names) : tokens_(tokens), names_(names) {}
    number read()
    {
        const number value = conditional(0);
        return at_ == tokens_.size() && understood_ ? value : std::nullopt;
    }

private:
    static constexpr int deepest = 64;

    [[nodiscard]] bool next_is(std::string_view word) const { return at_ < tokens_.size() && tokens_[at_].is(word); }
    number fail()
    {
        understood_ = false;
        at_ = tokens_.size();
        return std::nullopt;
    }

    number conditional(int depth)
    {
        const number condition = binary(1, depth);
        if (at_ < tokens_.size() && depth <= deepest) {
            const auto [update, length] = operation_here();
            if (update != nullptr && is_update(length)) {  // threads *= 2
                at_ += length + (tokens_[at_ + length - 1].is(">=") ? 0 : 1);
                return apply(update->sign, condition, conditional(depth + 1));
            }
        }
        if (!next_is("?")) return condition;
        if (depth > deepest) return fail();
        ++at_;
        const number yes = conditional(depth + 1);
        if (!next_is(":")) return fail();
        ++at_;
        const number no = conditional(depth + 1);
        if (!condition) return yes == no ? yes : std::nullopt;
        return *condition != 0 ? yes : no;
    }

    // The operator at this place, and its number of tokens; null if there is none.
    [[nodiscard]] std::pair<const operation*, std::size_t> operation_here() const
    {
        std::string_view sign = tokens_[at_].text;
        std::size_t length = 1;
        // In template arguments >> is two tokens, so the lexer always makes two; and >>= is > and >=.
        if (sign == ">" && at_ + 1 < tokens_.size() && tokens_[at_ + 1].is_any({">", ">="}) &&
            are_adjacent(tokens_[at_], tokens_[at_ + 1]))
            sign = ">>", length = 2;
        const auto found = std::ranges::find(operations, sign, &operation::sign);
        return {found == operations.end() ? nullptr : &*found, length};
    }

    // Whether the operator here, of so many tokens, is one of *= += <<= and the like.
    [[nodiscard]] bool is_update(std::size_t length) const
    {
        const std::size_t last = at_ + length - 1;
        return tokens_[last].is(">=") ? length == 2
                                      : last + 1 < tokens_.size() && tokens_[last + 1].is("=") &&
                                            are_adjacent(tokens_[last], tokens_[last + 1]);
    }

    number binary(int strength, int depth)
    {
        number value = unary(depth);
        while (at_ < tokens_.size()) {
            const auto [found, length] = operation_here();
            if (found == nullptr || found->strength < strength || is_update(length)) break;
            at_ += length;
            value = apply(found->sign, value, binary(found->strength + 1, depth));
        }
        return value;
    }

    number unary(int depth)
    {
        if (at_ == tokens_.size() || depth > deepest) return fail();
        const source_token& token = tokens_[at_];
        for (const std::string_view sign : {"!", "-", "+", "~"})
            if (token.is(sign)) {
                ++at_;
                const number value = unary(depth + 1);
                if (!value) return std::nullopt;
                return sign == "!" ? number(*value == 0) : sign == "-" ? -*value : sign == "~" ? ~*value : *value;
            }
        if (token.is_any({"++", "--"})) {
            ++at_;
            const number value = unary(depth + 1);
            return apply(token.text.substr(1), value, 1);
        }
        if (token.is("(")) return in_brackets(depth);
        if (token.kind == source_token_kind::number) {
            ++at_;
            return integer(token.text);
        }
        if (token.kind == source_token_kind::text) {
            ++at_;
            return character(token.text);
        }
        if (token.is("sizeof")) return read_sizeof();
        if (token.is("defined") && names_.defined) return read_defined();
        if (token.kind == source_token_kind::identifier || token.is("::")) return read_name(depth);
        return fail();
    }

    // (a + b), or a cast.
    number in_brackets(int depth)
    {
        const std::size_t end = closing_bracket(tokens_, at_);
        if (end == tokens_.size()) return fail();
        if (const auto type = integer_type_named(tokens_.subspan(at_ + 1, end - at_ - 1))) {
            at_ = end + 1;
            return type->holds(unary(depth + 1));
        }
        ++at_;
        const number value = conditional(depth + 1);
        if (!next_is(")")) return fail();
        ++at_;
        return value;
    }

    number read_sizeof()
    {
        ++at_;
        const std::size_t begin = at_;
        if (next_is(".")) return fail();  // of a parameter pack
        if (next_is("(")) {
            const std::size_t end = closing_bracket(tokens_, at_);
            if (end == tokens_.size()) return fail();
            at_ = end + 1;
            const token_span inside = tokens_.subspan(begin + 1, end - begin - 1);
            return names_.size_of ? names_.size_of(inside) : std::nullopt;
        }
        at_ = end_of_name(begin);
        if (at_ == begin) return fail();
        return names_.size_of ? names_.size_of(tokens_.subspan(begin, at_ - begin)) : std::nullopt;
    }

    number read_defined()
    {
        ++at_;
        const bool bracket = next_is("(");
        if (bracket) ++at_;
        if (at_ == tokens_.size()) return fail();
        const std::optional<bool> is = names_.defined(tokens_[at_++].text);
        if (bracket && !next_is(")")) return fail();
        if (bracket) ++at_;
        return is ? number(*is) : std::nullopt;
    }

    // The position after a name such as a::b<c>::d.e[1].
    [[nodiscard]] std::size_t end_of_name(std::size_t at) const
    {
        bool wants_word = true;
        for (; at < tokens_.size(); ++at) {
            const source_token& token = tokens_[at];
            if (token.kind == source_token_kind::identifier) {
                if (!wants_word) break;
                wants_word = false;
            } else if (token.is("::") || token.is(".") || token.is("->")) {
                wants_word = true;
            } else if (token.is("[") || token.is("<")) {
                const std::size_t end = closing_bracket(tokens_, at);
                const bool belongs =
                    token.is("[") ||
                    (end + 1 < tokens_.size() &&
                     (tokens_[end + 1].is("::") || tokens_[end + 1].is("(") || tokens_[end + 1].is("{")));
                if (end == tokens_.size() || !belongs || wants_word) break;
                at = end;
            } else {
                break;
            }
        }
        return at;
    }

    number read_name(int depth)
    {
        const std::size_t begin = at_;
        at_ = end_of_name(begin);
        if (at_ == begin) return fail();
        // `unsigned int(3)` is also a cast, with a type of two words.
        while (at_ < tokens_.size() && tokens_[at_].kind == source_token_kind::identifier &&
               integer_type_named(tokens_.subspan(begin, at_ + 1 - begin)))
            ++at_;
        const token_span name = tokens_.subspan(begin, at_ - begin);
        if (!next_is("(") && !next_is("{")) {
            if (name.size() == 1 && name[0].is("true")) return 1;
            if (name.size() == 1 && name[0].is("false")) return 0;
            return names_.value ? names_.value(name) : std::nullopt;
        }
        const std::size_t end = closing_bracket(tokens_, at_);
        if (end == tokens_.size()) return fail();
        const std::vector<token_span> arguments = split_at_commas(tokens_.subspan(at_ + 1, end - at_ - 1));
        const bool is_call = next_is("(");
        at_ = end + 1;
        if (next_is(".") || next_is("->") || next_is("[") || next_is("::")) {  // the result of a function has no name
            at_ = end_of_name(at_);
            return std::nullopt;
        }
        return call(name, arguments, is_call, depth);
    }

    number call(token_span name, const std::vector<token_span>& arguments, bool is_call, int depth)
    {
        const auto argument = [&](std::size_t i) {
            return depth > deepest ? std::nullopt : evaluate_nested(arguments[i], depth);
        };
        if (const auto type = integer_type_named(name))
            return arguments.empty() ? number(0) : arguments.size() == 1 ? type->holds(argument(0)) : std::nullopt;
        if (!is_call) return std::nullopt;
        if (name.size() > 3 && name[0].is("static_cast") && name[1].is("<") && arguments.size() == 1) {
            const auto type = integer_type_named(name.subspan(2, name.size() - 3));
            return type ? type->holds(argument(0)) : std::nullopt;
        }
        const std::string_view last = word_before_arguments(name);
        const bool is_standard = name[0].is(last) || name[0].is("std") || name[0].is("::");
        if (is_standard && (last == "min" || last == "max") && arguments.size() == 2) {
            const number a = argument(0), b = argument(1);
            if (!a || !b) return std::nullopt;
            return last == "min" ? std::min(*a, *b) : std::max(*a, *b);
        }
        return names_.call ? names_.call(name, arguments) : std::nullopt;
    }

    [[nodiscard]] number evaluate_nested(token_span tokens, int depth) const
    {
        expression_reader inner(tokens, names_);
        const number value = inner.conditional(depth + 1);
        return inner.at_ == tokens.size() && inner.understood_ ? value : std::nullopt;
    }

    // "max" for std::max<int>.
    static std::string_view word_before_arguments(token_span name)
    {
        for (std::size_t i = 0; i < name.size(); ++i)
            if (name[i].kind == source_token_kind::identifier && (i + 1 == name.size() || name[i + 1].is("<")))
                return name[i].text;
        return {};
    }

    token_span tokens_;
    const expression_names& names_;
    std::size_t at_ = 0;
    bool understood_ = true;
};

bool is_qualifier(std::string_view word)
{
    constexpr std::array<std::string_view, 9> words{"const",  "constexpr", "static",   "inline",      "volatile",
                                                    "extern", "register",  "typename", "__constant__"};
    return std::ranges::find(words, word) != words.end();
}

struct named_integer {
    std::string_view name;
    integer_type type;
};
constexpr std::array<named_integer, 23> one_word_integers{
    {{"size_t", {8, false}},    {"ptrdiff_t", {8, true}},   {"ssize_t", {8, true}},    {"int8_t", {1, true}},
     {"uint8_t", {1, false}},   {"int16_t", {2, true}},     {"uint16_t", {2, false}},  {"int32_t", {4, true}},
     {"uint32_t", {4, false}},  {"int64_t", {8, true}},     {"uint64_t", {8, false}},  {"uchar", {1, false}},
     {"ushort", {2, false}},    {"uint", {4, false}},       {"ulong", {8, false}},     {"__int8", {1, true}},
     {"__int16", {2, true}},    {"__int32", {4, true}},     {"__int64", {8, true}},    {"intptr_t", {8, true}},
     {"uintptr_t", {8, false}}, {"cuuint32_t", {4, false}}, {"cuuint64_t", {8, false}}}};

}  // namespace

std::optional<std::int64_t> evaluate_constant(token_span tokens, const expression_names& names)
{
    return expression_reader(tokens, names).read();
}

std::optional<std::int64_t> integer_type::holds(std::optional<std::int64_t> value) const
{
    if (!value || bytes >= 8) return value && !is_signed && *value < 0 ? std::nullopt : value;
    const std::int64_t values = std::int64_t{1} << (8 * bytes);
    const std::int64_t least = is_signed ? -values / 2 : 0, most = is_signed ? values / 2 - 1 : values - 1;
    return *value >= least && *value <= most ? value : std::nullopt;
}

std::vector<source_token> without_qualifiers(token_span words)
{
    std::vector<source_token> rest;
    for (const source_token& word : words)
        if (!is_qualifier(word.text)) rest.push_back(word);
    return rest;
}

std::optional<integer_type> integer_type_named(token_span all)
{
    const std::vector<source_token> words = without_qualifiers(all);
    if (words.empty() || words.size() > 5) return std::nullopt;
    const bool standard = words.size() > 1 && (words[0].is("std") || words[0].is("::"));
    if (words.size() == 1 || standard) {
        const std::size_t skipped = words.size() == 1                         ? 0
                                    : words[0].is("::") && words[1].is("std") ? 3
                                                                              : 1 + words[0].is("std");
        if (words.size() == skipped + 1)
            for (const named_integer& known : one_word_integers)
                if (words.back().is(known.name)) return known.type;
        if (standard) return std::nullopt;
    }
    int longs = 0, others = 0;
    bool is_unsigned = false, is_short = false, is_char = false, is_bool = false, has_int = false, has_sign = false;
    for (const source_token& word : words) {
        if (word.is("long"))
            ++longs;
        else if (word.is("unsigned"))
            is_unsigned = true;
        else if (word.is("signed"))
            has_sign = true;
        else if (word.is("short"))
            is_short = true;
        else if (word.is("char"))
            is_char = true;
        else if (word.is("bool"))
            is_bool = true;
        else if (word.is("int"))
            has_int = true;
        else
            ++others;
    }
    if (others > 0 || !(longs > 0 || is_unsigned || is_short || is_char || is_bool || has_int || has_sign))
        return std::nullopt;
    if (is_bool) return words.size() == 1 ? std::optional(integer_type{1, false}) : std::nullopt;
    return integer_type{is_char ? 1 : is_short ? 2 : longs > 0 ? 8 : 4, !is_unsigned};
}

std::size_t closing_bracket(token_span tokens, std::size_t open)
{
    std::vector<std::string_view> waiting;
    const std::size_t limit = std::min(tokens.size(), open + longest_list);
    bool is_logical = false;  // the arguments have && or ||; or it is a comparison
    for (std::size_t i = open; i < limit; ++i) {
        const source_token& token = tokens[i];
        if (token.kind != source_token_kind::punctuation) continue;
        if (token.is("("))
            waiting.push_back(")");
        else if (token.is("["))
            waiting.push_back("]");
        else if (token.is("{"))
            waiting.push_back("}");
        else if (token.is("<") && (waiting.empty() || waiting.back() == ">"))
            waiting.push_back(">");
        else if (!waiting.empty() && token.is(waiting.back())) {
            waiting.pop_back();
            if (!waiting.empty()) continue;
            // No comparison ends here: &merge<sorted && even>;
            const bool ends = i + 1 >= tokens.size() || tokens[i + 1].is_any({";", ",", ")", "}", ">", "::", "<<<"});
            return is_logical && !ends ? tokens.size() : i;
        } else if (token.is(")") || token.is("]") || token.is("}") || token.is(";") || token.is("<<<")) {
            return tokens.size();
        } else if (token.is("&&") || token.is("||")) {
            is_logical |= !waiting.empty() && waiting.back() == ">";
        }
    }
    return tokens.size();
}

std::vector<token_span> split_at_commas(token_span tokens, bool types)
{
    std::vector<token_span> parts;
    if (tokens.empty()) return parts;
    std::size_t from = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        const source_token& token = tokens[i];
        if (token.is_any({"(", "[", "{"})) {
            const std::size_t end = closing_bracket(tokens, i);
            if (end == tokens.size()) break;
            i = end;
        } else if (token.is("<") && i > 0 && tokens[i - 1].kind == source_token_kind::identifier) {
            // Template arguments, if what follows them cannot be an operand.
            const std::size_t end = closing_bracket(tokens, i);
            if (end < tokens.size() &&
                (types || end + 1 == tokens.size() || tokens[end + 1].is_any({"::", "(", "{", ",", ":"})))
                i = end;
        } else if (token.is(",")) {
            parts.push_back(tokens.subspan(from, i - from));
            from = i + 1;
        }
    }
    parts.push_back(tokens.subspan(from));
    return parts;
}

}  // namespace launchbox
