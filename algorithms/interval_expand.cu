// The program that tune builds for each row of interval_expand.toml and runs for each workload: N outputs of intervals
// of SIZE outputs each, timed by measure.cuh and checked on the GPU.
//
//     nvcc -std=c++20 -arch=sm_90 -I ../include -DELEMENT=uint32_t '-DROW=256\,16\,4' interval_expand.cu && ./a.out
//     100000000 25
//
// Ends with 1 where the result is wrong and with 77 without a GPU. Without ROW it has the rows that are shipped.
#include <launchbox/algorithms/interval_expand.cuh>

#include "interval_program.cuh"

__global__ void make_input(element* values, std::uint32_t* offsets, std::int64_t intervals, std::int64_t size)
{
    for_each_place(intervals, [&](std::int64_t i) {
        values[i] = element_at(i);
        offsets[i] = static_cast<std::uint32_t>(i * size);
    });
}

__global__ void look_at(const element* out, std::int64_t n, std::int64_t size, findings* found)
{
    look(out, n, found, [&](std::int64_t k) { return k / size; });
}

int main(int count, char** arguments)
try {
    const workload given = parsed(count, arguments, "interval_expand");
    const device_array<element> values(given.intervals), out(given.n);
    const device_array<std::uint32_t> offsets(given.intervals);
    make_input<<<1024, 256>>>(values.data(), offsets.data(), given.intervals, given.size);

    const std::int64_t bytes =
        given.n * std::int64_t{sizeof(element)} + given.intervals * std::int64_t{sizeof(element) + 4};
    const auto run = [&](cudaStream_t stream) {
        launchbox::interval_expand<tuning>(stream, values.in(), offsets.in(), given.intervals, out.data(), given.n);
    };
    return measured(run, bytes,
                    [&](findings* found) { look_at<<<1024, 256>>>(out.data(), given.n, given.size, found); });
} catch (const launchbox::launch_error& refused) {
    std::fprintf(stderr, "%s\n", refused.what());
    return 1;
}
