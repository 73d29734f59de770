// The adversarial input causes the promised bank conflicts in the kind of merge sort that it is made for.
#include "sort_inputs.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <vector>

namespace {

/// A pairwise merge sort as warps execute it; counts the cycles of their reads from shared memory.
class merge_sort_of_warps {
public:
    merge_sort_of_warps(std::vector<std::int64_t> keys, int grain) : keys_(std::move(keys))
    {
        const std::size_t warp = 32 * static_cast<std::size_t>(grain);
        for (std::size_t i = 0; i < keys_.size(); i += warp / 2)
            std::sort(keys_.begin() + static_cast<std::ptrdiff_t>(i),
                      keys_.begin() + static_cast<std::ptrdiff_t>(std::min(i + warp / 2, keys_.size())));
        for (std::size_t run = warp / 2; run < keys_.size(); run *= 2)
            for (std::size_t i = 0; i + run < keys_.size(); i += 2 * run)
                merge(i, i + run, std::min(i + 2 * run, keys_.size()), static_cast<std::size_t>(grain));
    }

    double cycles_a_step() const { return static_cast<double>(cycles_) / static_cast<double>(steps_); }
    const std::vector<std::int64_t>& keys() const { return keys_; }

private:
    void merge(std::size_t begin, std::size_t middle, std::size_t end, std::size_t grain)
    {
        // For each output element, where it is read; a block's memory has the first run's part of a warp's output, then
        // the second's.
        std::vector<std::int64_t> merged;
        std::vector<std::size_t> bank;
        std::size_t a = begin, b = middle;
        while (a < middle || b < end) {
            const bool first = b == end || (a < middle && keys_[a] <= keys_[b]);
            bank.push_back((first ? a - begin : b - begin) % 32);
            merged.push_back(keys_[first ? a++ : b++]);
        }
        for (std::size_t warp = 0; warp + 32 * grain <= merged.size(); warp += 32 * grain)
            for (std::size_t step = 0; step < grain; ++step) {
                std::array<int, 32> reads{};
                for (std::size_t lane = 0; lane < 32; ++lane) ++reads[bank[warp + lane * grain + step]];
                cycles_ += *std::max_element(reads.begin(), reads.end());
                ++steps_;
            }
        std::copy(merged.begin(), merged.end(), keys_.begin() + static_cast<std::ptrdiff_t>(begin));
    }

    std::vector<std::int64_t> keys_;
    std::int64_t cycles_ = 0, steps_ = 0;
};

TEST(sort_inputs, conflicts_are_a_permutation)
{
    for (const int grain : {1, 7, 8, 15, 16, 17, 23, 32})
        for (const std::int64_t n : {1, 2, 31, 544, 1000, 8704, 12345, 65536}) {
            const sort_inputs::conflicts made(grain, n);
            std::vector<int> met(static_cast<std::size_t>(n));
            for (std::int64_t i = 0; i < n; ++i) {
                const std::int64_t rank = made(i);
                ASSERT_TRUE(rank >= 0 && rank < n) << grain << ' ' << n << ' ' << i;
                ++met[static_cast<std::size_t>(rank)];
            }
            EXPECT_EQ(met, std::vector<int>(met.size(), 1)) << grain << ' ' << n;
        }
}

TEST(sort_inputs, conflicts_serialise_the_reads_of_a_warp)
{
    for (const int grain : {7, 11, 15, 16, 17, 19, 23, 31}) {
        const std::int64_t n = std::int64_t{32} * grain * 64;
        const sort_inputs::conflicts made(grain, n);
        std::vector<std::int64_t> worst, random;
        for (std::int64_t i = 0; i < n; ++i) {
            worst.push_back(made(i));
            random.push_back(static_cast<std::int64_t>(sort_inputs::hash(static_cast<std::uint64_t>(i)) >> 1));
        }
        const merge_sort_of_warps of_worst(worst, grain), of_random(random, grain);
        EXPECT_TRUE(std::is_sorted(of_worst.keys().begin(), of_worst.keys().end()));
        EXPECT_TRUE(std::is_sorted(of_random.keys().begin(), of_random.keys().end()));
        // A bank has `grain` of a warp's elements: no step can take longer. Random keys: 3.5 (maximum of 32 balls).
        std::printf("grain %2d: %5.2f cycles a step, random %4.2f\n", grain, of_worst.cycles_a_step(),
                    of_random.cycles_a_step());
        EXPECT_GT(of_worst.cycles_a_step(), 0.7 * grain) << grain;
        EXPECT_LT(of_random.cycles_a_step(), 4.5) << grain;
    }
}

TEST(sort_inputs, keys_keep_the_order)
{
    std::vector<std::uint64_t> numbers{0, 1, 1ull << 63, ~0ull, (1ull << 63) - 1};
    for (std::uint64_t i = 0; i < 1000; ++i) numbers.push_back(sort_inputs::hash(i));
    std::sort(numbers.begin(), numbers.end());
    const auto check = [&]<class Key>(Key) {
        for (std::size_t i = 1; i < numbers.size(); ++i)
            EXPECT_LE(sort_inputs::key<Key>(numbers[i - 1]), sort_inputs::key<Key>(numbers[i]));
        EXPECT_LT(sort_inputs::key<Key>(numbers.front()), sort_inputs::key<Key>(numbers.back()));
    };
    check(std::uint8_t{});
    check(std::int8_t{});
    check(std::uint16_t{});
    check(std::int32_t{});
    check(std::uint64_t{});
    check(std::int64_t{});
    check(float{});
    check(double{});
    static_assert(sort_inputs::key<std::int8_t>(0) == -128 && sort_inputs::key<std::int8_t>(~0ull) == 127);
}

}  // namespace
