// merge_sort on a GPU: sizes of 4-byte keys and pairs, and how it is called. Also without CMake:
//
//     options="-std=c++20 -O2 -arch=sm_90 -split-compile=4 -Iinclude -Itests"
//     for part in "" _large _types _values _rows; do
//       nvcc $options -c tests/gpu/merge_sort${part}_gpu_test.cu -o part$part.o &
//     done; wait
//     nvcc -arch=sm_90 part*.o -o merge_sort_gpu_test -lgtest -lgtest_main
//
// LAUNCHBOX_REDUCED=1 sorts little, for compute-sanitizer. The default build compiles only this unit and with
// MERGE_SORT_ONE_ROW, since the shipped rows triple the number of kernels of each type.
#ifdef MERGE_SORT_ONE_ROW
// clang-format off
#define LAUNCHBOX_ROW {128, 4, 0, 8}
// clang-format on
#endif
#include <launchbox/launch.cuh>

#include "merge_sort_check.cuh"

namespace {

using namespace merge_sort_check;
using launchbox::workspace;

constexpr std::int64_t one = 1;

// Every size, one after the other in one array, so that most are not aligned.
TEST_F(merge_sort_on_gpu, all_small_sizes_as_stable_sort)
{
    const std::size_t most = is_reduced() ? 70 : 5000;
    std::vector<std::uint32_t> keys, values;
    std::vector<std::size_t> begins;
    for (std::size_t n = 0; n <= most; ++n) {
        begins.push_back(keys.size());
        const kind input = sort_inputs::kinds[n % std::size(sort_inputs::kinds)];
        for (std::size_t i = 0; i < n; ++i) {
            keys.push_back(sort_inputs::key<std::uint32_t>(sort_inputs::element(input, i, n, n)));
            values.push_back(static_cast<std::uint32_t>(i));
        }
    }
    const device_array<std::uint32_t> on_device(keys), values_on_device(values), keys_alone(keys);
    for (std::size_t n = 0; n <= most; ++n) {
        launchbox::merge_sort(nullptr, on_device.get() + begins[n], values_on_device.get() + begins[n],
                              static_cast<std::int64_t>(n));
        launchbox::merge_sort(nullptr, keys_alone.get() + begins[n], static_cast<std::int64_t>(n));
    }
    std::vector<std::uint32_t> sorted_keys(keys.size()), sorted_values(keys.size()), sorted_alone(keys.size());
    on_device.copy_to(sorted_keys);
    values_on_device.copy_to(sorted_values);
    keys_alone.copy_to(sorted_alone);

    for (std::size_t n = 0; n <= most; ++n) {
        const std::uint32_t* const mine = keys.data() + begins[n];
        std::stable_sort(values.begin() + static_cast<std::ptrdiff_t>(begins[n]),
                         values.begin() + static_cast<std::ptrdiff_t>(begins[n] + n),
                         [&](std::uint32_t a, std::uint32_t b) { return mine[a] < mine[b]; });
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(sorted_values[begins[n] + i], values[begins[n] + i]) << "value " << i << " of " << n;
            ASSERT_EQ(sorted_keys[begins[n] + i], mine[values[begins[n] + i]]) << "key " << i << " of " << n;
            ASSERT_EQ(sorted_alone[begins[n] + i], mine[values[begins[n] + i]]) << "key " << i << " of " << n;
        }
    }
}

TEST_F(merge_sort_on_gpu, powers_of_two)
{
    const int most = is_reduced() ? 15 : 28;
    checked_sorts<std::uint32_t, std::uint32_t> pairs((one << most) + 2);
    for (int log2 = 1; log2 <= most; ++log2)
        for (const int difference : {-1, 0, 1}) {
            pairs.sort((one << log2) + difference, kind::random, 1);
            if (log2 <= 24) pairs.sort((one << log2) + difference, kind::few);
        }
    pairs.expect_right("pairs of 4 + 4 bytes");
}

TEST_F(merge_sort_on_gpu, inputs)
{
    const std::int64_t most = is_reduced() ? 20001 : (one << 22) + 77;
    checked_sorts<std::uint32_t, std::uint32_t> pairs(most + 8);
    for (const kind input : sort_inputs::kinds)
        for (std::int64_t n = most; n > 1000; n = n / 7 + 3)
            for (const std::int64_t offset : {0, 1, 2, 3}) pairs.sort(n, input, offset);
    pairs.expect_right("4 + 4 bytes");
}

// For CUB's tiles (256 threads, 17 items) and tiles whose sizes are powers of two.
TEST_F(merge_sort_on_gpu, conflicting_inputs)
{
    const std::int64_t n = is_reduced() ? 20000 : one << 20;
    for (const int grain : {15, 16, 17, 32}) {
        const sort_inputs::conflicts ranks(grain, n);
        std::vector<std::uint32_t> keys, values;
        for (std::int64_t i = 0; i < n; ++i) {
            keys.push_back(static_cast<std::uint32_t>(ranks(i)));
            values.push_back(static_cast<std::uint32_t>(i));
        }
        expect_as_stable_sort(keys, values, launchbox::less{}, "conflicts, grain " + std::to_string(grain));
        expect_as_stable_sort(keys, std::vector<none>(), launchbox::less{}, "conflicts, keys alone");
    }
}

TEST_F(merge_sort_on_gpu, workspace_that_is_given)
{
    const std::int64_t n = is_reduced() ? 40000 : 1000003;
    checked_sorts<std::uint32_t, std::uint32_t> pairs(n);
    std::size_t bytes = 0;
    ok(cudaMemset(pairs.keys(), 0x5a, 4));
    launchbox::merge_sort(nullptr, pairs.keys(), pairs.values(), n, launchbox::less{}, workspace::query(bytes));
    ASSERT_GT(bytes, static_cast<std::size_t>(n)) << "the runs go back and forth";

    // No byte after the requested size is written.
    constexpr std::size_t guard = 4096;
    const device_array<unsigned char> memory(std::vector<unsigned char>(bytes + guard, 0xc3));
    pairs.sort(n, kind::random, 0, {memory.get(), bytes});
    pairs.expect_right("workspace given");
    std::vector<unsigned char> after(bytes + guard);
    memory.copy_to(after);
    EXPECT_TRUE(std::all_of(after.begin() + static_cast<std::ptrdiff_t>(bytes), after.end(),
                            [](unsigned char byte) { return byte == 0xc3; }));

    try {
        launchbox::merge_sort(nullptr, pairs.keys(), pairs.values(), n, launchbox::less{}, {memory.get(), bytes - 1});
        FAIL() << "one byte is missing";
    } catch (const launchbox::launch_error& error) {
        EXPECT_NE(std::string(error.what()).find(std::to_string(bytes)), std::string::npos) << error.what();
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    pairs.expect_right("nothing was done");
}

TEST_F(merge_sort_on_gpu, queries_and_sizes_without_work)
{
    std::uint32_t* const no_keys = nullptr;
    std::size_t bytes = 77, later = 0;
    launchbox::merge_sort(nullptr, no_keys, 0, launchbox::less{}, workspace::query(bytes));
    EXPECT_LE(bytes, 256u);
    launchbox::merge_sort(nullptr, no_keys, 0);
    launchbox::merge_sort(nullptr, no_keys, no_keys, 0);
    launchbox::merge_sort(nullptr, no_keys, one << 30, launchbox::less{}, workspace::query(bytes));
    launchbox::merge_sort(nullptr, no_keys, one << 30, launchbox::less{}, workspace::query(later));
    EXPECT_EQ(bytes, later);
    EXPECT_GE(bytes, std::size_t{4} << 30);
    EXPECT_THROW(launchbox::merge_sort(nullptr, no_keys, -1), launchbox::launch_error);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    // A query may be made while another stream is captured, and launches nothing.
    checked_sorts<std::uint32_t, std::uint32_t> pairs(5000);
    make_elements<<<4, 256>>>(pairs.keys(), pairs.values(), 5000, kind::reversed, 0);
    launchbox::merge_sort(nullptr, pairs.keys(), pairs.values(), 5000, launchbox::less{}, workspace::query(bytes));
    std::uint32_t first = 0;
    ok(cudaMemcpy(&first, pairs.values(), 4, cudaMemcpyDeviceToHost));
    std::uint32_t key = 0;
    ok(cudaMemcpy(&key, pairs.keys(), 4, cudaMemcpyDeviceToHost));
    EXPECT_EQ(first, 0u);
    EXPECT_GT(key, 0u);
}

// Values of 16 bytes: their indices are sorted, then the values moved.
struct wide_value {
    std::uint32_t words[4];
};

// Compared with a sort in place of the same keys; the source does not change.
TEST_F(merge_sort_on_gpu, copies_are_sorted_and_their_sources_stay)
{
    for (const std::size_t n : {0, 1, 2, 1000, 2049, 100000, is_reduced() ? 3000 : 3000000}) {
        std::vector<std::uint32_t> keys(n), values(n);
        std::vector<wide_value> wide(n);
        for (std::size_t i = 0; i < n; ++i) {
            keys[i] = sort_inputs::key<std::uint32_t>(sort_inputs::element(kind::few, i, n, 5));
            values[i] = static_cast<std::uint32_t>(i);
            wide[i] = {{values[i], keys[i], values[i] + 1, ~values[i]}};
        }
        const auto size = static_cast<std::int64_t>(n);
        const device_array<std::uint32_t> keys_in(keys), values_in(values), alone(n), keys_out(n), values_out(n),
            wide_keys(n);
        const device_array<wide_value> wide_in(wide), wide_out(n);
        launchbox::merge_sort_copy(nullptr, keys_in.get(), alone.get(), size);
        launchbox::merge_sort_copy(nullptr, keys_in.get(), values_in.get(), keys_out.get(), values_out.get(), size);
        EXPECT_EQ(launchbox::try_merge_sort_copy(nullptr, keys_in.get(), wide_in.get(), wide_keys.get(), wide_out.get(),
                                                 size, launchbox::greater{}),
                  cudaSuccess);
        std::vector<std::uint32_t> order = values, found(n);
        std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return keys[a] < keys[b]; });
        const auto expect_keys = [&](const device_array<std::uint32_t>& of, const char* what) {
            of.copy_to(found);
            for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(found[i], keys[order[i]]) << what << ' ' << i << " of " << n;
        };
        expect_keys(alone, "keys alone");
        expect_keys(keys_out, "keys");
        values_out.copy_to(found);
        EXPECT_EQ(found, order) << n;
        std::vector<std::uint32_t> falling = values;
        std::stable_sort(falling.begin(), falling.end(), [&](auto a, auto b) { return keys[b] < keys[a]; });
        std::vector<wide_value> moved(n);
        wide_out.copy_to(moved);
        for (std::size_t i = 0; i < n; ++i) {
            ASSERT_EQ(moved[i].words[0], falling[i]) << "wide value " << i << " of " << n;
            ASSERT_EQ(moved[i].words[3], ~falling[i]) << "wide value " << i << " of " << n;
        }
        keys_in.copy_to(found);
        EXPECT_EQ(found, keys) << "the source of " << n;
        values_in.copy_to(found);
        EXPECT_EQ(found, values) << "the source's values of " << n;
    }
}

TEST_F(merge_sort_on_gpu, without_exceptions_errors_are_returned)
{
    const device_array<std::uint32_t> keys(std::vector<std::uint32_t>{3, 1, 2});
    EXPECT_EQ(launchbox::try_merge_sort(nullptr, keys.get(), std::int64_t{-1}), cudaErrorInvalidValue);
    EXPECT_EQ(launchbox::try_merge_sort(nullptr, keys.get(), std::int64_t{1} << 20, launchbox::less{},
                                        workspace{keys.get(), 12}),
              cudaErrorInvalidValue);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    EXPECT_EQ(launchbox::try_merge_sort(nullptr, keys.get(), std::int64_t{3}), cudaSuccess);
    std::vector<std::uint32_t> found(3);
    keys.copy_to(found);
    EXPECT_EQ(found, (std::vector<std::uint32_t>{1, 2, 3}));
}

struct own_stream {
    cudaStream_t stream = nullptr;
    own_stream() { ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking)); }
    ~own_stream() { cudaStreamDestroy(stream); }
};

TEST_F(merge_sort_on_gpu, is_captured_with_and_without_workspace)
{
    const std::int64_t n = is_reduced() ? 30000 : 300007;
    const own_stream on;
    for (const bool is_given : {true, false}) {
        checked_sorts<std::uint32_t, std::uint32_t> pairs(n);
        std::size_t bytes = 0;
        launchbox::merge_sort(on.stream, pairs.keys(), pairs.values(), n, launchbox::less{}, workspace::query(bytes));
        const device_array<unsigned char> memory(bytes);
        pairs.sort(n, kind::random, 0, {}, on.stream);  // loads the kernels
        ok(cudaStreamSynchronize(on.stream));
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        ok(cudaStreamBeginCapture(on.stream, cudaStreamCaptureModeThreadLocal));
        pairs.sort(n, kind::random, 0, is_given ? workspace{memory.get(), bytes} : workspace{}, on.stream);
        ok(cudaStreamEndCapture(on.stream, &graph), "captured");
        ok(cudaGraphInstantiate(&executable, graph, 0));
        for (int i = 0; i < 3; ++i) ok(cudaGraphLaunch(executable, on.stream));
        ok(cudaStreamSynchronize(on.stream));
        pairs.expect_right(is_given ? "captured" : "captured, workspace of the stream");
        cudaGraphExecDestroy(executable);
        cudaGraphDestroy(graph);
    }
}

/// So small that a separate kernel finds the splits, for which the next one waits word by word.
using of_small_tiles = launchbox::only<launchbox::merge_sort_row{64, 4, 0, 4}>;

// Kernels that begin before the previous one has ended: of the same sort, of the previous sort, after other kernels
// and, where values are sorted by their indices, after a copy.
template <class Value, class Tuning = void>
void sort_in_parts(bool is_captured)
{
    const own_stream on;
    const std::int64_t large = !is_reduced() ? one << 20 : std::is_void_v<Tuning> ? one << 16 : one << 19;
    for (const std::int64_t n : {one * 700, one << 16, large}) {
        checked_sorts<std::uint32_t, Value> pairs(n);
        std::size_t bytes = 0;
        launchbox::merge_sort<Tuning>(on.stream, pairs.keys(), pairs.values(), n, launchbox::less{},
                                      workspace::query(bytes));
        // Bytes that look like the flags that the first pass waits for.
        const device_array<unsigned char> memory(std::vector<unsigned char>(bytes, 1));
        const auto some = [&] {
            for (const kind input : {kind::random, kind::few, kind::reversed})
                pairs.template sort<Tuning>(n, input, 0, {memory.get(), bytes}, on.stream, true);
        };
        some();
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        if (is_captured) {
            ok(cudaStreamSynchronize(on.stream));
            ok(cudaStreamBeginCapture(on.stream, cudaStreamCaptureModeThreadLocal));
            some();
            ok(cudaStreamEndCapture(on.stream, &graph), "captured");
            ok(cudaGraphInstantiate(&executable, graph, 0));
        }
        for (int i = 0; i < (is_reduced() ? 2 : 50); ++i)
            if (is_captured)
                ok(cudaGraphLaunch(executable, on.stream));
            else
                some();
        ok(cudaStreamSynchronize(on.stream));
        pairs.expect_right(std::to_string(n) + " pairs with values of " + std::to_string(sizeof(Value)) + " bytes");
        if (is_captured) {
            cudaGraphExecDestroy(executable);
            cudaGraphDestroy(graph);
        }
    }
}

TEST_F(merge_sort_on_gpu, sorts_follow_each_other_at_once)
{
    for (const bool is_captured : {false, true}) {
        sort_in_parts<std::uint32_t>(is_captured);
        sort_in_parts<unsigned __int128>(is_captured);
        sort_in_parts<std::uint32_t, of_small_tiles>(is_captured);
    }
}

template <class Tuning = void>
void sort_in_two_streams(std::int64_t n)
{
    const own_stream a, b;
    checked_sorts<std::uint32_t, std::uint32_t> in_a(n), in_b(n), also_in_b(n);
    for (int i = 0; i < 10; ++i) {
        in_a.template sort<Tuning>(n - i, kind::random, 0, {}, a.stream);
        in_b.template sort<Tuning>(n - 7 * i, kind::few, 0, {}, b.stream);
        also_in_b.template sort<Tuning>(n - 9 * i, kind::organ_pipe, 0, {}, b.stream);
    }
    in_a.expect_right("first stream");
    in_b.expect_right("second stream");
    also_in_b.expect_right("second stream, the other arrays");
}

TEST_F(merge_sort_on_gpu, two_streams_at_once)
{
    sort_in_two_streams(is_reduced() ? 20000 : one << 20);
    // Blocks of one stream that wait for splits take SMs from the other.
    sort_in_two_streams<of_small_tiles>(is_reduced() ? one << 19 : one << 22);
    if (!is_reduced()) sort_in_two_streams(one << 25);
}

}  // namespace
