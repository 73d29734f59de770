// The blocks of merge_sort with all numbers of items and ways, and the padding of a block's parts. Only one number of
// items is compiled for every change, since each takes 10 s to compile; -DLAUNCHBOX_ALL_TESTS=ON compiles all.
#include <limits>

#include "merge_sort_check.hpp"

namespace {

using launchbox::greater;
using launchbox::less;
using launchbox::taken_combinations;
using launchbox::detail::no_value;
using merge_sort_check::check;
using merge_sort_check::first_difference;
using merge_sort_check::in_order;
using merge_sort_check::stable_order;
using sort_inputs::kind;
using sort_types::make;

// All numbers of items, ways and methods to find the splits, for keys alone, with values, and merged one by one.
template <int Threads, int Items>
void check_rows()
{
    constexpr std::size_t tile = std::size_t{Threads} * Items;
    taken_combinations taken(3);
    for (int levels = 1; levels <= 5; ++levels)
        for (const bool find : {false, true}) {
            const on_cpu::how way{.levels = levels, .find = find, .order = 5};
            for (const std::size_t n : {tile + 1, (tile << levels) - Items - 1, (tile << levels) + 1, 5 * tile + 3}) {
                if (!taken.next()) continue;
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
    check_rows<64, 4>();
#ifdef LAUNCHBOX_ALL_TESTS
    check_rows<64, 2>();
    check_rows<64, 8>();
    check_rows<64, 16>();
    check_rows<64, 32>();
#endif
}

/// Keys for which the first block of a pass that merges all runs takes `sizes[i]` elements from run i: those are small,
/// the others large, or equal to the key that is used as padding.
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

/// Sorts keys alone, which are padded with a key, and keys with values, which are not.
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

// Each pair of runs of the first block has `size` elements, `of_first` of them from its first run; the last pair has
// the rest.
template <int Threads, int Items, class Key>
void check_pairs_of(int size, int of_first)
{
    static taken_combinations taken(8);
    for (int levels = 1; levels <= 5; ++levels) {
        if (!taken.next()) continue;
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
    for (const int size : {0, 1, 7, 8, 9})  // with 1 and 9 elements, all but one element of a row are padding
        for (const int of_first : {0, 1, 1000}) check_pairs_of<64, 8, std::uint32_t>(size, of_first);
    for (const int size : {0, 1, 2, 3}) check_pairs_of<64, 2, std::int64_t>(size, 1);
#ifdef LAUNCHBOX_ALL_TESTS
    for (const int size : {1, 32, 33})
        for (const int of_first : {0, 1000}) check_pairs_of<64, 32, std::int16_t>(size, of_first);
#endif
}

}  // namespace
