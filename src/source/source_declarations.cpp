// SPDX-License-Identifier: Apache-2.0
#include "source/source_declarations.hpp"

#include <algorithm>
#include <utility>

#include "source/source_statements.hpp"

namespace launchbox {

namespace {

bool is_enum(const source_declarations& names, const source_scope& scope)
{
    const token_span head = names.head_of(scope);  // within a function, its kind is that of the enclosing scope
    return has_word(head, "enum") && !has_word(head, "(");
}

// Enums whose enumerators are visible outside of their braces.
bool is_open_enum(const source_declarations& names, const source_scope& scope)
{
    const token_span head = names.head_of(scope);
    return is_enum(names, scope) && !has_word(head, "class") && !has_word(head, "struct");
}

// "tile" for `template <int n> struct alignas(16) tile : base`; a specialisation counts as another type of that name.
std::string_view name_of_type(token_span head)
{
    for (std::size_t i = 0; i + 1 < head.size(); ++i) {
        if (head[i].is("template") && head[i + 1].is("<")) {
            const std::size_t end = closing_bracket(head, i + 1);
            if (end < head.size()) i = end;
            continue;
        }
        if (!head[i].is_any({"struct", "class", "union", "enum"})) continue;
        for (++i; i < head.size(); ++i) {
            if (i + 1 < head.size() && head[i].is_any({"__attribute__", "alignas", "__align__", "__declspec"})) {
                i = closing_bracket(head, i + 1);
                continue;
            }
            if (head[i].is_any({"class", "struct"})) continue;
            if (head[i].kind == source_token_kind::identifier) return head[i].text;
        }
    }
    return {};
}

// Whether the tokens before and after a name make it a parameter.
bool looks_like_parameter(const std::vector<source_token>& tokens, std::size_t place)
{
    if (place == 0 || place + 1 >= tokens.size()) return false;
    const source_token &before = tokens[place - 1], &next = tokens[place + 1];
    const bool typed = (before.kind == source_token_kind::identifier && !is_word_of_statement(before)) ||
                       before.is_any({"*", "&", "&&", ">", "."});
    return typed && next.is_any({",", ")", "=", "["});
}

bool is_control_word(const source_token& token)
{
    return token.is_any({"if", "for", "while", "switch", "catch"});
}

// The beginning of the declaration of this name.
statement_begin begin_of_declaration(const std::vector<source_token>& tokens, std::size_t name)
{
    if (const auto bracket = function_pointer_at(tokens, name)) return begin_of_statement(tokens, *bracket);
    const statement_begin begin = begin_of_statement(tokens, name);
    const bool in_square = begin.bracket && tokens[*begin.bracket].is("[");  // auto [a, b]
    return in_square ? begin_of_statement(tokens, *begin.bracket) : begin;
}

// The words before the name of a parameter; empty for a reference or pointer.
token_span type_of_parameter(const std::vector<source_token>& tokens, std::size_t name)
{
    if (name + 1 < tokens.size() && tokens[name + 1].is("[")) return {};
    constexpr std::size_t longest = 60;
    std::size_t first = name;
    for (int depth = 0; first > 0 && name - first < longest; --first) {
        const source_token& before = tokens[first - 1];
        if (before.is(">")) ++depth;
        if (before.is("<")) --depth;
        if (before.is_any({"*", "&", "&&", ".", "[", "]", ")"})) return {};
        if (before.is("(") || (depth == 0 && before.is(","))) break;
    }
    return token_span(tokens).subspan(first, name - first);
}

}  // namespace

source_declarations::source_declarations(const source_text& text, const source_scopes& scopes)
    : text_(text), scopes_(scopes)
{
    for (std::size_t i = 0; i < text.tokens.size(); ++i)
        if (text.tokens[i].kind == source_token_kind::identifier) places_[text.tokens[i].text].push_back(i);
    for (std::size_t i = 0; i < text.directives.size(); ++i) {
        const source_directive& directive = text.directives[i];
        if ((directive.name == "define" || directive.name == "undef") && !directive.tokens.empty())
            directives_[directive.tokens.front().text].push_back(i);
    }
    for (std::size_t i = 0; i < scopes.scopes.size(); ++i)
        if (scopes.scopes[i].kind == scope_kind::type)
            types_[name_of_type(head_of(scopes.scopes[i]))].push_back(static_cast<int>(i));
}

const std::vector<std::size_t>& source_declarations::places(std::string_view name) const
{
    static const std::vector<std::size_t> none;
    const auto found = places_.find(name);
    return found == places_.end() ? none : found->second;
}

// A name may be used ten thousand times, and is declared at few places.
const std::vector<std::size_t>& source_declarations::declaring_places(std::string_view name) const
{
    const auto used = places_.find(name);
    if (used == places_.end()) return places(name);
    const auto [known, is_new] = declaring_.try_emplace(used->first);  // `name` may be of a text that ends earlier
    if (is_new)
        for (const std::size_t place : used->second)
            if (declared_at(place) || enumerator_at(place)) known->second.push_back(place);
    return known->second;
}

bool source_declarations::encloses(int outer, int inner) const
{
    while (inner >= 0 && inner != outer) inner = scope(inner)->outer;
    return inner == outer;
}

int source_declarations::function_of(std::size_t token) const
{
    int outermost = -1;
    for (int number = scope_of(token); number >= 0; number = scope(number)->outer)
        if (scope(number)->kind != scope_kind::file && scope(number)->kind != scope_kind::type) outermost = number;
    return outermost;
}

std::string source_declarations::namespace_of(int number) const
{
    std::string path;
    for (; number >= 0; number = scope(number)->outer) {
        const token_span head = head_of(*scope(number));
        if (scope(number)->kind != scope_kind::file || !has_word(head, "namespace") || has_word(head, "inline"))
            continue;
        std::string own;
        bool named = false;
        for (const source_token& word : head) {
            if (named && (word.kind == source_token_kind::identifier || word.is("::")) && !word.is("__attribute__"))
                own += word.text;
            named |= word.is("namespace");
        }
        if (!own.empty()) path = own + (path.empty() ? "" : "::" + path);
    }
    return path;
}

std::optional<source_declaration> source_declarations::macro(std::string_view name) const
{
    const auto found = directives_.find(name);
    if (found == directives_.end()) return std::nullopt;
    const source_directive& only = text_.directives[found->second.front()];
    const bool with_arguments =
        only.tokens.size() > 1 && only.tokens[1].is("(") && only.tokens[1].begin == only.tokens[0].end;
    if (found->second.size() > 1 || only.name != "define" || only.branch >= 0 || with_arguments)
        return source_declaration{};
    return source_declaration{.kind = declared_as::macro,
                              .scope = -1,
                              .type = {},
                              .value = token_span(only.tokens).subspan(1),
                              .form = '=',
                              .is_constant = true};
}

// As a declaration whose first word may be anywhere before it. One inside a branch of an #if may not exist.
std::optional<source_declaration> source_declarations::declared_at(std::size_t place) const
{
    const auto [known, is_new] = known_.try_emplace(place, std::nullopt);
    if (!is_new) return known->second;
    const std::vector<source_token>& tokens = text_.tokens;
    const statement_begin begin = begin_of_declaration(tokens, place);
    if (begin.bracket && (*begin.bracket == 0 || !is_control_word(tokens[*begin.bracket - 1]))) return std::nullopt;
    for (const declarator& one : declarators(tokens, begin.first)) {
        if (one.name != place) continue;
        source_declaration found{
            .kind = one.is_plain && tokens[place].branch < 0 ? declared_as::variable : declared_as::unknown,
            .name = place,
            .scope = scope_of(place),
            .type = one.type,
            .value = one.value,
            .form = one.form};
        found.is_array = one.is_array;
        found.is_function = one.is_function;
        found.is_constant = has_word(one.type, "const") || has_word(one.type, "constexpr");
        found.is_static = has_word(one.type, "static") || has_word(one.type, "constexpr");
        known_[place] = found;
        return found;
    }
    return std::nullopt;
}

std::optional<source_declaration> source_declarations::enumerator_at(std::size_t place) const
{
    const std::vector<source_token>& tokens = text_.tokens;
    if (place == 0 || place + 1 >= tokens.size()) return std::nullopt;
    if (!tokens[place - 1].is_any({"{", ","}) || !tokens[place + 1].is_any({"=", ",", "}"})) return std::nullopt;
    source_declaration found{.kind = tokens[place].branch < 0 ? declared_as::enumerator : declared_as::unknown,
                             .name = place,
                             .scope = scope_of(place),
                             .type = {},
                             .value = {},
                             .is_constant = true};
    if (tokens[place + 1].is("=")) {
        const std::size_t end = end_of_value(tokens, place + 2);
        found.form = '=';
        found.value = token_span(tokens).subspan(place + 2, end - place - 2);
    }
    return found;
}

// The last declaration before `at` in this block.
std::optional<source_declaration> source_declarations::in_block(std::string_view name, std::size_t at, int number) const
{
    const std::vector<std::size_t>& all = declaring_places(name);
    for (auto place = std::lower_bound(all.begin(), all.end(), at); place != all.begin();) {
        --place;
        const int around = scope_of(*place);
        if (*place < scope(number)->open) return std::nullopt;
        if (around >= 0 && scope(around)->outer == number && is_open_enum(*this, *scope(around)))
            if (auto found = enumerator_at(*place)) return found;
        if (around != number) continue;
        std::optional<source_declaration> found = declared_at(*place);
        if (!found) continue;
        // A variable in the head of a loop without braces ends with the next statement; for loops with braces, see
        // in_head.
        const statement_begin begin = begin_of_declaration(text_.tokens, *place);
        if (!begin.bracket) return found;
        std::size_t end = closing_bracket(text_.tokens, *begin.bracket) + 1;
        if (end < text_.tokens.size() && text_.tokens[end].is("{")) continue;
        while (end < text_.tokens.size() && !text_.tokens[end].is(";") && !text_.tokens[end].is("}")) ++end;
        if (at <= end) return found;
    }
    return std::nullopt;
}

// A parameter of the template or function, or a variable in the head of a loop.
std::optional<source_declaration> source_declarations::in_head(std::string_view name, int number) const
{
    const source_scope& own = *scope(number);
    const std::vector<source_token>& tokens = text_.tokens;
    const std::vector<std::size_t>& all = places(name);
    // Several templates may be nested, as for a member of a class.
    std::vector<std::pair<std::size_t, std::size_t>> lists;
    for (std::size_t i = own.head; i + 1 < own.open; ++i)
        if (tokens[i].is("template") && tokens[i + 1].is("<")) {
            const std::size_t end = closing_bracket(tokens, i + 1);
            lists.emplace_back(i + 1, end);
            if (end < own.open) i = end;
        }
    for (auto place = std::lower_bound(all.begin(), all.end(), own.head); place != all.end() && *place < own.open;
         ++place) {
        const source_token &before = tokens[*place - (*place > 0 ? 1 : 0)], &next = tokens[*place + 1];
        const bool in_list =
            std::ranges::any_of(lists, [&](const auto& list) { return *place > list.first && *place < list.second; });
        if (in_list) {
            const bool named = before.kind == source_token_kind::identifier || before.is_any({">", "*", "&"});
            if (before.is(".")) return source_declaration{.name = *place, .type = {}, .value = {}};
            if ((named && next.is_any({",", ">", "="})) || function_pointer_at(tokens, *place))
                return source_declaration{
                    .kind = declared_as::template_parameter, .name = *place, .scope = number, .type = {}, .value = {}};
            continue;
        }
        const statement_begin begin = begin_of_statement(tokens, *place);
        if (!begin.bracket) continue;
        const bool of_control = *begin.bracket > 0 && is_control_word(tokens[*begin.bracket - 1]);
        if (of_control) {
            if (std::optional<source_declaration> found = declared_at(*place)) {
                found->scope = number;
                return found;
            }
        } else if (tokens[*begin.bracket].is("[") ? next.is("=") && before.is_any({"[", ",", "&"})
                                                  : looks_like_parameter(tokens, *place)) {
            const bool is_parameter = !tokens[*begin.bracket].is("[");
            return source_declaration{.kind = is_parameter ? declared_as::parameter : declared_as::unknown,
                                      .name = *place,
                                      .scope = number,
                                      .type = is_parameter ? type_of_parameter(tokens, *place) : token_span{},
                                      .value = {}};
        }
    }
    return std::nullopt;
}

std::optional<source_declaration> source_declarations::in_class(std::string_view name, int number) const
{
    std::optional<source_declaration> only;
    for (const std::size_t place : declaring_places(name)) {
        const int around = scope_of(place);
        if (around < 0) continue;
        std::optional<source_declaration> found;
        if (around == number)
            found = is_enum(*this, *scope(number)) ? enumerator_at(place) : declared_at(place);
        else if (scope(around)->outer == number && is_open_enum(*this, *scope(around)))
            found = enumerator_at(place);
        if (!found) continue;
        // Each object has its own.
        if (found->kind == declared_as::variable && !(found->is_constant && found->is_static))
            found->kind = declared_as::unknown;
        if (only) return source_declaration{};
        only = found;
    }
    return only;
}

std::vector<source_declaration> source_declarations::in_namespaces(std::string_view name) const
{
    const auto is_outside = [&](int number) { return number < 0 || scope(number)->kind == scope_kind::file; };
    std::vector<source_declaration> all;
    for (const std::size_t place : declaring_places(name)) {
        const int around = scope_of(place);
        std::optional<source_declaration> found;
        if (is_outside(around))
            found = declared_at(place);
        else if (is_outside(scope(around)->outer) && is_open_enum(*this, *scope(around)))
            found = enumerator_at(place);
        if (found) all.push_back(*found);
    }
    return all;
}

namespace {

// One of several equivalent declarations; contradicting ones are unknown.
std::optional<source_declaration> agreed(const std::vector<source_declaration>& all)
{
    std::optional<source_declaration> only;
    for (const source_declaration& one : all) {
        if (one.kind == declared_as::variable && one.form == 0 && all.size() > 1) continue;  // extern
        const auto equal = [](const source_token& a, const source_token& b) { return a.text == b.text; };
        if (only && (only->kind != one.kind ||
                     !std::equal(only->value.begin(), only->value.end(), one.value.begin(), one.value.end(), equal) ||
                     one.kind == declared_as::enumerator))
            return source_declaration{};
        if (!only) only = one;
    }
    return only;
}

}  // namespace

std::optional<source_declaration> source_declarations::in_namespace(std::string_view name,
                                                                    const std::string& path) const
{
    std::vector<source_declaration> here;
    for (const source_declaration& one : in_namespaces(name))
        if (namespace_of(one.scope) == path) here.push_back(one);
    return agreed(here);
}

// Through a `using namespace`, or `using a::name`.
std::optional<source_declaration> source_declarations::anywhere(std::string_view name) const
{
    std::vector<source_declaration> reachable;
    for (const source_declaration& one : in_namespaces(name)) {
        const std::string path = namespace_of(one.scope);
        const std::string last = path.substr(path.rfind(':') == std::string::npos ? 0 : path.rfind(':') + 1);
        for (const std::size_t word : places("using")) {
            const auto is = [&](std::size_t i, std::string_view what) {
                return i < text_.tokens.size() && text_.tokens[i].is(what);
            };
            std::size_t end = word;
            while (end < text_.tokens.size() && end - word < 20 && !text_.tokens[end].is(";")) ++end;
            const bool whole = is(word + 1, "namespace") && is(end - 1, last);
            const bool single = end >= 3 && is(end - 1, name) && is(end - 3, last);
            if (!path.empty() && (whole || single)) {
                reachable.push_back(one);
                break;
            }
        }
    }
    return agreed(reachable);
}

std::optional<source_declaration> source_declarations::find(std::string_view name, std::size_t at) const
{
    if (auto found = macro(name)) return found;
    int number = scope_of(at);
    for (; number >= 0 && scope(number)->kind != scope_kind::file; number = scope(number)->outer) {
        const source_scope& around = *scope(number);
        if (auto found = around.kind == scope_kind::type ? in_class(name, number) : in_block(name, at, number))
            return found;
        if (auto found = in_head(name, number)) return found;
        // A member function defined outside of its class: `void tile::run() {`.
        const token_span head = head_of(around);
        for (std::size_t i = 0; i + 3 < head.size(); ++i)
            if (head[i].kind == source_token_kind::identifier && head[i + 1].is("::") && head[i + 2].is(around.name) &&
                head[i + 3].is("("))
                if (const std::optional<int> type = type_named(head[i].text))
                    if (auto found = in_class(name, *type)) return found;
    }
    for (std::string path = namespace_of(number);;) {
        if (auto found = in_namespace(name, path)) return found;
        if (path.empty()) break;
        const std::size_t colons = path.rfind("::");
        path.resize(colons == std::string::npos ? 0 : colons);
    }
    return anywhere(name);
}

std::optional<source_declaration> source_declarations::find(token_span name, std::size_t at) const
{
    if (!name.empty() && name.front().is("::")) {
        if (name.size() == 2) return in_namespace(name[1].text, "");
        name = name.subspan(1);
    }
    if (name.size() == 1) return find(name[0].text, at);
    for (std::size_t i = 0; i < name.size(); ++i)
        if (i % 2 == 0 ? name[i].kind != source_token_kind::identifier : !name[i].is("::")) return std::nullopt;
    if (name.size() < 3) return std::nullopt;
    const std::string_view last = name.back().text, owner = name[name.size() - 3].text;
    if (const std::optional<int> type = type_named(owner)) return in_class(last, *type);
    if (const token_span other = alias(owner); other.size() == 1)
        if (const std::optional<int> type = type_named(other[0].text)) return in_class(last, *type);
    std::vector<source_declaration> all;
    for (const source_declaration& one : in_namespaces(last)) {
        const std::string path = "::" + namespace_of(one.scope);
        if (path.ends_with("::" + std::string(owner))) all.push_back(one);
    }
    return agreed(all);
}

std::size_t source_declarations::end_of_braces(std::size_t open) const
{
    const auto found = std::ranges::lower_bound(scopes_.scopes, open, {}, &source_scope::open);
    return found != scopes_.scopes.end() && found->open == open ? found->close : open;
}

std::optional<source_declarations::member_variable> source_declarations::member_named(std::string_view name,
                                                                                      int number) const
{
    const source_scope& own = *scope(number);
    const std::vector<source_token>& tokens = text_.tokens;
    constexpr std::size_t longest_class = 2000;  // tokens
    const token_span head = head_of(own);
    const std::string_view class_name = name_of_type(head);
    if (own.close - own.open > longest_class) return std::nullopt;
    for (const std::string_view other : {"union", "enum", ":"})
        if (has_word(head, other)) return std::nullopt;
    for (const std::size_t place : places(class_name))
        if (own.holds(place) && scope_of(place) == number && place + 1 < tokens.size() && tokens[place + 1].is("("))
            return std::nullopt;  // a constructor
    std::size_t position = 0;
    std::optional<member_variable> found;
    for (std::size_t at = own.open + 1; at < own.close;) {
        if (tokens[at].is_any({"public", "private", "protected"}) && tokens[at + 1].is(":")) at += 2;
        const std::size_t first = at;
        const std::vector<declarator> variables = declarators(tokens, at);
        for (const declarator& one : variables) {
            if (tokens[one.name].branch >= 0) return std::nullopt;
            if (has_word(one.type, "static") || one.form == '(') continue;
            if (tokens[one.name].is(name)) {
                if (!one.is_plain) return std::nullopt;
                found = member_variable{position, one.name, one.type, one.value, one.form, one.is_array};
            }
            ++position;
        }
        // Past the statement; a function has no ; behind its body.
        bool has_brackets = false;
        for (bool ends = false; at < own.close && !ends; ++at) {
            ends = tokens[at].is(";");
            has_brackets |= tokens[at].is("(");
            if (!tokens[at].is("{")) continue;
            at = end_of_braces(at);
            ends = at + 1 >= own.close || !tokens[at + 1].is_any({";", ","});
        }
        const bool is_type = tokens[first].is_any({"struct", "class", "union", "enum"});
        const bool no_variable = has_brackets || is_type || tokens[first].is_any({"using", "typedef", "friend"});
        const bool aligned = tokens[first].is_any({"alignas", "__align__", "__attribute__"});
        const bool declares_too = is_type && !tokens[at - 1].is(";");  // struct {...} pair;
        if (first < own.close && ((variables.empty() && !no_variable) || aligned || declares_too)) return std::nullopt;
    }
    return found;
}

std::optional<int> source_declarations::type_named(std::string_view name) const
{
    const auto found = types_.find(name);
    return found == types_.end() || name.empty() || found->second.size() != 1 ? std::nullopt
                                                                              : std::optional(found->second.front());
}

token_span source_declarations::alias(std::string_view name) const
{
    const std::vector<source_token>& tokens = text_.tokens;
    token_span only;
    for (const std::size_t place : places(name)) {
        token_span found;
        if (place > 0 && tokens[place - 1].is("using") && place + 1 < tokens.size() && tokens[place + 1].is("=")) {
            const std::size_t end = end_of_value(tokens, place + 2);
            found = token_span(tokens).subspan(place + 2, end - place - 2);
        } else if (place + 1 < tokens.size() && tokens[place + 1].is(";")) {
            const std::size_t first = begin_of_statement(tokens, place).first;
            if (tokens[first].is("typedef") && place > first + 1)
                found = token_span(tokens).subspan(first + 1, place - first - 1);
        }
        if (found.empty()) continue;
        if (!only.empty()) return {};
        only = found;
    }
    return only;
}

bool is_lambda(const source_declarations& names, const source_scope& scope)
{
    const token_span head = names.head_of(scope);
    for (std::size_t i = head.size(); i-- > 0;) {
        if (!head[i].is("]")) continue;
        const bool ends = i + 1 == head.size() ||
                          head[i + 1].is_any({"(", "mutable", "__device__", "__host__", "__attribute__", "->"});
        const std::size_t open = opening_bracket(head, i, head.size());
        const bool subscript =
            open > 0 && (head[open - 1].kind == source_token_kind::identifier || head[open - 1].is_any({")", "]"})) &&
            !head[open - 1].is("return");
        if (ends && head[open].is("[") && !subscript) return true;
    }
    return false;
}

bool may_run_again(const source_declarations& names, const source_scope& scope)
{
    const token_span head = names.head_of(scope);
    return has_word(head, "for") || has_word(head, "while") || has_word(head, "do") || is_lambda(names, scope);
}

}  // namespace launchbox
