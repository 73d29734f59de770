// SPDX-License-Identifier: Apache-2.0
#include "support/expression/lua_values.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "support/expression/lua_machine.hpp"
#include "support/text/matching.hpp"

namespace launchbox {

namespace {

// Keeps the type of the numbers: the smaller of 1 and 1.5 is the whole number 1.
int extreme(lua_State* state, bool largest)
{
    int best = 1;
    luaL_checktype(state, 1, LUA_TNUMBER);
    for (int i = 2; i <= lua_gettop(state); ++i) {
        luaL_checktype(state, i, LUA_TNUMBER);
        if (largest ? lua_compare(state, best, i, LUA_OPLT) : lua_compare(state, i, best, LUA_OPLT)) best = i;
    }
    lua_pushvalue(state, best);
    return 1;
}

int smallest_number(lua_State* state)
{
    return extreme(state, false);
}

int largest_number(lua_State* state)
{
    return extreme(state, true);
}

std::string literal(const parameter_value& value)
{
    if (const std::int64_t* number = std::get_if<std::int64_t>(&value)) {
        std::array<char, 32> text{};  // so that the smallest number can be written, too
        std::snprintf(text.data(), text.size(), "0x%llx", static_cast<unsigned long long>(*number));
        return text.data();
    }
    if (const double* number = std::get_if<double>(&value)) {
        if (std::isnan(*number)) return "(0.0/0.0)";
        if (std::isinf(*number)) return *number > 0 ? "(1e999)" : "(-1e999)";
        std::array<char, 64> text{};
        std::snprintf(text.data(), text.size(), "(%a)", *number);
        return text.data();
    }
    if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "true" : "false";
    std::string text = "\"";
    for (const char c : std::get<std::string>(value)) {
        std::array<char, 8> escaped{};
        std::snprintf(escaped.data(), escaped.size(), "\\%03u", static_cast<unsigned>(static_cast<unsigned char>(c)));
        text += escaped.data();
    }
    return text + "\"";
}

}  // namespace

void push_value(lua_State* state, const parameter_value& value)
{
    if (const bool* truth = std::get_if<bool>(&value))
        lua_pushboolean(state, *truth ? 1 : 0);
    else if (const std::int64_t* number = std::get_if<std::int64_t>(&value))
        lua_pushinteger(state, *number);
    else if (const double* number = std::get_if<double>(&value))
        lua_pushnumber(state, *number);
    else
        lua_pushlstring(state, std::get<std::string>(value).data(), std::get<std::string>(value).size());
}

parameter_value value_on_top(lua_State* state)
{
    if (lua_isboolean(state, -1)) return lua_toboolean(state, -1) != 0;
    if (lua_isinteger(state, -1) != 0) return static_cast<std::int64_t>(lua_tointeger(state, -1));
    if (lua_type(state, -1) == LUA_TNUMBER) return static_cast<double>(lua_tonumber(state, -1));
    std::size_t size = 0;
    const char* text = lua_tolstring(state, -1, &size);  // an expression cannot have any other type
    return text == nullptr ? std::string() : std::string(text, size);
}

void push_functions(lua_State* state)
{
    lua_pushcfunction(state, smallest_number);
    lua_pushcfunction(state, largest_number);
    lua_pushcfunction(state, lua_ceil_div);
}

std::string in_lua(const std::vector<expression_token>& tokens, const std::vector<std::string>& names,
                   const named_constants& constants)
{
    std::string code;
    for (const expression_token& token : tokens) {
        code += code.empty() ? "" : " ";
        if (token.what != expression_token::kind::name) {
            code += token.words;
            continue;
        }
        const auto name = std::find(names.begin(), names.end(), token.words);
        code += name != names.end() ? "p" + std::to_string(name - names.begin()) : literal(constants.at(token.words));
    }
    return code;
}

std::string with_names(std::string message, const std::vector<std::string>& names)
{
    for (std::size_t i = 0; i < names.size(); ++i) {
        const std::string ours = "'p" + std::to_string(i) + "'";
        for (std::size_t at = message.find(ours); at != std::string::npos; at = message.find(ours, at + 1))
            message.replace(at, ours.size(), "'" + names[i] + "'");
    }
    return message;
}

std::string known_names_hint(const std::string& name, const std::vector<std::string>& known)
{
    if (const std::string meant = nearest(name.substr(0, 64), known); !meant.empty())
        return "did you mean " + meant + "?";
    if (known.empty()) return "names are not allowed here";
    std::string hint = "there are: ";
    constexpr std::size_t shown = 24;
    for (std::size_t i = 0; i < known.size() && i < shown; ++i) hint += (i == 0 ? "" : ", ") + known[i];
    return known.size() > shown ? hint + ", ..." : hint;
}

}  // namespace launchbox
