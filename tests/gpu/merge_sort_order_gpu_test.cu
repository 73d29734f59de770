// Sorts of sorted or nearly sorted arrays: with few and many tiles, one pass and several, in place and as a copy.
// Floating-point keys include zeros of both signs.
#include "merge_sort_check.cuh"

namespace {

using merge_sort_check::device_array;
using merge_sort_check::is_reduced;
using merge_sort_check::ok;
using sort_inputs::hash;

/// How an array differs from a sorted one.
enum class flaw { none, all_equal, equal_neighbours, two_exchanged, last_is_first, blocks_exchanged, some_reversed };
constexpr flaw flaws[] = {flaw::none,          flaw::all_equal,        flaw::equal_neighbours, flaw::two_exchanged,
                          flaw::last_is_first, flaw::blocks_exchanged, flaw::some_reversed};

std::size_t rank_at(std::size_t i, std::size_t n, flaw what)
{
    switch (what) {
        case flaw::all_equal:
            return 5;
        case flaw::equal_neighbours:
            return i / 2;
        case flaw::two_exchanged:
            return i == n / 3 ? n / 2 : i == n / 2 ? n / 3 : i;
        case flaw::last_is_first:
            return i + 1 == n ? 0 : i + 1;
        case flaw::blocks_exchanged:  // whole tiles of any size are sorted
            return i < n / 16384 * 16384 ? i ^ 16384 : i;
        case flaw::some_reversed:
            return i < 16384 ? 16383 - i : i;
        default:
            return i;
    }
}

template <class Key, class Value, class Compare>
void check_order(std::size_t n, flaw what, bool falls, bool copies, Compare compare)
{
    constexpr bool has_values = !std::is_void_v<Value>;
    using value = std::conditional_t<has_values, Value, char>;
    std::vector<Key> keys(n), sorted(n);
    std::vector<value> values(n), moved(n);
    std::vector<std::uint32_t> order(n);
    for (std::size_t i = 0; i < n; ++i) {
        const std::size_t rank = rank_at(i, n, what);
        keys[i] = static_cast<Key>(falls ? n - rank : rank);
        values[i] = static_cast<value>(hash(i));
        order[i] = static_cast<std::uint32_t>(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return compare(keys[a], keys[b]); });
    const device_array<Key> in(keys), out(copies ? n : 0);
    const device_array<value> values_in(values), values_out(copies ? n : 0);
    const auto count = static_cast<std::int64_t>(n);
    if constexpr (has_values) {
        if (copies)
            launchbox::merge_sort_copy(nullptr, in.get(), values_in.get(), out.get(), values_out.get(), count, compare);
        else
            launchbox::merge_sort(nullptr, in.get(), values_in.get(), count, compare);
        (copies ? values_out : values_in).copy_to(moved);
    } else if (copies) {
        launchbox::merge_sort_copy(nullptr, in.get(), out.get(), count, compare);
    } else {
        launchbox::merge_sort(nullptr, in.get(), count, compare);
    }
    (copies ? out : in).copy_to(sorted);
    for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(std::memcmp(&sorted[i], &keys[order[i]], sizeof(Key)), 0)
            << "element " << i << " of " << n << ", flaw " << static_cast<int>(what) << ", falls " << falls;
        if constexpr (has_values) ASSERT_EQ(moved[i], values[order[i]]) << "value " << i << " of " << n;
    }
}

struct own_less {
    template <class Key>
    __host__ __device__ bool operator()(const Key& a, const Key& b) const
    {
        return a < b;
    }
};

template <class Key, class Value, class Compare>
void check_orders(std::initializer_list<std::size_t> sizes, Compare compare)
{
    for (const std::size_t n : sizes)
        for (const flaw what : flaws)
            for (const bool falls : {false, true}) {
                if (is_reduced() && n > 300000) continue;
                check_order<Key, Value>(n, what, falls, n % 2 != 0, compare);
            }
}

TEST(merge_sort_order_on_gpu, integers)
{
    check_orders<std::uint32_t, void>({20000, 20001, 65537, 262144, 300001, 1 << 20, (1 << 22) + 5}, launchbox::less{});
    // More than 1,024 tiles, whose splits a separate kernel finds.
    check_orders<std::uint32_t, void>({9000000, 16777217}, launchbox::less{});
    check_orders<std::int64_t, void>({300001, 5000000}, launchbox::greater{});
}

TEST(merge_sort_order_on_gpu, floating_point)
{
    check_orders<float, void>({20000, 20001, 300000, 300001, (1 << 20) + 1, 9000000}, launchbox::less{});
    check_orders<double, void>({20000, 300001, 1 << 20, 9000001}, launchbox::greater{});
}

TEST(merge_sort_order_on_gpu, pairs_and_orders_of_ones_own)
{
    check_orders<std::uint32_t, std::uint32_t>({20000, 300001, 1 << 20, 9000000}, launchbox::less{});
    check_orders<double, std::uint32_t>({20000, 300001, 9000001}, launchbox::less{});
    check_orders<std::uint32_t, void>({20000, 300001, 1 << 20, 9000001}, own_less{});
}

/// Integers of which many are zeros of either sign.
template <class Key, class Value, class Compare>
void check_zeros(std::size_t n, unsigned different, int how, Compare compare)
{
    std::vector<Key> keys(n), sorted(n);
    std::vector<std::uint32_t> values(n), order(n);
    for (std::size_t i = 0; i < n; ++i) {
        keys[i] = static_cast<Key>(static_cast<int>(hash(i) % different)) - static_cast<Key>(different / 2);
        const bool is_negative = how == 0 ? hash(i + n) % 2 != 0 : i / 8192 % 3 == 1;
        if (keys[i] == 0 && is_negative) keys[i] = static_cast<Key>(-0.0);
        values[i] = order[i] = static_cast<std::uint32_t>(i);
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return compare(keys[a], keys[b]); });
    const device_array<Key> on_device(keys);
    const device_array<std::uint32_t> values_on_device(values);
    if constexpr (std::is_void_v<Value>)
        launchbox::merge_sort(nullptr, on_device.get(), static_cast<std::int64_t>(n), compare);
    else
        launchbox::merge_sort(nullptr, on_device.get(), values_on_device.get(), static_cast<std::int64_t>(n), compare);
    on_device.copy_to(sorted);
    values_on_device.copy_to(values);
    for (std::size_t i = 0; i < n; ++i) {
        ASSERT_EQ(std::memcmp(&sorted[i], &keys[order[i]], sizeof(Key)), 0)
            << "element " << i << " of " << n << ", different " << different << ", how " << how;
        if constexpr (!std::is_void_v<Value>) ASSERT_EQ(values[i], order[i]);
    }
}

TEST(merge_sort_order_on_gpu, zeros_of_both_signs_keep_their_order)
{
    for (const std::size_t n : {1000, 5000, 8192, 20000, 70001, 300001, 1100000, 9000001})
        for (const unsigned different : {1u, 3u, 100u, 100000u})
            for (const int how : {0, 1}) {
                if (is_reduced() && n > 300001) continue;
                check_zeros<float, void>(n, different, how, launchbox::less{});
                check_zeros<double, void>(n, different, how, launchbox::greater{});
                check_zeros<float, std::uint32_t>(n, different, how, launchbox::greater{});
            }
}

// A graph repeats the sort with the same sort number, whatever the input was before.
TEST(merge_sort_order_on_gpu, a_graph_sees_each_input_anew)
{
    const std::size_t n = 1 << 20;
    const device_array<float> keys(n);
    std::size_t bytes = 0;
    launchbox::merge_sort(nullptr, keys.get(), static_cast<std::int64_t>(n), launchbox::less{},
                          launchbox::workspace::query(bytes));
    const device_array<char> memory(bytes);
    cudaStream_t stream = nullptr;
    ok(cudaStreamCreate(&stream));
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t runs = nullptr;
    ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    launchbox::merge_sort(stream, keys.get(), static_cast<std::int64_t>(n), launchbox::less{}, {memory.get(), bytes});
    ok(cudaStreamEndCapture(stream, &graph));
    ok(cudaGraphInstantiate(&runs, graph, 0));
    std::vector<float> given(n), sorted(n);
    for (const int input : {0, 1, 2, 0, 3, 1, 0}) {
        for (std::size_t i = 0; i < n; ++i) {
            const std::size_t rank = input == 0 ? i : input == 1 ? hash(i) % n : n - i;
            given[i] = input == 3 && i % 1000 == 7 ? -0.0f : static_cast<float>(rank);
        }
        ok(cudaMemcpy(keys.get(), given.data(), n * sizeof(float), cudaMemcpyHostToDevice));
        ok(cudaGraphLaunch(runs, stream));
        ok(cudaStreamSynchronize(stream));
        keys.copy_to(sorted);
        std::stable_sort(given.begin(), given.end());
        ASSERT_EQ(std::memcmp(sorted.data(), given.data(), n * sizeof(float)), 0) << "input " << input;
    }
    ok(cudaGraphExecDestroy(runs));
    ok(cudaGraphDestroy(graph));
    ok(cudaStreamDestroy(stream));
}

}  // namespace
