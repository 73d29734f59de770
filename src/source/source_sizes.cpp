// Sizes of types as CUDA's compilers lay them out: C++ types, CUDA's vectors, and structs of those.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>
#include <utility>

#include "source/source_statements.hpp"
#include "source/source_values.hpp"

namespace launchbox {

namespace {

constexpr std::size_t longest_class = 4000;  // tokens
constexpr std::int64_t largest_type = std::int64_t{1} << 31;

struct named_layout {
    std::string_view name;
    type_layout layout;
};
constexpr named_layout scalars[] = {{"float", {4, 4}},
                                    {"double", {8, 8}},
                                    {"half", {2, 2}},
                                    {"__half", {2, 2}},
                                    {"half2", {4, 4}},
                                    {"__half2", {4, 4}},
                                    {"nv_bfloat16", {2, 2}},
                                    {"__nv_bfloat16", {2, 2}},
                                    {"nv_bfloat162", {4, 4}},
                                    {"__nv_bfloat162", {4, 4}},
                                    {"cuComplex", {8, 8}},
                                    {"cuFloatComplex", {8, 8}},
                                    {"cuDoubleComplex", {16, 16}},
                                    {"__nv_fp8_e4m3", {1, 1}},
                                    {"__nv_fp8_e5m2", {1, 1}},
                                    {"dim3", {12, 4}}};

// float4, uchar2, longlong2: vectors of 2 and 4 are aligned as a whole, up to 16 bytes.
std::optional<type_layout> vector_layout(std::string_view name)
{
    constexpr std::pair<std::string_view, int> elements[] = {
        {"char", 1}, {"uchar", 1}, {"short", 2},    {"ushort", 2},    {"int", 4},   {"uint", 4},
        {"long", 8}, {"ulong", 8}, {"longlong", 8}, {"ulonglong", 8}, {"float", 4}, {"double", 8}};
    if (name.empty() || name.back() < '1' || name.back() > '4') return std::nullopt;
    const int count = name.back() - '0';
    for (const auto& [element, bytes] : elements)
        if (name.substr(0, name.size() - 1) == element) {
            const int whole = count * bytes;
            return type_layout{whole, count == 3 ? bytes : std::min(whole, 16)};
        }
    return std::nullopt;
}

}  // namespace

std::optional<std::int64_t> source_values::size_of(token_span type, std::size_t at,
                                                   const template_values& instance) const
{
    const std::optional<type_layout> layout = layout_of(type, at, instance, 0);
    if (layout) return layout->bytes;
    // For a variable, the size of its type.
    const bool first_element = type.size() > 3 && type[1].is("[") && closing_bracket(type, 1) + 1 == type.size();
    if (type.size() != 1 && !first_element) return std::nullopt;
    const auto found = names_.find(type[0].text, at);
    if (!found || found->kind != declared_as::variable || has_word(found->type, "auto")) return std::nullopt;
    const std::optional<type_layout> own = layout_of(found->type, found->name, instance, 0);
    if (!own || !found->is_array) return own ? std::optional<std::int64_t>(own->bytes) : std::nullopt;
    // int sizes[2][3], int sizes[] = {1, 2}
    const token_span tokens = names_.text().tokens;
    std::int64_t bytes = own->bytes;
    std::size_t open = found->name + 1;
    for (bool skipped = false; open < tokens.size() && tokens[open].is("["); open = closing_bracket(tokens, open) + 1) {
        const std::size_t close = closing_bracket(tokens, open);
        if (close >= tokens.size()) return std::nullopt;
        if (std::exchange(skipped, true) == false && first_element) continue;
        const token_span words = tokens.subspan(open + 1, close - open - 1);
        auto count = words.empty() ? std::nullopt : integer(words, found->name, instance);
        if (words.empty() && found->form == '=' && found->value.size() > 2 && found->value[0].is("{")) {
            const std::vector<token_span> parts = split_at_commas(found->value.subspan(1, found->value.size() - 2));
            count = static_cast<std::int64_t>(parts.size()) - (parts.back().empty() ? 1 : 0);
        }
        if (!count || *count < 0 || *count > largest_type || bytes > largest_type) return std::nullopt;
        bytes *= *count;
    }
    return bytes;
}

std::optional<type_layout> source_values::layout_of(token_span type, std::size_t at, const template_values& instance,
                                                    int depth) const
{
    constexpr int deepest = 8;
    std::vector<source_token> words = without_qualifiers(type);
    std::erase_if(words, [](const source_token& word) { return word.is_any({"struct", "class", "union", "enum"}); });
    if (words.empty() || depth > deepest) return std::nullopt;
    if (words.back().is("*")) return type_layout{8, 8};
    if (words.back().is("]")) {
        // The first pair of brackets is the outermost: float[2][3] is two of float[3].
        const auto open = std::ranges::find_if(words, [](const source_token& word) { return word.is("["); });
        const auto begin = static_cast<std::size_t>(open - words.begin());
        const std::size_t end = closing_bracket(words, begin);
        if (begin == 0 || end == words.size()) return std::nullopt;
        const auto count = integer(token_span(words).subspan(begin + 1, end - begin - 1), at, instance);
        std::vector<source_token> element(words.begin(), open);
        element.insert(element.end(), words.begin() + static_cast<std::ptrdiff_t>(end) + 1, words.end());
        const auto one = layout_of(element, at, instance, depth + 1);
        if (!count || *count < 0 || *count > largest_type || !one || one->bytes > largest_type) return std::nullopt;
        return type_layout{*count * one->bytes, one->alignment};
    }
    if (const auto integral = integer_type_named(words)) return type_layout{integral->bytes, integral->bytes};
    if (words.size() > 1) {  // tile<float, 32>, typename Policy::storage
        const auto named = type_meant(words, at, instance);
        return named ? layout_of_struct(named->scope, named->arguments, depth) : std::nullopt;
    }
    const std::string_view name = words[0].text;
    // Declarations in the text take precedence over CUDA's types.
    if (const auto bound = instance.find(name); bound != instance.end()) {
        const source_text text = read_source_text(bound->second);
        return layout_of(token_span(text.tokens), at, {}, depth + 1);
    }
    if (const auto own = names_.type_named(name)) {
        if (has_word(names_.head_of(*names_.scope(*own)), "template")) return std::nullopt;
        return layout_of_struct(*own, instance, depth);
    }
    if (const token_span other = names_.alias(name); !other.empty()) return layout_of(other, at, instance, depth + 1);
    if (!names_.find(name, at)) {
        for (const named_layout& known : scalars)
            if (name == known.name) return known.layout;
        return vector_layout(name);
    }
    return std::nullopt;
}

// What `alignas(n)` and `__align__(n)` among the words ask for: 1 for none, `nullopt` if unknown. They are removed. The
// preprocessor turns the latter into __attribute__((aligned(n))).
std::optional<std::int64_t> source_values::take_alignment(std::vector<source_token>& words, std::size_t at,
                                                          const template_values& instance) const
{
    std::int64_t most = 1;
    for (std::size_t i = 0; i + 1 < words.size();) {
        const bool attribute = words[i].is("__attribute__");
        if (!(attribute || words[i].is_any({"alignas", "__align__"})) || !words[i + 1].is("(")) {
            ++i;
            continue;
        }
        const std::size_t close = closing_bracket(words, i + 1);
        if (close >= words.size()) return std::nullopt;
        token_span inside = token_span(words).subspan(i + 2, close - i - 2);
        if (attribute) {
            if (inside.size() < 6 || !inside[1].is_any({"aligned", "__aligned__"}) || !inside[2].is("("))
                return std::nullopt;
            if (closing_bracket(inside, 2) + 2 != inside.size()) return std::nullopt;
            inside = inside.subspan(3, inside.size() - 5);
        }
        const auto asked = integer(inside, at, instance);
        if (!asked || *asked < 1 || *asked > largest_type) return std::nullopt;
        most = std::max(most, *asked);
        words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                    words.begin() + static_cast<std::ptrdiff_t>(close) + 1);
    }
    return most;
}

// Only for classes without bases and virtual functions.
std::optional<type_layout> source_values::layout_of_struct(int number, const template_values& instance, int depth) const
{
    const source_scope& scope = *names_.scope(number);
    const token_span head = names_.head_of(scope);
    const std::vector<source_token>& tokens = names_.text().tokens;
    if (has_word(head, "enum") && !has_word(head, ":")) return type_layout{4, 4};
    if (has_word(head, "enum") || has_word(head, ":")) return std::nullopt;
    if (scope.close - scope.open > longest_class) return std::nullopt;
    const bool is_union = has_word(head, "union");
    std::vector<source_token> head_words(head.begin(), head.end());
    const auto asked = take_alignment(head_words, scope.open + 1, instance);
    if (!asked) return std::nullopt;
    type_layout layout{0, *asked};
    for (std::size_t at = scope.open + 1; at < scope.close;) {
        if (tokens[at].is_any({"public", "private", "protected"}) && tokens[at + 1].is(":")) at += 2;
        if (tokens[at].branch >= 0) return std::nullopt;
        const std::size_t first = at;
        const std::vector<declarator> variables = declarators(tokens, first);
        std::size_t end = first;
        bool is_function = false, has_value = false, has_braces = false, is_other = false;
        for (bool ends = false; at < scope.close && !ends; ++at) {
            const source_token& token = tokens[at];
            end = at;
            if (token.is("[") || (at + 1 < scope.close && tokens[at + 1].is("(") &&
                                  token.is_any({"alignas", "__align__", "__attribute__"}))) {
                at = std::min(closing_bracket(tokens, token.is("[") ? at : at + 1), scope.close);
                continue;
            }
            if (token.is("virtual")) return std::nullopt;
            is_other |= !is_function && !has_value && token.is_any({":", "&", "&&"});
            if (token.is("(") && at + 1 < scope.close && tokens[at + 1].is("*")) return std::nullopt;
            has_value |= token.is("=") && !tokens[at - 1].is("operator");
            is_function |= token.is("(") && !has_value;
            ends = token.is(";");
            if (!token.is("{")) continue;
            has_braces = true;
            at = names_.end_of_braces(at);
            ends = at + 1 >= scope.close || !tokens[at + 1].is_any({";", ","});
        }
        const bool type_alone = has_braces && tokens[first].is_any({"struct", "class", "union", "enum"}) &&
                                tokens[first + 1].kind == source_token_kind::identifier && tokens[at - 1].is(";");
        if (is_function || type_alone || tokens[first].is_any({"using", "typedef", "static_assert", "friend"}))
            continue;
        if (is_other || (variables.empty() && first < scope.close)) return std::nullopt;
        for (const declarator& one : variables) {
            if (has_word(one.type, "static")) continue;
            // The type, including the parts at the name: * before and [n] after it.
            std::vector<source_token> words(one.type.begin(), one.type.end());
            const auto own_alignment = take_alignment(words, first, instance);
            for (std::size_t i = one.name; i > first && tokens[i - 1].is("*"); --i) words.push_back(tokens[i - 1]);
            for (std::size_t i = one.name + 1; i < end && tokens[i].is("[");) {
                const std::size_t close = closing_bracket(tokens, i);
                if (close >= end) return std::nullopt;
                words.insert(words.end(), tokens.begin() + static_cast<std::ptrdiff_t>(i),
                             tokens.begin() + static_cast<std::ptrdiff_t>(close) + 1);
                i = close + 1;
            }
            auto own = layout_of(words, first, instance, depth + 1);
            if (!own || !own_alignment) return std::nullopt;
            own->alignment = std::max(own->alignment, *own_alignment);
            const std::int64_t begin =
                is_union ? 0 : (layout.bytes + own->alignment - 1) / own->alignment * own->alignment;
            layout.bytes = std::max(layout.bytes, begin + own->bytes);
            layout.alignment = std::max(layout.alignment, own->alignment);
        }
    }
    layout.bytes = (layout.bytes + layout.alignment - 1) / layout.alignment * layout.alignment;
    return layout.bytes == 0 ? type_layout{1, 1} : layout;
}

}  // namespace launchbox
