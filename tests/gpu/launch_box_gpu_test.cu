// launch_box on a GPU: concurrent first launches, streams, captures, launch options, size classes, the check for a row
// of another table, and errors that were pending.
#include <gtest/gtest.h>
#include <launchbox/launch_box.cuh>

#include <algorithm>
#include <array>
#include <barrier>
#include <cstdio>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "record.hpp"

namespace launchbox {

struct row {
    int threads, items, min_blocks = 0;
};
using table = launch_box<sm<75, row{64, 3}>, sm<80, row{96, 5, 1}>, sm<90, row{128, 7, 3}>, sm_a<90, row{160, 9, 1}>,
                         sm<100, row{192, 11, 2}>, sm<120, row{224, 13, 1}>>;

template <row r>
__device__ void add_to_each(int* data, int count)
{
    const int first = static_cast<int>(blockIdx.x) * (r.threads * r.items) + static_cast<int>(threadIdx.x);
    for (int i = 0; i < r.items; ++i)
        if (first + i * r.threads < count) data[first + i * r.threads] += 1;
}

// Each number is another body, and so a kernel that no other test has launched.
template <int>
struct add {
    using tuning = table;
    template <row r>
    static __device__ void run(int* data, int count)
    {
        add_to_each<r>(data, count);
    }
};

template <int>
struct add_with_shared {
    using tuning = table;
    static constexpr int dynamic_shared_bytes(const row&) { return 60000; }
    template <row r>
    static __device__ void run(int* data, int count)
    {
        extern __shared__ int shared[];
        int* const last = shared + 60000 / 4 - r.threads;
        last[threadIdx.x] = static_cast<int>(threadIdx.x);
        __syncthreads();
        if (last[r.threads - 1 - threadIdx.x] == r.threads - 1 - static_cast<int>(threadIdx.x))
            add_to_each<r>(data, count);
    }
};

struct shape {
    using tuning = table;
    template <row r>
    static __device__ void run(int* said)
    {
        unsigned cluster = 1;
#if __CUDA_ARCH__ >= 900
        asm volatile("mov.u32 %0, %%cluster_nctarank;" : "=r"(cluster));
#endif
        if (threadIdx.x != 0 || blockIdx.x != 0 || blockIdx.y != 0 || blockIdx.z != 0) return;
        said[0] = static_cast<int>(gridDim.x);
        said[1] = static_cast<int>(gridDim.y);
        said[2] = static_cast<int>(gridDim.z);
        said[3] = static_cast<int>(blockDim.x);
        said[4] = static_cast<int>(cluster);
        said[5] = r.threads;
    }
};

struct add_after {
    using tuning = table;
    template <row r>
    static __device__ void run(int* data)
    {
#if __CUDA_ARCH__ >= 900
        cudaGridDependencySynchronize();
#endif
        if (threadIdx.x == 0 && blockIdx.x == 0) data[0] += 1;
    }
};

// Reads what distant blocks wrote, and lets the next kernel begin at once. Some blocks are late.
struct pass_on {
    using tuning = table;
    static constexpr bool programmatic_dependent_launch = true;
    template <row r>
    static __device__ void run(const int* from, int* to, int count)
    {
#if __CUDA_ARCH__ >= 900
        cudaGridDependencySynchronize();
        cudaTriggerProgrammaticLaunchCompletion();
#endif
        const int first = static_cast<int>(blockIdx.x) * (r.threads * r.items) + static_cast<int>(threadIdx.x);
        if (blockIdx.x % 16 == 5) __nanosleep(2000);
        for (int i = 0; i < r.items; ++i)
            if (const int at = first + i * r.threads; at < count) to[at] = from[count - 1 - at] + 1;
    }
};

struct say_threads {
    using tuning = by_size<upto<1000, only<row{32, 1}>>, upto<5000, only<row{64, 3}>>, otherwise<only<row{128, 5}>>>;
    template <row r>
    static __device__ void run(int* said)
    {
        if (threadIdx.x == 0 && blockIdx.x == 0) said[0] = r.threads * 1000 + static_cast<int>(blockDim.x);
    }
};

template <class Tuning>
__global__ void LAUNCHBOX_BOUNDS(Tuning) classic(int* data, int count)
{
    add_to_each<row_here<Tuning>()>(data, count);
}

template <class Tuning>
__global__ void __launch_bounds__(320) with_another_bound(int* data, int count)
{
    add_to_each<row_here<Tuning>()>(data, count);
}

namespace {

template <class Body>
const void* kernel_of()
{
    return detail::tuned_kernel<Body, detail::this_unit, 0>::kernel(0);
}

class launch_box_gpu : public testing::Test {
protected:
    static constexpr int count = (1 << 20) + 7;

    void SetUp() override
    {
        int devices = 0;
        if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU here";
        ASSERT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
        allocate();
        cudaGetLastError();
    }
    void TearDown() override { cudaFree(data); }

    void allocate()
    {
        ASSERT_EQ(cudaMalloc(&data, count * sizeof(int)), cudaSuccess);
        ASSERT_EQ(cudaMemset(data, 0, count * sizeof(int)), cudaSuccess);
        ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    }

    // The number of elements that are not `value`; sets the array to zero again.
    int other_than(int value)
    {
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        std::vector<int> host(count, -1);
        EXPECT_EQ(cudaMemcpy(host.data(), data, count * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
        EXPECT_EQ(cudaMemset(data, 0, count * sizeof(int)), cudaSuccess);
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);  // other streams do not wait for it
        int wrong = 0;
        for (const int element : host) wrong += element != value;
        return wrong;
    }

    std::array<int, 6> said() const
    {
        std::array<int, 6> host{};
        EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
        EXPECT_EQ(cudaMemcpy(host.data(), data, sizeof host, cudaMemcpyDeviceToHost), cudaSuccess);
        return host;
    }

    cudaDeviceProp device{};
    int* data = nullptr;
};

struct stream_here {
    cudaStream_t stream = nullptr;
    stream_here() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess); }
    ~stream_here() { cudaStreamDestroy(stream); }
    operator cudaStream_t() const { return stream; }
};

// Several threads launch each body first, at the same time and in two streams each; a slow thread must find the result
// of a fast one.
TEST_F(launch_box_gpu, first_launches_race)
{
    constexpr int workers = 8, bodies = 6, elements = 100003;
    std::vector<int*> of_worker(workers);
    std::vector<std::vector<int>> threads_seen(workers);
    std::vector<std::string> errors(workers);
    for (int*& element : of_worker) {
        ASSERT_EQ(cudaMalloc(&element, 2 * elements * sizeof(int)), cudaSuccess);
        ASSERT_EQ(cudaMemset(element, 0, 2 * elements * sizeof(int)), cudaSuccess);
    }
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    {
        const stream_here first, second;
        std::barrier together(workers);
        std::vector<std::thread> threads;
        for (int worker = 0; worker < workers; ++worker)
            threads.emplace_back([&, worker] {
                const auto at = static_cast<std::size_t>(worker);
                const auto launch_both = [&]<class Body>() {
                    together.arrive_and_wait();
                    try {
                        launch<Body>(worker % 2 ? first : second, elements, of_worker[at], elements);
                        launch<Body>(worker % 2 ? second : first, elements, of_worker[at] + elements, elements);
                        threads_seen[at].push_back(row_for<Body>().threads);
                    } catch (const launch_error& error) {
                        errors[at] += error.what();
                    }
                };
                [&]<std::size_t... I>(std::index_sequence<I...>) {
                    (launch_both.template operator()<add<100 + static_cast<int>(I)>>(), ...);
                    (launch_both.template operator()<add_with_shared<100 + static_cast<int>(I)>>(), ...);
                }(std::make_index_sequence<bodies>{});
            });
        for (std::thread& thread : threads) thread.join();
    }
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    double wrong = 0;
    for (int worker = 0; worker < workers; ++worker) {
        const auto at = static_cast<std::size_t>(worker);
        EXPECT_EQ(errors[at], "");
        EXPECT_EQ(threads_seen[at], threads_seen[0]);
        std::vector<int> host(2 * elements);
        ASSERT_EQ(cudaMemcpy(host.data(), of_worker[at], host.size() * sizeof(int), cudaMemcpyDeviceToHost),
                  cudaSuccess);
        for (const int element : host) wrong += element != 2 * bodies;
        cudaFree(of_worker[at]);
    }
    EXPECT_EQ(wrong, 0);
    record("race", "first launches", 2 * bodies);
    record("race", "threads", workers);
    record("race", "wrong elements", wrong);
}

TEST_F(launch_box_gpu, streams)
{
    const stream_here first, second;
    for (int round = 0; round < 4; ++round) {
        launch<add<0>>(first, count, data, count);
        ASSERT_EQ(cudaStreamSynchronize(first), cudaSuccess);
        launch<add<0>>(second, count, data, count);
        ASSERT_EQ(cudaStreamSynchronize(second), cudaSuccess);
    }
    EXPECT_EQ(other_than(8), 0);
}

const char* name_of(cudaStreamCaptureMode mode)
{
    return mode == cudaStreamCaptureModeGlobal        ? "global"
           : mode == cudaStreamCaptureModeThreadLocal ? "thread-local"
                                                      : "relaxed";
}

constexpr cudaStreamCaptureMode capture_modes[] = {cudaStreamCaptureModeGlobal, cudaStreamCaptureModeThreadLocal,
                                                   cudaStreamCaptureModeRelaxed};

// Captures one launch of Body, replays it twice, and returns what happened: it works, or it is refused with a message
// and the capture continues. A capture that is broken silently is a failure.
template <class Body>
std::string captured(cudaStreamCaptureMode mode, int* data, int count)
{
    const stream_here stream;
    std::string refusal;
    EXPECT_EQ(cudaStreamBeginCapture(stream, mode), cudaSuccess);
    try {
        launch<Body>(stream, count, data, count);
    } catch (const launch_error& error) {
        refusal = error.what();
        EXPECT_NE(refusal, "");
    }
    cudaGraph_t graph = nullptr;
    const cudaError_t ended = cudaStreamEndCapture(stream, &graph);
    cudaGetLastError();
    if (!refusal.empty())
        return "refused: " + refusal + (ended == cudaSuccess ? " The capture goes on." : " The capture is lost.");
    EXPECT_EQ(ended, cudaSuccess) << "nothing was said, and the capture is lost: " << cudaGetErrorName(ended);
    if (ended != cudaSuccess) return "lost without a word";
    std::size_t nodes = 0;
    EXPECT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
    EXPECT_EQ(nodes, 1u);
    cudaGraphExec_t executable = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    cudaGraphExecDestroy(executable);
    cudaGraphDestroy(graph);
    return "works";
}

TEST_F(launch_box_gpu, capture_of_what_is_prepared)
{
    prepare<add<1>>();
    prepare<add_with_shared<1>>();
    for (const cudaStreamCaptureMode mode : capture_modes) {
        EXPECT_EQ(captured<add<1>>(mode, data, count), "works") << name_of(mode);
        EXPECT_EQ(other_than(2), 0);
        EXPECT_EQ(captured<add_with_shared<1>>(mode, data, count), "works") << name_of(mode);
        EXPECT_EQ(other_than(2), 0);
    }
}

template <template <int> class Body, int First>
void first_launch_captured(const std::string& section, int*& data, int count, bool fresh_context,
                           const std::function<void()>& allocate, const std::function<int(int)>& other_than)
{
    const auto one = [&]<int Mode>() {
        if (fresh_context) {  // no image is loaded in it
            ASSERT_EQ(cudaDeviceReset(), cudaSuccess);
            allocate();
        }
        const cudaStreamCaptureMode mode = capture_modes[Mode];
        const std::string outcome = captured<Body<First + Mode>>(mode, data, count);
        record(section, name_of(mode), outcome);
        EXPECT_EQ(other_than(outcome == "works" ? 2 : 0), 0) << outcome;
        // In any case, it can be launched afterwards.
        launch<Body<First + Mode>>(nullptr, count, data, count);
        EXPECT_EQ(other_than(1), 0);
    };
    one.template operator()<0>();
    one.template operator()<1>();
    one.template operator()<2>();
}

TEST_F(launch_box_gpu, first_launch_while_capturing)
{
    prepare<add<2>>();  // the image is loaded, but the kernels below were not used yet
    const auto again = [&] { allocate(); };
    const auto wrong = [&](int value) { return other_than(value); };
    first_launch_captured<add, 10>("first launch in a capture, image loaded", data, count, false, again, wrong);
    first_launch_captured<add_with_shared, 10>("first launch in a capture, image loaded, 60,000 B", data, count, false,
                                               again, wrong);
}

TEST_F(launch_box_gpu, first_launch_while_capturing_in_a_fresh_context)
{
    const auto again = [&] { allocate(); };
    const auto wrong = [&](int value) { return other_than(value); };
    first_launch_captured<add, 20>("first launch in a capture, image not loaded", data, count, true, again, wrong);
    first_launch_captured<add_with_shared, 20>("first launch in a capture, image not loaded, 60,000 B", data, count,
                                               true, again, wrong);
    // The row is known from before the reset, but the opt-in is lost.
    first_launch_captured<add, 20>("known row in a capture, image not loaded", data, count, true, again, wrong);
    first_launch_captured<add_with_shared, 20>("known row in a capture, image not loaded, 60,000 B", data, count, true,
                                               again, wrong);
}

TEST_F(launch_box_gpu, grids)
{
    const int threads = row_for<shape>().threads;
    launch<shape>(nullptr, blocks{.grid = {3, 4, 5}}, data);
    EXPECT_EQ(said(), (std::array{3, 4, 5, threads, 1, threads}));
    const auto tile = std::int64_t{threads} * row_for<shape>().items;
    launch<shape>(nullptr, tile * 9, data);
    EXPECT_EQ(said()[0], 9);
    launch<shape>(nullptr, tile * 9 + 1, data);
    EXPECT_EQ(said()[0], 10);
    EXPECT_THROW(launch<shape>(nullptr, blocks{.grid = {1, 70000}}, data), launch_error);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    const cudaError_t too_many = try_launch<shape>(nullptr, std::int64_t{1} << 62, data);
    EXPECT_NE(too_many, cudaSuccess);
    record("try_launch", "2^62 elements", cudaGetErrorName(too_many));
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(launch_box_gpu, clusters)
{
    if (device.major < 9) GTEST_SKIP() << "from 9.0 on";
    const int threads = row_for<shape>().threads;
    for (const int size : {1, 2, 4, 8}) {
        launch<shape>({.cluster = size}, blocks{.grid = 16}, data);
        EXPECT_EQ(said(), (std::array{16, 1, 1, threads, size, threads}));
    }
    EXPECT_THROW(launch<shape>({.cluster = 4}, blocks{.grid = 10}, data), launch_error);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(launch_box_gpu, programmatic_dependent_launch)
{
    if (device.major < 9) GTEST_SKIP() << "from 9.0 on";
    for (int i = 0; i < 100; ++i) launch<add_after>({.programmatic_dependent_launch = true}, 5000, data);
    EXPECT_EQ(said()[0], 100);
}

// Every order of kernels that wait themselves, kernels that do not, and copies, in a stream and in a graph.
TEST_F(launch_box_gpu, bodies_that_wait_keep_the_order_of_the_stream)
{
    int* other = nullptr;
    ASSERT_EQ(cudaMalloc(&other, count * sizeof(int)), cudaSuccess);
    const stream_here stream;
    prepare<pass_on>();
    prepare<add<40>>();
    for (const int size : {1000, 30000, count}) {
        int added = 0;
        const auto chain = [&] {
            added = 0;
            const auto pass = [&](int times) {
                for (int i = 0; i < times; ++i, added += 2) {
                    launch<pass_on>(stream, size, static_cast<const int*>(data), other, size);
                    launch<pass_on>(stream, size, static_cast<const int*>(other), data, size);
                }
            };
            pass(10);
            launch<add<40>>(stream, size, data, size);
            ++added;
            pass(3);
            EXPECT_EQ(cudaMemcpyAsync(other, data, size * sizeof(int), cudaMemcpyDeviceToDevice, stream), cudaSuccess);
            EXPECT_EQ(cudaMemsetAsync(data, 0, size * sizeof(int), stream), cudaSuccess);
            launch<pass_on>(stream, size, static_cast<const int*>(other), data, size);
            ++added;
            launch<add<40>>(stream, size, data, size);
            ++added;
        };
        const auto check = [&](int times) {
            ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
            std::vector<int> host(static_cast<std::size_t>(size));
            ASSERT_EQ(cudaMemcpy(host.data(), data, host.size() * sizeof(int), cudaMemcpyDeviceToHost), cudaSuccess);
            EXPECT_EQ(std::count(host.begin(), host.end(), times * added), size);
        };
        ASSERT_EQ(cudaMemset(data, 0, count * sizeof(int)), cudaSuccess);
        for (int i = 0; i < 50; ++i) chain();
        check(50);

        cudaGraph_t graph = nullptr;
        cudaGraphExec_t executable = nullptr;
        ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
        chain();
        ASSERT_EQ(cudaStreamEndCapture(stream, &graph), cudaSuccess);
        ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
        for (int i = 0; i < 50; ++i) ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
        check(100);
        cudaGraphExecDestroy(executable);
#if CUDART_VERSION >= 13000
        std::size_t edges = 100;
        cudaGraphNode_t from[100], to[100];
        cudaGraphEdgeData kinds[100];
        ASSERT_EQ(cudaGraphGetEdges(graph, from, to, kinds, &edges), cudaSuccess);
        const auto early = std::count_if(kinds, kinds + edges, [](const cudaGraphEdgeData& edge) {
            return edge.type == cudaGraphDependencyTypeProgrammatic;
        });
        // All kernels followed by one that waits: 19 in the first ten pairs, and 6 in the three sequences after another
        // kernel.
        if (device.major >= 9) EXPECT_EQ(early, 25);
#endif
        cudaGraphDestroy(graph);
    }
    cudaFree(other);
}

TEST_F(launch_box_gpu, cooperative)
{
    const int most = resident_blocks<shape>() * device.multiProcessorCount;
    launch<shape>({.cooperative = true}, blocks{.grid = most}, data);
    EXPECT_EQ(said()[0], most);
    EXPECT_THROW(launch<shape>({.cooperative = true}, blocks{.grid = most + 1}, data), launch_error);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

TEST_F(launch_box_gpu, size_classes_at_their_borders)
{
    const auto says = [&](const work_size& work) {
        launch<say_threads>(nullptr, work, data);
        return said()[0];
    };
    EXPECT_EQ(says(1), 32032);
    EXPECT_EQ(says(1000), 32032);
    EXPECT_EQ(says(1001), 64064);
    EXPECT_EQ(says(5000), 64064);
    EXPECT_EQ(says(5001), 128128);
    EXPECT_EQ(says(std::int64_t{1} << 30), 128128);
    EXPECT_EQ(says(blocks{.grid = 3, .elements = 1001}), 64064);
    EXPECT_EQ(row_for<say_threads>(1000).threads, 32);
    EXPECT_EQ(row_for<say_threads>(1001).threads, 64);
    EXPECT_THROW(launch<say_threads>(nullptr, blocks{.grid = 3}, data), launch_error);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    record("explain", "by size", explain<say_threads>());
}

TEST_F(launch_box_gpu, the_row_of_a_global_function)
{
    const row r = row_for<table>(classic<table>);
    const int tile = r.threads * r.items;
    classic<table><<<static_cast<unsigned>((count + tile - 1) / tile), static_cast<unsigned>(r.threads)>>>(data, count);
    EXPECT_EQ(other_than(1), 0);
}

TEST_F(launch_box_gpu, a_global_function_with_another_bound_is_refused)
{
    try {
        row_for<table>(with_another_bound<table>);
        ADD_FAILURE() << "was taken";
    } catch (const launch_error& error) {
        const std::string text = error.what();
        EXPECT_EQ(static_cast<int>(error.kind), static_cast<int>(launch_error_kind::row_mismatch)) << text;
        EXPECT_NE(text.find("with_another_bound<"), std::string::npos) << text;
        EXPECT_NE(text.find("is bound to 320 threads, but the row of sm_"), std::string::npos) << text;
        EXPECT_NE(text.find("LAUNCHBOX_BOUNDS"), std::string::npos) << text;
        record("refused", text, cudaGetErrorName(error.code));
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

// What a host with another table would do. In a process of its own, because the trap ends the context.
TEST_F(launch_box_gpu, a_row_of_another_table_traps)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    const std::string told = testing::TempDir() + "launch_box_trap.txt";
    const auto launch_forged = [&] {
        const row own = row_for<add<30>>();
        row forged = own;
        forged.items += 1;  // the block size is the same, so that nothing else detects it
        int number = count;
        std::uint64_t seal = detail::sealed(forged);
        void* arguments[] = {&seal, &data, &number};
        const cudaError_t launched = cudaLaunchKernel(kernel_of<add<30>>(), dim3(1),
                                                      dim3(static_cast<unsigned>(own.threads)), arguments, 0, nullptr);
        const cudaError_t trapped = cudaDeviceSynchronize();
        std::string next;
        try {
            launch<add<30>>(nullptr, count, data, count);
        } catch (const launch_error& error) {
            next = error.what();
        }
        std::ofstream(told) << "launched: " << cudaGetErrorName(launched) << ", then " << cudaGetErrorName(trapped);
        std::fprintf(stderr, "next: %s\n", next.c_str());
        std::_Exit(launched == cudaSuccess && trapped != cudaSuccess && !next.empty() ? 0 : 3);
    };
    EXPECT_EXIT(launch_forged(), testing::ExitedWithCode(0), "next: .*an earlier error was pending");
    std::string line;
    std::getline(std::ifstream(told) >> std::ws, line);
    std::remove(told.c_str());
    record("guard", "a row with one more item, behind launch_box's back", line);
    // The same call with the right row runs: the trap is due to the row.
    const row own = row_for<add<30>>();
    std::uint64_t right = detail::sealed(own);
    int number = own.threads * own.items;
    void* arguments[] = {&right, &data, &number};
    EXPECT_EQ(cudaLaunchKernel(kernel_of<add<30>>(), dim3(1), dim3(static_cast<unsigned>(own.threads)), arguments, 0,
                               nullptr),
              cudaSuccess);
    EXPECT_EQ(other_than(1), count - number);
}

TEST_F(launch_box_gpu, an_error_that_was_pending_is_neither_lost_nor_blamed)
{
    const auto make_pending = [] { ASSERT_EQ(cudaSetDevice(-1), cudaErrorInvalidDevice); };
    make_pending();
    launch<add<40>>(nullptr, count, data, count);  // its first launch
    EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDevice);
    launch<add<40>>(nullptr, count, data, count);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
    EXPECT_EQ(other_than(2), 0);

    make_pending();
    try {  // needs the opt-in, which would clear the error
        launch<add_with_shared<40>>(nullptr, count, data, count);
        ADD_FAILURE() << "was launched";
    } catch (const launch_error& error) {
        EXPECT_EQ(static_cast<int>(error.kind), static_cast<int>(launch_error_kind::earlier_error)) << error.what();
        EXPECT_EQ(error.earlier, cudaErrorInvalidDevice);
        record("refused", error.what(), cudaGetErrorName(error.code));
    }
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
    launch<add_with_shared<40>>(nullptr, count, data, count);
    make_pending();
    launch<add_with_shared<40>>(nullptr, count, data, count);
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
    EXPECT_EQ(other_than(2), 0);

    make_pending();
    static_cast<void>(row_for<add<41>>());
    prepare<add<42>>();
    static_cast<void>(row_for<table>(classic<table>));
    static_cast<void>(explain<add<41>>());
    static_cast<void>(resident_blocks<add<41>>());
    EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDevice);
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);
}

template <class Body>
void blocks_are_the_runtimes(const char* name, int dynamic_shared)
{
    prepare<Body>();
    int runtime = -1;
    ASSERT_EQ(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&runtime, kernel_of<Body>(), row_for<Body>().threads,
                                                            static_cast<std::size_t>(dynamic_shared)),
              cudaSuccess);
    EXPECT_EQ(resident_blocks<Body>(), runtime) << name;
    EXPECT_GE(runtime, row_for<Body>().min_blocks) << name;
    EXPECT_NE(explain<Body>().find("  resident  " + std::to_string(runtime) + " block"), std::string::npos)
        << explain<Body>();
    record("resident blocks", name, runtime);
    record("explain", name, explain<Body>());
}

TEST_F(launch_box_gpu, resident_blocks_are_the_runtimes)
{
    blocks_are_the_runtimes<add<50>>("add", 0);
    blocks_are_the_runtimes<add_with_shared<50>>("add with 60,000 B", 60000);
    blocks_are_the_runtimes<shape>("shape", 0);
}

}  // namespace
}  // namespace launchbox
