// SPDX-License-Identifier: Apache-2.0
#include "support/expression/value_expression.hpp"

#include "support/expression/expression_tokens.hpp"
#include "support/expression/lua_machine.hpp"
#include "support/expression/lua_values.hpp"

namespace launchbox {

struct value_expression::machine {
    lua_machine lua;
    int function = LUA_NOREF;
};

// One evaluation as a protected Lua call: even a word can run out of memory.
struct value_expression::evaluation {
    int function = LUA_NOREF;
    const std::vector<const parameter_value*>& values;

    static int run(lua_State* state)
    {
        const auto& self = *static_cast<const evaluation*>(lua_touserdata(state, 1));
        luaL_checkstack(state, static_cast<int>(self.values.size()) + 1, nullptr);
        lua_rawgeti(state, LUA_REGISTRYINDEX, self.function);
        for (const parameter_value* value : self.values) push_value(state, *value);
        lua_call(state, static_cast<int>(self.values.size()), 1);
        return 1;
    }
};

value_expression::value_expression(std::string text) : text_(std::move(text)), machine_(std::make_unique<machine>())
{
    const std::vector<expression_token> tokens = expression_tokens(text_);
    names_ = names_in(tokens);
    constexpr std::size_t max_names = 150;  // Lua's functions have up to 200 local names
    if (names_.size() > max_names)
        throw expression_error(text_, quoted_expression(text_) + " has more than 150 names",
                               "write it in two expressions");

    lua_machine& lua = machine_->lua;
    std::string parameters;
    for (std::size_t i = 0; i < names_.size(); ++i) parameters += (i == 0 ? "p" : ", p") + std::to_string(i);
    const std::string code = in_lua(tokens, names_, {});
    // The brackets make it one value. It must also parse without them, or "1) or (2" would be an expression.
    if (!lua.loads("return " + code) ||
        !lua.loads("local min, max, ceil_div = ... return function(" + parameters + ") return (" + code + ") end"))
        throw expression_error(text_,
                               quoted_expression(text_) + " is not an expression: " + with_names(lua.message(), names_),
                               "use numbers, names, quoted strings, operators and brackets");
    push_functions(lua.state);
    if (lua_pcall(lua.state, 3, 1, 0) != LUA_OK)
        throw expression_error(text_, "no memory for the expression " + quoted_expression(text_), "shorten it");
    machine_->function = luaL_ref(lua.state, LUA_REGISTRYINDEX);
}

value_expression::~value_expression() = default;
value_expression::value_expression(value_expression&&) noexcept = default;
value_expression& value_expression::operator=(value_expression&&) noexcept = default;

parameter_value value_expression::operator()(const assignment& values, const named_constants& constants) const
{
    std::vector<const parameter_value*> used;
    for (const std::string& name : names_) {
        const parameter_value* value = values.find(name);
        if (value == nullptr)
            if (const auto constant = constants.find(name); constant != constants.end()) value = &constant->second;
        if (value == nullptr) {
            std::vector<std::string> known;
            for (const auto& [item, unused] : values.values) known.push_back(item);
            for (const auto& [item, unused] : constants) known.push_back(item);
            throw expression_error(text_, "unknown name '" + name.substr(0, 64) + "' in " + quoted_expression(text_),
                                   known_names_hint(name, known));
        }
        used.push_back(value);
    }

    lua_machine& lua = machine_->lua;
    lua.begin();
    evaluation work{machine_->function, used};
    lua_pushcfunction(lua.state, evaluation::run);
    lua_pushlightuserdata(lua.state, &work);
    if (lua_pcall(lua.state, 1, 1, 0) != LUA_OK) {
        std::string where;
        for (std::size_t i = 0; i < used.size() && i < 8; ++i)
            where += (i == 0 ? "with " : ", ") + names_[i] + " = " + parameter_text(*used[i]).substr(0, 40);
        throw expression_error(text_,
                               "cannot evaluate " + quoted_expression(text_) + ": " + with_names(lua.message(), names_),
                               where.empty() ? "use values of one type" : where);
    }
    return value_on_top(lua.state);
}

bool value_expression::truth(const assignment& values, const named_constants& constants) const
{
    const parameter_value value = (*this)(values, constants);
    if (const bool* truth = std::get_if<bool>(&value)) return *truth;
    throw expression_error(
        text_, quoted_expression(text_) + " is " + parameter_text(value).substr(0, 40) + ", and must be true or false",
        "compare it with something, such as " + text_.substr(0, 40) + " > 0");
}

std::int64_t value_expression::integer(const assignment& values, const named_constants& constants) const
{
    const parameter_value value = (*this)(values, constants);
    if (const std::int64_t* number = std::get_if<std::int64_t>(&value)) return *number;
    lua_Integer integer = 0;
    if (const double* number = std::get_if<double>(&value); number != nullptr && lua_numbertointeger(*number, &integer))
        if (static_cast<double>(integer) == *number) return integer;
    throw expression_error(
        text_, quoted_expression(text_) + " is " + parameter_text(value).substr(0, 40) + ", not a whole number",
        "use // for a division that rounds down");
}

}  // namespace launchbox
