// measure.cuh on a GPU: against kernels of known duration, its repeatability, cold and hot caches, and kernels that
// fail.
#include <gtest/gtest.h>
#include <launchbox/launch.cuh>
#include <launchbox/measure.cuh>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <vector>

#include "record.hpp"

namespace launchbox {
namespace {

// Spins until this many nanoseconds have passed on the GPU's own clock; `passed` gets the exact number.
__global__ void spin(unsigned long long ns, unsigned long long* passed)
{
    unsigned long long begin = 0, now = 0;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (now - begin < ns);
    *passed = now - begin;
}

__global__ void sum(const int4* in, int count, int* out)
{
    int total = 0;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < count; i += gridDim.x * blockDim.x) {
        const int4 each = in[i];
        total += each.x + each.y + each.z + each.w;
    }
    if (total == 42) *out = total;
}

__global__ void increment(int* data)
{
    ++*data;
}

__global__ void write_to(int* address)
{
    *address = 1;
}

__global__ void stop()
{
    __trap();
}

__global__ void write_shared(int at)
{
    __shared__ volatile int shared[32];
    shared[at] = at;
}

class measure_gpu : public testing::Test {
protected:
    void SetUp() override
    {
        int gpus = 0;
        if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "needs a GPU";
        ASSERT_EQ(cudaMalloc(&memory, 1 << 23), cudaSuccess);
        ASSERT_EQ(cudaMemset(memory, 0, 1 << 23), cudaSuccess);
    }
    void TearDown() override
    {
        if (memory != nullptr) cudaFree(memory);
    }

    template <class T>
    T* as() const
    {
        return static_cast<T*>(memory);
    }

    measurement_result spinning(unsigned long long ns, const measurement_options& options = {}) const
    {
        return measure([&](cudaStream_t stream) { spin<<<1, 1, 0, stream>>>(ns, as<unsigned long long>()); }, options);
    }

    void* memory = nullptr;
};

// The tolerance: the time of the GPU's clock, plus at most 4 us for the begin and end of the kernel and the two events;
// in both directions the larger of one tick of that clock (1.024 us on some GPUs) and 0.1 %.
TEST_F(measure_gpu, a_kernel_of_known_duration)
{
    for (const unsigned long long ns : {20'000ull, 200'000ull, 2'000'000ull}) {
        const measurement_result m = spinning(ns);
        ASSERT_TRUE(m.measured()) << m.reason;
        EXPECT_TRUE(m.blocked);
        const double wanted = static_cast<double>(ns), slack = std::max(1024.0, wanted * 0.001);
        EXPECT_GE(m.median_ns, wanted - slack);
        EXPECT_LE(m.median_ns, wanted + 4000 + slack);
        EXPECT_LE(m.low_ns, m.median_ns);
        EXPECT_GE(m.high_ns, m.median_ns);
        const std::string name = std::to_string(ns / 1000) + " us";
        record("known_duration_median_us", name, m.median_ns / 1000);
        record("known_duration_samples", name, static_cast<double>(m.samples_ns.size()));
        std::printf("%s: median %.3f us, %.3f to %.3f, %zu samples\n", name.c_str(), m.median_ns / 1000,
                    m.low_ns / 1000, m.high_ns / 1000, m.samples_ns.size());
    }
}

// The host's clock is another oracle: 1,000 launches together.
TEST_F(measure_gpu, the_hosts_clock_agrees_on_many_launches)
{
    const int launches = 100;
    const measurement_result m = spinning(200'000, {.l2 = l2_state::hot, .launches = launches});
    ASSERT_TRUE(m.measured()) << m.reason;
    EXPECT_TRUE(m.blocked);
    EXPECT_EQ(m.launches, launches);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < launches * 10; ++i) spin<<<1, 1>>>(200'000, as<unsigned long long>());
    ASSERT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    const double each =
        std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count() / (launches * 10);
    record("hosts_clock", "events, median of batches, us", m.median_ns / 1000);
    record("hosts_clock", "steady_clock over 1,000 launches, us", each / 1000);
    EXPECT_NEAR(m.median_ns, each, each * 0.01);
}

// The largest of 20 medians divided by the smallest.
TEST_F(measure_gpu, the_median_is_repeatable)
{
    const auto spread = [&](const char* name, const auto& once) {
        std::vector<double> medians;
        for (int i = 0; i < 20; ++i) {
            const measurement_result m = once();
            ASSERT_TRUE(m.measured()) << m.reason;
            medians.push_back(m.median_ns);
        }
        const auto [least, greatest] = std::minmax_element(medians.begin(), medians.end());
        const double percent = (*greatest / *least - 1) * 100;
        record("spread_of_20_medians_percent", name, percent);
        record("least_of_20_medians_us", name, *least / 1000);
        std::printf("%s: %.3f %% over 20 medians\n", name, percent);
        EXPECT_LE(percent, 1.0) << name;
    };
    spread("spin 200 us", [&] { return spinning(200'000); });
    spread("spin 2 ms", [&] { return spinning(2'000'000); });
}

TEST_F(measure_gpu, a_flushed_l2_is_slower_to_read)
{
    const auto read = [&](cudaStream_t stream) {
        sum<<<264, 512, 0, stream>>>(as<const int4>(), (1 << 23) / 16, as<int>());
    };
    const measurement_result cold = measure(read, {.bytes = 1 << 23});
    const measurement_result hot = measure(read, {.l2 = l2_state::hot, .bytes = 1 << 23});
    const measurement_result batched = measure(read, {.l2 = l2_state::hot, .launches = 20, .bytes = 1 << 23});
    ASSERT_TRUE(cold.measured() && hot.measured() && batched.measured());
    EXPECT_TRUE(cold.cold);
    EXPECT_FALSE(hot.cold);
    for (const auto& [name, m] : {std::pair{"cold", &cold}, {"hot", &hot}, {"hot, 20 launches", &batched}}) {
        record("read_of_8_mib_gigabytes_per_second", name, m->gigabytes_per_second());
        record("read_of_8_mib_median_us", name, m->median_ns / 1000);
        std::printf("%s: %.3f us\n", name, m->median_ns / 1000);
    }
    int l2 = 0;
    ASSERT_EQ(cudaDeviceGetAttribute(&l2, cudaDevAttrL2CacheSize, 0), cudaSuccess);
    if (l2 < 20 << 20) GTEST_SKIP() << "the L2 does not hold what is read";
    EXPECT_GT(cold.median_ns, hot.median_ns * 1.1);
}

TEST_F(measure_gpu, prepare_runs_before_each_sample_and_is_not_timed)
{
    int prepared = 0, called = 0;
    const measurement_result m = measure(
        [&](cudaStream_t stream) {
            ++called;
            increment<<<1, 1, 0, stream>>>(as<int>());
        },
        {.prepare =
             [&](cudaStream_t stream) {
                 ++prepared;
                 cudaMemsetAsync(memory, 0, sizeof(int), stream);
                 spin<<<1, 1, 0, stream>>>(200'000, as<unsigned long long>() + 8);
             },
         .min_samples = 20});
    ASSERT_TRUE(m.measured()) << m.reason;
    int left = 0;
    ASSERT_EQ(cudaMemcpy(&left, memory, sizeof left, cudaMemcpyDeviceToHost), cudaSuccess);
    EXPECT_EQ(left, 1);
    EXPECT_EQ(prepared, called);
    EXPECT_GT(called, 20);
    EXPECT_LT(m.median_ns, 50'000);
}

TEST_F(measure_gpu, a_callable_that_synchronises_is_measured_without_holding_the_gpu)
{
    const measurement_result m = measure([&](cudaStream_t stream) {
        spin<<<1, 1, 0, stream>>>(500'000, as<unsigned long long>());
        cudaStreamSynchronize(stream);
    });
    ASSERT_TRUE(m.measured()) << m.reason;
    EXPECT_FALSE(m.blocked);
    EXPECT_GE(m.median_ns, 495'000);
    EXPECT_LE(m.median_ns, 700'000);
    record("waiting_callable_of_500_us", "median, us", m.median_ns / 1000);
}

TEST_F(measure_gpu, work_in_the_default_stream_counts)
{
    cudaStream_t stream = nullptr;
    ASSERT_EQ(cudaStreamCreate(&stream), cudaSuccess);
    const measurement_result other =
        measure([&](cudaStream_t) { spin<<<1, 1>>>(100'000, as<unsigned long long>()); }, {.stream = stream});
    const measurement_result own = spinning(100'000, {.stream = stream});
    ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
    ASSERT_TRUE(other.measured() && own.measured());
    EXPECT_GE(other.median_ns, 99'000);
    EXPECT_LE(own.median_ns, 106'000);
}

TEST_F(measure_gpu, a_refused_launch_is_a_result_and_leaves_no_error_behind)
{
    const measurement_result m = measure([&](cudaStream_t stream) { increment<<<1, 4096, 0, stream>>>(as<int>()); });
    EXPECT_EQ(m.failure, "launch_error");
    EXPECT_EQ(m.error, "cudaErrorInvalidValue");
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);

    const measurement_result explained =
        measure([&](cudaStream_t stream) { launch(increment, {.threads = 4096, .stream = stream}, as<int>()); });
    EXPECT_EQ(explained.failure, "launch_error");
    EXPECT_NE(explained.reason.find("4,096 threads"), std::string::npos) << explained.reason;
    EXPECT_EQ(cudaGetLastError(), cudaSuccess);

    EXPECT_TRUE(spinning(20'000).measured());
}

TEST_F(measure_gpu, an_exception_passes_through_and_releases_the_gpu)
{
    int calls = 0;
    const auto throwing = [&](cudaStream_t stream) {
        spin<<<1, 1, 0, stream>>>(1000, as<unsigned long long>());
        if (++calls == 25) throw std::runtime_error("enough");
    };
    EXPECT_THROW((void)measure(throwing, {.min_samples = 50}), std::runtime_error);
    EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
    EXPECT_THROW((void)spinning(1000, {.launches = 2}), std::invalid_argument);
    EXPECT_TRUE(spinning(20'000).measured());
}

TEST_F(measure_gpu, the_time_limit_ends_it)
{
    const measurement_result m = spinning(20'000'000, {.relative_error = 0, .max_seconds = 0.1});
    ASSERT_TRUE(m.measured()) << m.reason;
    EXPECT_TRUE(m.out_of_time);
    EXPECT_GE(m.samples_ns.size(), 1u);
    EXPECT_LT(m.samples_ns.size(), 10u);
}

// Each ends the context, so it runs in a process of its own, which starts from the beginning.
template <class Callable>
[[noreturn]] void fail_in_child(const char* kind, const Callable& callable)
{
    const measurement_result m = measure(callable, {.min_samples = 50});
    print_measurement(m, {.file = stderr});
    std::_Exit(m.failure == kind && m.samples_ns.empty() ? 0 : 3);
}

TEST_F(measure_gpu, failures_of_kernels_are_distinguished)
{
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    using testing::ExitedWithCode;
    EXPECT_EXIT(
        fail_in_child("illegal_access", [](cudaStream_t s) { write_to<<<1, 1, 0, s>>>(reinterpret_cast<int*>(0x10)); }),
        ExitedWithCode(0), "\"failure\":\"illegal_access\",\"error\":\"cudaErrorIllegalAddress\",\"reason\":");
    EXPECT_EXIT(
        fail_in_child("illegal_access",
                      [&](cudaStream_t s) { write_to<<<1, 1, 0, s>>>(reinterpret_cast<int*>(as<char>() + 1)); }),
        ExitedWithCode(0), "cudaErrorMisalignedAddress");
    EXPECT_EXIT(fail_in_child("trap", [](cudaStream_t s) { stop<<<1, 1, 0, s>>>(); }), ExitedWithCode(0),
                "\"failure\":\"trap\"");
    // The name of this error depends on GPU and driver.
    EXPECT_EXIT(fail_in_child("", [](cudaStream_t s) { write_shared<<<1, 1, 0, s>>>(50'000'000); }), ExitedWithCode(3),
                "\"failure\":\"(illegal_access|trap)\"");
    // Fails later, when the samples wait behind a hold.
    int calls = 0;
    EXPECT_EXIT(fail_in_child("illegal_access",
                              [&](cudaStream_t s) {
                                  int* const address = ++calls < 25 ? as<int>() : reinterpret_cast<int*>(0x10);
                                  write_to<<<1, 1, 0, s>>>(address);
                              }),
                ExitedWithCode(0), "\"failure\":\"illegal_access\"");
}

}  // namespace
}  // namespace launchbox
