// launchbox: loads and stores of 16 bytes, and of elements that consist of such words. Internal.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <type_traits>

namespace launchbox::detail {

/// 16 bytes that one instruction moves.
struct alignas(16) wide_word {
    std::uint32_t words[4];
};

__device__ __forceinline__ wide_word load_wide(const void* from)
{
#ifdef __CUDA_ARCH__
    const uint4 word = *static_cast<const uint4*>(from);
    return {{word.x, word.y, word.z, word.w}};
#else
    wide_word word;
    std::memcpy(&word, from, sizeof word);
    return word;
#endif
}

__device__ __forceinline__ void store_wide(void* to, const wide_word& word)
{
#ifdef __CUDA_ARCH__
    *static_cast<uint4*>(to) = make_uint4(word.words[0], word.words[1], word.words[2], word.words[3]);
#else
    std::memcpy(to, &word, sizeof word);
#endif
}

/// The same, as a streaming store: for data that is not read again soon.
__device__ __forceinline__ void store_wide_streaming(void* to, const wide_word& word)
{
#ifdef __CUDA_ARCH__
    __stcs(static_cast<uint4*>(to), make_uint4(word.words[0], word.words[1], word.words[2], word.words[3]));
#else
    std::memcpy(to, &word, sizeof word);
#endif
}

/// Whether elements consist of 16-byte words, so that is_wide checks a pointer's alignment at run time. Without that
/// check, types aligned to less than 16 bytes would be moved in small pieces.
template <class Iterator>
inline constexpr bool has_wide_elements = false;
template <class Element>
inline constexpr bool has_wide_elements<Element*> = std::is_trivially_copyable_v<Element> && sizeof(Element) % 16 == 0;

template <class Iterator>
__device__ __forceinline__ bool is_wide(Iterator iterator)
{
    if constexpr (has_wide_elements<Iterator>) return reinterpret_cast<std::uintptr_t>(iterator) % 16 == 0;
    return false;
}

/// `from[at]`; `wide` is is_wide(from).
template <class Element, class Iterator>
__device__ __forceinline__ Element load_element(Iterator from, std::int64_t at, bool wide)
{
    if constexpr (has_wide_elements<Iterator>) {
        using own = std::remove_cv_t<std::remove_pointer_t<Iterator>>;
        if (wide && std::is_same_v<own, Element>) {
            wide_word words[sizeof(own) / 16];
#pragma unroll
            for (unsigned i = 0; i < sizeof(own) / 16; ++i)
                words[i] = load_wide(reinterpret_cast<const wide_word*>(from + at) + i);
            Element element;
            memcpy(static_cast<void*>(&element), words, sizeof element);
            return element;
        }
    }
    return static_cast<Element>(from[at]);
}

/// `to[at] = element`; `wide` is is_wide(to).
template <class Element, class Iterator>
__device__ __forceinline__ void store_element(Iterator to, std::int64_t at, const Element& element, bool wide)
{
    if constexpr (has_wide_elements<Iterator>) {
        using own = std::remove_cv_t<std::remove_pointer_t<Iterator>>;
        if (wide && std::is_same_v<own, Element>) {
            wide_word words[sizeof(own) / 16];
            memcpy(words, static_cast<const void*>(&element), sizeof element);
#pragma unroll
            for (unsigned i = 0; i < sizeof(own) / 16; ++i)
                store_wide(reinterpret_cast<wide_word*>(to + at) + i, words[i]);
            return;
        }
    }
    to[at] = element;
}

}  // namespace launchbox::detail
