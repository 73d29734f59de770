// Pairs that are sorted as words, with keys that are more or less close together: all bits of the keys fit into the
// words, or some elements must be sorted by their keys afterwards, or a block must sort one by one.
#include "merge_sort_check.cuh"

namespace {

using merge_sort_check::device_array;
using merge_sort_check::is_reduced;
using merge_sort_check::ok;
using sort_inputs::hash;

/// `bits` random leading bits, and ten random bits below them.
template <class Key>
Key crowded(std::size_t i, int bits)
{
    const std::uint64_t random = hash(i), leading = random >> (64 - bits) << (64 - bits);
    return static_cast<Key>(leading >> (64 - 8 * sizeof(Key)) | (hash(random) & 0x3ff));
}

template <class Key, class Value, class Compare>
void check(std::size_t n, int bits, Compare compare)
{
    std::vector<Key> keys(n), sorted(n);
    std::vector<Value> values(n), order(n);
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = crowded<Key>(i, bits);
        values[i] = static_cast<Value>(i);
    }
    const device_array<Key> on_device(keys);
    const device_array<Value> values_on_device(values);
    launchbox::merge_sort(nullptr, on_device.get(), values_on_device.get(), static_cast<std::int64_t>(n), compare);
    on_device.copy_to(sorted);
    values_on_device.copy_to(order);
    std::stable_sort(values.begin(), values.end(), [&](Value a, Value b) {
        return compare(keys[static_cast<std::size_t>(a)], keys[static_cast<std::size_t>(b)]);
    });
    for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(order[i], values[i]) << "element " << i << " of " << n << ", " << bits << " leading bits";
        ASSERT_EQ(sorted[i], keys[static_cast<std::size_t>(values[i])]);
    }
}

TEST(merge_sort_words_on_gpu, keys_of_any_density)
{
    for (const int bits : {1, 6, 10, 12, 14, 16, 20, 22})
        for (const std::size_t n : {270001, 1100000}) {
            if (is_reduced() && n > 300000) continue;
            check<std::uint32_t, std::uint32_t>(n, bits, launchbox::less{});
            check<std::int32_t, std::uint32_t>(n, bits, launchbox::greater{});
            check<std::uint64_t, std::uint64_t>(n, bits, launchbox::less{});
            check<std::int64_t, std::int64_t>(n, bits, launchbox::greater{});
        }
}

}  // namespace
