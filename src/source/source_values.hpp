// The values of expressions at a place in C++ text: integers, and extents such as dim3. A value is unknown unless it is
// certain: for example for a variable that may have been changed, a function's argument, or a choice.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "source/constant_expression.hpp"
#include "source/source_declarations.hpp"

namespace launchbox {

/// Extents in x, y and z, each if known.
using source_extent = std::array<std::optional<std::int64_t>, 3>;

/// Their product; `nullopt` if unknown.
std::optional<std::int64_t> volume_of(const source_extent& extent);

/// Template arguments of one instance: "N" is "256", "T" is "float". `assumed_name` holds the value assumed for a
/// variable whose value the text does not show.
using template_values = std::map<std::string, std::string, std::less<>>;

std::string assumed_name(const source_declaration& variable);
/// The name under which the value of a variable stands that a call or a condition tells, if nothing changes the
/// variable; `variable`: the token of its declaration.
std::string bound_name(std::size_t variable);

struct type_layout {
    std::int64_t bytes = 0, alignment = 1;
};

/// The changes to an object before a place, on the path to it.
struct object_state {
    /// Assigned members by path ("blockDim.x", "[0].val.clusterDim.x"; "" for the object itself), in order; `at`: the
    /// token at which the value is evaluated.
    struct assignment {
        std::string path;
        token_span value;
        std::size_t at = 0;
    };
    source_declaration declared;
    std::vector<assignment> assigned;
    std::vector<std::string> doubtful;  ///< paths that may have been changed in unknown ways; "": all

    /// A parameter: its initial value comes from the caller.
    [[nodiscard]] bool begins_unknown() const { return declared.kind == declared_as::parameter; }
};

class source_values {
public:
    explicit source_values(const source_declarations& names);

    /// At the token `at`; earlier assignments to variables are taken into account.
    [[nodiscard]] std::optional<std::int64_t> integer(token_span expression, std::size_t at,
                                                      const template_values& instance = {}) const;
    [[nodiscard]] source_extent extent(token_span expression, std::size_t at,
                                       const template_values& instance = {}) const;

    /// Bytes of a type, or of a variable.
    [[nodiscard]] std::optional<std::int64_t> size_of(token_span type, std::size_t at,
                                                      const template_values& instance = {}) const;

    /// For a local variable, or a parameter passed by value; `nullopt` for anything else, or if the value cannot be
    /// followed.
    [[nodiscard]] std::optional<object_state> state_of(std::string_view name, std::size_t at) const;

    /// All values that the text gives a variable anywhere, its initialiser first; `words` is empty for a change that is
    /// not understood.
    struct given_value {
        std::string path;
        token_span words;
        std::size_t at = 0;
    };
    [[nodiscard]] std::vector<given_value> values_given(const source_declaration& variable) const;
    [[nodiscard]] std::optional<object_state> state_of(const source_declaration& variable, std::size_t at) const;

    /// The words of a member's value: the last assignment, or its part of the initialiser, by name or, if `position` is
    /// given, by position in the list. `nullopt` if unknown; empty if it has no initialiser, and so is 0.
    struct member_value {
        token_span words;
        std::size_t at = 0;
    };
    [[nodiscard]] std::optional<member_value> member_of(const object_state& object, const std::string& path,
                                                        int position) const;
    /// The same for an extent, whose parts may be assigned separately; `missing`: the value of a part without an
    /// initialiser.
    [[nodiscard]] source_extent extent_member(const object_state& object, const std::string& path, int position,
                                              std::optional<std::int64_t> missing,
                                              const template_values& instance) const;

    /// The template arguments with which the text calls or instantiates the function template around this token. Empty
    /// if there is no such template, or if some arguments are not certain.
    [[nodiscard]] std::vector<template_values> instances_around(std::size_t at) const;

    /// A call of a function or lambda in this text.
    struct call_in_text {
        int scope = -1;                             ///< the function's
        std::size_t place = 0;                      ///< its name in the call
        std::size_t parameters = 0, arguments = 0;  ///< the brackets that open; 0: none
    };
    /// The values of its parameters as far as they are known, for evaluations inside of the function; `caller`: those
    /// of the function that calls.
    [[nodiscard]] template_values values_of_call(const call_in_text& call, const template_values& caller) const;

    /// The same for each call of the functions around this token of which nothing but this text can call: lambdas with
    /// a name, and static functions. Empty if there are none, or if some use of them is not a call.
    [[nodiscard]] std::vector<template_values> calls_around(std::size_t at) const;

    [[nodiscard]] const source_declarations& names() const { return names_; }

private:
    // How the text changes a variable at one place after its declaration.
    struct change {
        std::size_t at = 0;
        std::string path;
        token_span value;        // empty unless it is an assignment
        bool is_update = false;  // of a value computed from the one before: *=, ++
        bool on_the_way = true;  // executed whenever the enclosing braces are
        bool for_ever = false;   // may change anywhere from here on, through a reference or pointer
    };

    [[nodiscard]] std::optional<std::int64_t> value_of(token_span name, std::size_t at,
                                                       const template_values& instance) const;
    [[nodiscard]] std::optional<std::int64_t> value_of(const source_declaration& found, std::size_t at,
                                                       const template_values& instance) const;
    [[nodiscard]] std::optional<std::int64_t> enumerator(const source_declaration& found,
                                                         const template_values& instance) const;

    // A class with the arguments of its template: `traits<3>`, an alias of it, or a template parameter that stands for
    // it.
    struct type_instance {
        int scope = -1;
        template_values arguments;
    };
    [[nodiscard]] std::optional<type_instance> type_meant(token_span words, std::size_t at,
                                                          const template_values& instance) const;
    [[nodiscard]] std::optional<std::int64_t> member_value_of(std::string_view name, const type_instance& type) const;
    // The arguments of a template by the names of its parameters; those whose value is unknown are left out. `nullopt`
    // if they do not fit.
    [[nodiscard]] std::optional<template_values> arguments_for(const source_scope& scope,
                                                               const std::vector<token_span>& given, std::size_t at,
                                                               const template_values& instance) const;
    [[nodiscard]] std::optional<std::int64_t> value_told(const source_declaration& found, std::size_t at,
                                                         const template_values& instance) const;
    [[nodiscard]] std::optional<source_extent> extent_of(const source_declaration& found, std::size_t at,
                                                         const template_values& instance) const;

    [[nodiscard]] std::optional<type_layout> layout_of(token_span type, std::size_t at, const template_values& instance,
                                                       int depth) const;
    [[nodiscard]] std::optional<type_layout> layout_of_struct(int number, const template_values& instance,
                                                              int depth) const;

    [[nodiscard]] std::optional<std::int64_t> take_alignment(std::vector<source_token>& words, std::size_t at,
                                                             const template_values& instance) const;

    // A function whose calls have the value that it returns: its body is only `return a + b;`.
    struct returning_function {
        token_span value;
        std::size_t at = 0;
        template_values arguments;
    };
    [[nodiscard]] std::optional<returning_function> function_called(token_span name,
                                                                    const std::vector<token_span>& arguments,
                                                                    std::size_t at,
                                                                    const template_values& instance) const;
    [[nodiscard]] bool is_integer(token_span type, int depth = 0) const;
    [[nodiscard]] const std::string* bound_text(const source_declaration& found, const template_values& instance) const;
    [[nodiscard]] const std::vector<call_in_text>& calls_of(int scope) const;
    [[nodiscard]] std::vector<call_in_text> find_calls_of(int scope) const;
    [[nodiscard]] bool is_only_indexed(const source_declaration& variable) const;
    [[nodiscard]] std::optional<member_value> part_of(const source_declaration& variable, std::string_view path) const;
    [[nodiscard]] const std::vector<change>& changes_of(const source_declaration& variable) const;
    [[nodiscard]] std::optional<change> change_at(std::size_t place) const;
    [[nodiscard]] bool may_change(std::size_t argument) const;
    [[nodiscard]] bool may_be_passed_by(std::size_t change, std::size_t at) const;

    const source_declarations& names_;
    mutable std::unordered_map<std::string_view, std::vector<int>> functions_;  // their scopes
    mutable std::unordered_map<std::size_t, std::vector<change>> changes_;      // of the variable declared there
    mutable std::unordered_map<std::size_t, bool> only_indexed_;
    mutable std::unordered_map<int, std::vector<call_in_text>> calls_;
    mutable std::unordered_set<std::size_t> changed_for_ever_;
    mutable std::size_t visits_ = 0;
    mutable int depth_ = 0;
    mutable std::size_t steps_ = 0;  // for the current query
};

}  // namespace launchbox
