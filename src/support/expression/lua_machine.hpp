// Sandboxed Lua for untrusted input: no library, little memory. Only for the files in this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <lua.hpp>
#include <string>

namespace launchbox {

/// Longest expression of a user, in characters; Lua never sees a longer one.
inline constexpr std::size_t longest_expression = 4096;

class lua_machine {
public:
    static constexpr std::size_t usual_memory = std::size_t{4} << 20;

    /// `max_memory`: limit in bytes. Throws `error` if there is not even enough memory to begin.
    explicit lua_machine(std::size_t max_memory = usual_memory);
    ~lua_machine();
    lua_machine(const lua_machine&) = delete;
    lua_machine& operator=(const lua_machine&) = delete;

    lua_State* state = nullptr;

    /// Called before each evaluation: clears the stack, and resets the count of allocations.
    void begin();

    /// Whether Lua can parse `code`; leaves the function, or the message, on the stack.
    bool loads(const std::string& code);

    /// The message on top of the stack, without Lua's "[expression]:1:", cut to one line. Sets `line` to the line of
    /// code that it names, or 0 if none.
    std::string message(int* line = nullptr) const;

private:
    struct memory_account {
        std::size_t max_bytes = 0;
        std::size_t in_use = 0;
        std::size_t allocated = 0;  // since the evaluation began
    };
    static void* allocate(void* account, void* block, std::size_t old_size, std::size_t new_size);
    memory_account memory_;
};

/// For messages: one or two lines, even for long expressions.
std::string quoted_expression(const std::string& text);

/// ceil_div(a, b) of whole numbers, rounded up.
int lua_ceil_div(lua_State* state);

}  // namespace launchbox
