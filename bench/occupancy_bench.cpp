// The model against cuda_occupancy.h, with the same questions in one process.
//
// Two sets of questions, both about one architecture with default settings, as from a program that looks for a block
// size: `random` (random registers, threads, shared memory and barriers, so that branches cannot be predicted) and
// `sweep` (every block size with every register count). Both sides get their inputs in their own structures, filled
// beforehand, and must write their whole result to memory if they have one.
#include <launchbox/residency_table.hpp>

#include "../tests/include/oracle.hpp"
#include "../tests/include/random_question.hpp"
#include "ratios.hpp"

namespace launchbox {
namespace {

struct asked {
    kernel_resources kernel;
    launch_shape shape;
};

struct asked_of_header {
    cudaOccFuncAttributes function;
    int threads = 0;
    std::size_t dynamic = 0;
};

std::vector<asked> random_questions()
{
    question_source source(1);  // the same questions in every run
    std::vector<asked> questions;
    while (questions.size() < 1024) {
        question q = source.next();
        q.shape.threads = 1 + q.shape.threads % 1024;
        q.kernel.static_shared_bytes %= 20000;
        q.shape.dynamic_shared_bytes %= 20000;
        q.kernel.max_threads = max_threads_per_block;
        questions.push_back({q.kernel, q.shape});
    }
    return questions;
}

std::vector<asked> sweep_questions()
{
    std::vector<asked> questions;
    for (int threads = 32; threads <= max_threads_per_block; threads += 32)
        for (int registers = 1; registers <= 255; ++registers)
            questions.push_back({{.registers = registers, .static_shared_bytes = 4096}, {.threads = threads}});
    return questions;
}

const std::vector<asked>& questions_of(bool sweep)
{
    static const std::vector<asked> all[] = {random_questions(), sweep_questions()};
    return all[sweep ? 1 : 0];
}

template <bool SWEEP>
void header(benchmark::State& state)
{
    const cudaOccDeviceProp device = oracle::device_of(sm_90);
    const cudaOccDeviceState plain;
    std::vector<asked_of_header> questions;
    for (const asked& q : questions_of(SWEEP))
        questions.push_back({oracle::function_of(q.kernel, {}), q.shape.threads,
                             static_cast<std::size_t>(q.shape.dynamic_shared_bytes)});
    for (auto _ : state)
        for (const asked_of_header& q : questions) {
            cudaOccResult result;
            cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &q.function, &plain, q.threads, q.dynamic);
            benchmark::DoNotOptimize(result);
        }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(questions.size()));
}

template <bool SWEEP>
void lean(benchmark::State& state)
{
    const std::vector<asked>& questions = questions_of(SWEEP);
    for (auto _ : state)
        for (const asked& q : questions) {
            int blocks = resident_blocks(sm_90, q.kernel, q.shape);
            benchmark::DoNotOptimize(blocks);
        }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(questions.size()));
}

template <bool SWEEP>
void lean_table(benchmark::State& state)
{
    const std::vector<asked>& questions = questions_of(SWEEP);
    const residency_table table(sm_90);
    for (auto _ : state)
        for (const asked& q : questions) {
            int blocks = resident_blocks(table, q.kernel, q.shape);
            benchmark::DoNotOptimize(blocks);
        }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(questions.size()));
}

template <bool SWEEP>
void explained(benchmark::State& state)
{
    const std::vector<asked>& questions = questions_of(SWEEP);
    for (auto _ : state)
        for (const asked& q : questions) {
            occupancy_result result = occupancy(sm_90, q.kernel, q.shape);
            benchmark::DoNotOptimize(result);
        }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(questions.size()));
}

void thresholds_and_slack(benchmark::State& state)
{
    const std::vector<asked>& questions = questions_of(false);
    for (auto _ : state)
        for (const asked& q : questions) {
            const int blocks = resident_blocks(sm_90, q.kernel, q.shape);
            resource_allowance more = allowance(sm_90, q.kernel, q.shape, blocks + 1);
            resource_allowance same = allowance(sm_90, q.kernel, q.shape, blocks);
            benchmark::DoNotOptimize(more);
            benchmark::DoNotOptimize(same);
        }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(questions.size()));
}

// All 32 block sizes with all 255 register counts of one architecture, including the time to fill the table.
void one_architecture(benchmark::State& state)
{
    for (auto _ : state) {
        int sum = 0;
        for (int threads = 32; threads <= max_threads_per_block; threads += 32)
            for (int registers = 1; registers <= 255; ++registers)
                sum += resident_blocks(sm_90, {.registers = registers}, {.threads = threads});
        benchmark::DoNotOptimize(sum);
    }
}

void filling_the_table(benchmark::State& state)
{
    for (auto _ : state) {
        const residency_table table(sm_90);
        benchmark::DoNotOptimize(&table);
        benchmark::ClobberMemory();
    }
}

BENCHMARK(header<false>)->Name("random/cuda_occupancy.h");
BENCHMARK(lean<false>)->Name("random/resident_blocks");
BENCHMARK(lean_table<false>)->Name("random/residency_table");
BENCHMARK(explained<false>)->Name("random/occupancy");
BENCHMARK(thresholds_and_slack)->Name("random/allowance_twice");
BENCHMARK(header<true>)->Name("sweep/cuda_occupancy.h");
BENCHMARK(lean<true>)->Name("sweep/resident_blocks");
BENCHMARK(lean_table<true>)->Name("sweep/residency_table");
BENCHMARK(explained<true>)->Name("sweep/occupancy");
BENCHMARK(one_architecture)->Name("all_8160_of_one_architecture")->Unit(benchmark::kMicrosecond);
BENCHMARK(filling_the_table)->Name("filling_the_table")->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace launchbox

int main(int count, char** arguments)
{
    return launchbox::bench::run(count, arguments, "bench/occupancy_bench",
                                 {{"random/resident_blocks", "random/cuda_occupancy.h", 1},
                                  {"random/residency_table", "random/cuda_occupancy.h", 10},
                                  {"random/occupancy", "random/cuda_occupancy.h", 1},
                                  {"sweep/resident_blocks", "sweep/cuda_occupancy.h", 1},
                                  {"sweep/residency_table", "sweep/cuda_occupancy.h", 10},
                                  {"sweep/occupancy", "sweep/cuda_occupancy.h", 1}});
}
