// What the blocks of merge_sort do, run on the CPU with small rows, against std::stable_sort.
#include "merge_sort_on_cpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

#include "sort_inputs.hpp"
#include "sort_types.hpp"

namespace {

using launchbox::greater;
using launchbox::less;
using launchbox::detail::no_value;
using sort_inputs::kind;
using sort_types::make;

template <class Key, class Compare>
std::vector<std::uint32_t> stable_order(const std::vector<Key>& keys, const Compare& compare)
{
    std::vector<std::uint32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return compare(keys[a], keys[b]); });
    return order;
}

template <class Type>
std::vector<Type> in_order(const std::vector<Type>& all, const std::vector<std::uint32_t>& order)
{
    std::vector<Type> made;
    for (const std::uint32_t i : order) made.push_back(all[i]);
    return made;
}

/// The first element with other bits, or -1: equal keys are told apart, and so are -0.0 and 0.0.
template <class Type>
std::ptrdiff_t first_difference(const std::vector<Type>& a, const std::vector<Type>& b)
{
    for (std::size_t i = 0; i < a.size(); ++i)
        if (std::memcmp(&a[i], &b[i], sizeof(Type)) != 0) return static_cast<std::ptrdiff_t>(i);
    return -1;
}

template <class Value>
Value value_at(std::size_t i, const on_cpu::how& way)
{
    if constexpr (std::is_integral_v<Value>)
        if (!way.has_values) return static_cast<Value>(i);
    return make<Value>::value(i);
}

template <int Threads, int Items, class Value = no_value, class Make = void, class Compare = less>
void check(kind input, std::size_t n, const on_cpu::how& way, const Compare& compare = {})
{
    using maker = std::conditional_t<std::is_arithmetic_v<Make>, make<Make>, Make>;
    using key = decltype(maker::key(0, 0));
    std::vector<key> keys;
    std::vector<Value> values;
    for (std::size_t i = 0; i < n; ++i) {
        keys.push_back(maker::key(sort_inputs::element(input, i, n, n), i));
        if constexpr (!std::is_same_v<Value, no_value>) values.push_back(value_at<Value>(i, way));
    }
    const auto order = stable_order(keys, compare);
    const auto expected_keys = in_order(keys, order);
    std::vector<Value>* given = nullptr;
    if constexpr (!std::is_same_v<Value, no_value>) given = &values;
    const auto expected_values = given == nullptr ? values : in_order(values, order);
    if (!way.has_values) std::fill(values.begin(), values.end(), Value{});

    on_cpu::merge_sort<Threads, Items>(keys, given, compare, way);
    ASSERT_EQ(first_difference(keys, expected_keys), -1)
        << "key, " << sort_inputs::name(input) << ", n " << n << ", levels " << way.levels << ", find " << way.find;
    ASSERT_EQ(first_difference(values, expected_values), -1)
        << "value, " << sort_inputs::name(input) << ", n " << n << ", levels " << way.levels << ", find " << way.find;
}

TEST(merge_sort_blocks, all_small_sizes)
{
    for (std::size_t n = 0; n <= 600; ++n) {
        const on_cpu::how way{
            .levels = static_cast<int>(n % 4) + 1, .find = n % 3 != 0, .order = static_cast<unsigned>(n % 2)};
        check<64, 2, std::uint32_t, std::uint32_t>(kind::few, n, way);
        check<64, 4, no_value, std::uint32_t>(kind::random, n, way);
    }
}

TEST(merge_sort_blocks, sizes_around_tiles)
{
    for (const std::size_t tiles : {1u, 2u, 3u, 4u, 5u, 8u, 15u, 16u, 17u})
        for (const int difference : {-1, 0, 1})
            for (int levels = 1; levels <= 5; ++levels) {
                const on_cpu::how way{.levels = levels, .find = levels % 2 == 0};
                check<64, 8, std::uint32_t, std::int32_t>(kind::few, tiles * 512 + static_cast<std::size_t>(difference),
                                                          way);
                check<64, 8, no_value, std::uint64_t>(kind::random, tiles * 512 + static_cast<std::size_t>(difference),
                                                      way);
            }
}

TEST(merge_sort_blocks, inputs)
{
    for (const kind input : sort_inputs::kinds)
        for (int levels = 1; levels <= 5; ++levels)
            for (const std::size_t n : {333u, 2500u, 4096u}) {
                const on_cpu::how way{.levels = levels, .find = n != 2500, .order = 7};
                check<64, 8, std::uint32_t, std::uint16_t>(input, n, way);
                check<64, 4, no_value, std::int64_t>(input, n, way);
                check<128, 2, std::uint8_t, float>(input, n, way);
            }
}

TEST(merge_sort_blocks, shapes)
{
    const std::size_t n = 9001;
    const on_cpu::how way{.levels = 3};
    check<64, 2, std::uint32_t, std::uint8_t>(kind::few, 1000, way);
    check<64, 16, std::uint32_t, std::uint8_t>(kind::random, n, way);
    check<64, 32, std::uint32_t, std::uint32_t>(kind::random, n, way);
    check<128, 32, no_value, std::uint32_t>(kind::random, 20000, way);
    check<1024, 2, std::uint32_t, std::uint32_t>(kind::few, n, way);
}

TEST(merge_sort_blocks, types_and_orders)
{
    using namespace sort_types;
    for (const kind input : {kind::random, kind::few, kind::organ_pipe})
        for (const bool find : {false, true}) {
            const std::size_t n = 3001;
            const on_cpu::how way{.levels = find ? 2 : 4, .find = find, .order = 3};
            check<64, 4, no_value, std::int8_t>(input, n, way);
            check<64, 4, no_value, std::int16_t>(input, n, way, greater{});
            check<64, 4, no_value, std::uint8_t>(input, n, way, by_lower_bits{7});
            check<64, 4, no_value, std::int32_t>(input, n, way, by_absolute_value{});
            check<64, 4, no_value, signed_zeros>(input, n, way);
            check<64, 4, bytes<3>, make<color>>(input, n, way, by_color{1});
            check<64, 4, no_value, make<tagged<12>>>(input, n, way, by_number{});
            check<64, 4, bytes<7>, make<tagged<24>>>(input, n, way, by_number{});
            check<64, 4, bytes<32>, make<tagged<32>>>(input, n, way, by_number{});
        }
}

TEST(merge_sort_blocks, values_that_are_indices)
{
    for (const std::size_t n : {2u, 255u, 256u, 257u, 4000u}) {
        check<64, 8, std::uint32_t, std::uint32_t>(kind::few, n, {.levels = 2, .has_values = false});
        check<64, 8, std::uint64_t, std::uint8_t>(kind::random, n, {.levels = 3, .find = false, .has_values = false});
    }
}

// All numbers of items, ways and ways to find the splits, where keys are alone, have values, and are merged one by one.
template <int Threads, int Items>
void check_rows()
{
    constexpr std::size_t tile = std::size_t{Threads} * Items;
    for (int levels = 1; levels <= 5; ++levels)
        for (const bool find : {false, true}) {
            const on_cpu::how way{.levels = levels, .find = find, .order = 5};
            for (const std::size_t n : {tile + 1, (tile << levels) - Items - 1, (tile << levels) + 1, 5 * tile + 3}) {
                check<Threads, Items, no_value, std::uint32_t>(kind::random, n, way);
                check<Threads, Items, std::uint32_t, std::uint32_t>(kind::few, n, way);
                check<Threads, Items, std::uint8_t, std::uint64_t>(kind::random, n, way, greater{});
                check<Threads, Items, std::uint64_t, std::uint16_t>(kind::few, n, way);
                check<Threads, Items, no_value, make<sort_types::tagged<16>>>(kind::few, n, way,
                                                                              sort_types::by_number{});
            }
        }
}

TEST(merge_sort_blocks, rows)
{
    check_rows<64, 2>();
    check_rows<64, 4>();
    check_rows<64, 8>();
    check_rows<64, 16>();
    check_rows<64, 32>();
}

/// Keys of which the first block of a pass that merges all runs takes `sizes[i]` elements from run i: those are small,
/// the others large, or equal to the key that padding is made of.
template <class Key>
std::vector<Key> keys_of_parts(const std::vector<int>& sizes, std::size_t tile, bool are_limits)
{
    constexpr Key most = std::numeric_limits<Key>::max();
    std::vector<Key> keys;
    for (std::size_t run = 0; run < sizes.size(); ++run)
        for (std::size_t i = 0; i < tile; ++i) {
            const bool is_in_part = i < static_cast<std::size_t>(sizes[run]);
            const auto random = static_cast<Key>(sort_inputs::hash(run * tile + i) % 1000);
            keys.push_back(is_in_part ? random : are_limits ? most : static_cast<Key>(most - random));
        }
    return keys;
}

/// The sort of keys alone, which are padded by a key, and of keys with values, which are not.
template <int Threads, int Items, class Key>
void check_parts(const std::vector<int>& sizes, int levels)
{
    for (const bool find : {false, true})
        for (const bool are_limits : {false, true}) {
            const on_cpu::how way{.levels = levels, .find = find, .exact = true, .order = 2};
            auto keys = keys_of_parts<Key>(sizes, std::size_t{Threads} * Items, are_limits);
            std::vector<std::uint16_t> values;
            for (std::size_t i = 0; i < keys.size(); ++i) values.push_back(static_cast<std::uint16_t>(i));
            const auto order = stable_order(keys, less{});
            const auto expected_keys = in_order(keys, order);
            const auto expected_values = in_order(values, order);
            auto alone = keys;
            on_cpu::merge_sort<Threads, Items>(alone, static_cast<std::vector<no_value>*>(nullptr), less{}, way);
            ASSERT_EQ(first_difference(alone, expected_keys), -1) << "levels " << levels << ", find " << find;
            on_cpu::merge_sort<Threads, Items>(keys, &values, less{}, way);
            ASSERT_EQ(first_difference(keys, expected_keys), -1) << "levels " << levels << ", find " << find;
            ASSERT_EQ(first_difference(values, expected_values), -1) << "levels " << levels << ", find " << find;
        }
}

// The first block's pairs have so many elements each, from its first run, and what is left from the last pair.
template <int Threads, int Items, class Key>
void check_pairs_of(int size, int of_first)
{
    for (int levels = 1; levels <= 5; ++levels) {
        const int pairs = (1 << levels) / 2;
        std::vector<int> sizes;
        int left = launchbox::detail::merged_elements(Threads, Items, levels);
        for (int pair = 0; pair < pairs; ++pair) {
            const int own = pair + 1 < pairs ? std::min(size, left) : left;
            const int first = std::min(of_first, own);
            sizes.push_back(first);
            sizes.push_back(own - first);
            left -= own;
        }
        check_parts<Threads, Items, Key>(sizes, levels);
    }
}

TEST(merge_sort_blocks, padding)
{
    for (const int size : {0, 1, 7, 8, 9})  // of 1 and 9 elements a row less one is padding
        for (const int of_first : {0, 1, 1000}) check_pairs_of<64, 8, std::uint32_t>(size, of_first);
    for (const int size : {1, 32, 33})
        for (const int of_first : {0, 1000}) check_pairs_of<64, 32, std::int16_t>(size, of_first);
    for (const int size : {0, 1, 2, 3}) check_pairs_of<64, 2, std::int64_t>(size, 1);
}

/// Half of the keys, or all, equal the one that padding is made of.
template <class Key, int Most>
struct limits {
    static Key key(std::uint64_t of, std::uint64_t)
    {
        using of_key = std::numeric_limits<Key>;
        const Key behind = Most != 0 ? of_key::max() : of_key::min();
        return of >> 63 != 0 ? behind
                             : static_cast<Key>(Most != 0 ? behind - static_cast<Key>(of >> 61)
                                                          : behind + static_cast<Key>(of >> 61));
    }
};

TEST(merge_sort_blocks, keys_that_equal_the_padding)
{
    for (const kind input : {kind::random, kind::few, kind::sorted, kind::reversed})
        for (const bool find : {false, true})
            for (const std::size_t n : {255u, 600u, 4095u, 5000u}) {
                const on_cpu::how way{.levels = 4, .find = find};
                check<64, 8, no_value, limits<std::uint32_t, 1>>(input, n, way);
                check<64, 8, no_value, limits<std::int32_t, 0>>(input, n, way, greater{});
                check<64, 8, no_value, limits<std::uint8_t, 0>>(input, n, way, greater{});
                check<64, 8, no_value, limits<std::int64_t, 1>>(input, n, way);
                check<64, 8, no_value, limits<std::uint64_t, 0>>(input, n, way, greater{});
                check<64, 8, std::uint8_t, limits<std::uint32_t, 1>>(input, n, way);
            }
}

/// A comparison may follow its keys to somewhere: it is given none that is not one of the sort's.
struct marked_keys {
    static std::uint32_t key(std::uint64_t of, std::uint64_t)
    {
        return 0x5eed0000u | static_cast<std::uint32_t>(of >> 52);
    }
};
struct by_lower_half {
    bool* was_given_another;
    bool operator()(std::uint32_t a, std::uint32_t b) const
    {
        if (a >> 16 != 0x5eed || b >> 16 != 0x5eed) *was_given_another = true;
        return (a & 0xffff) < (b & 0xffff);
    }
};

TEST(merge_sort_blocks, comparisons_see_keys_only)
{
    bool was_given_another = false;
    const by_lower_half compare{&was_given_another};
    for (const std::size_t n : {2u, 9u, 255u, 257u, 3000u, 9000u})
        for (int levels = 1; levels <= 5; ++levels)
            for (const bool find : {true, false})
                for (const kind input : {kind::random, kind::sorted, kind::reversed, kind::equal}) {
                    check<64, 8, no_value, marked_keys>(input, n, {.levels = levels, .find = find}, compare);
                    ASSERT_FALSE(was_given_another) << sort_inputs::name(input) << ", n " << n << ", levels " << levels;
                }
}

TEST(merge_sort_blocks, conflicting_input)
{
    struct ranks {
        static std::uint32_t key(std::uint64_t, std::uint64_t i)
        {
            static const sort_inputs::conflicts of(16, 20000);
            return static_cast<std::uint32_t>(of(static_cast<std::int64_t>(i)));
        }
    };
    for (int levels = 1; levels <= 5; ++levels) {
        check<64, 16, std::uint32_t, ranks>(kind::equal, 20000, {.levels = levels});
        check<64, 16, no_value, ranks>(kind::equal, 20000, {.levels = levels, .find = false});
    }
}

}  // namespace
