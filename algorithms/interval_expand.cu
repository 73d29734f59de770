// The program that tune builds for each row of interval_expand.toml and runs for each workload: N outputs of intervals
// with SIZE outputs each, or with 0 to 2 * SIZE, timed by measure.cuh and checked on the GPU.
//
//     nvcc -std=c++20 -arch=sm_90 -I ../include -DELEMENT=uint32_t '-DROW=256\,16\,4' interval_expand.cu && ./a.out
//     100000000 25 1
//
// Ends with 1 if the result is wrong and with 77 without a GPU. Without ROW it uses the shipped rows.
#include <launchbox/algorithms/interval_expand.cuh>

#include <vector>

#include "interval_program.cuh"

std::vector<std::uint32_t> offsets_for(const workload& given)
{
    std::vector<std::uint32_t> offsets;
    offsets.reserve(static_cast<std::size_t>(given.intervals + given.intervals / 8));
    std::int64_t until = 0;
    for (u64 i = 0; until < given.n; ++i) {
        offsets.push_back(static_cast<std::uint32_t>(until));
        until +=
            given.irregular ? static_cast<std::int64_t>(mixed(i) % static_cast<u64>(2 * given.size + 1)) : given.size;
    }
    return offsets;
}

__global__ void make_values(element* values, std::int64_t intervals)
{
    for_each_place(intervals, [&](std::int64_t i) { values[i] = element_at(i); });
}

__global__ void look_at(const element* out, std::int64_t n, const std::uint32_t* offsets, std::int64_t intervals,
                        findings* found)
{
    look(out, n, found, [&](std::int64_t k) {
        std::int64_t low = 0, high = intervals;  // the last one that begins at or before k
        while (high - low > 1) {
            const std::int64_t middle = (low + high) / 2;
            (offsets[middle] <= k ? low : high) = middle;
        }
        return low;
    });
}

int main(int count, char** arguments)
try {
    const workload given = parsed(count, arguments, "interval_expand");
    const std::vector<std::uint32_t> begins = offsets_for(given);
    const auto intervals = static_cast<std::int64_t>(begins.size());
    const device_array<element> values(intervals), out(given.n);
    const device_array<std::uint32_t> offsets(intervals);
    cudaMemcpy(offsets.data(), begins.data(), begins.size() * sizeof(std::uint32_t), cudaMemcpyHostToDevice);
    make_values<<<1024, 256>>>(values.data(), intervals);

    const std::int64_t bytes = given.n * std::int64_t{sizeof(element)} + intervals * std::int64_t{sizeof(element) + 4};
    const auto run = [&](cudaStream_t stream) {
        launchbox::interval_expand<tuning>(stream, values.in(), offsets.in(), intervals, out.data(), given.n);
    };
    return measured(run, bytes, [&](findings* found) {
        look_at<<<1024, 256>>>(out.data(), given.n, offsets.in(), intervals, found);
    });
} catch (const launchbox::launch_error& refused) {
    std::fprintf(stderr, "%s\n", refused.what());
    return 1;
}
