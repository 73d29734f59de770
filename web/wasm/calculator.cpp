// The calculator's program: the functions that a page calls.
// SPDX-License-Identifier: Apache-2.0
#include <launchbox/occupancy.hpp>

#include <cstdint>
#include <cstdlib>
#include <string>

#include "answer.hpp"

using namespace launchbox;

namespace {

std::string& last_answer()
{
    static std::string text;
    return text;
}

}  // namespace

#define EXPORTED(name) __attribute__((export_name(#name), used)) extern "C"

/// Memory for input from the page; freed by `answer`, or by `release`.
EXPORTED(reserve) char* reserve(std::size_t bytes)
{
    return static_cast<char*>(std::malloc(bytes == 0 ? 1 : bytes));
}

EXPORTED(release) void release(char* memory)
{
    std::free(memory);
}

/// Answers `input`; it and `what` come from `reserve` and are freed here. The answer has `answer_bytes()` bytes, and is
/// valid until the next call.
EXPORTED(answer) const char* answer(char* what, std::size_t what_bytes, char* input, std::size_t bytes)
{
    std::string& text = last_answer();
    text.clear();
    text = calculator::answer({what, what_bytes}, {input, bytes});
    std::free(what);
    std::free(input);
    return text.data();
}

EXPORTED(answer_bytes) std::size_t answer_bytes()
{
    return last_answer().size();
}

/// Only the model, for many questions: 13 numbers each (row of the table of limits, threads, registers, static and
/// dynamic shared bytes, barriers, launch bound, carveout, cache preference, caching, bytes of the opt-in or -1, mode,
/// virtual resources); for each, the resident blocks, resident warps, obstacle and limiters are returned.
EXPORTED(answer_many) void answer_many(const std::int32_t* questions, std::size_t count, std::int32_t* answers)
{
    constexpr std::size_t in = 13, out = 4;
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t* q = questions + i * in;
        const sm_limits& limits = sm_limits_table[static_cast<std::size_t>(q[0]) % std::size(sm_limits_table)];
        const kernel_resources kernel{
            .registers = q[2], .static_shared_bytes = q[3], .barriers = q[5], .max_threads = q[6]};
        const launch_shape shape{.threads = q[1], .dynamic_shared_bytes = q[4]};
        launch_settings settings;
        settings.carveout_percent = q[7];
        settings.cache = static_cast<cache_preference>(q[8]);
        settings.caching = static_cast<global_caching>(q[9]);
        if (q[10] >= 0) settings.max_dynamic_shared_bytes = q[10];
        settings.mode = static_cast<model_mode>(q[11]);
        settings.virtual_resources = q[12];
        const occupancy_result result = occupancy(limits, kernel, shape, settings);
        std::int32_t* a = answers + i * out;
        a[0] = result.resident_blocks;
        a[1] = result.resident_warps;
        a[2] = static_cast<std::int32_t>(result.obstacle);
        a[3] = static_cast<std::int32_t>(result.limiters.bits);
    }
}
