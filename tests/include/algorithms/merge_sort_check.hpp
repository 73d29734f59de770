// Sorts with the block code of merge_sort on the CPU, with small rows, and compares with std::stable_sort.
#pragma once

#include "merge_sort_on_cpu.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <vector>

#include "scale.hpp"
#include "sort_inputs.hpp"
#include "sort_types.hpp"

namespace merge_sort_check {

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

/// The first element with different bits, or -1: distinguishes equal keys, and -0.0 from 0.0.
template <class Type>
std::ptrdiff_t first_difference(const std::vector<Type>& a, const std::vector<Type>& b)
{
    for (std::size_t i = 0; i < a.size(); ++i)
        // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared, of any type
        if (std::memcmp(&a[i], &b[i], sizeof(Type)) != 0) return static_cast<std::ptrdiff_t>(i);
    return -1;
}

/// A comparison may follow pointers in its keys, so it must only be called with keys of the sort.
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

}  // namespace merge_sort_check
