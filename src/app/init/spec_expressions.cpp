// SPDX-License-Identifier: Apache-2.0
#include "app/init/spec_expressions.hpp"

#include <algorithm>
#include <charconv>
#include <utility>

#include "source/source_statements.hpp"
#include "support/error.hpp"
#include "support/text/ascii.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

namespace {

// Precedence of Lua's operators.
constexpr int of_or = 1, of_and = 2, of_comparison = 3, of_bits = 4, of_shift = 7, of_sum = 9, of_product = 10,
              of_sign = 11, of_name = 12;
constexpr int deepest = 40;
constexpr std::size_t max_steps = 2'000;
constexpr std::size_t longest = 400;  // characters of a readable expression

struct operation {
    std::string_view sign;
    int order;  // precedence in C++
    int strength;
    std::string_view lua;
};
constexpr std::array operations = std::to_array<operation>({{"||", 1, of_or, "or"},
                                                            {"&&", 2, of_and, "and"},
                                                            {"|", 3, of_bits, "|"},
                                                            {"^", 4, of_bits + 1, "~"},
                                                            {"&", 5, of_bits + 2, "&"},
                                                            {"==", 6, of_comparison, "=="},
                                                            {"!=", 6, of_comparison, "~="},
                                                            {"<=", 7, of_comparison, "<="},
                                                            {">=", 7, of_comparison, ">="},
                                                            {"<", 7, of_comparison, "<"},
                                                            {">", 7, of_comparison, ">"},
                                                            {"<<", 8, of_shift, "<<"},
                                                            {"+", 9, of_sum, "+"},
                                                            {"-", 9, of_sum, "-"},
                                                            {"*", 10, of_product, "*"},
                                                            {"/", 10, of_product, "//"},
                                                            {"%", 10, of_product, "%"}});

bool is_word_of_type(const source_token& word)
{
    return word.is_any({"int",      "long",     "short",     "char",    "unsigned", "signed", "float",   "double",
                        "bool",     "const",    "size_t",    "uint",    "std",      "::",     "int32_t", "int64_t",
                        "uint32_t", "uint64_t", "ptrdiff_t", "ssize_t", "ulong",    "ushort", "auto"});
}

bool is_floating(const source_token& word)
{
    return word.is("float") || word.is("double");
}

// iDivUp, ceil_div, CEIL_DIV, cdiv, div_up: every project has one, often in another file.
bool is_ceil_div(std::string_view name)
{
    const std::string plain = plain_name(name);
    for (const std::string_view known : {"CEILDIV", "CDIV", "DIVUP", "IDIVUP", "DIVCEIL", "CEILINGDIV", "DIVROUNDUP",
                                         "ROUNDDIVUP", "DIVIDEROUNDUP", "UPDIV", "CEILDIVIDE"})
        if (plain == known) return true;
    return false;
}

}  // namespace

std::string plain_name(std::string_view name)
{
    std::string plain;
    for (const char c : name)
        if (c != '_') plain += to_upper(c);
    return plain;
}

struct spec_expressions::piece {
    std::string text;
    int strength = of_name;
    bool is_truth = false, is_fraction = false;
    std::optional<std::int64_t> number = {};
    std::string above = {}, below = {};  // of a quotient

    [[nodiscard]] std::string within(int least) const { return strength < least ? "(" + text + ")" : text; }
    [[nodiscard]] std::string truth() const { return is_truth ? text : within(of_shift) + " ~= 0"; }
};

class spec_expressions::parser {
public:
    using bindings = std::map<std::string_view, piece>;

    parser(spec_expressions& of, const placed_words& expression, const bindings* bound, int depth)
        : of_(of), tokens_(expression.words), seen_from_(expression.at), bound_(bound), depth_(depth)
    {
    }

    std::optional<piece> all()
    {
        if (tokens_.empty() || depth_ > deepest || ++of_.steps_ > max_steps) return std::nullopt;
        if (const auto meant = of_.places.find(tokens_[0].text.data()); meant != of_.places.end())
            return piece{.text = meant->second};
        std::optional<piece> found = conditional();
        if (at_ != tokens_.size() || !found || found->text.size() > longest) return std::nullopt;
        return found;
    }

private:
    using maybe = std::optional<piece>;

    [[nodiscard]] bool next_is(std::string_view word) const { return at_ < tokens_.size() && tokens_[at_].is(word); }

    maybe conditional()
    {
        if (++nested_ > 4 * deepest) return std::nullopt;
        maybe condition = binary(0);
        if (!condition || !next_is("?")) return condition;
        ++at_;
        const maybe yes = conditional();
        if (!yes || !next_is(":")) return std::nullopt;
        ++at_;
        const maybe no = conditional();
        if (!no) return std::nullopt;
        if (condition->number) return *condition->number != 0 ? yes : no;
        const std::string asked = condition->is_truth ? condition->within(of_and) : condition->truth();
        return piece{.text = asked + " and " + yes->within(of_comparison) + " or " + no->within(of_and),
                     .strength = of_or,
                     .is_fraction = yes->is_fraction || no->is_fraction};
    }

    // The lexer gives >, << and <= as one token each; >> as two that touch.
    [[nodiscard]] std::pair<operation, std::size_t> operation_here() const
    {
        if (at_ + 1 < tokens_.size() && tokens_[at_].is(">") && tokens_[at_ + 1].is(">") &&
            tokens_[at_].end == tokens_[at_ + 1].begin)
            return {{">>", 8, of_shift, ">>"}, 2};
        for (const operation& one : operations)
            if (tokens_[at_].is(one.sign)) return {one, 1};
        return {};
    }

    maybe binary(int order)
    {
        if (++nested_ > deepest) return std::nullopt;
        maybe value = unary();
        while (value && at_ < tokens_.size()) {
            const auto [found, length] = operation_here();
            if (length == 0 || found.order <= order) break;
            at_ += length;
            const maybe other = binary(found.order);
            if (!other) return std::nullopt;
            value = applied(found, *value, *other);
        }
        --nested_;
        return value;
    }

    static std::optional<std::int64_t> folded(std::string_view sign, std::int64_t a, std::int64_t b)
    {
        std::int64_t result = 0;
        if (sign == "+") return __builtin_add_overflow(a, b, &result) ? std::nullopt : std::optional(result);
        if (sign == "-") return __builtin_sub_overflow(a, b, &result) ? std::nullopt : std::optional(result);
        if (sign == "*") return __builtin_mul_overflow(a, b, &result) ? std::nullopt : std::optional(result);
        if (a < 0 || b <= 0) return std::nullopt;
        if (sign == "/") return a / b;
        if (sign == "%") return a % b;
        if (sign == "<<") return b < 40 && a < (std::int64_t{1} << 20) ? std::optional(a << b) : std::nullopt;
        if (sign == ">>") return b < 63 ? std::optional(a >> b) : std::nullopt;
        return std::nullopt;
    }

    maybe applied(const operation& what, const piece& a, const piece& b)
    {
        const bool fraction = a.is_fraction || b.is_fraction;
        if (a.number && b.number && !fraction)
            if (const auto value = folded(what.sign, *a.number, *b.number)) return number(*value);
        if (what.sign == "/") return quotient(a, b);
        if (what.sign == "*" && a.number == 1) return b;
        if (what.sign == "*" && b.number == 1) return a;
        if (fraction && what.strength < of_sum && what.strength > of_comparison) return std::nullopt;
        const bool logical = what.strength == of_or || what.strength == of_and;
        const bool comparison = what.strength == of_comparison;
        const auto side = [&](const piece& one, int least) {
            if (logical && !one.is_truth) return "(" + one.truth() + ")";
            return one.within(least);
        };
        // Lua compares a boolean only with a boolean.
        if (comparison && a.is_truth != b.is_truth) return std::nullopt;
        if (!logical && !comparison && (a.is_truth || b.is_truth)) return std::nullopt;
        return piece{.text = side(a, what.strength) + " " + std::string(what.lua) + " " + side(b, what.strength + 1),
                     .strength = what.strength,
                     .is_truth = logical || comparison,
                     .is_fraction = fraction};
    }

    maybe quotient(const piece& a, const piece& b)
    {
        if (a.is_truth || b.is_truth || b.number == 0) return std::nullopt;
        if (b.number == 1) return a;
        if (a.is_fraction || b.is_fraction)
            return piece{.text = a.within(of_product) + " / " + b.within(of_product + 1),
                         .strength = of_product,
                         .is_fraction = true,
                         .above = a.text,
                         .below = b.text};
        const std::string in_sum = b.within(of_product);
        std::vector<std::string> ends{" + " + in_sum + " - 1", " + (" + in_sum + " - 1)", " - 1 + " + in_sum};
        if (b.number) ends.push_back(" + " + std::to_string(*b.number - 1));
        for (const std::string& end : ends)
            if (a.strength == of_sum && a.text.ends_with(end))
                return ceil_div(a.text.substr(0, a.text.size() - end.size()), b.text);
        of_.quotients_.emplace_back(a.within(of_product), b.within(of_product + 1));
        return piece{.text = a.within(of_product) + " // " + b.within(of_product + 1), .strength = of_product};
    }

    static piece ceil_div(const std::string& a, const std::string& b)
    {
        return piece{.text = "ceil_div(" + a + ", " + b + ")"};
    }

    [[nodiscard]] piece number(std::int64_t value) const
    {
        if (of_.literal && value == of_.literal->first) return piece{.text = of_.literal->second};
        if (of_.literal && value == of_.literal->first - 1 && value > 1)
            return piece{.text = of_.literal->second + " - 1", .strength = of_sum};
        return piece{.text = std::to_string(value), .strength = value < 0 ? of_sign : of_name, .number = value};
    }

    maybe unary()
    {
        if (at_ == tokens_.size() || ++nested_ > 4 * deepest) return std::nullopt;
        const source_token& token = tokens_[at_];
        if (token.is("+") || token.is("-")) {
            ++at_;
            maybe value = unary();
            if (!value || token.is("+")) return value;
            if (value->number && !value->is_fraction) return number(-*value->number);
            return piece{
                .text = "-" + value->within(of_sign + 1), .strength = of_sign, .is_fraction = value->is_fraction};
        }
        if (token.is("!")) {
            ++at_;
            const maybe value = unary();
            if (!value) return std::nullopt;
            return piece{.text = "not (" + value->truth() + ")", .strength = of_sign, .is_truth = true};
        }
        if (token.is("(")) return in_brackets();
        if (token.kind == source_token_kind::number) return read_number();
        if (token.is("sizeof")) return read_sizeof();
        if (token.is_any({"true", "false"})) {
            ++at_;
            return piece{.text = std::string(token.text), .is_truth = true};
        }
        if (token.kind == source_token_kind::identifier || token.is("::")) return read_name();
        return std::nullopt;
    }

    maybe in_brackets()
    {
        const std::size_t end = closing_bracket(tokens_, at_);
        if (end >= tokens_.size()) return std::nullopt;
        const token_span inside = tokens_.subspan(at_ + 1, end - at_ - 1);
        const bool is_cast = !inside.empty() && end + 1 < tokens_.size() &&
                             std::ranges::all_of(inside, is_word_of_type) && !tokens_[end + 1].is_any({"+", "*", "/"});
        at_ = end + 1;
        if (!is_cast) return nested({inside, seen_from_});
        maybe value = unary();
        if (value) value->is_fraction |= std::ranges::any_of(inside, is_floating);
        return value;
    }

    maybe nested(const placed_words& words) { return parser(of_, words, bound_, depth_ + 1).all(); }

    maybe read_number()
    {
        std::string text(tokens_[at_++].text);
        std::erase(text, '\'');
        const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
        const bool fraction = !hexadecimal && text.find_first_of(".eE") != std::string::npos;
        if (fraction) {
            while (!text.empty() && std::string_view("fFlL").find(text.back()) != std::string_view::npos)
                text.pop_back();
            if (text.ends_with('.')) text += '0';
            if (text.starts_with('.')) text.insert(0, "0");
            return piece{.text = text, .is_fraction = true};
        }
        while (!text.empty() && std::string_view("uUlLzZ").find(text.back()) != std::string_view::npos) text.pop_back();
        int base = 10;
        std::size_t begin = 0;
        if (hexadecimal) base = 16, begin = 2;
        if (text.starts_with("0b") || text.starts_with("0B")) base = 2, begin = 2;
        if (base == 10 && text.size() > 1 && text[0] == '0') base = 8;
        std::int64_t value = 0;
        const auto [end, wrong] = std::from_chars(text.data() + begin, text.data() + text.size(), value, base);
        if (wrong != std::errc() || end != text.data() + text.size()) return std::nullopt;
        return number(value);
    }

    maybe read_sizeof()
    {
        const std::size_t begin = ++at_;
        if (!next_is("(")) return std::nullopt;
        const std::size_t end = closing_bracket(tokens_, begin);
        if (end >= tokens_.size()) return std::nullopt;
        at_ = end + 1;
        const token_span inside = tokens_.subspan(begin + 1, end - begin - 1);
        if (const auto bytes = of_.view_.values.size_of(inside, seen_from_, of_.instance)) return bytes_of(*bytes);
        std::string name;
        for (const source_token& word : inside) name += (name.empty() ? "" : " ") + std::string(word.text);
        if (const auto meant = of_.instance.find(name); meant != of_.instance.end()) name = meant->second;
        try {
            return bytes_of(element_type_of(name).bytes);
        } catch (const error&) {
            return std::nullopt;
        }
    }

    // In sizes, 256 means 256, whatever the block.
    static piece bytes_of(std::int64_t bytes) { return piece{.text = std::to_string(bytes), .number = bytes}; }

    maybe read_name()
    {
        std::size_t first = at_, last = at_;
        while (at_ < tokens_.size()) {
            if (tokens_[at_].kind == source_token_kind::identifier)
                last = at_++;
            else
                return std::nullopt;
            if (!next_is("::")) break;
            ++at_;
        }
        const std::string_view name = tokens_[last].text;
        if (name == "static_cast" && next_is("<")) {
            const std::size_t end = closing_bracket(tokens_, at_);
            if (end + 1 >= tokens_.size() || !tokens_[end + 1].is("(")) return std::nullopt;
            const bool fraction = std::ranges::any_of(tokens_.subspan(at_, end - at_), is_floating);
            at_ = end + 1;
            maybe value = in_brackets();
            if (value) value->is_fraction |= fraction;
            return value;
        }
        if (next_is("<")) {  // arguments of a function's template
            const std::size_t end = closing_bracket(tokens_, at_);
            if (end + 1 < tokens_.size() && tokens_[end + 1].is("(")) at_ = end + 1;
        }
        if (next_is("(")) return call(name);
        if (next_is("{") && is_word_of_type(tokens_[last])) {  // size_t{n}
            const std::size_t end = closing_bracket(tokens_, at_);
            if (end >= tokens_.size()) return std::nullopt;
            const token_span inside = tokens_.subspan(at_ + 1, end - at_ - 1);
            at_ = end + 1;
            maybe value = nested({inside, seen_from_});
            if (value) value->is_fraction |= is_floating(tokens_[last]);
            return value;
        }
        if (next_is(".")) return member(name);
        if (next_is("[") || next_is("->")) return std::nullopt;
        if (bound_ != nullptr && first == last)
            if (const auto known = bound_->find(name); known != bound_->end()) return known->second;
        return value_of(name, tokens_.subspan(first, last - first + 1));
    }

    maybe value_of(std::string_view name, token_span qualified)
    {
        of_.followed_.emplace(name);
        if (const auto known = of_.names.find(name); known != of_.names.end()) return piece{.text = known->second};
        const std::optional<source_declaration> found = qualified.size() == 1
                                                            ? of_.view_.names.find(name, seen_from_)
                                                            : of_.view_.names.find(qualified, seen_from_);
        if (found) {
            if (const auto words = value_words(*found, name))
                if (maybe value = parser(of_, *words, nullptr, depth_ + 1).all()) return value;
            if (const auto value = of_.view_.values.integer(qualified, seen_from_, of_.instance)) return number(*value);
        }
        if (const auto meant = of_.alike.find(plain_name(name)); meant != of_.alike.end())
            return piece{.text = meant->second};
        if (!of_.unknown) return std::nullopt;
        std::string whole;  // x128::size means nothing without its class
        for (const source_token& word : qualified) whole += word.is("::") ? "_" : std::string(word.text);
        const std::string meant = of_.unknown(whole);
        if (qualified.size() > 1) of_.names.emplace(name, meant);
        return piece{.text = meant};
    }

    [[nodiscard]] std::optional<placed_words> value_words(const source_declaration& found, std::string_view name) const
    {
        if (found.kind == declared_as::macro) return placed_words{found.value, seen_from_};
        if (found.kind != declared_as::variable || found.is_array) return std::nullopt;
        if (const auto object = of_.view_.values.state_of(name, seen_from_)) {
            const auto value = of_.view_.values.member_of(*object, "", 0);
            if (value && !value->words.empty()) return placed_words{value->words, value->at};
            return std::nullopt;
        }
        if (found.is_constant && found.form != 0) return placed_words{found.value, found.name};
        return std::nullopt;
    }

    // A member of an extent: block.x.
    maybe member(std::string_view name)
    {
        if (at_ + 1 >= tokens_.size()) return std::nullopt;
        const std::string_view part = tokens_[at_ + 1].text;
        at_ += 2;
        const std::size_t axis = std::string_view("xyz").find(part);
        const std::string whole = std::string(name) + "." + std::string(part);
        if (const auto known = of_.names.find(whole); known != of_.names.end()) return piece{.text = known->second};
        if (part.size() == 1 && axis != std::string_view::npos) {
            const source_token word{.text = name, .kind = source_token_kind::identifier};
            const auto declared = of_.view_.names.find(name, seen_from_);
            const bool is_variable = declared && declared->kind == declared_as::variable;
            const extent_words parts = is_variable ? of_.extent(token_span(&word, 1), seen_from_) : extent_words{};
            if (parts.is_known) {
                if (parts.parts[axis].words.empty()) return number(1);
                return parser(of_, parts.parts[axis], nullptr, depth_ + 1).all();
            }
        }
        if (next_is("(") || next_is(".") || next_is("[") || !of_.unknown) return std::nullopt;
        return piece{.text = of_.unknown(whole)};
    }

    maybe call(std::string_view name)
    {
        const std::size_t end = closing_bracket(tokens_, at_);
        if (end >= tokens_.size()) return std::nullopt;
        const std::vector<token_span> given = split_at_commas(tokens_.subspan(at_ + 1, end - at_ - 1));
        at_ = end + 1;
        std::vector<piece> arguments;
        for (const token_span& words : given) {
            maybe one = nested({words, seen_from_});
            if (!one) return std::nullopt;
            arguments.push_back(*std::move(one));
        }
        const source_token word{.text = name};
        if (arguments.size() == 1 && is_word_of_type(word)) {
            arguments[0].is_fraction |= is_floating(word);
            return arguments[0];
        }
        const bool two = arguments.size() == 2;
        if (two && (name == "min" || name == "max" || name == "MIN" || name == "MAX"))
            return piece{.text = std::string(name == "min" || name == "MIN" ? "min(" : "max(") + arguments[0].text +
                                 ", " + arguments[1].text + ")"};
        if (arguments.size() == 1 && (name == "ceil" || name == "ceilf") && !arguments[0].above.empty()) {
            std::string& below = arguments[0].below;
            if (below.ends_with(".0")) below.resize(below.size() - 2);
            return ceil_div(arguments[0].above, below);
        }
        if (maybe value = macro(name, arguments)) return value;
        if (maybe value = function(name, arguments)) return value;
        if (two && is_ceil_div(name)) return ceil_div(arguments[0].text, arguments[1].text);
        return std::nullopt;
    }

    maybe macro(std::string_view name, const std::vector<piece>& arguments)
    {
        for (const source_directive& directive : of_.view_.source.directives) {
            const std::vector<source_token>& tokens = directive.tokens;
            if (directive.name != "define" || tokens.size() < 4 || !tokens[0].is(name) || !tokens[1].is("(")) continue;
            const std::size_t close = closing_bracket(tokens, 1);
            if (close >= tokens.size()) continue;
            const std::vector<token_span> parameters = split_at_commas(token_span(tokens).subspan(2, close - 2));
            if (parameters.size() != arguments.size()) return std::nullopt;
            bindings bound;
            for (std::size_t i = 0; i < parameters.size(); ++i)
                if (!parameters[i].empty()) bound[parameters[i][0].text] = arguments[i];
            return parser(of_, {token_span(tokens).subspan(close + 1), seen_from_}, &bound, depth_ + 1).all();
        }
        return std::nullopt;
    }

    // Only the form { return a + b; }.
    maybe function(std::string_view name, const std::vector<piece>& arguments)
    {
        const std::vector<source_token>& tokens = of_.view_.source.tokens;
        for (const source_scope& scope : of_.view_.scopes.scopes) {
            if (scope.name != name || scope.open + 2 >= scope.close || scope.close > tokens.size() ||
                !tokens[scope.open + 1].is("return") || !tokens[scope.close - 1].is(";"))
                continue;
            std::size_t open = scope.head;
            while (open < scope.open && !(tokens[open].is(name) && tokens[open + 1].is("("))) ++open;
            if (open++ == scope.open) continue;
            const std::size_t close = closing_bracket(tokens, open);
            if (close >= scope.open) continue;
            const std::vector<token_span> parameters =
                split_at_commas(token_span(tokens).subspan(open + 1, close - open - 1));
            if (parameters.size() != arguments.size()) continue;
            bindings bound;
            for (std::size_t i = 0; i < parameters.size(); ++i)
                if (!parameters[i].empty()) bound[parameters[i].back().text] = arguments[i];
            const std::size_t first = scope.open + 2;
            return parser(of_, {token_span(tokens).subspan(first, scope.close - 1 - first), first}, &bound, depth_ + 1)
                .all();
        }
        return std::nullopt;
    }

    spec_expressions& of_;
    token_span tokens_;
    std::size_t at_ = 0;
    const std::size_t seen_from_;
    const bindings* bound_;
    const int depth_;
    int nested_ = 0;
};

std::optional<std::string> spec_expressions::text(const placed_words& expression)
{
    steps_ = 0;
    const std::optional<piece> found = parser(*this, expression, nullptr, 0).all();
    if (!found || found->is_truth) return std::nullopt;
    return found->text;
}

extent_words spec_expressions::extent(token_span words, std::size_t at) const
{
    extent_words found;
    for (int steps = 0; steps < deepest; ++steps) {
        while (words.size() > 2 && words[0].is("(") && closing_bracket(words, 0) == words.size() - 1)
            words = words.subspan(1, words.size() - 2);
        if (words.empty()) return found;
        if (words[0].is("::")) words = words.subspan(1);
        const bool named = words[0].is("dim3");
        const std::size_t open = named ? 1 : 0;
        if (open < words.size() && words[open].is_any({"(", "{"}) && (named || words[open].is("{")) &&
            closing_bracket(words, open) == words.size() - 1) {
            const std::vector<token_span> parts = split_at_commas(words.subspan(open + 1, words.size() - open - 2));
            if (parts.size() > 3) return found;
            if (parts.size() == 1 && parts[0].size() == 1 && parts[0][0].kind == source_token_kind::identifier) {
                words = parts[0];  // dim3(block): may be a dim3 again
                continue;
            }
            for (std::size_t i = 0; i < parts.size(); ++i) found.parts[i] = {parts[i], at};
            found.is_known = true;
            return found;
        }
        const auto declared = words.size() == 1 ? view_.names.find(words[0].text, at) : std::nullopt;
        const bool is_typed_extent =
            declared && (has_word(declared->type, "dim3") || has_word(declared->type, "uint3"));
        if (is_typed_extent && declared->kind != declared_as::variable) return found;  // its caller knows
        const bool is_extent =
            declared && declared->kind == declared_as::variable &&
            (has_word(declared->type, "dim3") || has_word(declared->type, "auto") || has_word(declared->type, "uint3"));
        if (!is_extent || names.contains(words[0].text)) {
            found.parts[0] = {words, at};
            found.is_known = true;
            return found;
        }
        const auto object = view_.values.state_of(words[0].text, at);
        if (object && !object->doubtful.empty()) return found;
        if (!object && !declared->is_constant) return found;
        if (object && !object->assigned.empty() && object->assigned.back().path.empty()) {
            words = object->assigned.back().value;
            at = object->assigned.back().at;
            continue;
        }
        if (declared->form == '=') {
            if (object && !object->assigned.empty()) return found;
            words = declared->value;
            at = declared->name;
            continue;
        }
        const std::vector<token_span> parts = split_at_commas(declared->value);
        if (parts.size() > 3) return found;
        for (std::size_t i = 0; i < parts.size(); ++i) found.parts[i] = {parts[i], declared->name};
        if (object)
            for (const object_state::assignment& one : object->assigned) {
                const std::size_t axis = std::string_view("xyz").find(one.path);
                if (one.path.size() != 1 || axis == std::string_view::npos) return found;
                found.parts[axis] = {one.value, one.at};
            }
        found.is_known = !found.parts[0].words.empty();
        return found;
    }
    return found;
}

}  // namespace launchbox
