// The fewest rows in one table for several GPUs, compared with all possible tables; and that a launch box with these
// rows gives each GPU the intended one.
#include "tune/ranking/fleet_rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>
#include <set>

#include "recorded_results.hpp"
#include "scale.hpp"
#include "support/error.hpp"

namespace launchbox::fleet_rows_tests {
namespace {

struct question {
    std::vector<portable_row> rows;
    std::vector<fleet_gpu> gpus;
    std::vector<compute_capability> fences;
    double within = 0.1;
};

const int architectures[] = {80, 86, 90, 100};

compute_capability cc(int number)
{
    return {.major = number / 10, .minor = number % 10};
}

question random_question(std::mt19937& random)
{
    question made;
    const std::size_t gpus = 2 + random() % 4, rows = 1 + random() % 6;
    std::set<std::tuple<int, std::int64_t, std::int64_t>> seen;
    while (made.gpus.size() < gpus) {
        const int architecture = architectures[random() % 4];
        const std::int64_t sms = 60 + 40 * static_cast<int>(random() % 2),
                           memory = 40 + 40 * static_cast<int>(random() % 3);
        if (!seen.emplace(architecture, sms, memory).second) continue;
        made.gpus.push_back({cc(architecture), {.sms = sms, .l2_bytes = 0, .memory_bytes = memory * 1'000'000'000}});
    }
    for (std::size_t r = 0; r < rows; ++r) {
        portable_row& row = made.rows.emplace_back();
        row.parameters = tuning_values(static_cast<std::int64_t>(r), 1);
        for (std::size_t g = 0; g < gpus; ++g)
            row.shares.push_back(random() % 8 == 0 ? std::nullopt
                                                   : std::optional(0.8 + static_cast<double>(random() % 20) / 100));
    }
    for (std::size_t g = 0; g < gpus; ++g) made.rows[random() % rows].shares[g] = 1;
    if (random() % 4 == 0) made.fences.push_back(cc(random() % 2 ? 89 : 86));
    return made;
}

bool is_enough(const question& of, std::size_t row, std::size_t gpu)
{
    return of.rows[row].shares[gpu].value_or(0) >= 1 / (1 + of.within) - 1e-9;
}

// The fewest rows for GPUs that share them, by trying all subsets; 99: no subset suffices.
std::size_t fewest_for(const question& of, const std::vector<std::size_t>& gpus)
{
    std::size_t fewest = 99;
    for (unsigned chosen = 1; chosen < 1u << of.rows.size(); ++chosen) {
        bool all = true;
        for (const std::size_t gpu : gpus) {
            bool some = false;
            for (std::size_t r = 0; r < of.rows.size(); ++r) {
                if ((chosen >> r & 1u) == 0) continue;
                bool same = true;  // GPUs with the same properties have the same row
                for (const std::size_t other : gpus)
                    if (of.gpus[other].properties.sms == of.gpus[gpu].properties.sms &&
                        of.gpus[other].properties.memory_bytes == of.gpus[gpu].properties.memory_bytes)
                        same = same && is_enough(of, r, other);
                some = some || same;
            }
            all = all && some;
        }
        if (all) fewest = std::min(fewest, static_cast<std::size_t>(std::popcount(chosen)));
    }
    return fewest;
}

// Tries every way to divide the architectures into groups of neighbours.
std::size_t fewest_of_all(const question& of)
{
    std::map<int, std::vector<std::size_t>> by;
    for (std::size_t g = 0; g < of.gpus.size(); ++g) by[of.gpus[g].architecture.number()].push_back(g);
    std::vector<int> numbers;
    for (const auto& [number, gpus] : by) numbers.push_back(number);
    std::size_t fewest = 99;
    for (unsigned cuts = 0; cuts < 1u << (numbers.size() - 1); ++cuts) {
        std::size_t rows = 0;
        std::vector<std::size_t> part = by[numbers[0]];
        int low = numbers[0];
        const auto close = [&](int high) {
            rows += fewest_for(of, part);
            for (const compute_capability& fence : of.fences)
                if (low < fence.number() && fence.number() < high) rows += 99;
        };
        for (std::size_t a = 1; a < numbers.size(); ++a) {
            if ((cuts >> (a - 1) & 1u) != 0) {
                close(numbers[a - 1]);
                part.clear();
                low = numbers[a];
            }
            part.insert(part.end(), by[numbers[a]].begin(), by[numbers[a]].end());
        }
        close(numbers.back());
        fewest = std::min(fewest, rows);
    }
    return fewest;
}

// The index of the row that a launch box with these rows uses on a GPU.
std::size_t row_for(const std::vector<fleet_row>& rows, const fleet_gpu& gpu)
{
    std::vector<compute_capability> places;
    std::vector<std::span<const gpu_range>> ranges;
    for (const fleet_row& row : rows) {
        places.push_back(row.architecture);
        ranges.push_back(row.is_last_resort ? std::span<const gpu_range>() : std::span<const gpu_range>(row.ranges));
    }
    const detail::row_places of{places, ranges};
    return static_cast<std::size_t>(
        detail::select_row(of, gpu.architecture, detail::select_variant(of, gpu.architecture, gpu.properties)));
}

TEST(fleet_rows, are_the_fewest_of_all_tables_and_each_gpu_gets_its_row)
{
    std::mt19937 random(static_cast<std::uint32_t>(random_seed()));
    int several = 0, inherited = 0;
    for (int round = 0; round < (is_exhaustive() ? 20'000 : 500); ++round) {
        const question asked = random_question(random);
        const std::vector<fleet_row> rows = fewest_fleet_rows(asked.rows, asked.gpus, asked.within, asked.fences);
        ASSERT_EQ(rows.size(), fewest_of_all(asked)) << "round " << round;
        std::size_t served = 0;
        for (std::size_t place = 0; place < rows.size(); ++place) {
            ASSERT_FALSE(rows[place].gpus.empty());
            for (const std::size_t gpu : rows[place].gpus) {
                ++served;
                ASSERT_TRUE(is_enough(asked, rows[place].row, gpu)) << "round " << round;
                ASSERT_EQ(row_for(rows, asked.gpus[gpu]), place) << "round " << round;
                inherited += rows[place].architecture != asked.gpus[gpu].architecture;
                // If other GPUs have the baseline, this one still has its row, and no other row's ranges include it.
                ASSERT_FALSE(narrowed(rows[place].ranges, asked.gpus[gpu].properties).empty());
                for (const fleet_row& other : rows) {
                    if (&other == &rows[place] || other.architecture != rows[place].architecture) continue;
                    for (const gpu_range& mine : narrowed(rows[place].ranges, asked.gpus[gpu].properties))
                        for (const gpu_range& range : other.ranges) ASSERT_FALSE(detail::overlap(mine, range));
                }
            }
            several += !rows[place].is_last_resort;
        }
        ASSERT_EQ(served, asked.gpus.size());
    }
    EXPECT_GT(several, 20);
    EXPECT_GT(inherited, 20);
}

TEST(fleet_rows, are_distinguished_by_memory_at_a_round_number)
{
    const std::vector<portable_row> rows{{tuning_values(1, 1), {1.0, 0.9}}, {tuning_values(2, 1), {0.9, 1.0}}};
    const std::vector<fleet_gpu> gpus{{cc(90), {132, 52'428'800, 85'028'765'696}},
                                      {cc(90), {132, 62'914'560, 150'109'945'856}}};
    const std::vector<fleet_row> found = fewest_fleet_rows(rows, gpus, 0.02, {});
    ASSERT_EQ(found.size(), 2u);
    EXPECT_TRUE(found[0].is_last_resort);
    ASSERT_EQ(found[1].ranges.size(), 1u);
    const gpu_range wanted = found[1].row == 1 ? gpu_range{.min_memory_bytes = 120'000'000'000}
                                               : gpu_range{.max_memory_bytes = 119'999'999'999};
    EXPECT_EQ(found[1].ranges.front(), wanted);
    EXPECT_EQ(fewest_fleet_rows(rows, gpus, 0.12, {}).size(), 1u);
}

TEST(fleet_rows, are_distinguished_by_bandwidth_if_nothing_else_differs)
{
    const std::vector<portable_row> rows{{tuning_values(1, 1), {1.0, 0.9}}, {tuning_values(2, 1), {0.9, 1.0}}};
    const auto ranges = [&](const std::vector<fleet_gpu>& gpus) {
        const std::vector<fleet_row> found = fewest_fleet_rows(rows, gpus, 0.02, {});
        EXPECT_EQ(found.size(), 2u);
        for (std::size_t gpu = 0; gpu < 2; ++gpu) EXPECT_EQ(found[row_for(found, gpus[gpu])].row, gpu);
        return found.at(1).ranges;
    };
    // Two A100 with 80 GB: SXM and PCIe.
    const fleet_gpu sxm{cc(80), {108, 41'943'040, 85'100'000'000, 2039}},
        pcie{cc(80), {108, 41'943'040, 85'100'000'000, 1935}};
    const std::vector<gpu_range> by_bandwidth = ranges({sxm, pcie});
    ASSERT_EQ(by_bandwidth.size(), 1u);
    EXPECT_TRUE(by_bandwidth[0] == (gpu_range{.min_memory_gb_per_second = 1990}) ||
                by_bandwidth[0] == (gpu_range{.max_memory_gb_per_second = 1989}));
    // A figure that is derived from clocks is only used if no other differs.
    fleet_gpu small = pcie;
    small.properties.memory_bytes = 42'400'000'000;
    EXPECT_EQ(ranges({sxm, small})[0].min_memory_gb_per_second, 0);
    EXPECT_EQ(ranges({sxm, small})[0].max_memory_gb_per_second, gpu_range().max_memory_gb_per_second);
    // A property that one of them does not report cannot be used: they then have the same row.
    for (const auto unknown : {&detail::gpu_properties::memory_gb_per_second, &detail::gpu_properties::l2_bytes}) {
        fleet_gpu silent = sxm;
        silent.properties.*unknown = 0;
        EXPECT_EQ(fewest_fleet_rows(rows, {sxm, silent}, 0.02, {}).size(), 1u);
    }
}

TEST(fleet_rows, gpus_that_cannot_be_distinguished_share_the_best_row_for_both)
{
    const std::vector<fleet_gpu> twins{{cc(80), {108, 0, 42}}, {cc(80), {108, 0, 42}}};
    std::vector<portable_row> rows{
        {tuning_values(1, 1), {1.0, 0.7}}, {tuning_values(2, 1), {0.7, 1.0}}, {tuning_values(3, 1), {0.9, 0.9}}};
    const std::vector<fleet_row> found = fewest_fleet_rows(rows, twins, 0.02, {});
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].row, 2u);
    rows = {{tuning_values(1, 1), {1.0, std::nullopt}}, {tuning_values(2, 1), {std::nullopt, 1.0}}};
    EXPECT_THROW(fewest_fleet_rows(rows, twins, 0.02, {}), error);
    // The same figures on another architecture do not require the same row.
    const std::vector<fleet_gpu> others{{cc(80), {108, 0, 42}}, {cc(90), {108, 0, 42}}};
    EXPECT_EQ(fewest_fleet_rows(rows, others, 0.02, {}).size(), 2u);
}

TEST(fleet_rows, too_many_gpus_for_an_exact_search_all_get_a_row)
{
    std::mt19937 random(7);
    question asked{.rows = {}, .gpus = {}, .fences = {}};
    for (int g = 0; g < 20; ++g) asked.gpus.push_back({cc(90), {.sms = 10 + g, .l2_bytes = 0, .memory_bytes = 1}});
    for (int r = 0; r < 30; ++r) {
        portable_row& row = asked.rows.emplace_back();
        for (int g = 0; g < 20; ++g) row.shares.push_back(0.8 + static_cast<double>(random() % 20) / 100);
    }
    for (int g = 0; g < 20; ++g) asked.rows[random() % 30].shares[static_cast<std::size_t>(g)] = 1;
    std::size_t served = 0;
    const std::vector<fleet_row> rows = fewest_fleet_rows(asked.rows, asked.gpus, asked.within, {});
    for (std::size_t place = 0; place < rows.size(); ++place)
        for (const std::size_t gpu : rows[place].gpus) {
            ++served;
            EXPECT_TRUE(is_enough(asked, rows[place].row, gpu));
            EXPECT_EQ(row_for(rows, asked.gpus[gpu]), place);
        }
    EXPECT_EQ(served, 20u);
}

}  // namespace
}  // namespace launchbox::fleet_rows_tests
