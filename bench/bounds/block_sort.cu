// cub::DeviceMergeSort of 64-bit keys; the kernel under test is its block sort.
#include <cub/device/device_merge_sort.cuh>

#include <algorithm>

#include "timed.cuh"

struct less {
    __host__ __device__ bool operator()(long long a, long long b) const { return a < b; }
};

unsigned long long sum_of(const std::vector<long long>& keys)
{
    unsigned long long sum = 0;
    for (long long key : keys) sum += static_cast<unsigned long long>(key) * static_cast<unsigned long long>(key);
    return sum;
}

int main()
{
    const std::vector<long long> input = random_values<long long>(1 << 22);
    device_array<long long> given(input), keys(input.size());
    const auto restore = [&] {
        check(cudaMemcpy(keys.data(), given.data(), input.size() * sizeof(long long), cudaMemcpyDeviceToDevice),
              "copy");
    };
    time_algorithm(
        [&](void* temporary, std::size_t& bytes) {
            return cub::DeviceMergeSort::SortKeys(temporary, bytes, keys.data(), static_cast<int>(input.size()),
                                                  less{});
        },
        restore);
    const std::vector<long long> sorted = keys.values();
    require(std::is_sorted(sorted.begin(), sorted.end()), "sort");
    require(sum_of(sorted) == sum_of(input), "sort");  // no key was lost; a cheap check, since every run does it
}
