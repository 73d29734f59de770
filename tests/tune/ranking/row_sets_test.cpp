// The best sets of rows, compared with all possible sets.
#include "tune/ranking/row_sets.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <map>
#include <random>

#include "recorded_results.hpp"
#include "scale.hpp"

namespace launchbox {
namespace {

// Each GPU has a row that is the best there; some shares are unknown.
std::vector<portable_row> random_rows(std::mt19937& random, std::size_t rows, std::size_t gpus)
{
    std::vector<portable_row> made;
    for (std::size_t r = 0; r < rows; ++r) {
        portable_row& row = made.emplace_back();
        row.parameters = tuning_values(static_cast<std::int64_t>(r), 1);
        for (std::size_t g = 0; g < gpus; ++g) {
            const double share = static_cast<double>(random() % 20 + 1) / 21;  // many are equal
            row.shares.push_back(random() % 5 == 0 ? std::nullopt : std::optional(share));
        }
    }
    for (std::size_t g = 0; g < gpus; ++g) made[random() % rows].shares[g] = 1;
    return made;
}

double worst_of(const std::vector<portable_row>& rows, unsigned chosen, std::size_t gpus)
{
    double worst = 1;
    for (std::size_t g = 0; g < gpus; ++g) {
        double best = 0;
        for (std::size_t r = 0; r < rows.size(); ++r)
            if ((chosen >> r & 1u) != 0) best = std::max(best, rows[r].shares[g].value_or(0));
        worst = std::min(worst, best);
    }
    return worst;
}

TEST(row_sets, have_the_best_worst_case_of_all_sets)
{
    std::mt19937 random(static_cast<std::uint32_t>(random_seed()));
    for (int round = 0; round < (is_exhaustive() ? 20'000 : 300); ++round) {
        const std::size_t gpus = 2 + random() % 4, count = 2 + random() % 8;
        const std::vector<portable_row> rows = random_rows(random, count, gpus);
        std::map<std::size_t, double> best;  // by the number of rows
        for (unsigned chosen = 1; chosen < 1u << count; ++chosen) {
            double& so_far = best[static_cast<std::size_t>(std::popcount(chosen))];
            so_far = std::max(so_far, worst_of(rows, chosen, gpus));
        }
        const std::vector<portable_set> sets = best_row_sets(rows, gpus);
        ASSERT_FALSE(sets.empty());
        for (std::size_t number = 1; number <= std::min(gpus, count); ++number) {
            // The best of our sets with at most this many rows.
            double ours = 0;
            for (const portable_set& set : sets)
                if (set.rows.size() <= number) ours = std::max(ours, set.worst_share);
            double wanted = 0;
            for (const auto& [rows_of, worst] : best)
                if (rows_of <= number) wanted = std::max(wanted, worst);
            EXPECT_DOUBLE_EQ(ours, wanted) << number << " rows, round " << round;
        }
        EXPECT_EQ(sets.back().worst_share, 1);
        for (const portable_set& set : sets) {
            unsigned chosen = 0;
            for (const std::size_t row : set.rows) chosen |= 1u << row;
            EXPECT_DOUBLE_EQ(worst_of(rows, chosen, gpus), set.worst_share);
            for (std::size_t g = 0; g < gpus; ++g) {
                const std::optional<double> share = rows[set.rows[set.row_of[g]]].shares[g];
                ASSERT_TRUE(share) << "a GPU has a row that was not measured there";
                EXPECT_GE(*share, set.worst_share);
            }
            EXPECT_EQ(rows[set.rows[set.row_of[set.worst]]].shares[set.worst], set.worst_share);
        }
    }
}

TEST(row_sets, serve_more_gpus_than_can_be_searched_completely)
{
    std::mt19937 random(static_cast<std::uint32_t>(random_seed()));
    const std::size_t gpus = max_exact_gpus + 4;
    const std::vector<portable_set> sets = best_row_sets(random_rows(random, 200, gpus), gpus);
    ASSERT_FALSE(sets.empty());
    for (std::size_t i = 1; i < sets.size(); ++i) EXPECT_GT(sets[i].worst_share, sets[i - 1].worst_share);
    EXPECT_EQ(sets.back().row_of.size(), gpus);
}

}  // namespace
}  // namespace launchbox
