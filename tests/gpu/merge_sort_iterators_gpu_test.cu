// merge_sort_copy from iterators, and with device_ptr in place of pointers, compared with std::stable_sort.
#include "merge_sort_check.cuh"

#include <thrust/device_ptr.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include <launchbox/algorithms/merge_sort.cuh>

namespace {

using namespace merge_sort_check;

class merge_sort_of_iterators : public merge_sort_on_gpu {};

struct scattered {
    __host__ __device__ std::uint32_t operator()(std::int64_t i) const
    {
        return static_cast<std::uint32_t>(i) * 2654435761u % 1009u;
    }
};

using numbers = thrust::counting_iterator<std::int64_t>;

/// The keys that `scattered` makes, sorted, and their indices in that order.
struct expected_order {
    std::vector<std::uint32_t> keys;
    std::vector<std::uint64_t> order;

    template <class Compare = launchbox::less>
    explicit expected_order(std::size_t n, Compare compare = {}) : keys(n), order(n)
    {
        std::iota(order.begin(), order.end(), std::uint64_t{0});
        const auto key = [](std::uint64_t i) { return scattered{}(static_cast<std::int64_t>(i)); };
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return compare(key(a), key(b)); });
        std::transform(order.begin(), order.end(), keys.begin(), key);
    }
};

template <class Type>
std::vector<Type> copied(const device_array<Type>& from, std::size_t n)
{
    std::vector<Type> to(n);
    from.copy_to(to);
    return to;
}

TEST_F(merge_sort_of_iterators, keys_that_are_computed)
{
    const thrust::transform_iterator<scattered, numbers> keys(numbers(0), scattered{});
    for (const std::size_t n : {0, 1, 2, 1000, 2049, 5000, 8193, 100000}) {
        const device_array<std::uint32_t> sorted(n);
        launchbox::merge_sort_copy(nullptr, keys, sorted.get(), static_cast<std::int64_t>(n));
        EXPECT_EQ(copied(sorted, n), expected_order(n).keys) << n;
        // Converted to the type of the result, not of the iterator.
        const device_array<double> numbers_sorted(n);
        ok(launchbox::try_merge_sort_copy(nullptr, keys, numbers_sorted.get(), static_cast<std::int64_t>(n),
                                          launchbox::greater{}));
        const expected_order falling(n, launchbox::greater{});
        EXPECT_EQ(copied(numbers_sorted, n), std::vector<double>(falling.keys.begin(), falling.keys.end())) << n;
    }
}

TEST_F(merge_sort_of_iterators, the_order_of_keys_in_memory)
{
    for (const std::size_t n : {0, 1, 3000, 70000}) {
        std::vector<std::uint32_t> keys(n);
        for (std::size_t i = 0; i < n; ++i) keys[i] = scattered{}(static_cast<std::int64_t>(i));
        const device_array<std::uint32_t> given(keys), sorted(n);
        const device_array<std::uint64_t> order(n);
        const std::uint32_t* const from = given.get();
        launchbox::merge_sort_copy(nullptr, from, numbers(0), sorted.get(), order.get(), static_cast<std::int64_t>(n));
        const expected_order expected(n);
        EXPECT_EQ(copied(sorted, n), expected.keys) << n;
        EXPECT_EQ(copied(order, n), expected.order) << n;
        EXPECT_EQ(copied(given, n), keys) << n;
    }
}

TEST_F(merge_sort_of_iterators, pointers_of_thrust)
{
    const std::size_t n = 20000;
    const expected_order expected(n);
    std::vector<std::uint32_t> keys(n);
    std::vector<std::uint64_t> order(n);
    for (std::size_t i = 0; i < n; ++i) keys[i] = scattered{}(static_cast<std::int64_t>(i));
    std::iota(order.begin(), order.end(), std::uint64_t{0});
    const device_array<std::uint32_t> on_device(keys), sorted(n);
    const device_array<std::uint64_t> values(order);
    const auto pointer = thrust::device_pointer_cast(on_device.get());
    launchbox::merge_sort_copy(nullptr, pointer, sorted.get(), static_cast<std::int64_t>(n));
    EXPECT_EQ(copied(sorted, n), expected.keys);
    launchbox::merge_sort(nullptr, pointer, values.get(), static_cast<std::int64_t>(n), launchbox::less{});
    EXPECT_EQ(copied(on_device, n), expected.keys);
    EXPECT_EQ(copied(values, n), expected.order);
    launchbox::merge_sort(nullptr, pointer, static_cast<std::int64_t>(n), launchbox::greater{});
    EXPECT_EQ(copied(on_device, n), expected_order(n, launchbox::greater{}).keys);
}

TEST_F(merge_sort_of_iterators, workspaces_and_errors_are_those_of_a_sort_in_place)
{
    const std::int64_t n = 50000;
    const device_array<std::uint32_t> sorted(static_cast<std::size_t>(n));
    ok(cudaMemset(sorted.get(), 0xff, static_cast<std::size_t>(n) * 4));
    std::size_t in_place = 0, copied_bytes = 0;
    launchbox::merge_sort(nullptr, sorted.get(), n, launchbox::less{}, launchbox::workspace::query(in_place));
    const thrust::transform_iterator<scattered, numbers> keys(numbers(0), scattered{});
    launchbox::merge_sort_copy(nullptr, keys, sorted.get(), n, launchbox::less{},
                               launchbox::workspace::query(copied_bytes));
    EXPECT_EQ(in_place, copied_bytes);
    const device_array<unsigned char> memory(copied_bytes);
    EXPECT_THROW(
        launchbox::merge_sort_copy(nullptr, keys, sorted.get(), n, launchbox::less{}, {memory.get(), copied_bytes - 1}),
        launchbox::launch_error);
    EXPECT_EQ(copied(sorted, 1)[0], ~std::uint32_t{0}) << "a query, or what was refused, has read the iterator";
    launchbox::merge_sort_copy(nullptr, keys, sorted.get(), n, launchbox::less{}, {memory.get(), copied_bytes});
    EXPECT_EQ(copied(sorted, static_cast<std::size_t>(n)), expected_order(static_cast<std::size_t>(n)).keys);
    EXPECT_THROW(launchbox::merge_sort_copy(nullptr, keys, sorted.get(), -1), launchbox::launch_error);
    EXPECT_EQ(launchbox::try_merge_sort_copy(nullptr, keys, sorted.get(), std::int64_t{-1}), cudaErrorInvalidValue);
}

}  // namespace
