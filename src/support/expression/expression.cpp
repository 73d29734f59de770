// SPDX-License-Identifier: Apache-2.0
#include "support/expression/expression.hpp"

#include <algorithm>
#include <utility>

#include "support/error.hpp"
#include "support/expression/lua_machine.hpp"

namespace launchbox {

namespace {

int smallest(lua_State* state)
{
    lua_Integer result = luaL_checkinteger(state, 1);
    for (int i = 2; i <= lua_gettop(state); ++i) result = std::min(result, luaL_checkinteger(state, i));
    lua_pushinteger(state, result);
    return 1;
}

int largest(lua_State* state)
{
    lua_Integer result = luaL_checkinteger(state, 1);
    for (int i = 2; i <= lua_gettop(state); ++i) result = std::max(result, luaL_checkinteger(state, i));
    lua_pushinteger(state, result);
    return 1;
}

// Reading an unknown name is an error with the name in it, not nil.
int unknown_name(lua_State* state)
{
    return luaL_error(state, "unknown name '%s'", luaL_tolstring(state, 2, nullptr));
}

}  // namespace

struct expression::machine {
    lua_machine lua;
    int function = LUA_NOREF;
    int environment = LUA_NOREF;
};

expression::expression(std::string text, const std::vector<std::string>& names)
    : text_(std::move(text)), machine_(std::make_unique<machine>())
{
    lua_State* state = machine_->lua.state;
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    const std::string hint = "write it with + - * // % ^, min, max, ceil_div and the names: " + known;
    if (text_.size() > longest_expression) throw error("the expression is longer than 4096 characters", hint);
    if (text_.find('\n') != std::string::npos) throw error("the expression has more than one line", hint);

    // The line break ends a comment in the text. The brackets make it one value, and without them it must be readable
    // too, or "1) or (2" would be an expression.
    lua_machine& lua = machine_->lua;
    if (!lua.loads("return " + text_ + "\n") || !lua.loads("return (" + text_ + "\n)"))
        throw error(quoted_expression(text_) + " is no expression: " + lua.message(), hint);

    lua_newtable(state);
    machine_->environment = (lua_pushvalue(state, -1), luaL_ref(state, LUA_REGISTRYINDEX));
    const std::pair<const char*, lua_CFunction> functions[] = {
        {"min", smallest}, {"max", largest}, {"ceil_div", lua_ceil_div}};
    for (const auto& [name, function] : functions) {
        lua_pushcfunction(state, function);
        lua_setfield(state, -2, name);
    }
    lua_newtable(state);
    lua_pushcfunction(state, unknown_name);
    lua_setfield(state, -2, "__index");
    lua_setmetatable(state, -2);
    lua_setupvalue(state, -2, 1);  // its only upvalue is the environment
    machine_->function = luaL_ref(state, LUA_REGISTRYINDEX);

    std::map<std::string, std::int64_t> ones;
    for (const std::string& name : names) ones[name] = 1;
    static_cast<void>((*this)(ones));  // so that a wrong name is found now
}

expression::~expression() = default;
expression::expression(expression&&) noexcept = default;
expression& expression::operator=(expression&&) noexcept = default;

// One evaluation as Lua runs it, protected: setting a name can run out of memory too.
struct expression::evaluation {
    const machine& lua;
    const std::map<std::string, std::int64_t>& values;

    static int run(lua_State* state)
    {
        const auto& self = *static_cast<const evaluation*>(lua_touserdata(state, 1));
        lua_rawgeti(state, LUA_REGISTRYINDEX, self.lua.environment);
        for (const auto& [name, value] : self.values) {
            lua_pushinteger(state, value);
            lua_setfield(state, -2, name.c_str());
        }
        lua_rawgeti(state, LUA_REGISTRYINDEX, self.lua.function);
        lua_call(state, 0, 1);
        return 1;
    }
};

std::int64_t expression::operator()(const std::map<std::string, std::int64_t>& values) const
{
    lua_State* state = machine_->lua.state;
    machine_->lua.begin();
    machine_->lua.stop_endless_loops();
    evaluation work{*machine_, values};
    lua_pushcfunction(state, evaluation::run);
    lua_pushlightuserdata(state, &work);
    if (lua_pcall(state, 1, 1, 0) != LUA_OK)
        throw error("cannot evaluate " + quoted_expression(text_) + ": " + machine_->lua.message(),
                    "use whole numbers and the names that --help lists");

    int exact = 0;
    const lua_Integer value = lua_tointegerx(state, -1, &exact);
    if (exact == 0 || lua_type(state, -1) != LUA_TNUMBER)
        throw error(quoted_expression(text_) + " is not a whole number", "use // for a division that rounds down");
    return value;
}

}  // namespace launchbox
