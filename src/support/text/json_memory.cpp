// SPDX-License-Identifier: Apache-2.0
#include "support/text/json_memory.hpp"

#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// For a value in a growing list, which may have unused capacity, even while it is reallocated.
constexpr std::uint64_t bytes_of_value = 48;
constexpr std::uint64_t bytes_of_container = 64;  // besides the value
constexpr std::uint64_t bytes_of_member = 96;     // its name, besides the value
constexpr std::uint64_t bytes_of_string = 32;     // besides its characters

constexpr std::uint64_t base = std::uint64_t{512} << 20, times = 128;

}  // namespace

std::uint64_t json_memory(std::string_view text)
{
    std::uint64_t memory = 0;
    for (std::size_t at = 0; at < text.size(); ++at) switch (text[at]) {
            case '"': {
                const std::size_t begin = at;
                for (++at; at < text.size() && text[at] != '"'; ++at)
                    if (text[at] == '\\') ++at;
                memory += bytes_of_string + (at - begin);
                break;
            }
            case '[':
            case '{':
                memory += bytes_of_value + bytes_of_container;
                break;
            case ',':
                memory += bytes_of_value;
                break;
            case ':':
                memory += bytes_of_member;
                break;
            default:
                break;
        }
    return memory;
}

void refuse_large_json(std::string_view text, std::uint64_t bytes_of_file, const std::string& name)
{
    const std::uint64_t memory = json_memory(text);
    if (memory <= base + times * bytes_of_file) return;
    throw error(escape_for_terminal(name) + " would take " + std::to_string(memory >> 20) +
                    " MiB of memory, far more than usual for its size, and is not read",
                "is it the right file?");
}

}  // namespace launchbox
