// Questions for the tests of src/advice: simple ones, and random ones in all modes of the model.
#pragma once

#include "advice/model/account.hpp"
#include "random_question.hpp"

namespace launchbox {

inline occupancy_question asked(const sm_limits& limits, int threads, int registers, std::int64_t static_shared = 0)
{
    occupancy_question q;
    q.limits = &limits;
    q.architecture = limits.capability;
    q.resources = {.registers = registers, .static_shared_bytes = static_shared};
    q.shape.threads = threads;
    return q;
}

// Every eighth question is in spreadsheet mode if the sheet has a row; every second one has a launch bound that may be
// too small.
inline occupancy_question next_random(question_source& source, int turn)
{
    const question drawn = source.next();
    occupancy_question q = asked(*drawn.limits, drawn.shape.threads, drawn.kernel.registers);
    q.resources = drawn.kernel;
    q.shape = drawn.shape;
    q.settings = drawn.settings;
    if (turn % 8 == 0 && q.limits->spreadsheet) q.settings.mode = model_mode::spreadsheet;
    q.resources.max_threads = turn % 2 == 0 ? max_threads_per_block : 1 + turn * 37 % 1100;
    return q;
}

inline std::string describe(const occupancy_question& q)
{
    return describe(question{q.limits, q.resources, q.shape, q.settings}) + " bound " +
           std::to_string(q.resources.max_threads) + (q.settings.mode == model_mode::spreadsheet ? " spreadsheet" : "");
}

inline occupancy_result answer(const occupancy_question& q)
{
    return occupancy(*q.limits, q.resources, q.shape, q.settings);
}

}  // namespace launchbox
