// The table against the formula that it is computed from.
#include <launchbox/residency_table.hpp>

#include <gtest/gtest.h>

#include <iostream>

#include "random_question.hpp"

namespace launchbox {
namespace {

TEST(residency_table, equals_the_formula_for_random_questions)
{
    const std::uint64_t seed = random_seed();
    question_source source(seed);
    int compared = 0;
    for (int i = 0; i < 400; ++i) {
        question first = source.next();
        if (i % 8 == 0 && first.limits->spreadsheet) first.settings.mode = model_mode::spreadsheet;
        first.settings.non_portable_clusters = i % 3 == 0;
        const residency_table table(*first.limits, first.settings);
        for (int j = 0; j < 5000; ++j, ++compared) {
            question q = source.next();
            q.kernel.max_threads = j % 3 == 0 ? 256 : 1024;
            q.shape.cluster_blocks = j % 4 == 0 ? j % 21 - 1 : 1;
            q.limits = first.limits;
            q.settings = first.settings;
            ASSERT_EQ(resident_blocks(table, q.kernel, q.shape),
                      resident_blocks(*q.limits, q.kernel, q.shape, q.settings))
                << describe(q);
        }
    }
    EXPECT_EQ(compared, 2'000'000);
}

TEST(residency_table, equals_the_formula_for_absurd_questions)
{
    constexpr int few[] = {std::numeric_limits<int>::min(), -1, 0, 1, 16, 17, 63, 255, 256, 257, 1024, 1025,
                           std::numeric_limits<int>::max()};
    constexpr std::int64_t sizes[] = {
        std::numeric_limits<std::int64_t>::min(), -1, 0, 49152, 49153, 233472, std::int64_t{1} << 32,
        std::numeric_limits<std::int64_t>::max()};
    for (const sm_limits& limits : sm_limits_table)
        for (const std::optional<std::int64_t> most :
             {std::optional<std::int64_t>(), std::optional<std::int64_t>(0), std::optional<std::int64_t>(200000),
              std::optional<std::int64_t>(sizes[7]), std::optional<std::int64_t>(-5)}) {
            const launch_settings settings{.max_dynamic_shared_bytes = most};
            const residency_table table(limits, settings);
            for (int registers : few)
                for (int threads : few)
                    for (int barriers : few)
                        for (std::int64_t fixed : sizes)
                            for (std::int64_t dynamic : sizes) {
                                const kernel_resources kernel{
                                    .registers = registers, .static_shared_bytes = fixed, .barriers = barriers};
                                const launch_shape shape{.threads = threads, .dynamic_shared_bytes = dynamic};
                                ASSERT_EQ(resident_blocks(table, kernel, shape),
                                          resident_blocks(limits, kernel, shape, settings))
                                    << architecture_name(limits.capability).view() << ' ' << registers << ' ' << threads
                                    << ' ' << barriers << ' ' << fixed << ' ' << dynamic;
                            }
        }
}

}  // namespace
}  // namespace launchbox
