// Sandboxed Lua for untrusted input: no library, little memory. Only for the files of this folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <lua.hpp>
#include <string>

namespace launchbox {

/// Characters of an expression that somebody wrote; Lua never sees a longer one.
inline constexpr std::size_t longest_expression = 4096;

class lua_machine {
public:
    static constexpr std::size_t usual_memory = std::size_t{4} << 20;

    /// `max_memory` bytes at once. Throws `error` when there is not even memory to begin.
    explicit lua_machine(std::size_t max_memory = usual_memory);
    ~lua_machine();
    lua_machine(const lua_machine&) = delete;
    lua_machine& operator=(const lua_machine&) = delete;

    lua_State* state = nullptr;

    /// Before each evaluation: an empty stack, and the account of what it allocates in all begins anew.
    void begin();

    /// Whether Lua can read `code`; leaves the function, or else the message, on the stack.
    bool loads(const std::string& code);

    /// The message on top of the stack, without Lua's "[expression]:1:" before it, cut to one line. `line` becomes the
    /// line of the code that it names, 0 where it names none.
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

/// For messages: one or two lines, however long the expression is.
std::string quoted_expression(const std::string& text);

/// ceil_div(a, b) of whole numbers, rounded up.
int lua_ceil_div(lua_State* state);

}  // namespace launchbox
