// cub::DeviceRadixSort of 32-bit keys with 32-bit values; the kernel under test is its onesweep kernel.
#include <cub/device/device_radix_sort.cuh>

#include <algorithm>
#include <numeric>

#include "timed.cuh"

int main()
{
    const std::vector<unsigned> input = random_values<unsigned>(1 << 24);
    std::vector<unsigned> places(input.size());
    std::iota(places.begin(), places.end(), 0u);
    device_array<unsigned> keys(input), values(places), sorted(input.size()), moved(input.size());
    time_algorithm([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceRadixSort::SortPairs(temporary, bytes, keys.data(), sorted.data(), values.data(),
                                               moved.data(), static_cast<int>(input.size()));
    });
    const std::vector<unsigned> result = sorted.values(), from = moved.values();
    require(std::is_sorted(result.begin(), result.end()), "sort");
    std::vector<bool> seen(from.size());
    for (std::size_t i = 0; i < from.size(); ++i) {
        require(from[i] < input.size() && !seen[from[i]] && input[from[i]] == result[i], "values");
        seen[from[i]] = true;
    }
}
