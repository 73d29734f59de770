// The blocks of a GPU on the CPU: the effects of barriers, shuffles and votes, and the mistakes that must be detected.
#include "gpu_on_cpu.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace {

std::string failure_of(const std::function<void()>& action)
{
    try {
        action();
    } catch (const gpu_on_cpu::failure& error) {
        return error.what();
    }
    return "none";
}

__device__ __forceinline__ int scanned_in_block(int value, int* shared)
{
    const int lane = static_cast<int>(threadIdx.x % 32), warp = static_cast<int>(threadIdx.x / 32);
    for (unsigned delta = 1; delta < 32; delta *= 2) {
        const int before = __shfl_up_sync(~0u, value, delta);
        if (lane >= static_cast<int>(delta)) value += before;
    }
    if (lane == 31) shared[warp] = value;
    __syncthreads();
    for (int i = 0; i < warp; ++i) value += shared[i];
    __syncthreads();
    return value;
}

TEST(gpu_on_cpu, scans_a_block)
{
    constexpr unsigned threads = 256, blocks = 3;
    for (unsigned order = 0; order < 3; ++order) {
        std::vector<int> data(std::size_t{threads} * blocks), expected(data.size()), shared(8);
        for (unsigned i = 0; i < data.size(); ++i) data[i] = static_cast<int>(i * 2654435761u >> 20);
        for (unsigned b = 0; b < blocks; ++b)
            std::partial_sum(data.begin() + std::ptrdiff_t{b} * threads, data.begin() + std::ptrdiff_t{b + 1} * threads,
                             expected.begin() + std::ptrdiff_t{b} * threads);
        gpu_on_cpu::run(
            blocks, threads,
            [&] {
                ASSERT_EQ(blockDim.x, threads);
                ASSERT_EQ(gridDim.x, blocks);
                int& mine = data[blockIdx.x * blockDim.x + threadIdx.x];
                mine = scanned_in_block(mine, shared.data());
            },
            order);
        EXPECT_EQ(data, expected) << order;
    }
}

TEST(gpu_on_cpu, a_barrier_makes_the_writes_of_others_visible)
{
    for (const unsigned threads : {1u, 31u, 32u, 100u, 1024u}) {
        std::vector<unsigned> data(threads), shared(threads);
        gpu_on_cpu::run(1, threads, [&] {
            for (unsigned round = 0; round < 100; ++round) {
                shared[threadIdx.x] = threadIdx.x + round;
                __syncthreads();
                data[threadIdx.x] += shared[threads - 1 - threadIdx.x];
                __syncthreads();
            }
        });
        for (unsigned i = 0; i < threads; ++i) EXPECT_EQ(data[i], 100 * (threads - 1 - i) + 4950);
    }
}

TEST(gpu_on_cpu, a_missing_barrier_is_detected)
{
    constexpr unsigned threads = 64;
    bool wrong = false;
    for (unsigned order = 0; order < 3; ++order) {
        std::vector<unsigned> shared(threads, threads);
        gpu_on_cpu::run(
            1, threads,
            [&] {
                shared[threadIdx.x] = threadIdx.x;
                wrong = wrong || shared[threads - 1 - threadIdx.x] == threads;
            },
            order);
    }
    EXPECT_TRUE(wrong);
}

TEST(gpu_on_cpu, indices_in_three_dimensions)
{
    std::vector<int> met(std::size_t{2} * 3 * 4 * 5 * 2);
    gpu_on_cpu::run({2, 3}, {4, 5, 2}, [&] {
        ++met[((((blockIdx.y * 2 + blockIdx.x) * 2 + threadIdx.z) * 5) + threadIdx.y) * 4 + threadIdx.x];
    });
    EXPECT_EQ(met, std::vector<int>(met.size(), 1));
}

// The pseudocode of shfl.sync, copied from the PTX ISA.
unsigned lane_of_ptx(char mode, unsigned lane, unsigned operand_b, unsigned operand_c)
{
    const unsigned bval = operand_b & 0x1f, cval = operand_c & 0x1f, mask = operand_c >> 8 & 0x1f;
    const unsigned max_lane = (lane & mask) | (cval & ~mask & 0x1f), min_lane = lane & mask;
    int j = 0;
    bool p = false;
    switch (mode) {
        case 'u':
            j = static_cast<int>(lane) - static_cast<int>(bval);
            p = j >= static_cast<int>(max_lane);
            break;
        case 'd':
            j = static_cast<int>(lane + bval);
            p = j <= static_cast<int>(max_lane);
            break;
        case 'b':
            j = static_cast<int>(lane ^ bval);
            p = j <= static_cast<int>(max_lane);
            break;
        default:
            j = static_cast<int>(min_lane | (bval & ~mask & 0x1f));
            p = j <= static_cast<int>(max_lane);
    }
    return p ? static_cast<unsigned>(j) : lane;
}

TEST(gpu_on_cpu, shuffles_follow_the_ptx_manual)
{
    for (unsigned width = 1; width <= 32; width *= 2)
        for (unsigned argument = 0; argument < 34; ++argument) {
            const unsigned up = (32 - width) << 8, others = up | 31;
            gpu_on_cpu::run(1, 64, [&] {
                const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32 * 1000;
                const int w = static_cast<int>(width), number = static_cast<int>(argument);
                EXPECT_EQ(__shfl_sync(~0u, warp + lane, number, w), warp + lane_of_ptx('i', lane, argument, others));
                EXPECT_EQ(__shfl_up_sync(~0u, warp + lane, argument, w), warp + lane_of_ptx('u', lane, argument, up));
                EXPECT_EQ(__shfl_down_sync(~0u, warp + lane, argument, w),
                          warp + lane_of_ptx('d', lane, argument, others));
                EXPECT_EQ(__shfl_xor_sync(~0u, warp + lane, number, w),
                          warp + lane_of_ptx('b', lane, argument, others));
            });
        }
    gpu_on_cpu::run(1, 32, [&] {
        EXPECT_EQ(__shfl_sync(~0u, -1.5f, 3), -1.5f);
        EXPECT_EQ(__shfl_xor_sync(~0u, static_cast<double>(threadIdx.x), 1), threadIdx.x ^ 1u);
        // Each lane may read another one.
        const int reversed = __shfl_sync(~0u, static_cast<int>(threadIdx.x), 31 - static_cast<int>(threadIdx.x));
        EXPECT_EQ(reversed, 31 - static_cast<int>(threadIdx.x));
    });
}

// A barrier that tells all threads of the block whether the condition holds for any of them.
TEST(gpu_on_cpu, barriers_that_vote)
{
    for (const unsigned order : {0u, 1u}) {
        int seen = 0;
        gpu_on_cpu::run(
            2, 80,
            [&] {
                EXPECT_EQ(__syncthreads_or(threadIdx.x == 79 && blockIdx.x == 1), blockIdx.x == 1 ? 1 : 0);
                EXPECT_EQ(__syncthreads_or(threadIdx.x == 40 ? 2 : 0), 1);
                EXPECT_EQ(__syncthreads_or(0), 0);
                EXPECT_EQ(__syncthreads_count(threadIdx.x % 3 == 0 ? 5 : 0), 27);
                EXPECT_EQ(__syncthreads_count(0), 0);
                ++seen;
            },
            order);
        EXPECT_EQ(seen, 160);
    }
}

TEST(gpu_on_cpu, votes_and_masks)
{
    gpu_on_cpu::run(1, 80, [&] {
        const unsigned lane = threadIdx.x % 32;
        const unsigned all = threadIdx.x < 64 ? ~0u : 0xffffu;
        EXPECT_EQ(__ballot_sync(~0u, lane % 3 == 0), 0x49249249u & all);
        EXPECT_EQ(__any_sync(~0u, lane == 7), 1);
        EXPECT_EQ(__any_sync(~0u, lane == 32), 0);
        EXPECT_EQ(__all_sync(~0u, 5), 1);
        EXPECT_EQ(__all_sync(~0u, lane != 3), 0);
        // Each half of a warp separately, and the odd lanes separately.
        const unsigned half = lane < 16 ? 0xffffu : 0xffff0000u;
        EXPECT_EQ(__ballot_sync(half, 1), half);
        EXPECT_EQ(__all_sync(half, lane < 16), lane < 16);
        if (lane % 2 == 1) {
            EXPECT_EQ(__ballot_sync(0xaaaaaaaau, lane < 4), 0xau);
        }
        __syncwarp();
        if (lane < 4) __syncwarp(0xf);
    });
}

TEST(gpu_on_cpu, a_deadlock_names_the_threads)
{
    const std::string ended = failure_of([] {
        gpu_on_cpu::run(2, 128, [] {
            if (threadIdx.x < 96) __syncthreads();
        });
    });
    EXPECT_NE(ended.find("deadlock: block 0: threads 0-95 wait at __syncthreads() in gpu_on_cpu_test.cpp:"),
              std::string::npos)
        << ended;
    EXPECT_NE(ended.find("; 96-127 ended"), std::string::npos) << ended;

    const std::string another = failure_of([] {
        gpu_on_cpu::run(1, 64, [] {
            // NOLINTNEXTLINE(bugprone-branch-clone)
            if (threadIdx.x < 32)
                __syncthreads();
            else
                __syncthreads();
        });
    });
    EXPECT_NE(another.find("different instructions: block 0: threads 0-31 wait at __syncthreads()"), std::string::npos)
        << another;

    const std::string apart = failure_of([] {
        gpu_on_cpu::run(1, 32, [] {
            if (threadIdx.x < 5)
                __syncthreads();
            else
                __shfl_sync(~0u, 1, 0);
        });
    });
    EXPECT_NE(apart.find("0-4 wait at __syncthreads()"), std::string::npos) << apart;
    EXPECT_NE(apart.find("wait at __shfl_sync()"), std::string::npos) << apart;

    const std::string gone = failure_of([] {
        gpu_on_cpu::run(1, 32, [] {
            if (threadIdx.x != 31) __any_sync(~0u, 1);
        });
    });
    EXPECT_NE(gone.find("deadlock: block 0: threads 0-30 wait at __any_sync()"), std::string::npos) << gone;

    const std::string mask = failure_of([] { gpu_on_cpu::run(1, 32, [] { __syncwarp(0xffff); }); });
    EXPECT_NE(mask.find("the mask lacks the lane that calls"), std::string::npos) << mask;
    const std::string width = failure_of([] { gpu_on_cpu::run(1, 32, [] { __shfl_sync(~0u, 1, 0, 12); }); });
    EXPECT_NE(width.find("power of two"), std::string::npos) << width;
}

TEST(gpu_on_cpu, continues_after_failures)
{
    for (int i = 0; i < 3; ++i) {
        const std::string trap = failure_of([] {
            gpu_on_cpu::run(2, 64, [] {
                __syncthreads();
                if (blockIdx.x == 1 && threadIdx.x == 40) __trap();
                __syncthreads();
            });
        });
        EXPECT_NE(trap.find("block 1, thread 40"), std::string::npos) << trap;
        EXPECT_THROW(gpu_on_cpu::run(1, 32, [] { throw std::runtime_error("of the code"); }), std::runtime_error);
        int sum = 0;
        gpu_on_cpu::run(1, 1024, [&] {
            __syncthreads();
            atomicAdd(&sum, 1);
        });
        EXPECT_EQ(sum, 1024);
    }
}

TEST(gpu_on_cpu, integer_functions)
{
    EXPECT_EQ(__popc(0xf0f0u), 8);
    EXPECT_EQ(__popcll(~0ull), 64);
    EXPECT_EQ(__clz(0), 32);
    EXPECT_EQ(__clz(1), 31);
    EXPECT_EQ(__ffs(0), 0);
    EXPECT_EQ(__ffs(8), 4);
    EXPECT_EQ(__brev(0x80000001u), 0x80000001u);
    EXPECT_EQ(__brev(0x6u), 0x60000000u);
    EXPECT_EQ(__funnelshift_l(0x80000000u, 1u, 1), 3u);
    EXPECT_EQ(__funnelshift_l(1u, 7u, 32), 7u);
    EXPECT_EQ(__funnelshift_r(2u, 1u, 1), 0x80000001u);
    EXPECT_EQ(min(-1, 1u), 1u);
    EXPECT_EQ(max(3L, 4), 4L);
    EXPECT_EQ(min(1.5f, 2.0), 1.5);
    static_assert(std::is_same_v<decltype(min(1, 2)), int> &&
                  std::is_same_v<decltype(max(1, 2ull)), unsigned long long>);

    unsigned word = 5;
    EXPECT_EQ(atomicAdd(&word, 3), 5u);
    EXPECT_EQ(atomicMax(&word, 20), 8u);
    EXPECT_EQ(atomicMin(&word, 4), 20u);
    EXPECT_EQ(atomicOr(&word, 3), 4u);
    EXPECT_EQ(atomicExch(&word, 1), 7u);
    EXPECT_EQ(atomicCAS(&word, 2, 9), 1u);
    EXPECT_EQ(atomicCAS(&word, 1, 9), 1u);
    EXPECT_EQ(word, 9u);
}

}  // namespace
