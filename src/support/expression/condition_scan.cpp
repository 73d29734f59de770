#include "support/expression/condition_scan.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "support/error.hpp"
#include "support/expression/lua_machine.hpp"
#include "support/expression/lua_values.hpp"

namespace launchbox {

namespace {

// Of the values of a search space, which its reader has capped.
constexpr std::size_t most_memory = std::size_t{256} << 20;

int neither(lua_State* state)
{
    return luaL_error(state, "it is neither true nor false");
}

std::string number(std::size_t value)
{
    return std::to_string(value);
}

// The loops as a Lua function of the places of the values before; it returns how many points it found and how many
// values it tried, and leaves the points in F and the counts of what was turned away in T.
class scan_code {
public:
    scan_code(const std::vector<std::string>& names, const named_constants& constants)
        : names_(names), constants_(constants)
    {
    }

    std::string text;
    std::map<int, std::string> condition_of_line;

    void add(const std::string& line)
    {
        text += line + "\n";
        ++line_;
    }

    /// A line on which nothing but this expression can fail.
    void add(const std::string& before, const std::string& expression, const std::string& after)
    {
        condition_of_line[line_ + 1] = expression;
        add(before + "(" + in_lua(expression_tokens(expression), names_, constants_) + ")" + after);
    }

private:
    const std::vector<std::string>& names_;
    const named_constants& constants_;
    int line_ = 0;
};

}  // namespace

struct condition_scan::machine {
    lua_machine lua{most_memory};
    std::string code;
    std::map<int, std::string> condition_of_line;
    std::vector<const scan_level*> tables;  // V[i + 1] holds the values of the i-th
    int function = LUA_NOREF, found = LUA_NOREF, counts = LUA_NOREF;

    // What needs memory, as Lua runs it, protected.
    static int prepare(lua_State* state)
    {
        auto& self = *static_cast<machine*>(lua_touserdata(state, 1));
        lua_settop(state, 0);
        if (!self.lua.loads(self.code)) return lua_error(state);
        push_functions(state);
        lua_pushcfunction(state, neither);
        lua_newtable(state);
        for (std::size_t i = 0; i < self.tables.size(); ++i) {
            const std::vector<parameter_value>& values = self.tables[i]->values;
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
    : machine_(std::make_unique<machine>()), turned_away_(conditions.size())
{
    for (const scan_level& each : before) names_.push_back(each.name);
    for (const scan_level& each : levels) names_.push_back(each.name);
    std::vector<bool> used(names_.size());
    const auto note = [&](const std::string& expression) {
        for (const std::string& name : names_in(expression_tokens(expression)))
            for (std::size_t i = 0; i < names_.size(); ++i) used[i] = used[i] || names_[i] == name;
    };
    for (const scan_level& each : levels) {
        if (!each.when.empty()) note(each.when);
        for (const std::size_t c : each.conditions) {
            note(conditions[c]);
            counted_.push_back(c);
        }
    }

    scan_code code(names_, constants);
    code.add("local min, max, ceil_div, neither, V, F, T = ...");
    std::string tables, parameters, values, places;
    for (std::size_t i = 0; i < names_.size(); ++i) {
        if (!used[i]) continue;
        machine_->tables.push_back(i < before.size() ? &before[i] : &levels[i - before.size()]);
        code.add("local v" + number(i) + " = V[" + number(machine_->tables.size()) + "]");
        if (i >= before.size()) continue;
        used_before_.push_back(i);
        parameters += (parameters.empty() ? "i" : ", i") + number(i);
        values += " local p" + number(i) + " = v" + number(i) + "[i" + number(i) + "]";
    }
    code.add("return function(" + parameters + ")" + values + " local n, visited = 0, 0");
    // Counters are local names, of which Lua allows 200, as long as they are few.
    constexpr std::size_t most_local_counters = 24;
    const bool local_counters = counted_.size() <= most_local_counters;
    const auto counter = [&](std::size_t k) { return local_counters ? "t" + number(k) : "T[" + number(k + 1) + "]"; };
    for (std::size_t k = 0; k < counted_.size(); ++k) code.add((local_counters ? "local " : "") + counter(k) + " = 0");

    std::size_t k = 0;
    std::string point = "0";
    for (std::size_t l = 0; l < levels.size(); ++l) {
        const scan_level& level = levels[l];
        const std::string i = number(before.size() + l);
        if (level.when.empty()) {
            code.add("for i" + i + " = 1, " + number(level.values.size()) + " do");
        } else {
            code.add("local a" + i + ", b" + i + " = 1, " + number(level.listed));
            code.add("do local w = ", level.when, "");
            code.add("if w == false then a" + i + ", b" + i + " = " + number(level.otherwise + 1) + ", " +
                     number(level.otherwise + 1));
            code.condition_of_line[static_cast<int>(std::count(code.text.begin(), code.text.end(), '\n')) + 1] =
                level.when;
            code.add("elseif w ~= true then neither() end end");
            code.add("for i" + i + " = a" + i + ", b" + i + " do");
        }
        code.add("visited = visited + 1");
        if (used[before.size() + l]) code.add("local p" + i + " = v" + i + "[i" + i + "]");
        for (const std::size_t c : level.conditions) {
            code.add("do local c = ", conditions[c],
                     " if c ~= true then if c ~= false then neither() end " + counter(k) + " = " + counter(k) +
                         " + 1 goto next" + i + " end end");
            ++k;
        }
        point = l == 0 ? "i" + i + " - 1" : "(" + point + ") * " + number(level.values.size()) + " + i" + i + " - 1";
    }
    code.add("n = n + 1 F[n] = " + point);
    for (std::size_t l = levels.size(); l-- > 0;) code.add("::next" + number(before.size() + l) + ":: end");
    if (local_counters)
        for (std::size_t each = 0; each < counted_.size(); ++each)
            code.add("T[" + number(each + 1) + "] = t" + number(each));
    code.add("return n, visited end");

    machine_->code = std::move(code.text);
    machine_->condition_of_line = std::move(code.condition_of_line);
    lua_State* state = machine_->lua.state;
    lua_pushcfunction(state, machine::prepare);
    lua_pushlightuserdata(state, machine_.get());
    if (lua_pcall(state, 1, 0, 0) != LUA_OK)
        throw error("the constraints cannot be tried together: " + with_names(machine_->lua.message(), names_),
                    "write fewer or shorter constraints");
    machine_->tables.clear();  // they are the caller's
    machine_->code.clear();
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
        auto at = machine_->condition_of_line.find(line);
        // Lua 5.4.4 names a wrong line for a division by zero.
        if (message.find("zero") != std::string::npos || message.find("n%%0") != std::string::npos) {
            const auto divides = [](const auto& each) { return each.second.find_first_of("/%") != std::string::npos; };
            const auto begin = machine_->condition_of_line.begin(), end = machine_->condition_of_line.end();
            at = std::count_if(begin, end, divides) == 1 ? std::find_if(begin, end, divides) : end;
        }
        throw error(at == machine_->condition_of_line.end()
                        ? "cannot evaluate one of the constraints with // or %: " + message
                        : "cannot evaluate " + quoted_expression(at->second) + ": " + message,
                    "a constraint compares values of one type, such as threads * items <= 16384");
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
        turned_away_[counted_[k]] += static_cast<std::uint64_t>(lua_tointeger(state, -1));
        lua_pop(state, 1);
    }
    return points_;
}

}  // namespace launchbox
