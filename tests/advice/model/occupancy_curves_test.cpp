// Each point of a curve is the model's answer to the question with one value changed; a curve falls where the
// allowances say, and NVIDIA's header agrees.
#include "advice/model/occupancy_curves.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "questions.hpp"

#if __has_include(<cuda_occupancy.h>)
#include "oracle.hpp"
#endif

namespace launchbox {
namespace {

// The question with the value of one point. For shared memory, the static part is kept where it fits.
occupancy_question at(occupancy_question q, const std::string& curve, std::int64_t value)
{
    if (curve == "threads") q.shape.threads = static_cast<int>(value);
    if (curve == "registers") q.resources.registers = static_cast<int>(value);
    if (curve == "shared") {
        q.resources.static_shared_bytes = std::min(q.resources.static_shared_bytes, value);
        q.shape.dynamic_shared_bytes = value - q.resources.static_shared_bytes;
    }
    return q;
}

std::int64_t value_in(const occupancy_question& q, const std::string& curve)
{
    return curve == "threads"     ? q.shape.threads
           : curve == "registers" ? q.resources.registers
                                  : q.resources.static_shared_bytes + q.shape.dynamic_shared_bytes;
}

TEST(occupancy_curves, every_point_is_the_models_answer)
{
    question_source source(random_seed());
    for (int i = 0; i < 300; ++i) {
        const occupancy_question q = next_random(source, i);
        const std::vector<occupancy_curve> curves = curves_of(q);
        ASSERT_EQ(curves.size(), 3u);
        for (const occupancy_curve& curve : curves) {
            EXPECT_EQ(curve.here, value_in(q, curve.name));
            for (const auto& [value, warps] : curve.points)
                ASSERT_EQ(warps, answer(at(q, curve.name, value)).resident_warps)
                    << curve.name << ' ' << value << ": " << describe(q);
        }
        EXPECT_EQ(curves[0].points.size(), 32u);
        EXPECT_EQ(curves[1].points.size(), static_cast<std::size_t>(q.limits->registers_per_thread));
    }
}

// As `launchbox occupancy` asks: the limit of dynamic shared memory is raised to the maximum, whatever the static part.
TEST(occupancy_curves, reach_the_maximum_of_a_block)
{
    for (const sm_limits& limits : sm_limits_table)
        for (const std::int64_t fixed : {0, 1, 8192, 20'000, 49'152})
            for (const model_mode mode : {model_mode::driver, model_mode::spreadsheet}) {
                if (mode == model_mode::spreadsheet && !limits.spreadsheet) continue;
                occupancy_question q = asked(limits, 256, 32, fixed);
                q.settings.mode = mode;
                q.settings.max_dynamic_shared_bytes = limits.shared_per_block_opt_in - fixed;
                const occupancy_curve curve = curves_of(q)[2];
                const std::int64_t largest = mode == model_mode::driver
                                                 ? limits.shared_per_block_opt_in
                                                 : limits.shared_per_sm - limits.reserved_shared_per_block;
                EXPECT_EQ(curve.points.back().value, largest);
                for (const auto& [value, warps] : curve.points)
                    ASSERT_GE(warps, 8) << limits.capability.number() << ' ' << fixed << ' ' << value;
            }
}

TEST(occupancy_curves, fall_where_the_allowances_say)
{
    question_source source(random_seed());
    for (int i = 0; i < 300; ++i) {
        const occupancy_question q = next_random(source, i);
        // A preferred carveout that is too small for a block is ignored: the curve rises there.
        if (q.settings.cache != cache_preference::none || q.settings.carveout_percent >= 0) continue;
        const std::vector<occupancy_curve> curves = curves_of(q);
        for (int blocks = 1; blocks <= q.limits->blocks_per_sm; ++blocks) {
            const resource_allowance allowed = allowance(*q.limits, q.resources, q.shape, blocks, q.settings);
            for (const std::size_t which : {1u, 2u}) {
                const occupancy_curve& curve = curves[which];
                const auto at_most = which == 1 ? std::optional<std::int64_t>(allowed.registers) : allowed.shared_bytes;
                for (const auto& [value, warps] : curve.points) {
                    const int resident = warps / detail::warps_of(q.shape.threads);
                    if (resident >= blocks) {
                        ASSERT_TRUE(at_most && value <= *at_most)
                            << curve.name << ' ' << value << " for " << blocks << ": " << describe(q);
                    }
                }
            }
        }
    }
}

TEST(occupancy_curves, follow_dynamic_shared_memory_that_depends_on_the_threads)
{
    occupancy_question q = asked(sm_90, 256, 32);
    q.settings.max_dynamic_shared_bytes = sm_90.shared_per_block_opt_in;
    q.shape.dynamic_shared_bytes = 64 * 256;
    q.dynamic_shared_of = [](int threads) -> std::optional<std::int64_t> {
        if (threads % 64 != 0) return std::nullopt;
        return 64 * threads;
    };
    const std::vector<occupancy_curve> curves = curves_of(q);
    EXPECT_EQ(curves[0].points.size(), 16u);
    for (const auto& [threads, warps] : curves[0].points) {
        occupancy_question point = at(q, "threads", threads);
        point.shape.dynamic_shared_bytes = 64 * threads;
        EXPECT_EQ(warps, answer(point).resident_warps) << threads;
    }
    // The other curves use the threads of the launch.
    for (const auto& [registers, warps] : curves[1].points)
        EXPECT_EQ(warps, answer(at(q, "registers", registers)).resident_warps);
}

#if __has_include(<cuda_occupancy.h>)
TEST(occupancy_curves, every_point_agrees_with_nvidias_header)
{
    question_source source(random_seed());
    int asked_points = 0;
    for (int i = 0; i < 400; ++i) {
        const question drawn = source.next();
        if (!oracle::knows(*drawn.limits)) continue;
        occupancy_question q = asked(*drawn.limits, drawn.shape.threads, drawn.kernel.registers);
        q.resources = drawn.kernel;
        q.shape = drawn.shape;
        q.settings = drawn.settings;
        if (!oracle::agrees_in_barriers(*drawn.limits)) q.resources.barriers = 0;
        for (const occupancy_curve& curve : curves_of(q))
            for (const auto& [value, warps] : curve.points) {
                const occupancy_question point = at(q, curve.name, value);
                const oracle::answer theirs = oracle::ask(*point.limits, point.resources, point.shape, point.settings);
                ASSERT_EQ(theirs.error, CUDA_OCC_SUCCESS);
                ASSERT_EQ(warps, theirs.result.activeBlocksPerMultiprocessor * detail::warps_of(point.shape.threads))
                    << curve.name << ' ' << value << ": " << describe(point);
                ++asked_points;
            }
    }
    EXPECT_GT(asked_points, 50'000);
}
#endif

}  // namespace
}  // namespace launchbox
