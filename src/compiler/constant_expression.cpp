// SPDX-License-Identifier: Apache-2.0
#include "compiler/constant_expression.hpp"

#include <array>
#include <charconv>
#include <string>

namespace launchbox {

namespace {

using number = std::optional<std::int64_t>;

// Values of launches are small; what is beyond is not known, and so no operation overflows.
number within_reason(std::int64_t value)
{
    constexpr std::int64_t most = std::int64_t{1} << 31;
    return value >= -most && value <= most ? number(value) : std::nullopt;
}

number integer(std::string_view token)
{
    std::string digits;
    for (char c : token)
        if (c != '\'') digits += c;
    int base = 10;
    if (digits.starts_with("0x") || digits.starts_with("0X"))
        base = 16;
    else if (digits.starts_with("0b") || digits.starts_with("0B"))
        base = 2;
    else if (digits.size() > 1 && digits.front() == '0')
        base = 8;
    if (base == 16 || base == 2) digits.erase(0, 2);
    const std::size_t suffix = digits.find_last_not_of("uUlLzZ") + 1;
    digits.erase(suffix);
    std::int64_t value = 0;
    const char* last = digits.data() + digits.size();
    const auto [end, failure] = std::from_chars(digits.data(), last, value, base);
    return failure == std::errc{} && end == last && !digits.empty() ? within_reason(value) : std::nullopt;
}

struct operation {
    std::string_view sign;
    int strength = 0;  // 1: binds least
};
constexpr std::array<operation, 14> operations{{{"||", 1},
                                                {"&&", 2},
                                                {"|", 3},
                                                {"&", 4},
                                                {"==", 5},
                                                {"!=", 5},
                                                {"<", 6},
                                                {">", 6},
                                                {"<=", 6},
                                                {">=", 6},
                                                {"<<", 7},
                                                {"+", 8},
                                                {"-", 8},
                                                {"*", 9}}};

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
    if (sign == "&") return *a & *b;
    if (sign == "+") return within_reason(*a + *b);
    if (sign == "-") return within_reason(*a - *b);
    if (sign == "*") return within_reason(*a * *b);
    if (sign == "<<") return *b >= 0 && *b < 32 && *a >= 0 ? within_reason(*a << *b) : std::nullopt;
    if (*b == 0) return std::nullopt;
    return sign == "/" ? *a / *b : *a % *b;
}

class expression_reader {
public:
    expression_reader(std::span<const source_token> tokens, const expression_names& names)
        : tokens_(tokens), names_(names)
    {
    }
    number read()
    {
        const number value = binary(1, 0);
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

    number binary(int strength, int depth)
    {
        number value = unary(depth);
        while (at_ < tokens_.size()) {
            const std::string_view sign = tokens_[at_].text;
            int found = sign == "/" || sign == "%" ? 9 : 0;
            for (const operation& known : operations)
                if (known.sign == sign) found = known.strength;
            if (found < strength || found == 0) break;
            ++at_;
            value = apply(sign, value, binary(found + 1, depth));
        }
        return value;
    }

    number unary(int depth)
    {
        if (at_ == tokens_.size() || depth > deepest) return fail();
        const source_token& token = tokens_[at_++];
        if (token.is("!") || token.is("-") || token.is("+")) {
            const number value = unary(depth + 1);
            if (!value) return std::nullopt;
            return token.is("!") ? number(*value == 0) : token.is("-") ? -*value : *value;
        }
        if (token.is("(")) {
            const number value = binary(1, depth + 1);
            if (!next_is(")")) return fail();
            ++at_;
            return value;
        }
        if (token.kind == source_token_kind::number) return integer(token.text);
        if (token.kind != source_token_kind::identifier) return fail();
        if (token.is("defined") && names_.defined) return read_defined();
        if (next_is("(")) return skip_call();
        return token.is("true") ? 1 : token.is("false") ? 0 : names_.value(token.text);
    }

    number read_defined()
    {
        const bool bracket = next_is("(");
        if (bracket) ++at_;
        if (at_ == tokens_.size()) return fail();
        const std::optional<bool> is = names_.defined(tokens_[at_++].text);
        if (bracket && !next_is(")")) return fail();
        if (bracket) ++at_;
        return is ? number(*is) : std::nullopt;
    }

    // A macro or function with arguments: its value is not known, the rest may be.
    number skip_call()
    {
        int depth = 0;
        for (; at_ < tokens_.size(); ++at_) {
            if (next_is("(")) ++depth;
            if (next_is(")") && --depth == 0) {
                ++at_;
                return std::nullopt;
            }
        }
        return fail();
    }

    std::span<const source_token> tokens_;
    const expression_names& names_;
    std::size_t at_ = 0;
    bool understood_ = true;
};

}  // namespace

std::optional<std::int64_t> evaluate_constant(std::span<const source_token> tokens, const expression_names& names)
{
    return expression_reader(tokens, names).read();
}

}  // namespace launchbox
