// Rows for GPUs without a record, with shares calculated by hand.
#include "tune/ranking/gpu_prediction.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

assignment threads(std::int64_t value)
{
    return {{{"threads", value}}};
}

// Shares of candidates 1, 2, 3, ... on each GPU; 0: not measured.
portability of(const std::vector<std::vector<double>>& shares)
{
    portability made;
    made.gpus.resize(shares.front().size());
    for (std::size_t r = 0; r < shares.size(); ++r) {
        portable_row row{threads(static_cast<std::int64_t>(r) + 1), {}};
        for (const double share : shares[r]) row.shares.push_back(share > 0 ? std::optional(share) : std::nullopt);
        made.rows.push_back(std::move(row));
    }
    return made;
}

// All candidates are in every record; the first is the baseline.
std::vector<recorded_gpu> gpus_of(const portability& records,
                                  const std::vector<std::optional<compute_capability>>& architectures)
{
    std::vector<recorded_gpu> gpus;
    for (const auto& architecture : architectures) {
        recorded_gpu gpu{.architecture = architecture, .baseline = threads(1)};
        for (const portable_row& row : records.rows) gpu.recorded.insert(identity_of(row.parameters));
        gpus.push_back(std::move(gpu));
    }
    return gpus;
}

const std::optional<chosen_row>& row_by(const held_out_gpu& gpu, row_source source)
{
    return gpu.rows.at(static_cast<std::size_t>(source));
}

constexpr compute_capability t4{7, 5}, a100{8, 0}, a10{8, 6}, h100{9, 0}, b200{10, 0};

TEST(gpu_prediction, a_record_counts_less_the_more_distant_its_architecture_is)
{
    EXPECT_EQ(record_weight(a100, a100), 1);
    EXPECT_GT(record_weight(a100, a100), record_weight(a10, a100));
    EXPECT_GT(record_weight(a10, a100), record_weight(h100, a100));
    EXPECT_EQ(record_weight(h100, a100), record_weight(t4, a100));
    EXPECT_GT(record_weight(h100, a100), record_weight(b200, a100));
    EXPECT_GT(record_weight(b200, a100), record_weight(std::nullopt, a100));
    EXPECT_GT(record_weight(std::nullopt, a100), 0);
    EXPECT_GT(record_weight(compute_capability{12, 1}, compute_capability{2, 0}), 0);
    // sm_90a is code for the same GPU.
    EXPECT_EQ(record_weight(compute_capability{9, 0, architecture_variant::accelerated}, h100), 1);
}

TEST(gpu_prediction, orders_candidates_by_the_weighted_mean)
{
    const portability records = of({{1.0, 0.5}, {0.9, 0.9}, {0.5, 1.0}, {0.8, 0}});
    const auto order = [&](const std::vector<double>& weights) {
        std::vector<std::size_t> rows;
        for (const predicted_row& row : predict_rows(records, weights)) rows.push_back(row.row);
        return rows;
    };
    EXPECT_EQ(order({1, 1}), (std::vector<std::size_t>{1, 3, 0, 2}));
    EXPECT_EQ(order({1, 0.1}), (std::vector<std::size_t>{0, 1, 3, 2}));
    EXPECT_EQ(order({0, 1}), (std::vector<std::size_t>{2, 1, 0}));
    EXPECT_EQ(order({0, 0}), (std::vector<std::size_t>{}));
    EXPECT_NEAR(predict_rows(records, {1, 1})[0].share, 0.9, 1e-9);
}

TEST(gpu_prediction, leaves_out_candidates_measured_on_too_few_gpus_or_that_may_not_run)
{
    const portability records = of({{0, 1.0}, {0.5, 0.9}, {0.4, 0}});
    std::vector<predicted_row> rows = predict_rows(records, {1, 0.1});
    ASSERT_EQ(rows.size(), 2u);  // the first was not measured where most of the weight is
    EXPECT_EQ(rows[0].row, 1u);
    EXPECT_EQ(rows[0].measured, 2u);
    rows = predict_rows(records, {1, 0.1}, [](const assignment& one) { return one != threads(2); });
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].row, 2u);
}

TEST(gpu_prediction, gives_the_loss_of_each_row_on_the_gpu_left_out)
{
    // candidates on T4, A100, H100
    const portability records = of({{0.6, 0.5, 0.7}, {0.9, 1.0, 0.8}, {1.0, 0.95, 0.9}, {0.5, 0.6, 1.0}});
    const std::vector<held_out_gpu> all = hold_each_out(records, gpus_of(records, {t4, a100, h100}));
    ASSERT_EQ(all.size(), 3u);
    const held_out_gpu& h = all[2];
    EXPECT_EQ(h.inherits_from, 1u);
    // The A100 counts ten times as much as the T4 (two major versions): 0.9^0.1 against 0.95^1.
    EXPECT_EQ(row_by(h, row_source::predicted)->row, 1u);
    EXPECT_NEAR(*row_by(h, row_source::predicted)->share, 0.8, 1e-9);
    EXPECT_EQ(row_by(h, row_source::inherited)->row, 1u);
    EXPECT_EQ(row_by(h, row_source::common)->row, 2u);  // 0.95 at worst
    EXPECT_NEAR(*row_by(h, row_source::common)->share, 0.9, 1e-9);
    EXPECT_EQ(row_by(h, row_source::ten_measured)->row, 3u);
    EXPECT_EQ(*row_by(h, row_source::ten_measured)->share, 1);
    EXPECT_NEAR(*row_by(h, row_source::baseline)->share, 0.7, 1e-9);
    EXPECT_FALSE(all[0].inherits_from);  // nothing is older than the T4
    EXPECT_FALSE(row_by(all[0], row_source::inherited));
    EXPECT_TRUE(row_by(all[0], row_source::predicted));
}

TEST(gpu_prediction, uses_nothing_of_the_gpu_left_out)
{
    const portability one = of({{0.6, 0.5, 0.7}, {0.9, 1.0, 0.8}, {1.0, 0.95, 0.9}}),
                      other = of({{0.6, 0.5, 1.0}, {0.9, 1.0, 0.1}, {1.0, 0.95, 0}});
    const held_out_gpu a = hold_each_out(one, gpus_of(one, {t4, a100, h100}))[2],
                       b = hold_each_out(other, gpus_of(other, {t4, a100, h100}))[2];
    for (const row_source source : {row_source::predicted, row_source::inherited, row_source::common})
        EXPECT_EQ(row_by(a, source)->row, row_by(b, source)->row) << name_of(source);
    EXPECT_EQ(row_by(b, row_source::common)->share, std::nullopt);  // it fails there
}

TEST(gpu_prediction, only_chooses_candidates_in_the_record_left_out)
{
    const portability records = of({{0.6, 0.7}, {1.0, 0}, {0.9, 1.0}});
    std::vector<recorded_gpu> gpus = gpus_of(records, {a100, h100});
    gpus[1].recorded.erase(identity_of(threads(2)));
    const held_out_gpu h = hold_each_out(records, gpus)[1];
    EXPECT_EQ(row_by(h, row_source::predicted)->row, 2u);
    EXPECT_EQ(row_by(h, row_source::inherited)->row, 2u);
    EXPECT_EQ(row_by(h, row_source::common)->row, 2u);
}

TEST(gpu_prediction, leaves_out_a_whole_architecture)
{
    const portability records = of({{0.6, 0.7, 1.0}, {1.0, 0.9, 0.5}});
    const std::vector<recorded_gpu> gpus = gpus_of(records, {a100, h100, h100});
    EXPECT_EQ(row_by(hold_each_out(records, gpus)[1], row_source::predicted)->row, 0u);
    const held_out_gpu held = hold_each_out(records, gpus, left_out::architecture)[1];
    EXPECT_EQ(row_by(held, row_source::predicted)->row, 1u);
    EXPECT_EQ(held.inherits_from, 0u);
    // No record is left.
    const held_out_gpu alone = hold_each_out(records, gpus_of(records, {h100, h100, h100}), left_out::architecture)[0];
    for (const row_source source : {row_source::predicted, row_source::inherited, row_source::common})
        EXPECT_FALSE(row_by(alone, source)) << name_of(source);
}

TEST(gpu_prediction, has_rows_if_no_architecture_is_known)
{
    const portability records = of({{0.6, 0.7}, {1.0, 0.9}});
    const held_out_gpu held = hold_each_out(records, gpus_of(records, {std::nullopt, std::nullopt}))[1];
    EXPECT_EQ(row_by(held, row_source::predicted)->row, 1u);
    EXPECT_FALSE(row_by(held, row_source::inherited));
}

}  // namespace
}  // namespace launchbox
