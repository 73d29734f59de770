// The program that tune builds for each row of interval_move.toml and runs for each workload: N elements in intervals
// of SIZE elements each, gathered from places in random order and written side by side, timed by measure.cuh and
// checked on the GPU.
//
//     nvcc -std=c++20 -arch=sm_90 -I ../include -DELEMENT=uint32_t '-DROW=256\,16\,4' interval_move.cu && ./a.out
//     100000000 25
//
// Ends with 1 if the result is wrong and with 77 without a GPU. Without ROW it uses the shipped rows.
#include <launchbox/algorithms/interval_move.cuh>

#include "interval_program.cuh"

/// Number `i` of a random order: a Feistel network over 2 * `bits` bits, repeated until the result is below
/// `intervals`.
__device__ std::int64_t shuffled(std::int64_t i, std::int64_t intervals, int bits)
{
    const u64 mask = (u64{1} << bits) - 1;
    u64 place = static_cast<u64>(i);
    do {
        u64 left = place >> bits, right = place & mask;
        for (u64 round = 0; round < 4; ++round) {
            const u64 next = left ^ (mixed(right + (round << 60)) & mask);
            left = right;
            right = next;
        }
        place = left << bits | right;
    } while (place >= static_cast<u64>(intervals));
    return static_cast<std::int64_t>(place);
}

__global__ void make_input(element* in, std::int64_t n, std::uint32_t* offsets, std::uint32_t* gather,
                           std::int64_t intervals, std::int64_t size, int bits)
{
    for_each_place(n, [&](std::int64_t k) { in[k] = element_at(k); });
    for_each_place(intervals, [&](std::int64_t i) {
        offsets[i] = static_cast<std::uint32_t>(i * size);
        gather[i] = static_cast<std::uint32_t>(shuffled(i, intervals, bits) * size);
    });
}

__global__ void look_at(const element* out, const std::uint32_t* gather, std::int64_t n, std::int64_t size,
                        findings* found)
{
    look(out, n, found, [&](std::int64_t k) { return gather[k / size] + k % size; });
}

int main(int count, char** arguments)
try {
    workload given = parsed(count, arguments, "interval_move");
    given.intervals = given.n / given.size;
    if (given.intervals == 0) return usage("interval_move");
    given.n = given.intervals * given.size;  // so that all intervals have the same size and can be exchanged
    int bits = 1;
    while (std::int64_t{1} << (2 * bits) < given.intervals) ++bits;
    const device_array<element> in(given.n), out(given.n);
    const device_array<std::uint32_t> offsets(given.intervals), gather(given.intervals);
    make_input<<<1024, 256>>>(in.data(), given.n, offsets.data(), gather.data(), given.intervals, given.size, bits);

    const std::int64_t bytes = 2 * given.n * std::int64_t{sizeof(element)} + given.intervals * 12;
    const auto run = [&](cudaStream_t stream) {
        launchbox::interval_move<tuning>(stream, gather.in(), offsets.in(),
                                         launchbox::interval_offsets{offsets.in(), given.n}, given.intervals, in.in(),
                                         out.data());
    };
    return measured(run, bytes, [&](findings* found) {
        look_at<<<1024, 256>>>(out.data(), gather.in(), given.n, given.size, found);
    });
} catch (const launchbox::launch_error& refused) {
    std::fprintf(stderr, "%s\n", refused.what());
    return 1;
}
