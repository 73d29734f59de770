// cub::DeviceReduce of 32-bit integers.
#include <cub/device/device_reduce.cuh>

#include "timed.cuh"

int main()
{
    const std::vector<unsigned> input = random_values<unsigned>(1 << 26);
    device_array<unsigned> given(input), sum(1);
    time_algorithm([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceReduce::Sum(temporary, bytes, given.data(), sum.data(), static_cast<int>(input.size()));
    });
    unsigned expected = 0;
    for (unsigned value : input) expected += value;
    require(sum.values()[0] == expected, "reduce");
}
