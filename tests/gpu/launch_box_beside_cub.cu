// The two launches that launch_box_beside_cub_test.cpp compares.
#include <launchbox/launch_box.cuh>

#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>

#include <vector>

#include "launch_box_beside_cub.hpp"

namespace launchbox::beside_cub {

struct row {
    int threads, items, min_blocks = 0;
};

struct add_index {
    using tuning = launch_box<sm<80, row{320, 11}>, sm<90, row{128, 15, 2}>>;
    template <row r>
    static __device__ void run(int* data, int elements, int* compiled_for)
    {
        const int first = static_cast<int>(blockIdx.x) * (r.threads * r.items) + static_cast<int>(threadIdx.x);
        for (int i = 0; i < r.items; ++i)
            if (first + i * r.threads < elements) data[first + i * r.threads] += first + i * r.threads;
#ifdef __CUDA_ARCH__
        if (first == 0) *compiled_for = __CUDA_ARCH__ / 10;
#endif
    }
};

namespace {

// For results that equal their own index.
int count_wrong(const int* data)
{
    std::vector<int> host(count, -1);
    cudaMemcpy(host.data(), data, count * sizeof(int), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < count; ++i) wrong += host[static_cast<std::size_t>(i)] != i;
    return wrong;
}

int compiled_for = 0;

}  // namespace

outcome scan_with_cub()
{
    int *ones = nullptr, *sums = nullptr;
    void* temporary = nullptr;
    cudaMalloc(&ones, count * sizeof(int));
    cudaMalloc(&sums, count * sizeof(int));
    cudaMemset(sums, 0, count * sizeof(int));
    const std::vector<int> host(count, 1);
    cudaMemcpy(ones, host.data(), count * sizeof(int), cudaMemcpyHostToDevice);
    std::size_t bytes = 0;
    cudaError_t returned = cub::DeviceScan::ExclusiveSum(nullptr, bytes, ones, sums, count);
    cudaMalloc(&temporary, bytes);
    if (returned == cudaSuccess) returned = cub::DeviceScan::ExclusiveSum(temporary, bytes, ones, sums, count);
    const outcome result{cudaGetErrorName(returned), cudaGetErrorName(cudaDeviceSynchronize()), count_wrong(sums)};
    cudaGetLastError();
    cudaFree(ones);
    cudaFree(sums);
    cudaFree(temporary);
    return result;
}

outcome add_with_launch_box()
{
    int *data = nullptr, *tells = nullptr;
    cudaMalloc(&data, count * sizeof(int));
    cudaMalloc(&tells, sizeof(int));
    cudaMemset(data, 0, count * sizeof(int));
    const cudaError_t returned = try_launch<add_index>(nullptr, count, data, count, tells);
    const outcome result{cudaGetErrorName(returned), cudaGetErrorName(cudaDeviceSynchronize()), count_wrong(data)};
    cudaMemcpy(&compiled_for, tells, sizeof(int), cudaMemcpyDeviceToHost);
    cudaFree(data);
    cudaFree(tells);
    return result;
}

versions versions_here()
{
    add_with_launch_box();
    cudaFuncAttributes attributes{};
    cudaFuncGetAttributes(&attributes, detail::tuned_kernel<add_index, detail::this_unit, 0>::kernel(0));
    return {attributes.ptxVersion, compiled_for, CUB_VERSION};
}

}  // namespace launchbox::beside_cub
