// Pairs that are sorted as words of 32 bits: keys that fit into their words, keys that do not, and keys so close
// together that elements must be sorted by their keys afterwards, or one by one.
#include <cstddef>
#include <cstdint>

#include "merge_sort_check.hpp"

namespace {

using launchbox::greater;
using launchbox::taken_combinations;
using merge_sort_check::check;
using sort_inputs::hash;
using sort_inputs::kind;

/// 2^Bits different leading parts, each with several of 2^10 different keys.
template <class Key, int Bits>
struct crowded {
    static Key key(std::uint64_t of, std::uint64_t i)
    {
        const std::uint64_t leading = of >> (64 - Bits) << (64 - Bits);
        return static_cast<Key>(leading >> (64 - 8 * sizeof(Key)) | (hash(i) & 0x3ff));
    }
};

/// Keys within a small range.
template <class Key>
struct close {
    static Key key(std::uint64_t of, std::uint64_t) { return static_cast<Key>(static_cast<Key>(-500) + (of >> 54)); }
};

/// Most keys are the lowest one; the others differ in their lower bits.
struct skewed {
    static std::uint32_t key(std::uint64_t of, std::uint64_t i)
    {
        const auto bits = static_cast<std::uint32_t>(of & hash(i) & hash(of));
        return bits & static_cast<std::uint32_t>(hash(of + 1) >> 32);
    }
};

/// Few different keys that are far apart.
template <class Key>
struct few_far {
    static Key key(std::uint64_t of, std::uint64_t) { return static_cast<Key>(hash(of >> 61)); }
};

template <class Value, class Key, class Compare = launchbox::less>
void check_rows(kind input, std::size_t n, const on_cpu::how& way, const Compare& compare = {})
{
    check<64, 16, Value, Key>(input, n, way, compare);
}

TEST(merge_words, keys_of_any_density)
{
    taken_combinations taken(6);
    for (const bool find : {true, false})
        for (int levels = 1; levels <= 5; ++levels)
            for (const std::size_t n : {900u, 1024u, 5000u, 20000u})
                for (const kind input : {kind::random, kind::nearly_sorted}) {
                    if (!taken.next()) continue;
                    const on_cpu::how way{.levels = levels, .find = find, .order = static_cast<unsigned>(levels)};
                    check_rows<std::uint32_t, std::uint32_t>(input, n, way);
                    check_rows<std::uint32_t, crowded<std::uint32_t, 16>>(input, n, way);
                    check_rows<std::uint64_t, crowded<std::uint64_t, 14>>(input, n, way);
                    check_rows<std::uint32_t, crowded<std::uint32_t, 12>>(input, n, way, greater{});
                    check_rows<std::uint32_t, crowded<std::uint32_t, 8>>(input, n, way);
                    check_rows<std::uint32_t, close<std::uint64_t>>(input, n, way);
                }
}

TEST(merge_words, inputs)
{
    for (const kind input : sort_inputs::kinds)
        for (const std::size_t n : {1u, 2u, 33u, 1023u, 1025u, 9000u}) {
            const on_cpu::how way{.levels = 3, .find = n != 9000};
            check_rows<std::uint64_t, std::uint64_t>(input, n, way);
            check_rows<std::uint8_t, std::int32_t>(input, n, way, greater{});
            check_rows<std::uint32_t, skewed>(input, n, way);
            check_rows<std::uint32_t, few_far<std::uint64_t>>(input, n, way);
        }
}

TEST(merge_words, types)
{
    for (const kind input : {kind::random, kind::few, kind::organ_pipe}) {
        const std::size_t n = 7000;
        check_rows<std::uint16_t, std::int8_t>(input, n, {.levels = 2});
        check_rows<std::uint64_t, std::uint16_t>(input, n, {.levels = 2}, greater{});
        check_rows<std::uint32_t, std::int64_t>(input, n, {.levels = 2}, greater{});
        check_rows<std::uint32_t, std::int64_t>(input, n, {.levels = 3, .has_values = false});
        check<64, 32, std::uint32_t, std::uint32_t>(input, n, {.levels = 2});
        check<64, 32, std::uint64_t, crowded<std::uint64_t, 16>>(input, n, {.levels = 2, .find = false});
    }
}

}  // namespace
