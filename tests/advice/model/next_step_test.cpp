// The cheapest next step against the model: the promised gain is right, and a smaller change does not achieve it.
#include <gtest/gtest.h>

#include <iostream>

#include "questions.hpp"

namespace launchbox {
namespace {

void apply(occupancy_question& q, const std::string& name, std::int64_t value)
{
    if (name == "threads")
        q.shape.threads = static_cast<int>(value);
    else if (name == "registers")
        q.resources.registers = static_cast<int>(value);
    else if (name == "barriers")
        q.resources.barriers = static_cast<int>(value);
    else if (name == "shared") {
        // Users change dynamic shared memory first.
        q.resources.static_shared_bytes = std::min(q.resources.static_shared_bytes, value);
        q.shape.dynamic_shared_bytes = value - q.resources.static_shared_bytes;
    } else {
        FAIL() << "unknown change " << name;
    }
}

std::int64_t value_of(const occupancy_question& q, const std::string& name)
{
    if (name == "threads") return q.shape.threads;
    if (name == "registers") return q.resources.registers;
    if (name == "barriers") return q.resources.barriers;
    return q.resources.static_shared_bytes + q.shape.dynamic_shared_bytes;
}

void expect_the_promise_is_kept(const occupancy_question& q, const occupancy_result& now, const next_step& step)
{
    occupancy_question changed = q;
    ASSERT_FALSE(step.changes.empty());
    for (const resource_change& change : step.changes) {
        EXPECT_EQ(change.from, value_of(q, change.name)) << change.name;
        EXPECT_NE(change.from, change.to) << change.name;
        apply(changed, change.name, change.to);
    }
    const occupancy_result after = answer(changed);
    EXPECT_EQ(after.resident_blocks, step.blocks);
    EXPECT_DOUBLE_EQ(after.occupancy(), step.occupancy);
    EXPECT_GT(after.resident_warps, now.resident_warps);
    EXPECT_TRUE(step.text.ends_with(" → " + std::to_string(step.blocks) + (step.blocks == 1 ? " block" : " blocks")))
        << step.text;
}

// Each change is needed to its last unit. Threads are left out: a block size is chosen, not reduced.
void expect_that_less_does_not_do(const occupancy_question& q, const occupancy_result& now, const next_step& step)
{
    for (const resource_change& lessened : step.changes) {
        if (lessened.name == "threads") continue;
        EXPECT_LT(lessened.to, lessened.from);
        // 256 would launch on 7.0 and later, but no compiler assigns it.
        if (lessened.name == "registers" && lessened.to == q.limits->registers_per_thread) continue;
        // Below the static part, which the compiler fixed, the limit of dynamic memory changes too.
        if (lessened.name == "shared" && lessened.to < q.resources.static_shared_bytes) continue;
        occupancy_question changed = q;
        for (const resource_change& change : step.changes)
            apply(changed, change.name, change.to + (change.name == lessened.name ? 1 : 0));
        EXPECT_LE(answer(changed).resident_blocks, now.resident_blocks) << lessened.name;
    }
}

// If lowering one resource alone helps, a step is found.
void expect_none_is_missed(const occupancy_question& q, const occupancy_result& now)
{
    for (const auto& [name, least] : {std::pair<const char*, int>{"registers", 1}, {"shared", 0}, {"barriers", 0}}) {
        if (value_of(q, name) <= least) continue;
        occupancy_question changed = q;
        apply(changed, name, least);
        EXPECT_LE(answer(changed).resident_warps, now.resident_warps) << "fewer " << name << " would help";
    }
}

TEST(next_step, is_verified_by_the_model_for_random_questions)
{
    const std::uint64_t seed = random_seed();
    question_source source(seed);
    int found = 0, pairs = 0, none = 0;
    for (int i = 0; i < 40'000; ++i) {
        const occupancy_question q = next_random(source, i);
        const occupancy_result now = answer(q);
        if (const std::optional<next_step> step = cheapest_next_step(q, now)) {
            expect_the_promise_is_kept(q, now, *step);
            expect_that_less_does_not_do(q, now, *step);
            ++found;
            pairs += step->changes.size() > 1 ? 1 : 0;
        } else {
            expect_none_is_missed(q, now);
            ++none;
        }
        if (HasFailure()) FAIL() << describe(q);
    }
    // All kinds must have occurred.
    EXPECT_GT(found, 1000);
    EXPECT_GT(pairs, 100);
    EXPECT_GT(none, 100);
}

std::string step_text(const occupancy_question& q)
{
    const std::optional<next_step> step = cheapest_next_step(q, answer(q));
    return step ? step->text : "";
}

TEST(next_step, known_steps)
{
    EXPECT_EQ(step_text(asked(sm_90, 256, 63, 11264)), "−15 registers → 5 blocks");
    EXPECT_EQ(step_text(asked(sm_90, 256, 67)), "−3 registers → 4 blocks");
    EXPECT_EQ(step_text(asked(sm_90, 256, 65)), "−1 register → 4 blocks");
    EXPECT_EQ(step_text(asked(sm_120, 256, 55, 23552)), "−7 registers and −4,096 B shared → 5 blocks");
    EXPECT_EQ(step_text(asked(sm_80, 256, 32, 23552)), "−640 B shared → 7 blocks");
    EXPECT_EQ(step_text(asked(sm_90, 288, 224)), "−56 registers → 1 block");
    EXPECT_EQ(step_text(asked(sm_90, 32, 16)), "64 threads → 32 blocks");  // all block slots are used
    EXPECT_EQ(step_text(asked(sm_90, 768, 32)), "672 threads → 3 blocks");
    EXPECT_EQ(step_text(asked(sm_90, 256, 32)), "");  // full

    occupancy_question barriers = asked(sm_120, 128, 32);
    barriers.resources.barriers = 16;
    EXPECT_EQ(step_text(barriers), "−4 barriers → 2 blocks");
    occupancy_question bounded = asked(sm_90, 512, 12);
    bounded.resources.max_threads = 256;
    EXPECT_EQ(step_text(bounded), "256 threads → 8 blocks");
    occupancy_question nonsense = asked(sm_90, 0, 12);
    EXPECT_EQ(step_text(nonsense), "");
}

}  // namespace
}  // namespace launchbox
