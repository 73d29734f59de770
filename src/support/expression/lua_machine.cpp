// SPDX-License-Identifier: Apache-2.0
#include "support/expression/lua_machine.hpp"

#include <cstdlib>

#include "support/error.hpp"

namespace launchbox {

namespace {

// Limit of all allocations of one evaluation, as a multiple of the memory limit: a loop that builds and drops large
// strings copies gigabytes in few instructions.
constexpr std::size_t max_turnover = 16;

}  // namespace

void* lua_machine::allocate(void* account, void* block, std::size_t old_size, std::size_t new_size)
{
    auto& memory = *static_cast<memory_account*>(account);
    if (block == nullptr) old_size = 0;  // Lua passes a type code there
    if (new_size == 0) {
        memory.in_use -= old_size;
        std::free(block);
        return nullptr;
    }
    // Lua requires that shrinking a block never fails.
    if (new_size > old_size && (memory.in_use + (new_size - old_size) > memory.max_bytes ||
                                memory.allocated + (new_size - old_size) > memory.max_bytes * max_turnover))
        return nullptr;
    void* moved = std::realloc(block, new_size);
    if (moved == nullptr) return nullptr;
    memory.in_use = memory.in_use - old_size + new_size;
    if (new_size > old_size) memory.allocated += new_size - old_size;
    return moved;
}

lua_machine::lua_machine(std::size_t max_memory)
{
    memory_.max_bytes = max_memory;
    state = lua_newstate(allocate, &memory_);
    if (state == nullptr) throw error("no memory for an expression");
}

lua_machine::~lua_machine()
{
    lua_close(state);
}

void lua_machine::begin()
{
    lua_settop(state, 0);
    memory_.allocated = 0;
}

bool lua_machine::loads(const std::string& code)
{
    return luaL_loadbufferx(state, code.data(), code.size(), "=[expression]", "t") == LUA_OK;
}

// Lua prints "[expression]:1: message"; the user wrote one line and needs only the message.
std::string lua_machine::message(int* line) const
{
    if (line != nullptr) *line = 0;
    std::string message = lua_tostring(state, -1) == nullptr ? "it fails" : lua_tostring(state, -1);
    if (const std::size_t place = message.find("]:"); message.starts_with('[') && place != std::string::npos)
        if (const std::size_t text = message.find(": ", place + 2); text != std::string::npos) {
            if (line != nullptr) *line = std::atoi(message.c_str() + place + 2);
            message.erase(0, text + 2);
        }
    constexpr std::size_t longest = 160;  // it may quote a name from the user
    return message.size() <= longest ? message : message.substr(0, longest) + "...";
}

std::string quoted_expression(const std::string& text)
{
    constexpr std::size_t shown = 60;
    return "'" + (text.size() <= shown ? text : text.substr(0, shown) + "...") + "'";
}

int lua_ceil_div(lua_State* state)
{
    const lua_Integer value = luaL_checkinteger(state, 1);
    const lua_Integer divisor = luaL_checkinteger(state, 2);
    if (divisor <= 0) return luaL_error(state, "ceil_div needs a positive divisor");
    lua_pushinteger(state, value / divisor + (value % divisor > 0 ? 1 : 0));
    return 1;
}

}  // namespace launchbox
