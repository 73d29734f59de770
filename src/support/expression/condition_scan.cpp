// SPDX-License-Identifier: Apache-2.0
#include "support/expression/condition_scan.hpp"

#include <algorithm>

#include "support/error.hpp"
#include "support/expression/lua_machine.hpp"
#include "support/expression/lua_values.hpp"
#include "support/expression/scan_code.hpp"

namespace launchbox {

namespace {

// For the values of a search space, whose number is limited by its reader.
constexpr std::size_t max_memory = std::size_t{256} << 20;

int neither(lua_State* state)
{
    return luaL_error(state, "it is neither true nor false");
}

}  // namespace

struct condition_scan::machine {
    lua_machine lua{max_memory};
    scan_code code;
    int function = LUA_NOREF, found = LUA_NOREF, counts = LUA_NOREF;

    // Set-up that allocates memory, as a protected Lua call.
    static int prepare(lua_State* state)
    {
        auto& self = *static_cast<machine*>(lua_touserdata(state, 1));
        lua_settop(state, 0);
        if (!self.lua.loads(self.code.text)) return lua_error(state);
        push_functions(state);
        lua_pushcfunction(state, neither);
        lua_newtable(state);
        for (std::size_t i = 0; i < self.code.tables.size(); ++i) {
            const std::vector<parameter_value>& values = self.code.tables[i]->values;
            lua_createtable(state, static_cast<int>(values.size()), 0);
            for (std::size_t v = 0; v < values.size(); ++v) {
                push_value(state, values[v]);
                lua_rawseti(state, -2, static_cast<lua_Integer>(v) + 1);
            }
            lua_rawseti(state, -2, static_cast<lua_Integer>(i) + 1);
        }
        lua_newtable(state);
        self.found = (lua_pushvalue(state, -1), luaL_ref(state, LUA_REGISTRYINDEX));
        lua_newtable(state);
        self.counts = (lua_pushvalue(state, -1), luaL_ref(state, LUA_REGISTRYINDEX));
        lua_call(state, 7, 1);
        self.function = luaL_ref(state, LUA_REGISTRYINDEX);
        return 0;
    }
};

condition_scan::condition_scan(const std::vector<scan_level>& before, const std::vector<scan_level>& levels,
                               const std::vector<std::string>& conditions, const named_constants& constants)
    : machine_(std::make_unique<machine>()), rejections_(conditions.size())
{
    for (const scan_level& level : before) names_.push_back(level.name);
    for (const scan_level& level : levels) names_.push_back(level.name);
    machine_->code = code_of_scan(names_, before, levels, conditions, constants);
    used_before_ = machine_->code.used_before;
    counted_ = machine_->code.counted;
    lua_State* state = machine_->lua.state;
    lua_pushcfunction(state, machine::prepare);
    lua_pushlightuserdata(state, machine_.get());
    if (lua_pcall(state, 1, 0, 0) != LUA_OK)
        throw error("the constraints cannot be tried together: " + with_names(machine_->lua.message(), names_),
                    "write fewer or shorter constraints");
    machine_->code.tables.clear();  // the tables belong to the caller
    machine_->code.text.clear();
}

condition_scan::~condition_scan() = default;
condition_scan::condition_scan(condition_scan&&) noexcept = default;
condition_scan& condition_scan::operator=(condition_scan&&) noexcept = default;

const std::vector<std::uint64_t>& condition_scan::operator()(const std::vector<std::uint32_t>& prefix)
{
    lua_machine& lua = machine_->lua;
    lua_State* state = lua.state;
    lua.begin();
    lua_rawgeti(state, LUA_REGISTRYINDEX, machine_->function);
    luaL_checkstack(state, static_cast<int>(used_before_.size()) + 8, nullptr);
    for (const std::size_t i : used_before_) lua_pushinteger(state, static_cast<lua_Integer>(prefix[i]) + 1);
    if (lua_pcall(state, static_cast<int>(used_before_.size()), 2, 0) != LUA_OK) {
        int line = 0;
        const std::string message = with_names(lua.message(&line), names_);
        auto at = machine_->code.condition_of_line.find(line);
        // Lua 5.4.4 reports a wrong line for a division by zero.
        if (message.find("zero") != std::string::npos || message.find("n%%0") != std::string::npos) {
            const auto divides = [](const auto& item) { return item.second.find_first_of("/%") != std::string::npos; };
            const auto begin = machine_->code.condition_of_line.begin(), end = machine_->code.condition_of_line.end();
            at = std::count_if(begin, end, divides) == 1 ? std::find_if(begin, end, divides) : end;
        }
        const std::string hint = "compare values of one type, such as threads * items <= 16384";
        if (at == machine_->code.condition_of_line.end())
            throw error("cannot evaluate one of the constraints with // or %: " + message, hint);
        throw expression_error(at->second, "cannot evaluate " + quoted_expression(at->second) + ": " + message, hint);
    }
    const auto count = static_cast<std::size_t>(lua_tointeger(state, -2));
    visited_ += static_cast<std::uint64_t>(lua_tointeger(state, -1));
    points_.resize(count);
    lua_rawgeti(state, LUA_REGISTRYINDEX, machine_->found);
    for (std::size_t i = 0; i < count; ++i) {
        lua_rawgeti(state, -1, static_cast<lua_Integer>(i) + 1);
        points_[i] = static_cast<std::uint64_t>(lua_tointeger(state, -1));
        lua_pop(state, 1);
    }
    lua_rawgeti(state, LUA_REGISTRYINDEX, machine_->counts);
    for (std::size_t k = 0; k < counted_.size(); ++k) {
        lua_rawgeti(state, -1, static_cast<lua_Integer>(k) + 1);
        rejections_[counted_[k]] += static_cast<std::uint64_t>(lua_tointeger(state, -1));
        lua_pop(state, 1);
    }
    return points_;
}

}  // namespace launchbox
