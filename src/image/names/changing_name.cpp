// SPDX-License-Identifier: Apache-2.0
#include "image/names/changing_name.hpp"

#include <algorithm>
#include <cstddef>

#include "support/text/ascii.hpp"

namespace launchbox {

namespace {

constexpr std::string_view decimal = "0123456789", hexadecimal = "0123456789abcdef";
constexpr auto none = std::string_view::npos;

bool in_word(char c)
{
    return is_letter(c) || is_digit(c);
}

// The number of these characters from `at` on.
std::size_t run_of(std::string_view text, std::size_t at, std::string_view characters)
{
    return std::min(text.find_first_not_of(characters, at), text.size()) - std::min(at, text.size());
}

// "::h0123456789abcdef" at the end of the name, or before parameters that a demangler has added.
void erase_rust_hash(std::string& name)
{
    constexpr std::string_view before = "::h";
    constexpr std::size_t digits = 16;
    for (std::size_t at = name.find(before); at != none; at = name.find(before, at + 1)) {
        const std::size_t end = at + before.size() + digits;
        if (run_of(name, at + before.size(), hexadecimal) != digits) continue;
        if (end < name.size() && name[end] != '(' && name[end] != '\'') continue;
        name.erase(at, end - at);
        return;
    }
}

// "Cs4fqI2P2rA04_" before the name of a crate in a Rust symbol: erases the number, not the C.
void erase_rust_crates(std::string& name)
{
    if (!name.starts_with("_R")) return;
    for (std::size_t at = name.find("Cs", 2); at != none; at = name.find("Cs", at + 1)) {
        std::size_t end = at + 2;
        while (end < name.size() && name[end] != '_' && in_word(name[end])) ++end;
        const bool is_number = end > at + 2 && end + 1 < name.size() && name[end] == '_' && is_digit(name[end + 1]);
        if (is_number) name.erase(at + 1, end - at);
    }
}

// The position of the counter that ends an identifier, as in "step$2417" or "step_2417" (an escaped "$17").
std::size_t counter_at_end(std::string_view identifier, bool escaped)
{
    const std::size_t last = identifier.find_last_not_of(decimal);
    if (last == none || last == 0 || last + 1 == identifier.size()) return none;
    const bool is_counter = identifier[last] == '$' || (escaped && identifier.substr(last).starts_with("_24"));
    return is_counter && in_word(identifier[last - 1]) ? last : none;
}

// A Numba symbol that no demangler reads, because a length in it is wrong: erases the counters, and the lengths, which
// depend on them.
void erase_counters_of_symbol(std::string& name)
{
    constexpr std::string_view front = "_ZN6cudapy";
    if (!name.starts_with(front)) return;
    std::string result(front);
    std::string_view rest = std::string_view(name).substr(front.size());
    bool erased = false;
    while (!rest.empty() && is_digit(rest.front())) {
        std::size_t length = 0;
        for (; !rest.empty() && is_digit(rest.front()) && length < name.size(); rest.remove_prefix(1))
            length = length * 10 + static_cast<std::size_t>(rest.front() - '0');
        std::string_view identifier = rest.substr(0, length);
        if (identifier.ends_with('E') && counter_at_end(identifier.substr(0, identifier.size() - 1), true) != none)
            identifier.remove_suffix(1);
        rest.remove_prefix(identifier.size());
        const std::size_t counter = counter_at_end(identifier, true);
        erased |= counter != none;
        result.append("0").append(identifier.substr(0, counter));
    }
    if (erased) name = result.append(rest);
}

// "$2417" after a name, if parameters, tags or a scope follow.
void erase_numba_counters(std::string& name)
{
    if (name.starts_with("_Z")) return erase_counters_of_symbol(name);
    const std::size_t parameters = std::min(name.find_first_of("([<"), name.size());
    if (name.starts_with("cudapy::"))
        if (const auto at = counter_at_end(std::string_view(name).substr(0, parameters), true); at != none)
            name.erase(at, parameters - at);
    for (std::size_t at = name.find('$'); at != none; at = name.find('$', at)) {
        const std::size_t end = at + 1 + run_of(name, at + 1, decimal);
        const bool follows = end < name.size() && (std::string_view("([<").find(name[end]) != none ||
                                                   std::string_view(name).substr(end).starts_with("::"));
        if (at > 0 && in_word(name[at - 1]) && end > at + 1 && follows)
            name.erase(at, end - at);
        else
            ++at;
    }
}

// "[abi:v12]" before "[abi:cw51cXT...]". Similar tags of other tools are not followed by a tag of flags.
void erase_numba_versions(std::string& name)
{
    constexpr std::string_view before = "[abi:v", behind = "][abi:c";
    for (std::size_t at = name.find(before); at != none; at = name.find(before, at + 1)) {
        const std::size_t end = at + before.size() + run_of(name, at + before.size(), decimal);
        if (end == at + before.size() || !std::string_view(name).substr(end).starts_with(behind)) continue;
        name.erase(at, end + 1 - at);
    }
}

// "10302_4a1b2c_" after "__omp_offloading_": the device and inode of the source file; also after the number of the
// region in "__omptgt__0_12c01e8_804_", an older form of clang.
void erase_openmp_file(std::string& name)
{
    constexpr std::string_view before = "__omp_offloading_", once = "__omptgt__";
    std::size_t at = name.find(before), end = at + before.size();
    if (at == none) {
        at = name.find(once);
        if (at == none) return;
        end = at + once.size() + run_of(name, at + once.size(), decimal);
        if (end >= name.size() || name[end] != '_') return;
        ++end;
    }
    const std::size_t begin = end;
    for (int numbers = 0; numbers < 2; ++numbers) {
        const std::size_t digits = run_of(name, end, hexadecimal);
        if (digits == 0 || end + digits >= name.size() || name[end + digits] != '_') return;
        end += digits + 1;
    }
    name.erase(begin, end - begin);
}

// "__static__0123456789abcdef" at the end of a name.
void erase_clang_hash(std::string& name)
{
    for (const std::string_view before : {"__static__", "__intern__"}) {
        const std::size_t at = name.find(before);
        if (at == none || at == 0) continue;
        const std::size_t digits = run_of(name, at + before.size(), hexadecimal), end = at + before.size() + digits;
        if (digits < 8 || (end < name.size() && in_word(name[end]))) continue;
        name.erase(at + before.size(), digits);
    }
}

// "_2169" after "julia_vadd".
void erase_julia_counter(std::string& name)
{
    if (!name.starts_with("julia_") && !name.starts_with("ptxcall_")) return;
    const std::size_t end = std::min(name.find('('), name.size());
    const std::size_t last = std::string_view(name).substr(0, end).find_last_not_of(decimal);
    const std::size_t first = name.find('_');
    if (last != none && last + 1 < end && name[last] == '_' && last > first) name.erase(last, end - last);
}

}  // namespace

std::string without_changing_part(std::string_view demangled)
{
    std::string name(demangled);
    erase_rust_hash(name);
    erase_rust_crates(name);
    erase_numba_counters(name);
    erase_numba_versions(name);
    erase_openmp_file(name);
    erase_clang_hash(name);
    erase_julia_counter(name);
    return name;
}

bool has_changing_part(std::string_view demangled)
{
    return without_changing_part(demangled).size() != demangled.size();
}

}  // namespace launchbox
