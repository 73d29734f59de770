// What the blocks of merge_sort do, run on the CPU with small rows, against std::stable_sort.
#include "merge_sort_on_cpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
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
        check<32, 2, std::uint32_t, std::uint32_t>(kind::few, n, way);
        check<32, 4, no_value, std::uint32_t>(kind::random, n, way);
    }
}

TEST(merge_sort_blocks, sizes_around_tiles)
{
    for (const std::size_t tiles : {1u, 2u, 3u, 4u, 5u, 8u, 15u, 16u, 17u})
        for (const int difference : {-1, 0, 1})
            for (int levels = 1; levels <= 4; ++levels) {
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
        for (int levels = 1; levels <= 4; ++levels)
            for (const std::size_t n : {333u, 2500u, 4096u}) {
                const on_cpu::how way{.levels = levels, .find = n != 2500, .order = 7};
                check<32, 8, std::uint32_t, std::uint16_t>(input, n, way);
                check<64, 4, no_value, std::int64_t>(input, n, way);
                check<128, 2, std::uint8_t, float>(input, n, way);
            }
}

TEST(merge_sort_blocks, shapes)
{
    const std::size_t n = 9001;
    const on_cpu::how way{.levels = 3};
    check<32, 2, std::uint32_t, std::uint8_t>(kind::few, 1000, way);
    check<32, 16, std::uint32_t, std::uint8_t>(kind::random, n, way);
    check<32, 32, std::uint32_t, std::uint32_t>(kind::random, n, way);
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
            check<32, 4, no_value, std::int8_t>(input, n, way);
            check<32, 4, no_value, std::int16_t>(input, n, way, greater{});
            check<32, 4, no_value, std::uint8_t>(input, n, way, by_lower_bits{7});
            check<32, 4, no_value, std::int32_t>(input, n, way, by_absolute_value{});
            check<32, 4, no_value, signed_zeros>(input, n, way);
            check<32, 4, bytes<3>, make<color>>(input, n, way, by_color{1});
            check<32, 4, no_value, make<tagged<12>>>(input, n, way, by_number{});
            check<32, 4, bytes<7>, make<tagged<24>>>(input, n, way, by_number{});
            check<32, 4, bytes<32>, make<tagged<32>>>(input, n, way, by_number{});
        }
}

TEST(merge_sort_blocks, values_that_are_indices)
{
    for (const std::size_t n : {2u, 255u, 256u, 257u, 4000u}) {
        check<32, 8, std::uint32_t, std::uint32_t>(kind::few, n, {.levels = 2, .has_values = false});
        check<32, 8, std::uint64_t, std::uint8_t>(kind::random, n, {.levels = 3, .find = false, .has_values = false});
    }
}

/// A comparison may follow its keys to somewhere: it is given none that is not one of the sort's.
struct marked_keys {
    static std::uint32_t key(std::uint64_t of, std::uint64_t) { return 0x5eed0000u | static_cast<std::uint32_t>(of >> 52); }
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
        for (int levels = 1; levels <= 4; ++levels)
            for (const bool find : {true, false})
                for (const kind input : {kind::random, kind::sorted, kind::reversed, kind::equal}) {
                    check<32, 8, no_value, marked_keys>(input, n, {.levels = levels, .find = find}, compare);
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
    for (int levels = 1; levels <= 4; ++levels) {
        check<32, 16, std::uint32_t, ranks>(kind::equal, 20000, {.levels = levels});
        check<32, 16, no_value, ranks>(kind::equal, 20000, {.levels = levels, .find = false});
    }
}

}  // namespace
