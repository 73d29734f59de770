// Finds what a name in C++ text was declared as, by the enclosing scopes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "source/constant_expression.hpp"
#include "source/source_scopes.hpp"
#include "source/source_tokens.hpp"

namespace launchbox {

enum class declared_as {
    macro,               ///< without arguments, defined once
    enumerator,          ///< `value` follows =; if empty, one more than the previous
    variable,            ///< also a constant
    template_parameter,  ///< of a function or class around the use
    parameter,           ///< of a function
    unknown              ///< a reference, a function, or contradicting declarations
};

struct source_declaration {
    declared_as kind = declared_as::unknown;
    std::size_t name = 0;  ///< token; unused for a macro
    int scope = -1;        ///< that contains it
    token_span type;       ///< words, including const; for a parameter only if passed by value
    token_span value;      ///< after =, or between the brackets of the initialiser
    char form = 0;         ///< '=', '(' or '{'; 0: no value
    bool is_constant = false, is_static = false, is_array = false;
    bool is_function = false;  ///< a pointer to a function

    friend bool same(const source_declaration& a, const source_declaration& b)
    {
        return a.kind == b.kind && a.name == b.name;
    }
};

/// `text` and `scopes` must outlive it.
class source_declarations {
public:
    source_declarations(const source_text& text, const source_scopes& scopes);

    /// What `name` means at this token; `nullopt` if no such name is visible there.
    [[nodiscard]] std::optional<source_declaration> find(std::string_view name, std::size_t at) const;

    /// The same for `cfg::T` and `tile::size`. Not for `tile<16>::size`.
    [[nodiscard]] std::optional<source_declaration> find(token_span name, std::size_t at) const;

    /// A member that this class declares itself.
    [[nodiscard]] std::optional<source_declaration> find_member(std::string_view name, int type) const
    {
        return in_class(name, type);
    }

    /// A variable of each object of a class that has neither bases nor constructors; its number among them.
    struct member_variable {
        std::size_t position = 0, name = 0;
        token_span type, value;
        char form = 0;  ///< of its own initialiser, as in a declaration
        bool is_array = false;
    };
    [[nodiscard]] std::optional<member_variable> member_named(std::string_view name, int type) const;

    /// The class or struct of this name; `nullopt` if there are none or several.
    [[nodiscard]] std::optional<int> type_named(std::string_view name) const;

    /// The type in `using name = ...` or `typedef ... name`, if there is exactly one; else empty.
    [[nodiscard]] token_span alias(std::string_view name) const;

    /// All tokens with this text, in order.
    [[nodiscard]] const std::vector<std::size_t>& places(std::string_view name) const;

    /// Whether the scopes are the same, or `outer` encloses `inner`. -1: the file, which encloses all.
    [[nodiscard]] bool encloses(int outer, int inner) const;

    /// "a::b" inside namespace a::b; anonymous namespaces are left out.
    [[nodiscard]] std::string namespace_of(int scope) const;

    [[nodiscard]] const source_text& text() const { return text_; }
    [[nodiscard]] const source_scopes& scopes() const { return scopes_; }
    [[nodiscard]] const source_scope* scope(int number) const
    {
        return number < 0 ? nullptr : &scopes_.scopes[static_cast<std::size_t>(number)];
    }
    [[nodiscard]] int scope_of(std::size_t token) const
    {
        return token < scopes_.of_token.size() ? scopes_.of_token[token] : -1;
    }
    /// The } that closes this {.
    [[nodiscard]] std::size_t end_of_braces(std::size_t open) const;
    /// The outermost function that contains a token; -1 if none.
    [[nodiscard]] int function_of(std::size_t token) const;
    [[nodiscard]] token_span head_of(const source_scope& scope) const
    {
        return token_span(text_.tokens).subspan(scope.head, scope.open - scope.head);
    }

private:
    [[nodiscard]] std::optional<source_declaration> macro(std::string_view name) const;
    [[nodiscard]] std::optional<source_declaration> in_block(std::string_view name, std::size_t at, int scope) const;
    [[nodiscard]] std::optional<source_declaration> in_head(std::string_view name, int scope) const;
    [[nodiscard]] std::optional<source_declaration> in_class(std::string_view name, int scope) const;
    [[nodiscard]] std::optional<source_declaration> in_namespace(std::string_view name, const std::string& path) const;
    [[nodiscard]] std::optional<source_declaration> anywhere(std::string_view name) const;
    [[nodiscard]] std::optional<source_declaration> declared_at(std::size_t place) const;
    [[nodiscard]] const std::vector<std::size_t>& declaring_places(std::string_view name) const;
    [[nodiscard]] std::optional<source_declaration> enumerator_at(std::size_t place) const;
    [[nodiscard]] std::vector<source_declaration> in_namespaces(std::string_view name) const;

    const source_text& text_;
    const source_scopes& scopes_;
    std::unordered_map<std::string_view, std::vector<std::size_t>> places_;
    std::unordered_map<std::string_view, std::vector<std::size_t>> directives_;  // #define and #undef, by name
    std::unordered_map<std::string_view, std::vector<int>> types_;               // their scopes
    mutable std::unordered_map<std::string_view, std::vector<std::size_t>> declaring_;
    mutable std::unordered_map<std::size_t, std::optional<source_declaration>> known_;
};

/// Whether the braces belong to a loop, or to code that may run later or repeatedly, such as a lambda.
bool may_run_again(const source_declarations& names, const source_scope& scope);

/// Whether they belong to a lambda.
bool is_lambda(const source_declarations& names, const source_scope& scope);

}  // namespace launchbox
