#include "support/expression.hpp"

#include <cmath>
#include <cstdlib>
#include <lua.hpp>
#include <utility>

#include "support/error.hpp"

namespace launchbox {

namespace {

// Far more than any size needs, and no more than a moment: an expression may contain a function that never returns.
constexpr int most_instructions = 100'000;
constexpr std::size_t most_memory = std::size_t{4} << 20;
// What one evaluation may allocate in all: a loop that builds and drops large strings copies gigabytes in few
// instructions.
constexpr std::size_t most_allocated = std::size_t{64} << 20;
constexpr std::size_t longest_text = 4096;

struct memory_account {
    std::size_t in_use = 0;
    std::size_t allocated = 0;  // since the evaluation began
};

void* allocate(void* account, void* block, std::size_t old_size, std::size_t new_size)
{
    auto& memory = *static_cast<memory_account*>(account);
    if (block == nullptr) old_size = 0;  // Lua passes a type code there
    if (new_size == 0) {
        memory.in_use -= old_size;
        std::free(block);
        return nullptr;
    }
    // Lua relies on making a block smaller never failing.
    if (new_size > old_size && (memory.in_use + (new_size - old_size) > most_memory ||
                                memory.allocated + (new_size - old_size) > most_allocated))
        return nullptr;
    void* moved = std::realloc(block, new_size);
    if (moved == nullptr) return nullptr;
    memory.in_use = memory.in_use - old_size + new_size;
    if (new_size > old_size) memory.allocated += new_size - old_size;
    return moved;
}

void stop(lua_State* state, lua_Debug*)
{
    luaL_error(state, "it takes too long");
}

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

int ceil_div(lua_State* state)
{
    const lua_Integer value = luaL_checkinteger(state, 1);
    const lua_Integer divisor = luaL_checkinteger(state, 2);
    if (divisor <= 0) return luaL_error(state, "ceil_div needs a positive divisor");
    lua_pushinteger(state, value / divisor + (value % divisor > 0 ? 1 : 0));
    return 1;
}

// Reading an unknown name is an error with the name in it, not nil.
int unknown_name(lua_State* state)
{
    return luaL_error(state, "unknown name '%s'", luaL_tolstring(state, 2, nullptr));
}

// Lua says [string "expression"]:1: message; the user wrote one line and needs the message alone. Its line may be 2,
// since what we add ends there.
std::string message_of(lua_State* state)
{
    std::string message = lua_tostring(state, -1) == nullptr ? "it fails" : lua_tostring(state, -1);
    if (const std::size_t place = message.find("]:"); message.starts_with('[') && place != std::string::npos)
        if (const std::size_t text = message.find(": ", place + 2); text != std::string::npos)
            message.erase(0, text + 2);
    constexpr std::size_t longest = 160;  // it may quote a name of the user's
    return message.size() <= longest ? message : message.substr(0, longest) + "...";
}

// For messages, which are one or two lines however long the expression is.
std::string quoted(const std::string& text)
{
    constexpr std::size_t shown = 60;
    return "'" + (text.size() <= shown ? text : text.substr(0, shown) + "...") + "'";
}

// Whether Lua can read `code`; leaves the function, or else the message, on the stack.
bool loads(lua_State* state, const std::string& code)
{
    return luaL_loadbufferx(state, code.data(), code.size(), "=[expression]", "t") == LUA_OK;
}

}  // namespace

struct expression::machine {
    memory_account memory;
    lua_State* state = nullptr;
    int function = LUA_NOREF;
    int environment = LUA_NOREF;

    machine() : state(lua_newstate(allocate, &memory)) {}
    ~machine()
    {
        if (state != nullptr) lua_close(state);
    }
    machine(const machine&) = delete;
    machine& operator=(const machine&) = delete;
};

expression::expression(std::string text, const std::vector<std::string>& names)
    : text_(std::move(text)), machine_(std::make_unique<machine>())
{
    lua_State* state = machine_->state;
    if (state == nullptr) throw error("no memory for the expression '" + text_ + "'");
    std::string known;
    for (const std::string& name : names) known += (known.empty() ? "" : ", ") + name;
    const std::string hint = "write it with + - * // % ^, min, max, ceil_div and the names: " + known;
    if (text_.size() > longest_text) throw error("the expression is longer than 4096 characters", hint);
    if (text_.find('\n') != std::string::npos) throw error("the expression has more than one line", hint);

    // The line break ends a comment in the text. The brackets make it one value, and without them it must be readable
    // too, or "1) or (2" would be an expression.
    if (!loads(state, "return " + text_ + "\n") || !loads(state, "return (" + text_ + "\n)"))
        throw error(quoted(text_) + " is no expression: " + message_of(state), hint);

    lua_newtable(state);
    machine_->environment = (lua_pushvalue(state, -1), luaL_ref(state, LUA_REGISTRYINDEX));
    const std::pair<const char*, lua_CFunction> functions[] = {
        {"min", smallest}, {"max", largest}, {"ceil_div", ceil_div}};
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
    lua_State* state = machine_->state;
    lua_settop(state, 0);
    machine_->memory.allocated = 0;
    lua_sethook(state, stop, LUA_MASKCOUNT, most_instructions);
    evaluation work{*machine_, values};
    lua_pushcfunction(state, evaluation::run);
    lua_pushlightuserdata(state, &work);
    if (lua_pcall(state, 1, 1, 0) != LUA_OK)
        throw error("cannot evaluate " + quoted(text_) + ": " + message_of(state),
                    "use whole numbers and the names that --help lists");

    int exact = 0;
    const lua_Integer value = lua_tointegerx(state, -1, &exact);
    if (exact == 0 || lua_type(state, -1) != LUA_TNUMBER)
        throw error(quoted(text_) + " is not a whole number", "use // for a division that rounds down");
    return value;
}

}  // namespace launchbox
