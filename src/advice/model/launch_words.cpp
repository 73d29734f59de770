// SPDX-License-Identifier: Apache-2.0
#include "advice/model/launch_words.hpp"

#include <array>
#include <cstddef>

namespace launchbox {

namespace {

// In the order of the enumerators.
constexpr std::array cache_words{"none", "shared", "l1", "equal"};
constexpr std::array caching_words{"off", "preferred", "strict"};
constexpr std::array mode_words{"driver", "spreadsheet"};

template <class Enumerator, std::size_t Count>
Enumerator enumerator_named(const std::array<const char*, Count>& words, std::string_view word)
{
    for (std::size_t i = 0; i < Count; ++i)
        if (word == words[i]) return static_cast<Enumerator>(i);
    return static_cast<Enumerator>(0);
}

}  // namespace

cache_preference cache_preference_named(std::string_view word)
{
    return enumerator_named<cache_preference>(cache_words, word);
}

const char* name_of(cache_preference preference)
{
    return cache_words[static_cast<std::size_t>(preference)];
}

global_caching global_caching_named(std::string_view word)
{
    return enumerator_named<global_caching>(caching_words, word);
}

const char* name_of(global_caching caching)
{
    return caching_words[static_cast<std::size_t>(caching)];
}

std::vector<std::string> cache_preference_words()
{
    return {cache_words.begin(), cache_words.end()};
}

std::vector<std::string> global_caching_words()
{
    return {caching_words.begin(), caching_words.end()};
}

std::vector<std::string> model_mode_words()
{
    return {mode_words.begin(), mode_words.end()};
}

}  // namespace launchbox
