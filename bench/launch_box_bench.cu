// The launches of launch_box_bench: bodies with a table, and the same code in kernels with the row written into them.
#include <launchbox/launch_box.cuh>

#include <cstddef>
#include <utility>

#include "launch_bench.hpp"
#include "launch_box_bench.hpp"

// The same kernel with names of 10, 100 and 400 letters, to see what a name costs. clang-format off
#define NAME_OF_10 ten_letter
#define NAME_OF_100 a_kernel_that_does_nothing_but_has_a_name_of_one_hundred_letters_which_a_launch_pays_for_________100
#define NAME_OF_400 \
    a_kernel_that_does_nothing_but_has_a_name_of_one_hundred_letters_which_a_launch_pays_for__________a_kernel_that_does_nothing_but_has_a_name_of_one_hundred_letters_which_a_launch_pays_for__________a_kernel_that_does_nothing_but_has_a_name_of_one_hundred_letters_which_a_launch_pays_for__________a_kernel_that_does_nothing_but_has_a_name_of_one_hundred_letters_which_a_launch_pays_for_______________400
// clang-format on
#define LETTERS_OF(name) LETTERS(name)
#define LETTERS(name) (sizeof(#name) - 1)
static_assert(LETTERS_OF(NAME_OF_10) == 10 && LETTERS_OF(NAME_OF_100) == 100 && LETTERS_OF(NAME_OF_400) == 400);
extern "C" __global__ void NAME_OF_10() {}
extern "C" __global__ void NAME_OF_100() {}
extern "C" __global__ void NAME_OF_400() {}

namespace launchbox::bench {
namespace {

struct row {
    int threads, items, min_blocks = 0;
};
using table = launch_box<sm<75, row{256, 11, 1}>, sm<80, row{256, 11, 1}>, sm<90, row{256, 15, 2}>>;
constexpr row hard_coded{256, 15, 2};
constexpr int tile = hard_coded.threads * hard_coded.items;
constexpr std::size_t shared_bytes = 60000;

// Does nothing: the element count is 0 on the device, for any count on the host.
template <row r>
__device__ void work(const int* input, int* output, int count)
{
    const int first = static_cast<int>(blockIdx.x) * (r.threads * r.items) + static_cast<int>(threadIdx.x);
    for (int i = 0; i < r.items; ++i)
        if (first + i * r.threads < count) output[first + i * r.threads] = input[first + i * r.threads];
}

template <int>
struct body {
    using tuning = table;
    template <row r>
    static __device__ void run(const int* input, int* output, int count)
    {
        work<r>(input, output, count);
    }
};
template <int>
__global__ void __launch_bounds__(hard_coded.threads, hard_coded.min_blocks)
    plain(const int* input, int* output, int count)
{
    work<hard_coded>(input, output, count);
}

// The same row, chosen on 9.0 by the GPU's memory, with ranges that cover any size.
using table_by_memory = launch_box<sm<75, row{256, 11, 1}>, sm<80, row{256, 11, 1}>, sm<90, row{256, 11, 1}>,
                                   on_gpus<sm<90, row{256, 15, 2}>, gpu_range{.max_memory_bytes = 119'999'999'999}>,
                                   on_gpus<sm<90, row{256, 15, 2}>, gpu_range{.min_memory_bytes = 120'000'000'000}>>;
template <int>
struct many {
    using tuning = table_by_memory;
    template <row r>
    static __device__ void run(const int* input, int* output, int count)
    {
        work<r>(input, output, count);
    }
};

// An SM of 12.0 does not have enough shared memory for two of these blocks.
struct body_with_shared {
    using tuning =
        launch_box<sm<75, row{256, 11, 1}>, sm<80, row{256, 11, 1}>, sm<90, row{256, 15, 2}>, sm<120, row{256, 15, 1}>>;
    static constexpr std::size_t dynamic_shared_bytes(const row&) { return shared_bytes; }
    template <row r>
    static __device__ void run(const int* input, int* output, int count)
    {
        work<r>(input, output, count);
    }
};
__global__ void __launch_bounds__(hard_coded.threads, hard_coded.min_blocks)
    plain_with_shared(const int* input, int* output, int count)
{
    work<hard_coded>(input, output, count);
}

template <class Tuning>
__global__ void LAUNCHBOX_BOUNDS(Tuning) classic(const int* input, int* output, int count)
{
    work<row_here<Tuning>()>(input, output, count);
}

constexpr int* none = nullptr;

double plain_chevrons(int launches)
{
    return timed(launches, [] { plain<-1><<<1, hard_coded.threads>>>(none, none, 0); });
}
double plain_native(int launches)
{
    return timed(launches, [] {
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(1);
        config.blockDim = dim3(hard_coded.threads);
        cudaLaunchKernelEx(&config, plain<-1>, none, none, 0);
    });
}
// The body's own kernel, whose name is longer than that of `plain`.
double body_chevrons(int launches)
{
    using ours = detail::tuned_kernel<body<-1>, detail::this_unit, 0>;
    static constexpr auto seal = detail::sealed(row{hard_coded});
    return timed(launches, [] {
        tuned<body<-1>, detail::unit_number<detail::this_unit>, 0, ours::seal>
            <<<1, hard_coded.threads>>>(seal, none, none, 0);
    });
}
double plain_ours(int launches)
{
    return timed(launches, [] { launchbox::launch<body<-1>>(nullptr, tile, none, none, 0); });
}
double by_memory_ours(int launches)
{
    return timed(launches, [] { launchbox::launch<many<-1>>(nullptr, tile, none, none, 0); });
}
double plain_status(int launches)
{
    return timed(launches, [] { static_cast<void>(launchbox::try_launch<body<-1>>(nullptr, tile, none, none, 0)); });
}

void opt_in_once()
{
    static const cudaError_t once = cudaFuncSetAttribute(plain_with_shared, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                                         static_cast<int>(shared_bytes));
    static_cast<void>(once);
}
double shared_chevrons(int launches)
{
    opt_in_once();
    return timed(launches, [] { plain_with_shared<<<1, hard_coded.threads, shared_bytes>>>(none, none, 0); });
}
double shared_native(int launches)
{
    opt_in_once();
    return timed(launches, [] {
        cudaLaunchConfig_t config{};
        config.gridDim = dim3(1);
        config.blockDim = dim3(hard_coded.threads);
        config.dynamicSmemBytes = shared_bytes;
        cudaLaunchKernelEx(&config, plain_with_shared, none, none, 0);
    });
}
double shared_ours(int launches)
{
    return timed(launches, [] { launchbox::launch<body_with_shared>(nullptr, tile, none, none, 0); });
}
double shared_status(int launches)
{
    return timed(launches,
                 [] { static_cast<void>(launchbox::try_launch<body_with_shared>(nullptr, tile, none, none, 0)); });
}

volatile int kept;

double named_10(int launches)
{
    return timed(launches, [] { NAME_OF_10<<<1, 32>>>(); });
}
double named_100(int launches)
{
    return timed(launches, [] { NAME_OF_100<<<1, 32>>>(); });
}
double named_400(int launches)
{
    return timed(launches, [] { NAME_OF_400<<<1, 32>>>(); });
}

double device_alone(int calls)
{
    return timed(calls, [] {
        int device = 0;
        cudaGetDevice(&device);
        kept = device;
    });
}
double peek_alone(int calls)
{
    return timed(calls, [] { kept = cudaPeekAtLastError(); });
}
double row_of_body(int calls)
{
    return timed(calls, [] { kept = row_for<body<-1>>().items; });
}
double row_of_table(int calls)
{
    return timed(calls, [] { kept = row_for<table>().items; });
}
double row_of_kernel(int calls)
{
    return timed(calls, [] { kept = row_for<table>(classic<table>).items; });
}
double attributes_alone(int calls)
{
    return timed(calls, [] {
        cudaFuncAttributes attributes{};
        cudaFuncGetAttributes(&attributes, classic<table>);
        kept = attributes.numRegs;
    });
}

// Use each number once per kind.
template <int I>
void prepare_ours()
{
    prepare<body<I>>();
}
template <int I>
void launch_ours()
{
    launchbox::launch<body<1000 + I>>(nullptr, tile, none, none, 0);
}
template <int I>
void ask_plain()
{
    cudaFuncAttributes attributes{};
    cudaFuncGetAttributes(&attributes, plain<I>);
    kept = attributes.numRegs;
}
template <int I>
void launch_plain()
{
    plain<1000 + I><<<1, hard_coded.threads>>>(none, none, 0);
}
__global__ void other_of_the_image() {}

}  // namespace

std::vector<launch_way> launch_ways()
{
    const char *chevrons = "<<<>>>", *native = "cudaLaunchKernelEx", *ours = "launchbox::launch<body>",
               *status = "launchbox::try_launch<body>", *small = "row without shared memory",
               *large = "row with 60,000 B of shared memory", *asking = "asking, nothing launched",
               *named = "an empty kernel, <<<>>>";
    return {{small, chevrons, plain_chevrons},
            {small, native, plain_native},
            {small, "<<<>>> of the body's kernel", body_chevrons},
            {small, ours, plain_ours},
            {small, "launchbox::launch<body>, rows by memory", by_memory_ours},
            {small, status, plain_status},
            {large, chevrons, shared_chevrons},
            {large, native, shared_native},
            {large, ours, shared_ours},
            {large, status, shared_status},
            {named, "with a name of 10 letters", named_10},
            {named, "with a name of 100 letters", named_100},
            {named, "with a name of 400 letters", named_400},
            {asking, "cudaGetDevice", device_alone},
            {asking, "cudaPeekAtLastError", peek_alone},
            {asking, "cudaFuncGetAttributes", attributes_alone},
            {asking, "row_for<body>()", row_of_body},
            {asking, "row_for<table>()", row_of_table},
            {asking, "row_for<table>(kernel)", row_of_kernel}};
}

std::vector<first_way> first_ways()
{
    return []<std::size_t... I>(std::index_sequence<I...>) {
        return std::vector<first_way>{{"cudaFuncGetAttributes", false, {ask_plain<I>...}},
                                      {"<<<>>>", false, {launch_plain<I>...}},
                                      {"launchbox::prepare<body>", true, {prepare_ours<I>...}},
                                      {"launchbox::launch<body>", true, {launch_ours<I>...}}};
    }(std::make_index_sequence<24>{});
}

double time_first(void (*call)(), bool reset)
{
    if (reset) cudaDeviceReset();
    cudaFree(nullptr);  // creates the context
    if (!reset) other_of_the_image<<<1, 1>>>();
    return timed(1, call);
}

}  // namespace launchbox::bench
