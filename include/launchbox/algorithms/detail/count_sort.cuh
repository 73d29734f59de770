// launchbox: a block sorts integers of 16 bits by counting how often each occurs. Internal: include
// segmented_merge_sort.cuh.
// SPDX-License-Identifier: Apache-2.0
//
// Equal integers are identical, so that only their number matters. All 65,536 counts, of 16 bits each, are in shared
// memory. Each element costs one atomic addition; then each thread adds up its consecutive counts, and a scan over the
// block gives the place of the thread's first element. From there on the thread writes each integer that occurs once,
// at its first place, and a second scan, by maximum, fills the places behind it. Only the time of atomic additions to
// the same word depends on how the elements are distributed.
#pragma once

#include <cstdint>

#include <launchbox/algorithms/detail/merge_shape.cuh>
#include <launchbox/algorithms/detail/merge_split.cuh>
#include <launchbox/algorithms/detail/warp_words.cuh>
#include <launchbox/algorithms/detail/wide_access.cuh>

namespace launchbox::detail {

/// Whether the keys of a sort without values can be counted.
template <class Key, class Compare>
inline constexpr bool can_be_counted = is_integer<Key> && sizeof(Key) == 2 && has_last_key<Key, Compare>;

/// The shared memory of a block of `Threads` threads. All of it except the sums is 0 before and after a sort.
template <int Threads>
struct count_memory {
    static constexpr int words = 1 << 15, of_thread = words / Threads;  ///< two counts each
    static constexpr int max_elements = 1 << 15;                        ///< a count has room for them
    static_assert(Threads <= 1024 && of_thread % 32 == 0);

    alignas(16) unsigned counts[words];
    alignas(16) unsigned short slots[max_elements + 8];  ///< of the sorted elements, aligned like the output
    unsigned of_warps[2][32];

    /// The words of a thread are consecutive except for this exchange: with it, threads that each read 16 bytes of
    /// their own words use all banks.
    static __device__ __forceinline__ int exchanged(int thread, int word) { return word ^ (thread & 7) << 2; }
    __device__ __forceinline__ unsigned* counts_of(int thread) { return counts + thread * of_thread; }
    __device__ __forceinline__ void count(unsigned number, unsigned times)
    {
        const int word = static_cast<int>(number >> 1);
        atomicAdd(&counts[exchanged(word / of_thread, word)], times << (number & 1) * 16);
    }
    __device__ __forceinline__ void clear()
    {
        constexpr int wide = (sizeof counts + sizeof slots) / sizeof(wide_word);  // which follow each other
        static_assert(sizeof slots % sizeof(wide_word) == 0);
#pragma unroll 1
        for (int i = static_cast<int>(threadIdx.x); i < wide; i += Threads)
            store_wide(reinterpret_cast<wide_word*>(this) + i, {});
    }
};

/// The elements to sort, and those of them that lie in whole words of 16 bytes.
template <class Key>
struct counted_keys {
    static constexpr int in_word = sizeof(wide_word) / sizeof(Key);
    const Key* first;
    int size, head, whole;

    __device__ __forceinline__ counted_keys(const Key* first_key, int size_in)
        : first(first_key),
          size(size_in),
          head(min(-slot_of(first_key) & (in_word - 1), size_in)),
          whole((size_in - head) / in_word)
    {
    }
    /// A key's place within its 16-byte word.
    static __device__ __forceinline__ int slot_of(const Key* key)
    {
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(key) / sizeof(Key)) & (in_word - 1);
    }
    [[nodiscard]] __device__ __forceinline__ wide_word word(int i) const
    {
        return load_wide(first + head + i * in_word);
    }
};

/// The elements that a thread has read before the block begins with these keys.
template <int Threads, class Key>
struct counted_start {
    wide_word word;
    unsigned edge;
    bool has_edge;

    __device__ __forceinline__ counted_start() : word{}, edge(0), has_edge(false) {}
    __device__ __forceinline__ explicit counted_start(const counted_keys<Key>& keys) : counted_start()
    {
        constexpr int in_word = counted_keys<Key>::in_word;
        const int thread = static_cast<int>(threadIdx.x);
        if (thread < keys.whole) word = keys.word(thread);
        // The last threads read the elements before and after the whole words.
        const int i = Threads - 1 - thread, behind = keys.head + keys.whole * in_word;
        const int at = i < in_word ? i : behind + i - in_word;
        has_edge = i < in_word ? at < keys.head : i < 2 * in_word && at < keys.size;
        if (has_edge) edge = static_cast<unsigned short>(keys.first[at]);
    }
};

/// For each half of two words, the larger.
__device__ __forceinline__ unsigned larger_halves(unsigned a, unsigned b)
{
#ifdef __CUDA_ARCH__
    return __vmaxu2(a, b);
#else
    const auto larger = [](unsigned c, unsigned d) { return c < d ? d : c; };
    return larger(a & 0xffff, b & 0xffff) | larger(a >> 16, b >> 16) << 16;
#endif
}

/// 1 if the word is not 0. The compiler would compare and select.
__device__ __forceinline__ unsigned is_used(unsigned word)
{
#ifdef __CUDA_ARCH__
    unsigned bit;
    asm("min.u32 %0, %1, 1;" : "=r"(bit) : "r"(word));
    return bit;
#else
    return word != 0 ? 1 : 0;
#endif
}

/// Writes 16 bytes to global memory with one instruction.
__device__ __forceinline__ void write_wide(void* to, const wide_word& word)
{
#ifdef __CUDA_ARCH__
    asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(to)), "r"(word.words[0]),
                 "r"(word.words[1]), "r"(word.words[2]), "r"(word.words[3])
                 : "memory");
#else
    store_wide(to, word);
#endif
}

/// Sorts `in.size` keys, up to max_elements, into `out`, which may be their own place. `start` was read from them;
/// `fetch_next` is called when the next keys may be read. Called by all threads after a barrier that follows the
/// clearing; shared memory is clear again for the next call.
template <class Compare, int Threads, class Key, class FetchNext>
__device__ __forceinline__ void sort_by_counting(count_memory<Threads>& memory, const counted_keys<Key>& in, Key* out,
                                                 const counted_start<Threads, Key>& start, const FetchNext& fetch_next)
{
    using memory_type = count_memory<Threads>;
    constexpr int warps = Threads / 32, of_thread = memory_type::of_thread, in_word = counted_keys<Key>::in_word;
    constexpr bool is_signed = static_cast<Key>(-1) < Key{}, falls = is_descending_order<Key, Compare>;
    constexpr unsigned flipped_key = (is_signed ? 0x8000u : 0u) ^ (falls ? 0xffffu : 0u),
                       flipped = flipped_key * 0x10001u;
    const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
    wide_word now = start.word;
#pragma unroll 1
    for (int i = thread; i < in.whole; i += Threads) {
        const wide_word next = i + Threads < in.whole ? in.word(i + Threads) : wide_word{};
        const unsigned first = now.words[0];
        const bool are_equal = ((first ^ now.words[1]) | (first ^ now.words[2]) | (first ^ now.words[3]) |
                                (first ^ (first << 16 | first >> 16))) == 0;
        if (are_equal) {
            memory.count((first ^ flipped) & 0xffff, in_word);
        } else {
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                const unsigned numbers = now.words[k] ^ flipped;
                memory.count(numbers & 0xffff, 1);
                memory.count(numbers >> 16, 1);
            }
        }
        now = next;
    }
    if (start.has_edge) memory.count(start.edge ^ flipped_key, 1);
    fetch_next();
    __syncthreads();

    // The sum of each thread's counts, and a bit for each word that is not 0, the highest for the first word.
    unsigned* const own_counts = memory.counts_of(thread);
    raw_array<unsigned, of_thread / 32> used;
    unsigned sum = 0;
#pragma unroll
    for (int group = 0; group < of_thread / 32; ++group) {
        used[group] = 0;
#pragma unroll
        for (int i = 0; i < 32; i += 4) {
            const wide_word four = load_wide(own_counts + memory_type::exchanged(thread, group * 32 + i));
#pragma unroll
            for (int k = 0; k < 4; ++k) {
                sum += four.words[k];
                used[group] = used[group] * 2 + is_used(four.words[k]);
            }
        }
    }
    const int own = static_cast<int>((sum & 0xffff) + (sum >> 16)), until = sum_until<32>(own);
    if (lane == 31) memory.of_warps[0][warp] = static_cast<unsigned>(until);
    __syncthreads();
    const int before = sum_of_warp(lane < warp && lane < warps ? static_cast<int>(memory.of_warps[0][lane]) : 0);
    const int out_slot = counted_keys<Key>::slot_of(out);
    int place = out_slot + before + until - own;
#pragma unroll
    for (int group = 0; group < of_thread / 32; ++group) {
#pragma unroll 1
        for (unsigned left = used[group]; left != 0;) {
            const int bit = 31 - __clz(static_cast<int>(left)), word = group * 32 + (31 ^ bit);
            left ^= 1u << bit;
            unsigned& both = own_counts[memory_type::exchanged(thread, word)];
            const unsigned counts = both, number = static_cast<unsigned>(thread * of_thread + word) * 2;
            both = 0;
            // If only the second occurs, it overwrites the first.
            memory.slots[place] = static_cast<unsigned short>(number);
            place += static_cast<int>(counts & 0xffff);
            if (counts >> 16 != 0) memory.slots[place] = static_cast<unsigned short>(number + 1);
            place += static_cast<int>(counts >> 16);
        }
    }
    __syncthreads();

    // Slots without a number get the largest number before them.
    const int end = out_slot + in.size, filled = (end + in_word - 1) / in_word, each = (filled + Threads - 1) / Threads;
    const int first_word = min(thread * each, filled), end_word = min(first_word + each, filled);
    const auto slots_of = [&](int word) { return reinterpret_cast<wide_word*>(memory.slots) + word; };
    unsigned largest = 0;
#pragma unroll 1
    for (int i = first_word; i < end_word; ++i) {
        const wide_word word = load_wide(slots_of(i));
        largest = larger_halves(largest, larger_halves(larger_halves(word.words[0], word.words[1]),
                                                       larger_halves(word.words[2], word.words[3])));
    }
    largest = max(largest & 0xffff, largest >> 16);
#pragma unroll
    for (unsigned step = 1; step < 32; step *= 2) largest = max(largest, __shfl_up_sync(~0u, largest, step));
    if (lane == 31) memory.of_warps[1][warp] = largest;
    const unsigned of_lane_before = __shfl_up_sync(~0u, largest, 1);
    __syncthreads();
    largest = warp_maximum(lane < warp && lane < warps ? memory.of_warps[1][lane] : 0);
    if (lane > 0) largest = max(largest, of_lane_before);
    unsigned last = largest * 0x10001u;
    Key* const out_word = out - out_slot;
#pragma unroll 1
    for (int i = first_word; i < end_word; ++i) {
        wide_word word = load_wide(slots_of(i));
        store_wide(slots_of(i), {});
#pragma unroll
        for (int k = 0; k < 4; ++k) {
            const unsigned numbers = larger_halves(word.words[k], last);
            last = larger_halves(numbers, numbers << 16);
            word.words[k] = last ^ flipped;
            last = (last >> 16) * 0x10001u;
        }
        const int slot = i * in_word;
        if (slot >= out_slot && slot + in_word <= end) {
            write_wide(out_word + slot, word);
        } else {
#pragma unroll
            for (int k = 0; k < in_word; ++k)
                if (slot + k >= out_slot && slot + k < end)
                    out_word[slot + k] = static_cast<Key>(word.words[k / 2] >> k % 2 * 16);
        }
    }
}

}  // namespace launchbox::detail
