// Sizes of types as CUDA's compilers lay them out: C++ types, CUDA's vectors, and structs of those.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include "source/source_statements.hpp"
#include "source/source_values.hpp"

namespace launchbox {

namespace {

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
    if (type.size() != 1) return std::nullopt;
    const auto found = names_.find(type[0].text, at);
    if (!found || found->kind != declared_as::variable || found->is_array || has_word(found->type, "auto"))
        return std::nullopt;
    const std::optional<type_layout> own = layout_of(found->type, found->name, instance, 0);
    return own ? std::optional<std::int64_t>(own->bytes) : std::nullopt;
}

std::optional<type_layout> source_values::layout_of(token_span type, std::size_t at, const template_values& instance,
                                                    int depth) const
{
    constexpr int deepest = 8;
    constexpr std::int64_t largest = std::int64_t{1} << 31;
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
        if (!count || *count < 0 || *count > largest || !one || one->bytes > largest) return std::nullopt;
        return type_layout{*count * one->bytes, one->alignment};
    }
    if (const auto integral = integer_type_named(words)) return type_layout{integral->bytes, integral->bytes};
    if (words.size() != 1) return std::nullopt;
    const std::string_view name = words[0].text;
    // Declarations in the text take precedence over CUDA's types.
    if (const auto bound = instance.find(name); bound != instance.end()) {
        const source_text text = read_source_text(bound->second);
        return layout_of(token_span(text.tokens), at, {}, depth + 1);
    }
    if (const auto own = names_.type_named(name)) return layout_of_struct(*own, instance, depth);
    if (const token_span other = names_.alias(name); !other.empty()) return layout_of(other, at, instance, depth + 1);
    if (!names_.find(name, at)) {
        for (const named_layout& known : scalars)
            if (name == known.name) return known.layout;
        return vector_layout(name);
    }
    return std::nullopt;
}

// Only for structs that contain nothing but variables.
std::optional<type_layout> source_values::layout_of_struct(int number, const template_values& instance, int depth) const
{
    const source_scope& scope = *names_.scope(number);
    const token_span head = names_.head_of(scope);
    const std::vector<source_token>& tokens = names_.text().tokens;
    if (has_word(head, "enum") && !has_word(head, ":")) return type_layout{4, 4};
    for (const std::string_view other : {"enum", "union", ":", "alignas", "__align__", "__attribute__", "template"})
        if (has_word(head, other)) return std::nullopt;
    type_layout layout{0, 1};
    for (std::size_t at = scope.open + 1; at < scope.close;) {
        const std::vector<declarator> variables = declarators(tokens, at);
        std::size_t end = at;
        while (end < scope.close && !tokens[end].is(";")) {
            if (tokens[end].is_any({"(", "{", ":", "&", "&&", "virtual", "alignas", "__align__"})) return std::nullopt;
            ++end;
        }
        if (variables.empty() || end == scope.close || tokens[at].branch >= 0) return std::nullopt;
        for (const declarator& one : variables) {
            if (has_word(one.type, "static")) continue;
            // The type, including the parts at the name: * before and [n] after it.
            std::vector<source_token> words(one.type.begin(), one.type.end());
            for (std::size_t i = one.name; i > at && tokens[i - 1].is("*"); --i) words.push_back(tokens[i - 1]);
            for (std::size_t i = one.name + 1; i < end && tokens[i].is("[");) {
                const std::size_t close = closing_bracket(tokens, i);
                if (close >= end) return std::nullopt;
                words.insert(words.end(), tokens.begin() + static_cast<std::ptrdiff_t>(i),
                             tokens.begin() + static_cast<std::ptrdiff_t>(close) + 1);
                i = close + 1;
            }
            const auto own = layout_of(words, at, instance, depth + 1);
            if (!own) return std::nullopt;
            layout.bytes = (layout.bytes + own->alignment - 1) / own->alignment * own->alignment + own->bytes;
            layout.alignment = std::max(layout.alignment, own->alignment);
        }
        at = end + 1;
    }
    layout.bytes = (layout.bytes + layout.alignment - 1) / layout.alignment * layout.alignment;
    return layout.bytes == 0 ? type_layout{1, 1} : layout;
}

}  // namespace launchbox
