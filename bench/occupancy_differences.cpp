// The long form of the oracle test: asks the model and cuda_occupancy.h 200 million random questions (or as many as the
// first argument says) on all cores. Prints how many answers differ; exits with 1 if any does.
#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <thread>

#include "../tests/include/oracle.hpp"
#include "../tests/include/random_question.hpp"
#include "record.hpp"

int main(int count, char** arguments)
{
    using namespace launchbox;
    const std::int64_t wanted = count > 1 ? std::atoll(arguments[1]) : 200'000'000;
    const std::uint64_t seed = random_seed();
    const unsigned workers = std::max(1u, std::thread::hardware_concurrency());
    std::printf("LAUNCHBOX_SEED=%llu, %u threads\n", static_cast<unsigned long long>(seed), workers);

    std::atomic<std::int64_t> compared{0}, differing{0}, resident{0};
    std::mutex lock;
    const auto start = std::chrono::steady_clock::now();
    {
        std::vector<std::jthread> threads;
        for (unsigned worker = 0; worker < workers; ++worker)
            threads.emplace_back([&, worker] {
                question_source source(seed + worker * 0x9E3779B97F4A7C15u);
                const std::int64_t share = wanted / workers + (worker < wanted % workers ? 1 : 0);
                std::int64_t running = 0;
                for (std::int64_t i = 0; i < share; ++i) {
                    const question q = source.next();
                    running += resident_blocks(*q.limits, q.kernel, q.shape, q.settings) > 0;
                    if (const char* what = oracle::difference(*q.limits, q.kernel, q.shape, q.settings)) {
                        const std::lock_guard guard(lock);
                        if (differing++ < 10) std::printf("%s: %s\n", what, describe(q).c_str());
                    }
                }
                compared += share;
                resident += running;
            });
    }
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    std::printf("%lld configurations (%lld resident), %lld differences, %.1f s, %.2f M/s\n",
                static_cast<long long>(compared), static_cast<long long>(resident), static_cast<long long>(differing),
                seconds, static_cast<double>(compared) / seconds / 1e6);
    bench::record("bench/occupancy_differences " + std::to_string(wanted), {{"seed", seed},
                                                                            {"threads", workers},
                                                                            {"configurations", compared.load()},
                                                                            {"resident", resident.load()},
                                                                            {"differences", differing.load()},
                                                                            {"seconds", seconds}});
    return differing == 0 ? 0 : 1;
}
