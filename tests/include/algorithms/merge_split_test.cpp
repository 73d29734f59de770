// Where a part of a merge begins in the runs, found by the threads of a warp, or by those of a block for two parts at
// once.
#include "gpu_on_cpu.hpp"

#include <gtest/gtest.h>
#include <launchbox/algorithms/detail/merge_split_by_block.cuh>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "scale.hpp"
#include "sort_inputs.hpp"

namespace {

namespace detail = launchbox::detail;
using sort_inputs::kind;

long comparisons = 0;
std::array<long, 1024> comparisons_of_thread{};  ///< the slowest determines the time of the block

struct counted_less {
    bool operator()(std::uint32_t a, std::uint32_t b) const
    {
        ++comparisons;
        ++comparisons_of_thread[threadIdx.x];
        return a < b;
    }
};

/// Runs of a group, each sorted, one after the other in memory.
struct runs {
    std::vector<std::uint32_t> keys;
    std::size_t run;

    runs(kind input, std::size_t run_length, std::size_t n) : run(run_length)
    {
        for (std::size_t i = 0; i < n; ++i)
            keys.push_back(sort_inputs::key<std::uint32_t>(sort_inputs::element(input, i, n, 3)));
        for (std::size_t i = 0; i < n; i += run)
            std::sort(keys.begin() + static_cast<std::ptrdiff_t>(i),
                      keys.begin() + static_cast<std::ptrdiff_t>(std::min(i + run, n)));
    }
    const std::uint32_t* begin(unsigned number) const { return keys.data() + std::min(number * run, keys.size()); }
    int length(unsigned number) const
    {
        return static_cast<int>(std::min((number + 1) * run, keys.size()) - std::min(number * run, keys.size()));
    }
};

/// The splits cut off a prefix of the stable merge, of `rank` elements or up to `slack` more or fewer.
void expect_border(const runs& of, const std::vector<int>& splits, int rank, int slack)
{
    long all = 0;
    for (unsigned i = 0; i < splits.size(); ++i) {
        ASSERT_GE(splits[i], 0);
        ASSERT_LE(splits[i], of.length(i));
        all += splits[i];
    }
    ASSERT_LE(std::abs(all - rank), slack);
    for (unsigned i = 0; i < splits.size(); ++i)
        for (unsigned j = 0; j < splits.size(); ++j) {
            if (splits[i] == 0 || splits[j] == of.length(j)) continue;
            const std::uint32_t before = of.begin(i)[splits[i] - 1], behind = of.begin(j)[splits[j]];
            ASSERT_TRUE(i <= j ? before <= behind : before < behind)
                << "run " << i << " ends with " << before << ", and " << behind << " of run " << j << " is left";
        }
}

/// As many runs as are searched; the additional ones are empty.
template <int Runs>
inline constexpr int searched = std::max(Runs, 1 << detail::min_searched_levels);
template <int Runs>
inline constexpr int levels = std::bit_width(static_cast<unsigned>(searched<Runs>)) - 1;

template <int Runs, class Offset>
std::vector<int> of_warp(const runs& of, int rank, int slack)
{
    std::vector<int> splits(searched<Runs>);
    gpu_on_cpu::run(1, 32, [&] {
        const unsigned own = threadIdx.x % searched<Runs>;
        // The other groups of a warp search for another position, which must not matter.
        const int other = threadIdx.x < searched<Runs> ? rank : rank / 2;
        const Offset split = detail::split_runs<levels<Runs>>(levels<Runs>, of.begin(own), Offset{of.length(own)},
                                                              Offset{other}, Offset{slack}, counted_less{});
        if (threadIdx.x < searched<Runs>) splits[own] = static_cast<int>(split);
    });
    return splits;
}

template <int Runs, int Threads>
std::vector<std::vector<int>> of_block(const runs& of, int first_rank, int second_rank, int slack)
{
    std::vector<std::vector<int>> splits(2, std::vector<int>(searched<Runs>));
    detail::found_parts<32> found;
    gpu_on_cpu::run(1, Threads, [&] {
        const unsigned own = threadIdx.x % searched<Runs>, half = threadIdx.x / (Threads / 2);
        const int split = detail::split_runs_by_block<levels<Runs>, Threads>(
            levels<Runs>, of.begin(own), of.length(own), half == 0 ? first_rank : second_rank, slack, found,
            counted_less{});
        if (threadIdx.x % (Threads / 2) < searched<Runs>) splits[half][own] = split;
    });
    return splits;
}

template <int Runs, int Threads>
void check(kind input, std::size_t run, std::size_t n)
{
    static launchbox::taken_combinations taken(8);
    const runs of(input, run, n);
    const int all = static_cast<int>(n);
    for (const int slack : {0, 5, static_cast<int>(run / 64)})
        for (const int rank : {0, 1, 2, all / 97, all / 3, all / 2 + 1, all - all / 50, all - 1, all}) {
            if (!taken.next()) continue;
            SCOPED_TRACE(std::string(sort_inputs::name(input)) + ", " + std::to_string(Runs) + " runs of " +
                         std::to_string(run) + ", n " + std::to_string(n) + ", rank " + std::to_string(rank) +
                         ", slack " + std::to_string(slack));
            comparisons = 0;
            ASSERT_NO_FATAL_FAILURE(expect_border(of, of_warp<Runs, int>(of, rank, slack), rank, slack));
            ASSERT_NO_FATAL_FAILURE(expect_border(of, of_warp<Runs, std::int64_t>(of, rank, slack), rank, slack));
            const auto splits = of_block<Runs, Threads>(of, rank, all / 5, slack);
            ASSERT_NO_FATAL_FAILURE(expect_border(of, splits[0], rank, slack));
            ASSERT_NO_FATAL_FAILURE(expect_border(of, splits[1], all / 5, slack));
            // A part ends where the next one begins, whoever searches for it.
            ASSERT_EQ((of_block<Runs, Threads>(of, all / 7, rank, slack)[1]), splits[0]);
            // Far fewer than a search that discards a few elements per round would need.
            ASSERT_LT(comparisons / (64 + 2 * Threads), 600);
        }
}

TEST(merge_split, is_a_boundary_of_the_merge_for_any_runs)
{
    for (const kind input : sort_inputs::kinds)
        for (const std::size_t run : {1U, 3U, 64U, 1000U, 4096U}) {
            check<2, 64>(input, run, 2 * run);
            check<4, 128>(input, run, 3 * run + run / 2);
            check<8, 64>(input, run, 8 * run - run / 3);
            check<16, 256>(input, run, 16 * run);
            check<32, 128>(input, run, 19 * run + 1);
        }
}

// Many threads for few runs, and few threads for many.
TEST(merge_split, with_blocks_of_other_sizes)
{
    for (const kind input : {kind::random, kind::few, kind::organ_pipe}) {
        check<2, 1024>(input, 500, 1000);
        check<32, 64>(input, 300, 9600);
        check<32, 1024>(input, 300, 9600);
    }
}

// Two rounds for most inputs: a thread compares 8 candidates and searches in a few steps.
TEST(merge_split, takes_few_comparisons)
{
    for (const kind input : {kind::random, kind::sorted, kind::reversed, kind::equal, kind::nearly_sorted}) {
        const runs of(input, 4096, 16UL * 4096);
        comparisons = 0;
        int searches = 0;
        for (int rank = 2000; rank < 16 * 4096; rank += 4000, ++searches) of_block<16, 256>(of, rank, rank + 2000, 62);
        EXPECT_LT(comparisons / 256 / searches, 60) << sort_inputs::name(input);
        comparisons = 0;
        for (int rank = 2000; rank < 16 * 4096; rank += 4000) of_warp<16, int>(of, rank, 15);
        EXPECT_LT(comparisons / 32 / searches, 110) << sort_inputs::name(input);
    }
}

// Runs that hardly overlap are recognised in the first round, in any order, even where a part begins near the end of a
// run, among unsorted elements.
TEST(merge_split, existing_order_is_recognised)
{
    const auto most_comparisons = [](kind input) {
        const runs of(input, 16384, 16UL * 16384);
        long most = 0;
        for (const int rank : {500, 3000, 16384, 16500, 100000, 131072, 200001, 15 * 16384 + 250, 16 * 16384 - 700}) {
            comparisons_of_thread.fill(0);
            of_block<16, 256>(of, rank, rank, 31);
            most = std::max(most, *std::ranges::max_element(comparisons_of_thread));
        }
        return static_cast<double>(most);
    };
    const double random = most_comparisons(kind::random);
    // Without that recognition the factors were 1.5, 1.5, 3.8 and 4.7.
    EXPECT_LT(most_comparisons(kind::sorted), 1.3 * random);
    EXPECT_LT(most_comparisons(kind::reversed), 1.3 * random);
    EXPECT_LT(most_comparisons(kind::nearly_sorted), 2.5 * random);
    EXPECT_LT(most_comparisons(kind::organ_pipe), 4 * random);
}

}  // namespace
