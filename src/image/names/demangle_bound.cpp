// SPDX-License-Identifier: Apache-2.0
#include "image/names/demangle_bound.hpp"

#include <algorithm>

namespace launchbox {

namespace {

// No token writes more per byte: `Ss` becomes std::basic_string<char, std::char_traits<char>, std::allocator<char>>.
constexpr std::uint64_t per_byte = 64, saturated = std::uint64_t{1} << 40;

}  // namespace

// The syntax tree of a name has its letters as leaves; only these leaves stand for more than themselves:
// - S_ S1A_ T_ T0_ TL0__ repeat something that was complete before them, at most all of it. All end in _ after
//   capitals and digits.
// - C1 D2 CI1, constructors and destructors, repeat the name of their class.
// - Dp sp fl fr fL fR repeat what follows them for every element of a pack; a name has fewer elements than bytes.
// - cv, a conversion operator, alone permits references to what comes after it. They can be nested in ways that this
//   does not follow.
// The letters can be parts of an identifier just as well. Whether they are is not asked: a number before them can be a
// literal, and a parser that takes it for a length would skip what LLVM reads.
std::uint64_t demangling_bound(std::string_view mangled)
{
    std::uint64_t bound = per_byte, packs = 1;
    bool in_reference = false;
    char before = '\0', before_that = '\0';
    for (const char c : mangled) {
        const bool digit = c >= '0' && c <= '9', capital = c >= 'A' && c <= 'Z';
        bound += per_byte;
        const bool structor =
            c >= '0' && c <= '5' && (before == 'C' || before == 'D' || (before == 'I' && before_that == 'C'));
        if ((c == '_' && in_reference) || structor) bound *= 2;
        in_reference = c == 'S' || c == 'T' || (in_reference && (digit || capital));
        if ((c == 'p' && (before == 'D' || before == 's')) ||
            (before == 'f' && (c == 'l' || c == 'r' || c == 'L' || c == 'R')))
            packs = std::min(packs * mangled.size(), saturated);
        if (c == 'v' && before == 'c') return saturated;
        bound = std::min(bound, saturated);
        before_that = before;
        before = c;
    }
    if (packs >= saturated / bound) return saturated;
    return bound * packs;
}

}  // namespace launchbox
