// segmented_merge_sort on a GPU, compared with std::stable_sort of each segment. Also without CMake:
//
//     options="-std=c++20 -O2 -arch=sm_90 -Iinclude -Itests -lgtest -lgtest_main"
//     nvcc tests/gpu/segmented_merge_sort_gpu_test.cu -o segmented_merge_sort_gpu_test $options
//
// LAUNCHBOX_REDUCED=1 sorts little, for compute-sanitizer.
#include "merge_sort_check.cuh"

#include <launchbox/algorithms/segmented_merge_sort.cuh>

#include <random>

namespace {

using namespace merge_sort_check;
using launchbox::workspace;

template <class Offset>
struct segments_of {
    std::vector<Offset> begins, ends;

    void add(std::int64_t begin, std::int64_t end)
    {
        begins.push_back(static_cast<Offset>(begin));
        ends.push_back(static_cast<Offset>(end));
    }
};

/// Segments of n elements with sizes `size(i)`; with `has_gaps` in any order, and with elements between them.
template <class Offset, class Size>
segments_of<Offset> make_segments(std::int64_t n, bool has_gaps, const Size& size)
{
    std::vector<std::pair<std::int64_t, std::int64_t>> made;
    std::int64_t at = 0;
    for (std::int64_t i = 0; at < n; ++i) {
        const std::int64_t end = std::min<std::int64_t>(n, at + size(i));
        made.emplace_back(at, end);
        at = end + (has_gaps && i % 5 == 2 ? 3 : 0);
    }
    if (has_gaps) {
        made.emplace_back(7, 7);
        made.emplace_back(9, 2);
        std::mt19937 random(1);
        std::shuffle(made.begin(), made.end(), random);
    }
    segments_of<Offset> segments;
    for (const auto& [begin, end] : made) segments.add(begin, end);
    return segments;
}

template <class Make, class Value = none, class Offset, class Compare = launchbox::less>
void expect_sorted(kind input, std::int64_t n, const segments_of<Offset>& segments, const Compare& compare = {})
{
    using key = decltype(Make::key(0, 0));
    std::vector<key> keys;
    std::vector<Value> values;
    for (std::int64_t i = 0; i < n; ++i) {
        const auto at = static_cast<std::uint64_t>(i);
        keys.push_back(Make::key(sort_inputs::element(input, at, static_cast<std::uint64_t>(n), 11), at));
        if constexpr (!std::is_same_v<Value, none>) values.push_back(sort_types::make<Value>::value(at));
    }
    std::vector<std::uint32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0u);
    for (std::size_t i = 0; i < segments.begins.size(); ++i) {
        if (segments.begins[i] >= segments.ends[i]) continue;
        std::stable_sort(order.begin() + static_cast<std::ptrdiff_t>(segments.begins[i]),
                         order.begin() + static_cast<std::ptrdiff_t>(segments.ends[i]),
                         [&](std::uint32_t a, std::uint32_t b) { return compare(keys[a], keys[b]); });
    }
    const device_array<key> on_device(keys);
    const device_array<Value> values_on_device(values);
    const device_array<Offset> begins(segments.begins), ends(segments.ends);
    const auto count = static_cast<std::int64_t>(segments.begins.size());
    // No byte after the requested size is written.
    std::size_t bytes = 0;
    const auto sort = [&](workspace space) {
        if constexpr (std::is_same_v<Value, none>)
            launchbox::segmented_merge_sort(nullptr, on_device.get(), n, begins.get(), ends.get(), count, compare,
                                            space);
        else
            launchbox::segmented_merge_sort(nullptr, on_device.get(), values_on_device.get(), n, begins.get(),
                                            ends.get(), count, compare, space);
    };
    sort(workspace::query(bytes));
    constexpr std::size_t guard = 1024;
    const device_array<unsigned char> memory(std::vector<unsigned char>(bytes + guard, 0xc3));
    sort({memory.get(), bytes});
    ok(cudaDeviceSynchronize(), "sorted");
    std::vector<unsigned char> after(bytes + guard);
    memory.copy_to(after);
    EXPECT_TRUE(std::all_of(after.end() - guard, after.end(), [](unsigned char byte) { return byte == 0xc3; }));
    const auto expect = [&]<class Type>(const std::vector<Type>& all, const device_array<Type>& sorted,
                                        const char* which) {
        std::vector<Type> found(all);
        sorted.copy_to(found);
        for (std::size_t i = 0; i < all.size(); ++i)
            ASSERT_EQ(std::memcmp(&found[i], &all[order[i]], sizeof(Type)), 0)
                << which << ' ' << i << " of " << n << ", " << sort_inputs::name(input) << ", " << count << " segments";
    };
    expect(keys, on_device, "key");
    if constexpr (!std::is_same_v<Value, none>) expect(values, values_on_device, "value");
}

using sort_types::make;

/// So many sizes that the segments are listed: short ones first, then those of `size(i)`.
template <class Size>
auto after_many_short(const Size& size)
{
    return [&size](std::int64_t i) -> std::int64_t { return i < 700 ? i % 23 : size(i); };
}

class segmented_merge_sort_on_gpu : public merge_sort_on_gpu {};

TEST_F(segmented_merge_sort_on_gpu, segments_of_each_size)
{
    const std::int64_t most = is_reduced() ? 3000 : 200000;
    for (std::int64_t size = 1; size <= most; size = size < 9 ? size + 1 : size * 9 / 5)
        for (const bool has_gaps : {false, true}) {
            const std::int64_t n = std::max<std::int64_t>(5000, 3 * size + 1);
            const auto segments = make_segments<int>(n, has_gaps, [&](std::int64_t) { return size; });
            expect_sorted<make<std::uint32_t>>(kind::random, n, segments);
            expect_sorted<make<std::uint32_t>, std::uint32_t>(kind::few, n, segments);
            const auto size_of = [&](std::int64_t) { return size; };
            const auto listed = make_segments<int>(n + 8000, has_gaps, after_many_short(size_of));
            expect_sorted<make<std::uint32_t>>(kind::random, n + 8000, listed);
            expect_sorted<make<std::uint32_t>, std::uint32_t>(kind::few, n + 8000, listed);
        }
}

TEST_F(segmented_merge_sort_on_gpu, segments_of_all_sizes_at_once)
{
    std::mt19937 random(5);
    const std::int64_t n = is_reduced() ? 60000 : 1500000;
    for (const kind input : {kind::random, kind::few, kind::sorted, kind::reversed, kind::organ_pipe})
        for (const std::int64_t most : {4, 100, 5000, 1 << 19}) {
            const auto size = [&](std::int64_t) -> std::int64_t {
                return most >> random() % std::bit_width(static_cast<std::uint64_t>(most));
            };
            expect_sorted<make<std::uint32_t>>(input, n, make_segments<std::int64_t>(n, true, size));
            expect_sorted<make<std::uint32_t>, std::uint32_t>(input, n, make_segments<unsigned>(n, true, size));
            expect_sorted<make<std::uint32_t>>(input, n, make_segments<int>(n, true, after_many_short(size)));
        }
}

// Values of 32 bytes are sorted as indices; elements outside the segments do not change.
TEST_F(segmented_merge_sort_on_gpu, types_and_orders)
{
    using namespace sort_types;
    std::mt19937 random(6);
    const std::int64_t n = is_reduced() ? 20000 : 100000;
    for (const std::int64_t most : {30, 40000}) {
        const auto size = [&](std::int64_t) -> std::int64_t { return random() % most; };
        const auto segments = make_segments<int>(n, true, size);
        expect_sorted<signed_zeros>(kind::few, n, segments);
        expect_sorted<make<std::uint64_t>, bytes<32>>(kind::few, n, segments, launchbox::greater{});
        expect_sorted<make<std::uint64_t>, std::uint64_t>(kind::random, n, segments);
        expect_sorted<make<color>, bytes<3>>(kind::few, n, segments, by_color{1});
        expect_sorted<make<std::int16_t>>(kind::random, n, segments);
        expect_sorted<make<double>>(kind::random, n, segments, launchbox::greater{});
        expect_sorted<make<std::uint64_t>>(kind::few, n, segments);
    }
}

// 16-bit integers with any values and any segment begins: counted, counted in parts, and merged.
TEST_F(segmented_merge_sort_on_gpu, integers_of_16_bits)
{
    std::mt19937 random(7);
    for (const kind input : {kind::random, kind::few, kind::equal, kind::sorted})
        for (const std::int64_t most : {40, 3000, 30000, 150000})
            for (const std::int64_t third : {std::int64_t{0}, std::int64_t{150000}}) {
                const std::int64_t n = std::min<std::int64_t>(most * 200, is_reduced() ? 50000 : 400000);
                const auto size = [&](std::int64_t i) -> std::int64_t {
                    if (i == 2 && third > 0) return third;
                    return 1 + random() % most;
                };
                expect_sorted<make<std::int16_t>>(input, n, make_segments<int>(n, true, size));
                expect_sorted<make<std::uint16_t>>(input, n, make_segments<std::int64_t>(n, true, size),
                                                   launchbox::greater{});
            }
    if (is_reduced()) return;
    // Around the largest segment that is counted, and the largest average size.
    for (const std::int64_t size : {16383, 16384, 16385, 32767, 32768, 32769})
        for (const std::int64_t segments : {1, 2, 9}) {
            const auto all = [&](std::int64_t) { return size; };
            const auto first = [&](std::int64_t i) { return i == 0 ? size : 3; };
            expect_sorted<make<std::int16_t>>(kind::random, segments * size,
                                              make_segments<int>(segments * size, false, all));
            expect_sorted<make<std::uint16_t>>(kind::random, size + 3 * segments,
                                               make_segments<int>(size + 3 * segments, false, first));
        }
}

struct less_by_hand {
    __host__ __device__ bool operator()(short a, short b) const { return a < b; }
};

// Counting needs no second array for segments of up to 32,768 elements; others are sorted like all other keys.
TEST_F(segmented_merge_sort_on_gpu, what_is_counted)
{
    int device = 0, major = 0, most = 0;
    ok(cudaGetDevice(&device));
    ok(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device));
    ok(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    const bool counts = (major == 9 || major == 10) && most >= 227 << 10;
    const auto needs_array = [&]<class Key, class Compare>(Key, std::int64_t n, std::int64_t segments,
                                                           Compare compare) {
        std::size_t bytes = 0;
        const int* const none_read = nullptr;
        launchbox::segmented_merge_sort(nullptr, static_cast<Key*>(nullptr), n, none_read, segments, compare,
                                        workspace::query(bytes));
        return bytes >= static_cast<std::size_t>(n) * sizeof(Key);
    };
    EXPECT_EQ(needs_array(std::int16_t{}, 16384, 1, launchbox::less{}), !counts);
    EXPECT_EQ(needs_array(std::uint16_t{}, 32767, 512, launchbox::greater{}), !counts);
    EXPECT_EQ(needs_array(char16_t{}, 32767, 2, std::less<>{}), !counts);
    EXPECT_TRUE(needs_array(std::int16_t{}, 16385, 1, launchbox::less{}));
    EXPECT_TRUE(needs_array(std::int16_t{}, 16384, 1, less_by_hand{}));
    EXPECT_TRUE(needs_array(std::uint32_t{}, 16384, 1, launchbox::less{}));
}

TEST_F(segmented_merge_sort_on_gpu, one_offset_more_than_segments)
{
    const std::vector<int> offsets{0, 2, 2, 5, 6};
    const device_array<int> where(offsets);
    const std::vector<std::uint32_t> keys{2, 1, 9, 8, 7, 0, 6, 5};
    const std::vector<std::uint32_t> values{0, 1, 2, 3, 4, 5, 6, 7};
    const device_array<std::uint32_t> alone(keys), pairs(keys), moved(values);
    EXPECT_EQ(launchbox::try_segmented_merge_sort(nullptr, alone.get(), std::int64_t{8}, where.get(), std::int64_t{4}),
              cudaSuccess);
    EXPECT_EQ(launchbox::try_segmented_merge_sort(nullptr, pairs.get(), moved.get(), std::int64_t{8}, where.get(),
                                                  std::int64_t{4}),
              cudaSuccess);
    std::vector<std::uint32_t> found(8);
    const std::vector<std::uint32_t> expected{1, 2, 7, 8, 9, 0, 6, 5};
    alone.copy_to(found);
    EXPECT_EQ(found, expected);
    pairs.copy_to(found);
    EXPECT_EQ(found, expected);
    moved.copy_to(found);
    EXPECT_EQ(found, (std::vector<std::uint32_t>{1, 0, 4, 3, 2, 5, 6, 7}));
}

TEST_F(segmented_merge_sort_on_gpu, what_cannot_be_is_refused)
{
    const device_array<std::uint32_t> keys(std::vector<std::uint32_t>{3, 1, 2});
    const device_array<int> offsets(std::vector<int>{0, 3});
    std::size_t bytes = 0;
    using std::int64_t;
    EXPECT_EQ(launchbox::try_segmented_merge_sort(nullptr, keys.get(), int64_t{-1}, offsets.get(), int64_t{1}),
              cudaErrorInvalidValue);
    EXPECT_EQ(launchbox::try_segmented_merge_sort(nullptr, keys.get(), int64_t{3}, offsets.get(), int64_t{-1}),
              cudaErrorInvalidValue);
    EXPECT_EQ(launchbox::try_segmented_merge_sort(nullptr, keys.get(), int64_t{3}, offsets.get(), int64_t{1} << 32),
              cudaErrorInvalidValue);
    launchbox::segmented_merge_sort(nullptr, keys.get(), 3, offsets.get(), 1, launchbox::less{},
                                    workspace::query(bytes));
    ASSERT_GT(bytes, 256u);
    const device_array<unsigned char> memory(bytes);
    EXPECT_THROW(launchbox::segmented_merge_sort(nullptr, keys.get(), 3, offsets.get(), 1, launchbox::less{},
                                                 {memory.get(), bytes - 1}),
                 launchbox::launch_error);
    launchbox::segmented_merge_sort(nullptr, keys.get(), 0, offsets.get(), 1);
    launchbox::segmented_merge_sort(nullptr, keys.get(), 3, offsets.get(), 0);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    std::vector<std::uint32_t> found(3);
    keys.copy_to(found);
    EXPECT_EQ(found, (std::vector<std::uint32_t>{3, 1, 2}));
}

// The boundaries between the algorithms: few segments and elements, tiles, and parts with one more element.
TEST_F(segmented_merge_sort_on_gpu, borders_of_few)
{
    namespace kernels = launchbox::merge_sort_kernels;
    for (const std::int64_t segments :
         {kernels::max_few_segments - 1, kernels::max_few_segments + 0, kernels::max_few_segments + 1})
        for (const std::int64_t size : {1, 2, 300, is_reduced() ? 301 : 4096, is_reduced() ? 302 : 4097}) {
            const auto of_size = [&](std::int64_t) { return size; };
            const auto made = make_segments<int>(segments * size, false, of_size);
            ASSERT_EQ(static_cast<std::int64_t>(made.begins.size()), segments);
            expect_sorted<make<std::uint32_t>>(kind::random, segments * size, made);
            expect_sorted<make<std::int16_t>, std::uint32_t>(kind::few, segments * size, made);
        }
    if (is_reduced()) return;
    for (const std::int64_t n : {kernels::max_elements_of_few, kernels::max_elements_of_few + 1})
        for (const std::int64_t size : {n, n / 3, n / 500}) {
            const auto of_size = [&](std::int64_t) { return size; };
            expect_sorted<make<std::uint32_t>>(kind::random, n, make_segments<int>(n, false, of_size));
            expect_sorted<make<float>>(kind::few, n, make_segments<int>(n, true, of_size));
        }
}

// Offsets that are not valid segments: the order of the keys is undefined, but nothing else is written, and nothing
// hangs.
TEST_F(segmented_merge_sort_on_gpu, offsets_that_overlap_touch_nothing_else)
{
    const std::int64_t n = 100000;
    segments_of<std::int64_t> segments;
    for (int i = 0; i < 300; ++i) segments.add(-5, i % 2 == 0 ? n + 7000 : 3000);
    const device_array<std::int64_t> begins(segments.begins), ends(segments.ends);
    const device_array<std::uint32_t> keys(std::vector<std::uint32_t>(n + 512, 0xabcdef01u));
    launchbox::segmented_merge_sort(nullptr, keys.get() + 256, n, begins.get(), ends.get(), 300);
    ok(cudaDeviceSynchronize(), "overlapping");
    std::vector<std::uint32_t> found(n + 512);
    keys.copy_to(found);
    EXPECT_TRUE(std::all_of(found.begin(), found.end(), [](std::uint32_t key) { return key == 0xabcdef01u; }));
    const device_array<std::uint16_t> small_keys(std::vector<std::uint16_t>(n + 512, 0xabcd));
    launchbox::segmented_merge_sort(nullptr, small_keys.get() + 256, n, begins.get(), ends.get(), 300);
    ok(cudaDeviceSynchronize(), "overlapping");
    std::vector<std::uint16_t> small_found(n + 512);
    small_keys.copy_to(small_found);
    EXPECT_TRUE(std::all_of(small_found.begin(), small_found.end(), [](std::uint16_t key) { return key == 0xabcd; }));
}

TEST_F(segmented_merge_sort_on_gpu, is_captured_and_follows_at_once)
{
    const std::int64_t n = is_reduced() ? 50000 : 400000;
    std::mt19937 random(8);
    const auto size = [&](std::int64_t) -> std::int64_t { return random() % 90000 >> random() % 14; };
    for (const bool is_listed : {false, true}) {
        const auto segments =
            is_listed ? make_segments<int>(n, false, after_many_short(size)) : make_segments<int>(n, false, size);
        std::vector<std::uint32_t> keys(static_cast<std::size_t>(n));
        for (auto& key : keys) key = static_cast<std::uint32_t>(random() % 5000);
        std::vector<std::uint32_t> expected = keys;
        for (std::size_t i = 0; i < segments.begins.size(); ++i)
            std::sort(expected.begin() + segments.begins[i], expected.begin() + segments.ends[i], std::greater<>{});
        const device_array<int> begins(segments.begins), ends(segments.ends);
        const device_array<std::uint32_t> on_device(keys);
        cudaStream_t stream = nullptr;
        ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
        const auto count = static_cast<std::int64_t>(segments.begins.size());
        const auto there_and_back = [&] {
            launchbox::segmented_merge_sort(stream, on_device.get(), n, begins.get(), ends.get(), count);
            launchbox::segmented_merge_sort(stream, on_device.get(), n, begins.get(), ends.get(), count,
                                            launchbox::greater{});
        };
        for (int i = 0; i < 20; ++i) there_and_back();
        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
        there_and_back();
        ok(cudaStreamEndCapture(stream, &graph), "captured");
        ok(cudaGraphInstantiate(&executable, graph, 0));
        for (int i = 0; i < 20; ++i) ok(cudaGraphLaunch(executable, stream));
        ok(cudaStreamSynchronize(stream));
        std::vector<std::uint32_t> found(keys.size());
        on_device.copy_to(found);
        EXPECT_EQ(found, expected);
        cudaGraphExecDestroy(executable);
        cudaGraphDestroy(graph);
        cudaStreamDestroy(stream);
    }
}

}  // namespace
