// cub::DeviceHistogram of bytes into 256 bins.
#include <cub/device/device_histogram.cuh>

#include "timed.cuh"

int main()
{
    const std::vector<unsigned char> input = random_values<unsigned char>(1 << 26);
    device_array<unsigned char> samples(input);
    device_array<int> counts(256);
    time_algorithm([&](void* temporary, std::size_t& bytes) {
        return cub::DeviceHistogram::HistogramEven(temporary, bytes, samples.data(), counts.data(), 257, 0, 256,
                                                   static_cast<int>(input.size()));
    });
    std::vector<int> expected(256);
    for (unsigned char sample : input) ++expected[sample];
    require(counts.values() == expected, "histogram");
}
