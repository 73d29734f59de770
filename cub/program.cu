// The program that launchbox tune cub:NAME builds for each row and runs for each workload: an algorithm of CUB on N
// elements, with CUB's own tuning or with ROW, timed by measure.cuh. It prints a checksum of all outputs, which must
// equal that of CUB's own tuning.
//
//     nvcc -std=c++20 -arch=sm_90 -I../include -DCUB_SCAN -DTYPE=double -DTUNED=false -DROW= program.cu -o scan
//     ./scan 100000000
//
// Ends with 77 without a GPU or enough memory, and with 1 if CUB reports an error. With -DEMITTED='"scan_tuning.cuh"'
// instead of TUNED and ROW, a header that was emitted with --box cub_tuning, it alternates between CUB's own tuning and
// the header's, and also compares their outputs.
#ifdef EMITTED
#include EMITTED
#define TUNED true
#else
#include "policy.cuh"
#if defined CUB_SCAN
#include "scan.cuh"
#elif defined CUB_REDUCE
#include "reduce.cuh"
#elif defined CUB_SELECT
#include "select.cuh"
#elif defined CUB_RUN_LENGTH_ENCODE
#include "run_length_encode.cuh"
#elif defined CUB_SEGMENTED_SORT
#include "segmented_sort.cuh"
#else
#include "radix_sort.cuh"
#endif
#endif

#include <launchbox/measure.cuh>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

using std::int16_t, std::int32_t, std::int64_t, std::int8_t, std::uint16_t, std::uint32_t, std::uint64_t, std::uint8_t;
using element = TYPE;
static_assert(cuda::std::is_arithmetic_v<element> && sizeof(element) <= 8, "type is a number of C++ of up to 8 bytes");

#if TUNED && !defined EMITTED
template <>
struct cub_tuning::rows<element> {
    using architectures = architecture_list<__CUDA_ARCH_LIST__ / 10>;
    __host__ __device__ static constexpr row at(int)
    {
        using namespace cub;
        return {ROW};
    }
};
#endif

namespace {

#ifdef CUB_SELECT
struct is_chosen {
    __host__ __device__ bool operator()(element x) const { return x < element{16}; }
};
#endif

// The finaliser of splitmix64.
__host__ __device__ std::uint64_t mixed(std::uint64_t x)
{
    x += 0x9e3779b97f4a7c15;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
    x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
    return x ^ (x >> 31);
}

// The length of the first of two neighbouring runs, 1 to 2 * mean - 1; together they have 2 * `mean`.
__host__ __device__ std::int64_t first_of_two(std::int64_t pair, std::int64_t mean)
{
    return 1 + static_cast<std::int64_t>(mixed(~pair) % static_cast<std::uint64_t>(2 * mean - 1));
}

// Sums of -1, 0 and 1 are exact in any order, also in floating point.
__device__ element element_at(std::int64_t i, [[maybe_unused]] std::int64_t mean)
{
    [[maybe_unused]] const std::uint64_t bits = mixed(static_cast<std::uint64_t>(i));
#if defined CUB_SCAN || defined CUB_REDUCE
    return static_cast<element>(static_cast<int>(bits % 3) - (std::is_signed_v<element> ? 1 : 0));
#elif defined CUB_SELECT
    return static_cast<element>(bits % 32);
#elif defined CUB_RUN_LENGTH_ENCODE
    const std::int64_t pair = i / (2 * mean);
    // Neighbours differ in the last bit.
    const bool second = i % (2 * mean) >= first_of_two(pair, mean);
    return static_cast<element>((mixed(static_cast<std::uint64_t>(pair)) % 32) * 2 + second);
#else
    if constexpr (cuda::std::is_floating_point_v<element>)
        return static_cast<element>(static_cast<std::int64_t>(bits)) * static_cast<element>(0x1p-40);
    else
        return static_cast<element>(bits);
#endif
}

__global__ void fill(element* in, std::int64_t n, int* offsets, std::int64_t segments, std::int64_t mean)
{
    const std::int64_t first = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x,
                       step = std::int64_t{gridDim.x} * blockDim.x;
    for (std::int64_t i = first; i < n; i += step) in[i] = element_at(i, mean);
    for (std::int64_t i = first; offsets != nullptr && i <= segments; i += step) {
        const std::int64_t begin = i / 2 * 2 * mean + (i % 2 == 0 ? 0 : first_of_two(i / 2, mean));
        offsets[i] = static_cast<int>(i == segments || begin > n ? n : begin);
    }
}

__global__ void add_up(const unsigned char* bytes, std::int64_t count, unsigned long long* sum)
{
    unsigned long long own = 0;
    for (std::int64_t i = blockIdx.x * std::int64_t{blockDim.x} + threadIdx.x; i < count;
         i += std::int64_t{gridDim.x} * blockDim.x)
        own += mixed(mixed(static_cast<std::uint64_t>(i)) + bytes[i]);
    atomicAdd(sum, own);
}

void expect(cudaError_t status, const char* what, int failure = 1)
{
    if (status == cudaSuccess) return;
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    std::exit(failure);
}

struct problem {
    using type = element;
    const element* in;
    element* out;
    int* lengths;
    int* count;
    const int* offsets;
    std::int64_t n, segments;
};

// Without `storage`, only returns its size. From 3.5 on CUB allocates it, also for its own tuning.
template <bool Tuned, class Problem>
cudaError_t run(const Problem& p, [[maybe_unused]] void* storage, std::size_t& bytes, cudaStream_t stream)
{
    const int n = static_cast<int>(p.n);
#if CUB_VERSION >= 300500
    if (storage == nullptr) {
        bytes = 1;
        return cudaSuccess;
    }
    const auto with = [&](const auto& env) {
#if defined CUB_SCAN
        return cub::DeviceScan::ExclusiveSum(p.in, p.out, n, env);
#elif defined CUB_REDUCE
        return cub::DeviceReduce::Sum(p.in, p.out, n, env);
#elif defined CUB_SELECT
        return cub::DeviceSelect::If(p.in, p.out, p.count, n, is_chosen{}, env);
#elif defined CUB_RUN_LENGTH_ENCODE
        return cub::DeviceRunLengthEncode::Encode(p.in, p.out, p.lengths, p.count, n, env);
#elif defined CUB_SEGMENTED_SORT
        return cub::DeviceSegmentedSort::SortKeys(p.in, p.out, p.n, p.segments, p.offsets, p.offsets + 1, env);
#else
        return cub::DeviceRadixSort::SortKeys(p.in, p.out, n, 0, int{sizeof(element)} * 8, env);
#endif
    };
    if constexpr (Tuned)
        return with(cub_tuning::environment<cub_tuning::selector<typename Problem::type>>(stream));
    else
        return with(cuda::std::execution::env{cuda::std::execution::prop{cuda::get_stream, cuda::stream_ref{stream}}});
#elif defined CUB_SCAN
    if constexpr (Tuned) return cub_tuning::exclusive_sum(storage, bytes, p.in, p.out, n, stream);
    return cub::DeviceScan::ExclusiveSum(storage, bytes, p.in, p.out, n, stream);
#elif defined CUB_REDUCE
    if constexpr (Tuned) return cub_tuning::sum(storage, bytes, p.in, p.out, n, stream);
    return cub::DeviceReduce::Sum(storage, bytes, p.in, p.out, n, stream);
#elif defined CUB_SELECT
    if constexpr (Tuned) return cub_tuning::select_if(storage, bytes, p.in, p.out, p.count, p.n, is_chosen{}, stream);
    return cub::DeviceSelect::If(storage, bytes, p.in, p.out, p.count, p.n, is_chosen{}, stream);
#elif defined CUB_RUN_LENGTH_ENCODE
    if constexpr (Tuned) return cub_tuning::encode(storage, bytes, p.in, p.out, p.lengths, p.count, n, stream);
    return cub::DeviceRunLengthEncode::Encode(storage, bytes, p.in, p.out, p.lengths, p.count, n, stream);
#elif defined CUB_SEGMENTED_SORT
    const int* const ends = p.offsets + 1;
    if constexpr (Tuned)
        return cub_tuning::sort_keys(storage, bytes, p.in, p.out, p.n, p.segments, p.offsets, ends, stream);
    return cub::DeviceSegmentedSort::SortKeys(storage, bytes, p.in, p.out, p.n, p.segments, p.offsets, ends, stream);
#else
    if constexpr (Tuned) return cub_tuning::sort_keys(storage, bytes, p.in, p.out, n, stream);
    return cub::DeviceRadixSort::SortKeys(storage, bytes, p.in, p.out, n, 0, int{sizeof(element)} * 8, stream);
#endif
}

template <class Type>
Type* allocated(std::int64_t count)
{
    void* memory = nullptr;
    expect(cudaMalloc(&memory, static_cast<std::size_t>(count) * sizeof(Type)), "memory of the GPU", 77);
    return static_cast<Type*>(memory);
}

struct outcome {
    launchbox::measurement_result time;
    unsigned long long checksum = 0;  ///< of all bytes written
};

template <bool Tuned>
outcome measured(const problem& p, unsigned char* written, std::int64_t bytes)
{
    std::size_t needed = 0;
    expect(run<Tuned>(p, nullptr, needed, nullptr), "CUB's storage");
    unsigned char* const storage = allocated<unsigned char>(static_cast<std::int64_t>(needed) + 1);
    launchbox::measurement_options options;
    options.max_samples = 60;
    options.max_seconds = 0.4;
    options.prepare = [=](cudaStream_t stream) { cudaMemsetAsync(written, 0xa5, bytes, stream); };
    cudaError_t status = cudaSuccess;
    outcome found;
    found.time = launchbox::measure(
        [&](cudaStream_t stream) {
            if (status == cudaSuccess) status = run<Tuned>(p, storage, needed, stream);
        },
        options);
    expect(status, "CUB");
    if (!found.time.measured()) {
        launchbox::print_measurement(found.time);
        std::exit(1);
    }
    unsigned long long* const sum = allocated<unsigned long long>(1);
    expect(cudaMemset(sum, 0, sizeof *sum), "the checksum");
    add_up<<<1024, 256>>>(written, bytes, sum);
    expect(cudaMemcpy(&found.checksum, sum, sizeof found.checksum, cudaMemcpyDeviceToHost), "the checksum");
    cudaFree(sum);
    cudaFree(storage);
    return found;
}

}  // namespace

int main(int count, char** arguments)
{
    const std::int64_t n = count > 1 ? std::atoll(arguments[1]) : 0, mean = count > 2 ? std::atoll(arguments[2]) : 1;
    if (n < 1 || n > 2147483647 || mean < 1 || mean > n) {
        std::fprintf(stderr,
                     "usage: %s N [MEAN], N elements up to 2147483647, in runs or segments of MEAN on average\n",
                     arguments[0]);
        return 2;
    }
    problem p{};
    p.n = n;
#if defined CUB_SEGMENTED_SORT
    p.segments = (n + 2 * mean - 1) / (2 * mean) * 2;
    int* const offsets = allocated<int>(p.segments + 1);
#else
    int* const offsets = nullptr;
#endif
#if defined CUB_REDUCE
    const std::int64_t outputs = 1;
#else
    const std::int64_t outputs = n;
#endif
#if defined CUB_RUN_LENGTH_ENCODE
    const std::int64_t lengths = n;
#else
    const std::int64_t lengths = 0;
#endif
    // All outputs are in one allocation, which is poisoned before each launch and summed after the last.
    const std::int64_t out_bytes = (outputs * std::int64_t{sizeof(element)} + 15) / 16 * 16,
                       all_bytes = out_bytes + (lengths + 1) * std::int64_t{sizeof(int)};
    element* const in = allocated<element>(n);
    unsigned char* const written = allocated<unsigned char>(all_bytes);
    p.in = in;
    p.out = reinterpret_cast<element*>(written);
    p.count = reinterpret_cast<int*>(written + out_bytes);
    p.lengths = p.count + 1;
    p.offsets = offsets;
    fill<<<1024, 256>>>(in, n, offsets, p.segments, mean);
    expect(cudaDeviceSynchronize(), "the input");

    // Memory that CUB allocates stays in the pool, so that a sample's time is that of its kernels.
    cudaMemPool_t pool = nullptr;
    int device = 0;
    std::uint64_t keep = ~std::uint64_t{0};
    if (cudaGetDevice(&device) == cudaSuccess && cudaDeviceGetDefaultMemPool(&pool, device) == cudaSuccess)
        expect(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &keep), "the memory pool");
#ifdef EMITTED
    std::vector<double> ratios;
    bool equal = true;
    for (int round = 0; round < 7; ++round) {
        const outcome own = measured<false>(p, written, all_bytes), emitted = measured<true>(p, written, all_bytes);
        equal = equal && own.checksum == emitted.checksum;
        ratios.push_back(own.time.median_ns / emitted.time.median_ns);
        std::printf("CUB's own %.4f ms, emitted %.4f ms\n", own.time.median_ns * 1e-6, emitted.time.median_ns * 1e-6);
    }
    std::sort(ratios.begin(), ratios.end());
    std::printf("CUB %d, N = %lld: %.3f times as fast (%.3f to %.3f in 7 rounds), outputs %s\n", CUB_VERSION,
                static_cast<long long>(n), ratios[3], ratios.front(), ratios.back(), equal ? "equal" : "DIFFER");
    return equal ? 0 : 1;
#else
    const outcome result = measured<TUNED>(p, written, all_bytes);
    launchbox::print_measurement(result.time, {.checksum = result.checksum});
    return 0;
#endif
}
