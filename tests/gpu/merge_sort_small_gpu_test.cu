// merge_sort of few elements on a GPU, where each finds its own position, compared with std::stable_sort.
#include "merge_sort_check.cuh"

#include <launchbox/algorithms/merge_sort.cuh>

namespace {

using namespace merge_sort_check;
using sort_types::make;

class merge_sort_on_gpu_small : public merge_sort_on_gpu {};

/// Few elements, and sizes around one to sixteen tiles of each size.
template <class Make, class Value = none, class Compare = launchbox::less>
void check_sizes(const Compare& compare = {})
{
    std::vector<std::size_t> sizes;
    for (std::size_t n = 0; n < 70; ++n) sizes.push_back(n);
    for (const std::size_t tile : {512, 1024, 2048})
        for (const std::size_t tiles : {1, 2, 3, 5, 8, 15, 16, 17})
            for (const std::size_t n : {tiles * tile - 200, tiles * tile - 1, tiles * tile, tiles * tile + 1})
                sizes.push_back(n);
    for (const std::size_t n : sizes)
        for (const kind input : {kind::random, kind::few, kind::nearly_sorted, kind::sorted, kind::reversed})
            expect_as_stable_sort<Make, Value, void>(input, n, compare, n % 3);
}

TEST_F(merge_sort_on_gpu_small, integers)
{
    check_sizes<make<std::uint32_t>>();
}
TEST_F(merge_sort_on_gpu_small, floats_whose_zeros_differ)
{
    check_sizes<sort_types::signed_zeros>(launchbox::greater{});
}
TEST_F(merge_sort_on_gpu_small, pairs)
{
    check_sizes<make<std::uint32_t>, std::uint32_t>();
    // Partly filled tiles, where key or value has 8 bytes, were wrong because of a bug in ptxas 13.0.
    check_sizes<make<std::uint32_t>, std::uint64_t>();
    check_sizes<make<std::uint64_t>, std::uint32_t>();
    check_sizes<make<std::uint64_t>, std::uint8_t>();
}
TEST_F(merge_sort_on_gpu_small, values_sorted_as_indices)
{
    check_sizes<make<std::uint16_t>, sort_types::bytes<32>>();
}

// One after the other without synchronisation, and in place: a sort begins while the previous one ends.
TEST_F(merge_sort_on_gpu_small, follow_each_other)
{
    const std::size_t n = 4000;
    std::vector<std::uint32_t> keys(n), found(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = static_cast<std::uint32_t>(i * 2654435761u);
    const device_array<std::uint32_t> on_device(keys);
    for (int i = 0; i < 200; ++i) {
        launchbox::merge_sort(nullptr, on_device.get(), static_cast<std::int64_t>(n), launchbox::greater{});
        launchbox::merge_sort(nullptr, on_device.get(), static_cast<std::int64_t>(n));
    }
    on_device.copy_to(found);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(found, keys);
}

}  // namespace
