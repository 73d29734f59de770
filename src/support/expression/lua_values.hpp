// Converts values and expressions to Lua, and Lua's messages to the user's names. Only for the files in this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lua.hpp>
#include <string>
#include <vector>

#include "support/expression/expression_tokens.hpp"
#include "support/expression/value_expression.hpp"

namespace launchbox {

void push_value(lua_State* state, const parameter_value& value);
/// For the types that an expression can have.
parameter_value value_on_top(lua_State* state);

/// Pushes min and max of numbers, and ceil_div, in this order.
void push_functions(lua_State* state);

/// The expression with `names[i]` renamed to p0, p1, ..., which collide with no word of Lua's or ours, and other names
/// replaced by their constants.
std::string in_lua(const std::vector<expression_token>& tokens, const std::vector<std::string>& names,
                   const named_constants& constants);

/// A message of Lua with the user's names restored.
std::string with_names(std::string message, const std::vector<std::string>& names);

/// "did you mean threads?", or the list of known names.
std::string known_names_hint(const std::string& name, const std::vector<std::string>& known);

}  // namespace launchbox
