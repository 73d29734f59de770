// cub::DeviceScan of doubles; registers limit how many of its blocks are resident.
#include <cub/device/device_scan.cuh>

#include <cmath>

#include "timed.cuh"

int main()
{
    const std::vector<int> drawn = random_values<int>(1 << 25);
    std::vector<double> input(drawn.size());
    for (std::size_t i = 0; i < input.size(); ++i) input[i] = drawn[i] & 15;
    device_array<double> given(input), sums(input.size());
    time_algorithm([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceScan::InclusiveSum(temporary, bytes, given.data(), sums.data(),
                                             static_cast<int>(input.size()));
    });
    const std::vector<double> result = sums.values();
    double expected = 0;  // whole numbers below 2^53: exact in any order
    for (std::size_t i = 0; i < input.size(); ++i) {
        expected += input[i];
        require(result[i] == expected, "scan");
    }
}
