// Kernels out of CUB's own headers.
#include <cub/device/device_scan.cuh>

cudaError_t sum(void* temporary, std::size_t& bytes, const int* in, int* out, int count)
{
    return cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, count);
}
