// Parts of the standard library that src/ uses and libc++ 14, Debian 12's, lacks; only for WebAssembly, included before
// every file. Empty with a later libc++.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <functional>
#include <iterator>
#include <memory>
#include <utility>

#if defined(_LIBCPP_VERSION) && _LIBCPP_VERSION < 15000
namespace std {

template <class Array>
requires is_unbounded_array_v<Array> unique_ptr<Array> make_unique_for_overwrite(size_t count)
{
    return unique_ptr<Array>(new remove_extent_t<Array>[count]);
}

namespace ranges {

using greater = std::greater<>;

template <class Range, class Value, class Part = identity>
constexpr auto find(Range&& range, const Value& value, Part part = {})
{
    return std::find_if(std::begin(range), std::end(range),
                        [&](const auto& one) { return std::invoke(part, one) == value; });
}

template <class Range, class Test, class Part = identity>
constexpr auto find_if(Range&& range, Test test, Part part = {})
{
    return std::find_if(std::begin(range), std::end(range),
                        [&](const auto& one) { return std::invoke(test, std::invoke(part, one)); });
}

template <class Range, class Test, class Part = identity>
constexpr auto count_if(Range&& range, Test test, Part part = {})
{
    return std::count_if(std::begin(range), std::end(range),
                         [&](const auto& one) { return std::invoke(test, std::invoke(part, one)); });
}

template <class Range, class Test, class Part = identity>
constexpr bool any_of(Range&& range, Test test, Part part = {})
{
    return ranges::find_if(range, test, part) != std::end(range);
}

template <class Range, class Test, class Part = identity>
constexpr bool none_of(Range&& range, Test test, Part part = {})
{
    return !ranges::any_of(range, test, part);
}

template <class Range, class Test, class Part = identity>
constexpr auto find_if_not(Range&& range, Test test, Part part = {})
{
    return std::find_if(std::begin(range), std::end(range),
                        [&](const auto& one) { return !std::invoke(test, std::invoke(part, one)); });
}

template <class Range, class Test, class Part = identity>
constexpr bool all_of(Range&& range, Test test, Part part = {})
{
    return ranges::find_if_not(range, test, part) == std::end(range);
}

template <class Range, class From, class To>
constexpr void replace(Range&& range, const From& from, const To& to)
{
    for (auto& one : range)
        if (one == from) one = to;
}

template <class Range, class Less = std::less<>, class Part = identity>
constexpr void sort(Range&& range, Less less = {}, Part part = {})
{
    std::sort(std::begin(range), std::end(range), [&](const auto& one, const auto& other) {
        return std::invoke(less, std::invoke(part, one), std::invoke(part, other));
    });
}

template <class Range, class Less = std::less<>, class Part = identity>
constexpr void stable_sort(Range&& range, Less less = {}, Part part = {})
{
    std::stable_sort(std::begin(range), std::end(range), [&](const auto& one, const auto& other) {
        return std::invoke(less, std::invoke(part, one), std::invoke(part, other));
    });
}

template <class Range, class Value, class Less = std::less<>, class Part = identity>
constexpr auto lower_bound(Range&& range, const Value& value, Less less = {}, Part part = {})
{
    return std::lower_bound(std::begin(range), std::end(range), value, [&](const auto& one, const Value& other) {
        return std::invoke(less, std::invoke(part, one), other);
    });
}

template <class Range, class Value, class Less = std::less<>, class Part = identity>
constexpr auto upper_bound(Range&& range, const Value& value, Less less = {}, Part part = {})
{
    return std::upper_bound(std::begin(range), std::end(range), value, [&](const Value& other, const auto& one) {
        return std::invoke(less, other, std::invoke(part, one));
    });
}

}  // namespace ranges

}  // namespace std
#endif
