// measure.cuh with a GPU that only keeps time: what a sample consists of, when the stream is not held, the names of
// failures, and that nothing is left behind.
#include <gtest/gtest.h>
#include <launchbox/measure.cuh>

#include <stdexcept>
#include <string>
#include <vector>

#include "measure_fake_gpu.hpp"

namespace launchbox {
namespace {

class measure_series : public testing::Test {
protected:
    void SetUp() override { gpu = {}; }
    // In any case.
    void TearDown() override
    {
        EXPECT_EQ(gpu.allocated, 0);
        EXPECT_EQ(gpu.freed_in_use, 0);
        EXPECT_EQ(gpu.last_error, cudaSuccess);
    }

    // The operations in the stream since the last `name`, including it.
    static std::string since(const char* name)
    {
        std::string text;
        for (auto request = gpu.asked.rbegin(); request != gpu.asked.rend(); ++request) {
            text = *request + (text.empty() ? "" : ", ") + text;
            if (*request == name) break;
        }
        return text;
    }
};

const auto two_kernels = [](cudaStream_t) {
    gpu.work(1000);
    gpu.work(500);
};

TEST_F(measure_series, launch_latency_is_not_in_the_samples)
{
    const measurement_result held = measure(two_kernels);
    ASSERT_TRUE(held.measured()) << held.reason;
    EXPECT_TRUE(held.blocked);
    EXPECT_NEAR(held.median_ns, 1500, 0.5);
    EXPECT_EQ(held.samples_ns.size(), 10u);
    EXPECT_EQ(gpu.timed_out, 0);
    EXPECT_EQ(gpu.held, 10);

    const measurement_result not_held = measure(two_kernels, {.l2 = l2_state::hot, .block = false});
    EXPECT_FALSE(not_held.blocked);
    EXPECT_GT(not_held.median_ns, 10'000);
    EXPECT_EQ(gpu.held, 10);
}

TEST_F(measure_series, a_cold_sample_is_prepared_flushed_held_and_timed)
{
    const auto prepare = [](cudaStream_t) { gpu.put("prepare", [] { gpu.gpu_ns += 1e6; }); };
    const measurement_result m = measure(two_kernels, {.prepare = prepare});
    EXPECT_NEAR(m.median_ns, 1500, 0.5);
    EXPECT_TRUE(m.cold);
    EXPECT_EQ(since("prepare"), "prepare, flush 1000, hold, event, work, work, event");
}

TEST_F(measure_series, a_hot_sample_is_not_flushed)
{
    const measurement_result m = measure(two_kernels, {.l2 = l2_state::hot});
    EXPECT_FALSE(m.cold);
    EXPECT_EQ(since("hold"), "hold, event, work, work, event");
    for (const std::string& request : gpu.asked) EXPECT_NE(request, "flush 1000");
}

TEST_F(measure_series, several_launches_are_one_sample)
{
    const measurement_result m = measure(two_kernels, {.l2 = l2_state::hot, .launches = 3, .bytes = 3000});
    EXPECT_EQ(m.launches, 3);
    EXPECT_NEAR(m.median_ns, 1500, 0.5);
    EXPECT_NEAR(m.gigabytes_per_second(), 2, 0.01);
    EXPECT_EQ(since("hold"), "hold, event, work, work, work, work, work, work, event");
}

TEST_F(measure_series, the_stream_is_held_while_the_callable_launches_but_not_in_the_warm_up)
{
    bool held_once = false, held_first = false;
    int calls = 0;
    (void)measure([&](cudaStream_t stream) {
        const bool held = gpu.released != nullptr && *gpu.released == 0;
        if (calls++ == 0) held_first = held;
        held_once |= held;
        two_kernels(stream);
    });
    EXPECT_FALSE(held_first);
    EXPECT_TRUE(held_once);
    EXPECT_GT(calls, 10);
}

TEST_F(measure_series, a_callable_that_synchronises_is_measured_without_a_hold)
{
    const measurement_result m = measure([&](cudaStream_t stream) {
        gpu.work(1'000'000);
        cudaStreamSynchronize(stream);
    });
    ASSERT_TRUE(m.measured()) << m.reason;
    EXPECT_FALSE(m.blocked);
    EXPECT_EQ(gpu.timed_out, 2);
    EXPECT_EQ(m.samples_ns.size(), 10u);
    for (const double sample : m.samples_ns) {
        EXPECT_GE(sample, 1'000'000);
        EXPECT_LE(sample, 1'050'000);
    }
}

TEST_F(measure_series, one_late_launch_costs_one_sample)
{
    int held = 0;
    const measurement_result m = measure(
        [&](cudaStream_t stream) {
            gpu.work(1000);
            const bool now = gpu.released != nullptr && *gpu.released == 0;
            held += now;
            if (now && (held == 4 || held == 7)) cudaStreamSynchronize(stream);
        },
        {.min_samples = 20});
    EXPECT_TRUE(m.blocked);
    EXPECT_EQ(gpu.timed_out, 2);
    EXPECT_EQ(held, 22);
    ASSERT_EQ(m.samples_ns.size(), 20u);
    for (const double sample : m.samples_ns) EXPECT_NEAR(sample, 1000, 0.5);
}

// A series has either only held samples or only others.
TEST_F(measure_series, the_samples_start_over_once_the_stream_is_not_held)
{
    int held = 0;
    const measurement_result m = measure(
        [&](cudaStream_t stream) {
            gpu.work(1000);
            const bool now = gpu.released != nullptr && *gpu.released == 0;
            held += now;
            if (now && held > 15) cudaStreamSynchronize(stream);
        },
        {.l2 = l2_state::hot, .min_samples = 20});
    EXPECT_FALSE(m.blocked);
    EXPECT_EQ(gpu.timed_out, 2);
    EXPECT_EQ(held, 17);
    ASSERT_EQ(m.samples_ns.size(), 20u);
    for (const double sample : m.samples_ns) EXPECT_GT(sample, 1100);
}

TEST_F(measure_series, samples_until_the_goal_is_reached)
{
    EXPECT_EQ(measure(two_kernels, {.min_samples = 30}).samples_ns.size(), 30u);
    EXPECT_EQ(measure(two_kernels, {.max_samples = 40, .relative_error = 0}).samples_ns.size(), 40u);
    const measurement_result late = measure(two_kernels, {.max_seconds = 0});
    EXPECT_TRUE(late.out_of_time);
    EXPECT_EQ(late.samples_ns.size(), 1u);
    EXPECT_FALSE(measure(two_kernels).out_of_time);
    double next = 1000;
    const measurement_result alternating = measure(
        [&](cudaStream_t) {
            next = 3000 - next;
            gpu.work(next);
        },
        {.max_samples = 100, .relative_error = 0});
    EXPECT_NEAR(alternating.median_ns, 1500, 0.5);
    EXPECT_NEAR(alternating.low_ns, 1000, 0.5);
    EXPECT_NEAR(alternating.high_ns, 2000, 0.5);
}

TEST_F(measure_series, a_refused_launch)
{
    const measurement_result m = measure([](cudaStream_t) { gpu.last_error = cudaErrorInvalidConfiguration; });
    EXPECT_FALSE(m.measured());
    EXPECT_EQ(m.failure, "launch_error");
    EXPECT_EQ(m.error, "cudaErrorName");
    EXPECT_EQ(m.reason, "a launch was refused: cudaErrorName, its text");
    EXPECT_TRUE(m.samples_ns.empty());
}

TEST_F(measure_series, a_launch_that_is_refused_later_releases_the_hold)
{
    int calls = 0;
    const measurement_result m = measure(
        [&](cudaStream_t) {
            gpu.work(1000);
            if (++calls == 30) gpu.last_error = cudaErrorInvalidValue;
        },
        {.min_samples = 50});
    EXPECT_EQ(m.failure, "launch_error");
    EXPECT_EQ(gpu.timed_out, 0);
}

TEST_F(measure_series, an_error_of_launch_keeps_its_message)
{
    const measurement_result m = measure([](cudaStream_t) {
        throw launch_error("scale: 4,096 threads", cudaErrorInvalidConfiguration, launch_error_kind::block);
    });
    EXPECT_EQ(m.failure, "launch_error");
    EXPECT_EQ(m.reason, "scale: 4,096 threads");
}

TEST_F(measure_series, other_exceptions_propagate)
{
    int calls = 0;
    const auto throwing = [&](cudaStream_t) {
        gpu.work(1000);
        if (++calls == 30) throw std::runtime_error("enough");
    };
    EXPECT_THROW((void)measure(throwing, {.min_samples = 50}), std::runtime_error);
    EXPECT_EQ(gpu.timed_out, 0);
}

TEST_F(measure_series, a_kernel_that_fails_at_run_time)
{
    const measurement_result m = measure([](cudaStream_t) { gpu.work(1000, cudaErrorIllegalAddress); });
    EXPECT_EQ(m.failure, "illegal_access");
    EXPECT_EQ(m.reason, "a kernel failed while it ran: cudaErrorName, its text");
    gpu.lasting = cudaSuccess;
    gpu.last_error = cudaSuccess;

    int calls = 0;
    gpu.allocated = 0;  // after a sticky error nothing can be freed
    const measurement_result later = measure(
        [&](cudaStream_t) { gpu.work(1000, ++calls == 25 ? cudaErrorAssert : cudaSuccess); }, {.min_samples = 50});
    EXPECT_EQ(later.failure, "trap");
    EXPECT_TRUE(later.samples_ns.empty());
    gpu.lasting = cudaSuccess;
    gpu.last_error = cudaSuccess;
}

TEST_F(measure_series, a_failure_before_the_first_launch)
{
    int calls = 0;
    const auto counting = [&](cudaStream_t) { ++calls; };
    gpu.malloc_status = cudaErrorMemoryAllocation;
    EXPECT_EQ(measure(counting).failure, "out_of_memory");
    EXPECT_TRUE(measure(counting, {.l2 = l2_state::hot}).measured());
    calls = 0;
    gpu = {};
    gpu.host_status = cudaErrorNoDevice;
    EXPECT_EQ(measure(counting).failure, "device_lost");
    gpu = {};
    gpu.event_status = cudaErrorMemoryAllocation;
    EXPECT_EQ(measure(counting).failure, "out_of_memory");
    EXPECT_EQ(gpu.allocated, 0);
    gpu = {};
    gpu.last_error = cudaErrorInvalidValue;
    const measurement_result earlier = measure(counting);
    EXPECT_EQ(earlier.failure, "launch_error");
    EXPECT_EQ(earlier.reason, "an error was pending before the measurement: cudaErrorName, its text");
    EXPECT_EQ(calls, 0);
    gpu.hold_status = cudaErrorNoKernelImageForDevice;
    EXPECT_EQ(measure(counting).reason,
              "nothing was launched, since the measurement could not be set up: cudaErrorName, its text");
    const measurement_result prepare =
        measure(counting, {.prepare = [](cudaStream_t) { gpu.last_error = cudaErrorInvalidValue; }});
    EXPECT_EQ(prepare.reason, "prepare failed: cudaErrorName, its text");
}

TEST_F(measure_series, failures_have_the_names_that_tune_stores)
{
    const auto kind = [](cudaError_t code, detail::measuring when = detail::measuring::running) {
        return std::string(detail::failure_kind({code, when}));
    };
    EXPECT_EQ(kind(cudaErrorIllegalAddress), "illegal_access");
    EXPECT_EQ(kind(cudaErrorMisalignedAddress), "illegal_access");
    EXPECT_EQ(kind(cudaErrorAssert), "trap");
    EXPECT_EQ(kind(cudaErrorLaunchFailure), "trap");
    EXPECT_EQ(kind(cudaErrorLaunchTimeout), "hang");
    EXPECT_EQ(kind(cudaErrorMemoryAllocation), "out_of_memory");
    EXPECT_EQ(kind(cudaErrorInsufficientDriver), "device_lost");
    EXPECT_EQ(kind(cudaErrorECCUncorrectable), "device_lost");
    EXPECT_EQ(kind(cudaErrorUnknown), "trap");
    EXPECT_EQ(kind(cudaErrorUnknown, detail::measuring::launching), "launch_error");
    EXPECT_EQ(kind(cudaErrorNoKernelImageForDevice, detail::measuring::launching), "launch_error");
}

TEST_F(measure_series, invalid_options)
{
    const auto refused = [](const measurement_options& options) {
        EXPECT_THROW((void)measure(two_kernels, options), std::invalid_argument);
    };
    refused({.launches = 0});
    refused({.launches = 2});
    refused({.l2 = l2_state::hot, .launches = 2, .prepare = [](cudaStream_t) {}});
    refused({.bytes = -1});
    refused({.min_samples = 2});
    refused({.max_samples = 0});
    refused({.relative_error = -1});
    refused({.max_seconds = -1});
    EXPECT_TRUE(gpu.asked.empty());
}

}  // namespace
}  // namespace launchbox
