// Our values and expressions in Lua, and what Lua says of them in the user's words. Only for the files of this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <lua.hpp>
#include <string>
#include <vector>

#include "support/expression/expression_tokens.hpp"
#include "support/expression/value_expression.hpp"

namespace launchbox {

void push_value(lua_State* state, const parameter_value& value);
/// Of the types that an expression can have.
parameter_value value_on_top(lua_State* state);

/// min and max of numbers, and ceil_div, in this order.
void push_functions(lua_State* state);

/// The expression with `names[i]` called p0, p1, ..., which no word of Lua's or of ours collides with, and other names
/// as the constants that they stand for.
std::string in_lua(const std::vector<expression_token>& tokens, const std::vector<std::string>& names,
                   const named_constants& constants);

/// A message of Lua's with the user's names again.
std::string with_names(std::string message, const std::vector<std::string>& names);

/// "did you mean threads?", or which names there are.
std::string known_names_hint(const std::string& name, const std::vector<std::string>& known);

}  // namespace launchbox
