// interval_expand and interval_move on a GPU against loops on the host, and large ones against formulas.
// LAUNCHBOX_REDUCED=1 leaves out what takes long under compute-sanitizer. The default build leaves out the tests of
// types and iterators (INTERVAL_FEW_TYPES), with most of the kernels: -DLAUNCHBOX_ALL_GPU_TESTS=ON builds them, or
// without CMake
//
//     nvcc -std=c++20 -O3 -arch=sm_90 -Iinclude tests/gpu/interval_gpu_test.cu -o test -lgtest -lgtest_main
#include <gtest/gtest.h>
#include <launchbox/algorithms/interval_counts.cuh>
#include <launchbox/algorithms/interval_expand.cuh>
#include <launchbox/algorithms/interval_move.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <numeric>
#include <random>
#include <vector>

namespace launchbox {
namespace {

bool is_reduced()
{
    const char* const reduced = std::getenv("LAUNCHBOX_REDUCED");
    return reduced != nullptr && *reduced == '1';
}

template <class Type>
class device_array {
public:
    explicit device_array(std::size_t count) : count_(count)
    {
        EXPECT_EQ(cudaMalloc(&data_, std::max<std::size_t>(count, 1) * sizeof(Type)), cudaSuccess) << count;
    }
    explicit device_array(const std::vector<Type>& host) : device_array(host.size()) { set(host); }
    device_array(const device_array&) = delete;
    device_array& operator=(const device_array&) = delete;
    ~device_array() { cudaFree(data_); }

    void set(const std::vector<Type>& host)
    {
        EXPECT_EQ(cudaMemcpy(data_, host.data(), host.size() * sizeof(Type), cudaMemcpyHostToDevice), cudaSuccess);
    }
    std::vector<Type> host() const
    {
        std::vector<Type> all(count_);
        EXPECT_EQ(cudaMemcpy(all.data(), data_, count_ * sizeof(Type), cudaMemcpyDeviceToHost), cudaSuccess);
        return all;
    }
    Type* data() const { return data_; }
    const Type* in() const { return data_; }
    std::size_t bytes() const { return count_ * sizeof(Type); }

private:
    Type* data_ = nullptr;
    std::size_t count_;
};

template <int bytes>
struct bytes_of_type {
    unsigned char data[bytes];
    friend bool operator==(const bytes_of_type&, const bytes_of_type&) = default;
};

template <class Element>
Element element_of(std::int64_t number)
{
    Element element;
    auto* const bytes = reinterpret_cast<unsigned char*>(&element);
    for (std::size_t i = 0; i < sizeof element; ++i)
        bytes[i] = static_cast<unsigned char>(static_cast<std::uint64_t>(number * 2654435761 + 12345) >> (i % 4 * 8));
    return element;
}

using size_list = std::vector<std::int64_t>;

std::int64_t sum_of(const size_list& sizes)
{
    return std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
}

template <class Offset>
std::vector<Offset> offsets_of(const size_list& sizes)
{
    std::vector<Offset> all;
    std::int64_t sum = 0;
    for (const std::int64_t size : sizes) {
        all.push_back(static_cast<Offset>(sum));
        sum += size;
    }
    return all;
}

std::vector<size_list> size_lists(std::int64_t about)
{
    std::mt19937_64 random(static_cast<std::uint64_t>(about));
    const auto below = [&](std::int64_t most) {
        return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(most));
    };
    const auto repeat = [](std::int64_t count, std::int64_t size) {
        return size_list(static_cast<std::size_t>(count), size);
    };
    std::vector<size_list> all{{about},
                               repeat(about, 1),
                               repeat(about / 4 + 1, 4),
                               repeat(about / 25 + 1, 25),
                               repeat(about / 1000 + 1, 1000)};
    size_list empties_first = repeat(about, 0), empties_last{about}, around = repeat(about, 0), mixed, rare, grows;
    empties_first.push_back(about);
    empties_last.resize(static_cast<std::size_t>(about) + 1);
    around.push_back(5);
    around.resize(around.size() + static_cast<std::size_t>(about));
    around.push_back(about);
    for (std::int64_t sum = 0; sum < about;) sum += mixed.emplace_back(below(3) == 0 ? below(200) : below(4));
    for (std::int64_t i = 0; i < about; ++i) rare.push_back(below(100) == 0 ? below(50) : 0);
    for (std::int64_t sum = 0; sum < about;) sum += grows.emplace_back(static_cast<std::int64_t>(grows.size()));
    for (const size_list& list : {empties_first, empties_last, around, mixed, rare, grows}) all.push_back(list);
    return all;
}

std::vector<std::int64_t> places_for(const size_list& sizes, unsigned seed, std::int64_t max_gap)
{
    std::vector<std::size_t> order(sizes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::mt19937 random(seed);
    std::shuffle(order.begin(), order.end(), random);
    std::vector<std::int64_t> places(order.size());
    std::int64_t at = 0;
    for (const std::size_t i : order) {
        places[i] = at;
        at += sizes[i] + random() % (max_gap + 1);
    }
    return places;
}

class interval_gpu : public testing::Test {
protected:
    void SetUp() override
    {
        int devices = 0;
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU here";
    }
};

/// Calls `run(workspace)` with an empty workspace, and with one of the required size.
template <class Run, class Check>
void with_workspaces(const Run& run, const Check& check)
{
    run(workspace{});
    check("from the stream");
    std::size_t bytes = 0;
    run(workspace::query(bytes));
    constexpr std::size_t guard = 256;
    const device_array<char> memory(bytes + guard);
    ASSERT_EQ(cudaMemset(memory.data() + bytes, 0x5a, guard), cudaSuccess);
    run(workspace{memory.data(), bytes});
    check("given");
    // Only the guard: not every byte of a workspace needs to be written.
    std::vector<char> after(guard);
    ASSERT_EQ(cudaMemcpy(after.data(), memory.data() + bytes, guard, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_TRUE(std::all_of(after.begin(), after.end(), [](char c) { return c == 0x5a; }));
}

template <class Element, class Offset>
void check_expand(const size_list& sizes, int misaligned = 0, bool counts_too = true)
{
    const auto intervals = static_cast<std::int64_t>(sizes.size());
    const std::int64_t total = sum_of(sizes);
    std::vector<Element> values, expected(static_cast<std::size_t>(total) + 64, element_of<Element>(-7));
    const std::vector<Element> untouched = expected;
    auto at = expected.begin() + 16 + misaligned;
    for (std::int64_t i = 0; i < intervals; ++i) {
        values.push_back(element_of<Element>(i));
        at = std::fill_n(at, sizes[static_cast<std::size_t>(i)], values.back());
    }
    const device_array<Element> in(values);
    device_array<Element> out(untouched);
    const device_array<Offset> offsets(offsets_of<Offset>(sizes));
    const auto check = [&](const char* how) {
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << how;
        ASSERT_TRUE(out.host() == expected) << how << ": " << total << " outputs, " << intervals << " intervals, of "
                                            << sizeof(Element) << " bytes, from " << misaligned;
        out.set(untouched);
    };
    Element* const to = out.data() + 16 + misaligned;
    interval_expand(nullptr, in.in(), offsets.in(), intervals, to, total);
    check("offsets");
    if (!counts_too) return;
    const device_array<std::int64_t> counts(sizes);
    with_workspaces(
        [&](workspace w) { interval_expand(nullptr, in.in(), interval_counts{counts.in()}, intervals, to, total, w); },
        check);
}

TEST_F(interval_gpu, expands_any_intervals)
{
    for (const std::int64_t about : {1, 2, 700, 9001, 100'000})
        for (const size_list& list : size_lists(about)) {
            check_expand<int, int>(list, static_cast<int>(about % 4));
            check_expand<std::uint64_t, std::uint64_t>(list, 1, false);
        }
}

TEST_F(interval_gpu, expands_all_sizes)
{
    std::mt19937 random(5);
    for (std::int64_t total = 0; total <= 2000; total += is_reduced() ? 97 : 1) {
        size_list sizes;
        for (std::int64_t left = total; left > 0; left -= sizes.back())
            sizes.push_back(std::min<std::int64_t>(left, random() % 40));
        check_expand<int, unsigned>(sizes, static_cast<int>(total % 4), false);
    }
}

#ifndef INTERVAL_FEW_TYPES
TEST_F(interval_gpu, expands_any_type)
{
    for (const std::int64_t about : {5000, 60'000})
        for (const size_list& list : size_lists(about)) {
            for (const int misaligned : {0, 1, 7}) check_expand<std::uint8_t, int>(list, misaligned, false);
            check_expand<std::uint16_t, int>(list, 3, false);
            check_expand<bytes_of_type<3>, int>(list, 1, false);
            check_expand<bytes_of_type<12>, int>(list, 1, false);
            check_expand<bytes_of_type<16>, int>(list, 0, false);
            check_expand<bytes_of_type<24>, int>(list, 1, false);
            check_expand<bytes_of_type<32>, int>(list, 0, false);
        }
}
#endif

enum class sides { move, gather, scatter };

template <sides which, class Element, class Offset>
void check_move(const size_list& sizes, int misaligned_in = 0, int misaligned_out = 0, bool counts_too = true)
{
    const auto intervals = static_cast<std::int64_t>(sizes.size());
    const std::int64_t total = sum_of(sizes);
    const std::vector<Offset> starts = offsets_of<Offset>(sizes);
    std::vector<std::int64_t> gather = places_for(sizes, 3, 5), scatter = places_for(sizes, 4, 2);
    if (which == sides::scatter) gather.assign(starts.begin(), starts.end());
    if (which == sides::gather) scatter.assign(starts.begin(), starts.end());
    const std::size_t room = static_cast<std::size_t>(total + 6 * intervals) + 64;
    std::vector<Element> source, untouched(room, element_of<Element>(-7));
    for (std::size_t i = 0; i < room; ++i) source.push_back(element_of<Element>(static_cast<std::int64_t>(i)));
    std::vector<Element> expected = untouched;
    for (std::size_t i = 0; i < gather.size(); ++i)
        std::copy_n(source.begin() + misaligned_in + gather[i], sizes[i],
                    expected.begin() + misaligned_out + scatter[i]);

    const device_array<Element> in(source);
    device_array<Element> out(untouched);
    const device_array<Offset> offsets(starts);
    const device_array<std::int64_t> counts(sizes), gathers(gather), scatters(scatter);
    const Element* const from = in.in() + misaligned_in;
    Element* const to = out.data() + misaligned_out;
    const auto check = [&](const char* how) {
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess) << how;
        ASSERT_TRUE(out.host() == expected)
            << how << ": " << total << " outputs, " << intervals << " intervals, of " << sizeof(Element) << " bytes";
        out.set(untouched);
    };
    const auto run = [&](auto of, workspace w) {
        if constexpr (which == sides::move)
            interval_move(nullptr, gathers.in(), scatters.in(), of, intervals, from, to, w);
        else if constexpr (which == sides::gather)
            interval_gather(nullptr, gathers.in(), of, intervals, from, to, w);
        else
            interval_scatter(nullptr, scatters.in(), of, intervals, from, to, w);
    };
    run(interval_offsets{offsets.in(), total}, {});
    check("offsets");
    if constexpr (std::is_same_v<Element, int>) {
        if (!counts_too) return;
        with_workspaces([&](workspace w) { run(interval_counts{counts.in(), total}, w); }, check);
        with_workspaces([&](workspace w) { run(counts.in(), w); }, check);  // the bound is not known on the host
    }
}

TEST_F(interval_gpu, moves_any_intervals)
{
    for (const std::int64_t about : {1, 2, 700, 9001, 100'000})
        for (const size_list& list : size_lists(about)) {
            check_move<sides::move, int, int>(list, 1, 2);
            check_move<sides::gather, int, unsigned>(list, 3, 3);
            check_move<sides::scatter, int, std::int64_t>(list, 0, 1);
        }
}

#ifndef INTERVAL_FEW_TYPES
TEST_F(interval_gpu, moves_any_type)
{
    for (const std::int64_t about : {5000, 60'000})
        for (const size_list& list : size_lists(about)) {
            check_move<sides::move, std::uint8_t, int>(list, 1, 5);
            check_move<sides::gather, std::uint16_t, int>(list, 3, 3);
            check_move<sides::scatter, bytes_of_type<3>, int>(list, 1, 0);
            check_move<sides::gather, std::uint64_t, int>(list, 1, 1);
            check_move<sides::move, bytes_of_type<12>, int>(list, 1, 1);
            check_move<sides::gather, bytes_of_type<16>, int>(list, 0, 1);
            check_move<sides::move, bytes_of_type<32>, int>(list, 2, 1);
        }
}
#endif

TEST_F(interval_gpu, millions_of_empty_intervals)
{
    const std::int64_t empties = is_reduced() ? 100'000 : 5'000'000;
    size_list sizes(static_cast<std::size_t>(empties));
    sizes.push_back(70'000);
    sizes.resize(sizes.size() + static_cast<std::size_t>(empties));
    sizes.push_back(3);
    check_expand<int, int>(sizes, 1);
    check_move<sides::gather, int, int>(sizes);
    check_expand<int, int>(size_list(static_cast<std::size_t>(empties)), 1);  // without any output
}

TEST_F(interval_gpu, nothing_to_do)
{
    check_expand<int, int>({});
    check_move<sides::move, int, int>({});
    std::size_t bytes = 1;
    interval_expand(nullptr, static_cast<const int*>(nullptr), static_cast<const int*>(nullptr), 7,
                    static_cast<int*>(nullptr), 7, workspace::query(bytes));
    EXPECT_EQ(bytes, 0u);
}

TEST_F(interval_gpu, counts_above_the_bound_are_cut)
{
    const std::vector<int> values{10, 20, 30, 40}, counts{5, 0, 7, 9};
    const device_array<int> in(values), sizes(counts);
    for (int most = 0; most <= 25; ++most) {
        const device_array<int> out(std::vector<int>(40, -1));
        interval_expand(nullptr, in.in(), interval_counts{sizes.in()}, 4, out.data(), most);
        std::vector<int> expected;
        for (std::size_t i = 0; i < 4; ++i)
            expected.insert(expected.end(), static_cast<std::size_t>(counts[i]), values[i]);
        expected.resize(static_cast<std::size_t>(std::min(most, 21)));
        expected.resize(40, -1);
        EXPECT_EQ(out.host(), expected) << most;
    }
}

TEST_F(interval_gpu, refuses)
{
    const device_array<int> some(16);
    const auto expand = [&](std::int64_t intervals, std::int64_t n) {
        interval_expand(nullptr, some.in(), some.in(), intervals, some.data(), n);
    };
    EXPECT_THROW(expand(-1, 5), launch_error);
    EXPECT_THROW(expand(5, -1), launch_error);
    try {
        interval_expand(nullptr, some.in(), interval_counts{some.in()}, 4, some.data(), 8, workspace{some.data(), 16});
        ADD_FAILURE() << "a workspace of 16 bytes was taken";
    } catch (const launch_error& error) {
        EXPECT_NE(std::string(error.what()).find("interval_expand: the workspace has 16 bytes, but "),
                  std::string::npos)
            << error.what();
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(interval_gpu, is_captured)
{
    const size_list sizes{3, 0, 1000, 1, 0, 30'000, 7};
    const std::int64_t total = sum_of(sizes), intervals = static_cast<std::int64_t>(sizes.size());
    const device_array<int> values(std::vector<int>{1, 2, 3, 4, 5, 6, 7});
    const device_array<int> offsets(offsets_of<int>(sizes)), gathers(std::vector<int>{0, 9, 20'000, 77, 5, 40'000, 1});
    const device_array<std::int64_t> counts(sizes);
    std::vector<int> source(80'000);
    std::iota(source.begin(), source.end(), 0);
    const device_array<int> in(source);
    const auto n = static_cast<std::size_t>(total);
    const device_array<int> by_offsets(n), by_counts(n), moved(n);
    std::size_t bytes = 0;
    const auto expand_counts = [&](cudaStream_t s, workspace w) {
        interval_expand(s, values.in(), interval_counts{counts.in()}, intervals, by_counts.data(), total, w);
    };
    expand_counts(nullptr, workspace::query(bytes));
    const device_array<char> space(bytes);

    for (const bool given : {true, false}) {
        cudaStream_t stream = nullptr;
        ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        interval_expand(stream, values.in(), offsets.in(), intervals, by_offsets.data(), total);
        expand_counts(stream, given ? workspace{space.data(), bytes} : workspace{});
        interval_gather(stream, gathers.in(), counts.in(), intervals, in.in(), moved.data());
        cudaGraph_t graph = nullptr;
        ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        cudaGraphExec_t exec = nullptr;
        ASSERT_EQ(cudaGraphInstantiate(&exec, graph, 0), cudaSuccess);
        for (int turn = 0; turn < 2; ++turn) {
            for (const auto* output : {&by_offsets, &by_counts, &moved})
                ASSERT_EQ(cudaMemset(output->data(), 0xff, output->bytes()), cudaSuccess);
            ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
            ASSERT_EQ(cudaGraphLaunch(exec, stream), cudaSuccess);
            ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
            std::vector<int> expanded, elements;
            const std::vector<int> from = gathers.host();
            for (std::size_t i = 0; i < sizes.size(); ++i)
                for (int j = 0; j < sizes[i]; ++j) {
                    expanded.push_back(static_cast<int>(i) + 1);
                    elements.push_back(source[static_cast<std::size_t>(from[i] + j)]);
                }
            EXPECT_EQ(by_offsets.host(), expanded);
            EXPECT_EQ(by_counts.host(), expanded);
            EXPECT_EQ(moved.host(), elements);
        }
        cudaGraphExecDestroy(exec);
        cudaGraphDestroy(graph);
        cudaStreamDestroy(stream);
    }
}

#ifndef INTERVAL_FEW_TYPES
/// i * step + shift: values and offsets that are stored in no memory.
template <class Value>
struct line {
    using value_type = Value;
    using reference = Value;
    using pointer = const Value*;
    using difference_type = std::int64_t;
    using iterator_category = std::random_access_iterator_tag;
    Value step, shift;
    __host__ __device__ Value operator[](std::int64_t i) const { return static_cast<Value>(i) * step + shift; }
};

template <class Element>
__global__ void count_others(const Element* out, std::int64_t n, std::int64_t size, std::int64_t step,
                             std::int64_t shift, std::int64_t of_output, unsigned long long* wrong)
{
    for (std::int64_t k = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; k < n;
         k += std::int64_t{gridDim.x} * blockDim.x)
        if (out[k] != static_cast<Element>(k / size * step + shift + k % size * of_output)) atomicAdd(wrong, 1ull);
}

template <class Element>
void expect_outputs(const Element* out, std::int64_t n, std::int64_t size, std::int64_t step, std::int64_t shift,
                    std::int64_t of_output)
{
    const device_array<unsigned long long> wrong(std::vector<unsigned long long>{0});
    count_others<<<2048, 256>>>(out, n, size, step, shift, of_output, wrong.data());
    EXPECT_EQ(wrong.host()[0], 0u) << n << " outputs, " << size << " an interval";
}

TEST_F(interval_gpu, iterators_without_memory)
{
    const std::int64_t n = is_reduced() ? 100'000 : 1 << 24;
    const device_array<int> out(static_cast<std::size_t>(n));
    for (const std::int64_t size : {1, 7, 25, 5000}) {
        interval_expand(nullptr, line<int>{3, 5}, line<std::int64_t>{size, 0}, (n + size - 1) / size, out.data(), n);
        expect_outputs(out.in(), n, size, 3, 5, 0);
        // The source index of output k of interval i is 7 i + 11 + k, and the value there is the index itself.
        interval_gather(nullptr, line<std::int64_t>{7, 11}, interval_offsets{line<std::int64_t>{size, 0}, n},
                        (n + size - 1) / size, line<int>{1, 0}, out.data());
        expect_outputs(out.in(), n, size, 7, 11, 1);
    }
}

TEST_F(interval_gpu, large_ones)
{
    const std::int64_t n = is_reduced() ? 1 << 20 : 1 << 28;
    const device_array<unsigned> out(static_cast<std::size_t>(n));
    ASSERT_FALSE(testing::Test::HasFailure());
    for (const std::int64_t size : {std::int64_t{2}, std::int64_t{25}, std::int64_t{100'000}, n}) {
        interval_expand(nullptr, line<unsigned>{3, 5}, line<int>{static_cast<int>(size), 0}, (n + size - 1) / size,
                        out.data(), n);
        expect_outputs(out.in(), n, size, 3, 5, 0);
    }
}

TEST_F(interval_gpu, sums_above_2_to_the_31)
{
    if (is_reduced()) GTEST_SKIP() << "LAUNCHBOX_REDUCED";
    const std::int64_t n = (std::int64_t{1} << 32) + 12'345;
    std::size_t free = 0, all = 0;
    ASSERT_EQ(cudaMemGetInfo(&free, &all), cudaSuccess);
    if (free < std::size_t{10} << 30) GTEST_SKIP() << "less than 10 GiB of the GPU's memory are free";
    const device_array<std::uint8_t> out(static_cast<std::size_t>(n)), other(static_cast<std::size_t>(n));
    for (const std::int64_t size : {std::int64_t{3}, std::int64_t{1000}, n}) {
        const std::int64_t intervals = (n + size - 1) / size;
        interval_expand(nullptr, line<std::uint8_t>{3, 5}, line<std::int64_t>{size, 0}, intervals, out.data(), n);
        expect_outputs(out.in(), n, size, 3, 5, 0);
        ASSERT_EQ(cudaMemset(other.data(), 0, other.bytes()), cudaSuccess);
        interval_gather(nullptr, line<std::int64_t>{size, 0}, interval_offsets{line<std::int64_t>{size, 0}, n},
                        intervals, out.in(), other.data());
        expect_outputs(other.in(), n, size, 3, 5, 0);
        // The last of the counts would reach beyond the end.
        ASSERT_EQ(cudaMemset(out.data(), 0, out.bytes()), cudaSuccess);
        interval_expand(nullptr, line<std::uint8_t>{3, 5}, interval_counts{line<std::int64_t>{0, size}}, intervals,
                        out.data(), n);
        expect_outputs(out.in(), n, size, 3, 5, 0);
    }
    const std::int64_t below = (std::int64_t{1} << 32) - 1;  // unsigned offsets
    interval_expand(nullptr, line<std::uint8_t>{3, 5}, line<unsigned>{1000, 0}, (below + 999) / 1000, out.data(),
                    below);
    expect_outputs(out.in(), below, 1000, 3, 5, 0);
}
#endif

}  // namespace
}  // namespace launchbox
