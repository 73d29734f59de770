// Writes random questions to the model and the answers of the native model, for comparison with WebAssembly:
//     many_answers COUNT SEED > FILE
// COUNT times 13 numbers in the order of `answer_many` in web/wasm/calculator.cpp, then COUNT times its 4 results.
#include <launchbox/occupancy.hpp>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "random_question.hpp"

int main(int count, char** arguments)
{
    using namespace launchbox;
    if (count != 3) return 2;
    const long wanted = std::atol(arguments[1]);
    question_source source(static_cast<std::uint64_t>(std::atoll(arguments[2])));
    std::vector<std::int32_t> questions, answers;
    for (long i = 0; i < wanted; ++i) {
        question q = source.next();
        // The question source limits these to what NVIDIA's header can be asked; there is no such limit here.
        if (i % 7 == 0) q.kernel.max_threads = 32 * (1 + static_cast<int>(i / 7 % 32));
        if (i % 5 == 0 && q.limits->spreadsheet) q.settings.mode = model_mode::spreadsheet;
        for (const std::int64_t value :
             {static_cast<std::int64_t>(q.limits - &sm_limits_table[0]), std::int64_t{q.shape.threads},
              std::int64_t{q.kernel.registers}, q.kernel.static_shared_bytes, q.shape.dynamic_shared_bytes,
              std::int64_t{q.kernel.barriers}, std::int64_t{q.kernel.max_threads},
              std::int64_t{q.settings.carveout_percent}, static_cast<std::int64_t>(q.settings.cache),
              static_cast<std::int64_t>(q.settings.caching), q.settings.max_dynamic_shared_bytes.value_or(-1),
              static_cast<std::int64_t>(q.settings.mode), std::int64_t{q.settings.virtual_resources}})
            questions.push_back(static_cast<std::int32_t>(value));
        const occupancy_result result = occupancy(*q.limits, q.kernel, q.shape, q.settings);
        for (const int value : {result.resident_blocks, result.resident_warps, static_cast<int>(result.obstacle),
                                static_cast<int>(result.limiters.bits)})
            answers.push_back(value);
    }
    std::fwrite(questions.data(), sizeof(std::int32_t), questions.size(), stdout);
    std::fwrite(answers.data(), sizeof(std::int32_t), answers.size(), stdout);
    return 0;
}
