// Sorts of sorted arrays, which merge nothing, and of nearly sorted ones; floating-point keys with zeros of both signs,
// which keep their order.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "merge_sort_check.hpp"

namespace {

using launchbox::greater;
using launchbox::less;
using launchbox::taken_combinations;
using launchbox::detail::no_value;
using merge_sort_check::first_difference;
using merge_sort_check::in_order;
using merge_sort_check::stable_order;
using sort_inputs::hash;

/// Whether a sort of such keys merged; the result is checked, too.
template <int Threads, int Items, class Value, class Key, class Compare = less>
bool merges(const std::vector<Key>& keys, const on_cpu::how& way, const Compare& compare = {})
{
    std::vector<Value> values;
    if constexpr (!std::is_same_v<Value, no_value>)
        for (std::size_t i = 0; i < keys.size(); ++i) values.push_back(static_cast<Value>(hash(i)));
    const auto order = stable_order(keys, compare);
    auto sorted = keys;
    auto moved = values;
    const int passes = on_cpu::merge_sort<Threads, Items>(sorted, values.empty() ? nullptr : &moved, compare, way);
    EXPECT_EQ(first_difference(sorted, in_order(keys, order)), -1) << "n " << keys.size() << ", levels " << way.levels;
    EXPECT_EQ(first_difference(moved, values.empty() ? values : in_order(values, order)), -1) << "n " << keys.size();
    return passes > 0;
}

template <class Key>
std::vector<Key> made(std::size_t n, const auto& key_at)
{
    std::vector<Key> keys;
    for (std::size_t i = 0; i < n; ++i) keys.push_back(static_cast<Key>(key_at(i)));
    return keys;
}

constexpr std::size_t tile = 512;  // 64 threads with 8 items

template <class Key, class Value, class Compare>
void check_order(std::size_t n, const on_cpu::how& way, const Compare& compare, bool falls)
{
    const auto at = [&](std::size_t i) { return falls ? n - i : i; };
    const auto in = [&](const auto& key_at) { return merges<64, 8, Value>(made<Key>(n, key_at), way, compare); };
    EXPECT_FALSE(in([&](std::size_t i) { return at(i); })) << "strictly, n " << n;
    EXPECT_FALSE(in([](std::size_t) { return 7; })) << "all equal, n " << n;
    // Equal neighbours are sorted, but would not be if they were reversed.
    const bool rises = compare(static_cast<Key>(1), static_cast<Key>(2)) != falls;
    EXPECT_EQ(in([&](std::size_t i) { return at(i) / 2; }), !rises) << "with equal ones, n " << n;
    EXPECT_EQ(in([&](std::size_t i) { return at(i < tile ? i : i - 1); }), !rises) << "equal at a border, n " << n;
    if (n < 3 * tile) return;
    EXPECT_TRUE(in([&](std::size_t i) { return at(i < 2 * tile ? (i + tile) % (2 * tile) : i); }))
        << "two tiles exchanged, n " << n;
    EXPECT_TRUE(in([&](std::size_t i) { return at(i == n - 1 ? n / 2 : i); })) << "one out of place, n " << n;
    EXPECT_TRUE(in([&](std::size_t i) { return at(i < tile ? tile - 1 - i : i); })) << "one tile reversed, n " << n;
}

TEST(merge_order, sorted_input_is_not_merged)
{
    taken_combinations taken(6);
    for (const std::size_t n : {tile + 1, 2 * tile, 5 * tile - 1, 9 * tile, 17 * tile + 3})
        for (int levels = 1; levels <= 5; ++levels)  // one to five passes: the result is in either array
            for (const bool find : {false, true})
                for (const bool falls : {false, true}) {
                    if (!taken.next()) continue;
                    const on_cpu::how way{.levels = levels, .find = find};
                    check_order<std::uint32_t, no_value>(n, way, less{}, falls);
                    check_order<std::int64_t, no_value>(n, way, greater{}, falls);
                    check_order<float, no_value>(n, way, less{}, falls);
                    check_order<double, no_value>(n, way, greater{}, falls);
                    check_order<std::uint32_t, std::uint64_t>(n, way, less{}, falls);
                    check_order<std::int32_t, no_value>(n, way, sort_types::by_absolute_value{}, falls);
                }
}

// Rows with sixteen items sort pairs as words.
TEST(merge_order, sorted_words_of_pairs)
{
    for (const std::size_t n : {3000u, 16384u})
        for (const bool find : {false, true})
            for (const bool falls : {false, true}) {
                const on_cpu::how way{.levels = 2, .find = find};
                const auto at = [&](std::size_t i) { return falls ? n - i : i; };
                EXPECT_FALSE((merges<64, 16, std::uint32_t>(made<std::uint32_t>(n, at), way)));
                EXPECT_FALSE((merges<64, 16, std::uint32_t>(made<double>(n, at), way)));
            }
}

/// Few integers, including zeros: with random signs, or all -0.0, or all -0.0 in some tiles.
template <class Key>
std::vector<Key> with_zeros(std::size_t n, int how, unsigned different)
{
    return made<Key>(n, [&](std::size_t i) {
        const auto whole = static_cast<Key>(static_cast<int>(hash(i) % different) - static_cast<int>(different / 2));
        const bool negative = how == 0 ? hash(i + n) % 2 != 0 : how == 1 ? true : i / tile % 3 == 1;
        return whole == 0 && negative ? static_cast<Key>(-0.0) : whole;
    });
}

TEST(merge_order, zeros_of_both_signs_keep_their_order)
{
    taken_combinations taken(4);
    for (const std::size_t n : {2u, 511u, 513u, 3001u, 9000u})
        for (int levels = 1; levels <= 5; levels += 2)
            for (const bool find : {false, true})
                for (const int how : {0, 1, 2})
                    for (const unsigned different : {1u, 3u, 50u, 3000u}) {
                        if (!taken.next()) continue;
                        const on_cpu::how way{.levels = levels, .find = find, .order = different};
                        merges<64, 8, no_value>(with_zeros<float>(n, how, different), way);
                        merges<64, 8, no_value>(with_zeros<double>(n, how, different), way, greater{});
                        merges<64, 16, std::uint32_t>(with_zeros<float>(n, how, different), way, greater{});
                        merges<64, 16, std::uint64_t>(with_zeros<double>(n, how, different), way);
                    }
    for (const std::size_t n : {2u, 300u, 1000u, 2048u})
        for (const int how : {0, 1, 2}) {
            merges<64, 8, no_value>(with_zeros<float>(n, how, 3), {.by_place = true});
            merges<64, 8, no_value>(with_zeros<double>(n, how, 40), {.by_place = true}, greater{});
        }
}

// Infinities, subnormal and the largest numbers, and numbers that differ in the last bit.
TEST(merge_order, all_kinds_of_floating_point_numbers)
{
    const auto any = [](std::size_t i) {
        const std::uint64_t bits = hash(i);
        const auto value = std::bit_cast<float>(static_cast<std::uint32_t>(bits));
        if (bits >> 60 == 0) return (bits >> 59 & 1) != 0 ? -INFINITY : INFINITY;
        if (bits >> 60 == 1)
            return std::numeric_limits<float>::denorm_min() * static_cast<float>(bits % 8) *
                   (bits % 16 < 8 ? 1.0F : -1.0F);
        return std::isnan(value) ? std::numeric_limits<float>::max() : value;
    };
    for (const std::size_t n : {2000u, 5000u})
        for (const bool find : {false, true}) {
            const on_cpu::how way{.levels = 3, .find = find};
            EXPECT_TRUE((merges<64, 8, no_value>(made<float>(n, any), way)));
            EXPECT_TRUE((merges<64, 8, no_value>(made<float>(n, any), way, greater{})));
            EXPECT_TRUE((merges<64, 8, no_value>(made<double>(n, any), way, greater{})));
            EXPECT_TRUE((merges<64, 16, std::uint32_t>(made<float>(n, any), way)));
            EXPECT_TRUE((merges<64, 16, std::uint32_t>(made<double>(n, any), way, greater{})));
        }
}

}  // namespace
