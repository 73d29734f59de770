// Merging within a warp only synchronises the threads of the warp, so a pair of runs must not read a slot that another
// pair may be writing. Here keys and values record where they were copied from.
#include "gpu_on_cpu.hpp"

#include <gtest/gtest.h>
#include <launchbox/algorithms/detail/merge_pairs.cuh>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sort_inputs.hpp"

namespace {

namespace detail = launchbox::detail;

/// The slots of a tile, and the pair that the running thread merges.
struct watch {
    const unsigned char *begin = nullptr, *end = nullptr;
    std::size_t element_bytes = 0;
    int items = 0, tile = 0, width_bits = 0;
    long own_reads = 0, other_reads = 0;

    void see(const void* from)
    {
        const auto* const at = static_cast<const unsigned char*>(from);
        if (at < begin || at >= end) return;  // the thread's own variable
        const int place = static_cast<int>(static_cast<std::size_t>(at - begin) / element_bytes);
        const int row = place / (items + 1), within = place % (items + 1);
        if (within == items) return;  // an unused slot that nobody writes
        const int slot = row * items + within;
        const int pair = static_cast<int>(threadIdx.x) * items >> (width_bits + 1);
        const bool is_own = slot >> width_bits == pair || (tile - 1 - slot) >> width_bits == pair;
        ++(is_own ? own_reads : other_reads);
    }
};
watch of_keys, of_values;

template <watch& Watch>
struct watched {
    unsigned number;
    watched& operator=(const watched& other)
    {
        Watch.see(&other);
        number = other.number;
        return *this;
    }
    watched(const watched& other) : number(other.number) { Watch.see(&other); }
    explicit watched(unsigned made = 0) : number(made) {}
};
using watched_key = watched<of_keys>;
using watched_value = watched<of_values>;

struct by_number {
    bool operator()(const watched_key& a, const watched_key& b) const
    {
        of_keys.see(&a);
        of_keys.see(&b);
        return a.number < b.number;
    }
};

template <int Threads, int Items>
void check_reads(sort_inputs::kind input, std::uint64_t seed)
{
    using shape = detail::merge_shape<watched_key, watched_value, by_number, Threads, Items>;
    static_assert(shape::is_stable);
    std::vector<std::max_align_t> shared(static_cast<std::size_t>(detail::merge_shared_bytes<shape>(Threads, Items)));
    const detail::merge_memory<shape> memory{reinterpret_cast<unsigned char*>(shared.data())};
    const auto all_of = [&](const auto* elements) {
        return watch{reinterpret_cast<const unsigned char*>(elements),
                     reinterpret_cast<const unsigned char*>(elements + Threads * (Items + 1)), sizeof *elements, Items,
                     shape::tile};
    };
    of_keys = of_values = {};
    // Runs of `Items` elements, the even ones on the left, the odd ones on the right.
    for (int i = 0; i < shape::tile; ++i) {
        const detail::equal_runs<shape> single{shape::items_bits - 1};
        const int run = i / Items,
                  at = detail::padded<Items>(single.slot_after(run * Items) + (run % 2 == 0 ? 1 : -1) * (i % Items));
        const auto whole = static_cast<std::uint64_t>(run) * Items;
        std::uint64_t of_run[Items];
        for (int j = 0; j < Items; ++j)
            of_run[j] = sort_inputs::element(input, whole + static_cast<std::uint64_t>(j), shape::tile, seed) >> 40;
        std::sort(of_run, of_run + Items);
        memory.keys()[at].number = static_cast<unsigned>(of_run[i % Items]);
        memory.values()[at].number = static_cast<unsigned>(i);
    }
    for (int bits = shape::items_bits; 1 << bits < shape::tile; ++bits) {
        const detail::equal_runs<shape> runs{bits};
        of_keys = all_of(memory.keys());
        of_values = all_of(memory.values());
        of_keys.width_bits = of_values.width_bits = bits;
        gpu_on_cpu::run(1, Threads, [&] {
            detail::thread_items<shape> items;
            detail::merge_pairs(memory, items, runs, detail::kept_order<shape>{{}});
        });
        EXPECT_GE(of_keys.own_reads, shape::tile) << bits;
        EXPECT_EQ(of_values.own_reads, shape::tile) << bits;
        EXPECT_EQ(of_keys.other_reads, 0) << Items << " items, runs of 2^" << bits;
        EXPECT_EQ(of_values.other_reads, 0) << Items << " items, runs of 2^" << bits;
    }
    for (int i = 1; i < shape::tile; ++i) {
        const auto number = [&](const auto* elements, int slot) {
            return elements[detail::padded<Items>(slot)].number;
        };
        const unsigned before = number(memory.keys(), i - 1), key = number(memory.keys(), i);
        ASSERT_LE(before, key) << i;
        if (before != key) continue;
        ASSERT_LT(number(memory.values(), i - 1), number(memory.values(), i)) << i;
    }
}

TEST(merge_reads, a_pair_only_reads_its_own_slots)
{
    for (const sort_inputs::kind input : sort_inputs::kinds)
        for (std::uint64_t seed = 0; seed < 4; ++seed) {
            check_reads<64, 2>(input, seed);
            check_reads<128, 4>(input, seed);
            check_reads<64, 16>(input, seed);
            check_reads<64, 32>(input, seed);
        }
}

}  // namespace
