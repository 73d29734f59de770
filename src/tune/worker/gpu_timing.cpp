// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/gpu_timing.hpp"
#include "support/process/clock.hpp"

#include <algorithm>
#include <chrono>
#include <launchbox/detail/measure/sampling.hpp>
#include <thread>

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;
using detail::sample_series;
using detail::sampling_rules;
using detail::sampling_state;

// Of 3,599 candidates recorded on an H200 (measurements/nvidia-h200/tune_*.json) no first sample took more than 1.30
// times as long as the candidate's shortest.
constexpr double margin_of_first_sample = 2;

sampling_rules rules_for(const gpu_task& task)
{
    if (task.samples > 0)
        return {.min_samples = task.samples, .max_samples = task.samples, .relative_error = 0, .max_seconds = 1e9};
    const measure_settings& wanted = task.measure;
    return {.min_samples = wanted.min_samples,
            .max_samples = wanted.max_samples,
            .relative_error = wanted.relative_error,
            .max_seconds = wanted.max_seconds,
            .best_ns = task.best_ns,
            .give_up_ratio = wanted.give_up_ratio,
            .certain_ratio = margin_of_first_sample * wanted.give_up_ratio};
}

// Keeps samples that no reading of NVML between the one before and the one after them casts doubt on. NVML takes as
// long as a short kernel, so that it is not asked for every sample.
class watched_samples {
public:
    watched_samples(const sampling_rules& rules, const nvml_device& gpu) : rules_(rules), gpu_(gpu), series_(rules)
    {
        look();
    }

    void add(double sample_ns)
    {
        samples_.push_back(sample_ns);
        series_.add(sample_ns);
        if (seconds_since(looked_) > seconds_between_looks) look();
    }

    sampling_state state(double seconds)
    {
        const sampling_state now = series_.state(seconds);
        if (now == sampling_state::more || samples_.size() == trusted_) return now;
        look();
        return series_.state(seconds);
    }
    [[nodiscard]] const std::vector<double>& samples_ns() const { return samples_; }
    [[nodiscard]] int dropped() const { return dropped_; }
    [[nodiscard]] const nvml_reading& last() const { return reading_; }

private:
    void look()
    {
        reading_ = gpu_.read_slowdown();
        looked_ = clock::now();
        // A GPU that is always slowed down is measured as it is; its state tells.
        const bool doubted =
            is_throttled(reading_) && dropped_ < rules_.max_samples && seconds_since(begin_) < rules_.max_seconds;
        if (doubted && samples_.size() > trusted_) {
            dropped_ += static_cast<int>(samples_.size() - trusted_);
            samples_.resize(trusted_);
            series_ = sample_series(rules_);
            for (const double sample : samples_) series_.add(sample);
        }
        if (doubted) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // it cools down
        trusted_ = samples_.size();
    }

    static constexpr double seconds_between_looks = 0.02;
    sampling_rules rules_;
    const nvml_device& gpu_;
    sample_series series_;
    std::vector<double> samples_;
    std::size_t trusted_ = 0;  // so many of them were taken before the last look
    int dropped_ = 0;
    nvml_reading reading_;
    clock::time_point begin_ = clock::now(), looked_ = begin_;
};

}  // namespace

gpu_timer::gpu_timer(gpu_context& gpu) : gpu_(gpu)
{
    gpu.check(gpu.driver().create_event(&begin_, CU_EVENT_DEFAULT), "when its events were made");
    gpu.check(gpu.driver().create_event(&end_, CU_EVENT_DEFAULT), "when its events were made");
    if (gpu.l2_bytes() > 0)
        gpu.check(gpu.driver().allocate(&flush_, gpu.l2_bytes()), "when memory to flush the L2 was allocated");
}

void gpu_timer::measure(const gpu_task& task, const loaded_kernel& kernel, launch_memory& buffers, measurement& answer)
{
    if (task.measure.rotate_inputs) buffers.rotate(gpu_.l2_bytes());
    const std::size_t sets = task.measure.rotate_inputs ? buffers.sets() : 1;
    timed_out_ = 0;
    if (!task.measure.cold) sample_ns(task, kernel, buffers, 0);  // warms the caches up
    watched_samples samples(rules_for(task), gpu_.nvml());
    const clock::time_point begin = clock::now();
    clock::time_point told = begin;
    sampling_state state = sampling_state::more;
    for (std::size_t i = 0; (state = samples.state(seconds_since(begin))) == sampling_state::more; ++i) {
        if (const double ns = sample_ns(task, kernel, buffers, i % sets); ns > 0)
            samples.add(ns);
        else if (timed_out_ > 3)
            break;  // `sample_ns` no longer blocks, so that this is a clock that stands still
        if (seconds_since(told) > 0.5) {
            gpu_.alive();
            told = clock::now();
        }
    }
    answer.samples_ns = samples.samples_ns();
    answer.dropped = samples.dropped();
    answer.stopped_early = state == sampling_state::given_up;
    if (gpu_.nvml().there()) {
        // Temperature and clocks change slowly, and asking for them takes longer than many candidates.
        if (seconds_since(read_at_) > 1) {
            reading_ = gpu_.nvml().read();
            read_at_ = clock::now();
        }
        nvml_reading last = reading_;
        last.slowed_by = samples.last().slowed_by;
        answer.device = device_state{last.sm_clock_mhz, last.memory_clock_mhz, last.temperature_celsius,
                                     last.power_milliwatts, throttling_text(last)};
    }
}

// 0: not a time of the kernel alone.
double gpu_timer::sample_ns(const gpu_task& task, const loaded_kernel& kernel, launch_memory& buffers, std::size_t set)
{
    const cuda_driver& driver = gpu_.driver();
    buffers.restore_in_out();
    if (task.measure.cold && flush_ != 0)
        gpu_.check(driver.set_bytes(flush_, 0, gpu_.l2_bytes(), gpu_.stream()), "when the L2 was flushed");
    // Something in this driver may wait for the GPU within a launch; then blocking it only costs time.
    const bool blocked = timed_out_ <= 3;
    if (blocked) gpu_.block();
    gpu_.check(driver.record_event(begin_, gpu_.stream()), "while it was timed");
    try {
        kernel.launch(buffers.parameters(set), "at a timed launch");
    } catch (...) {
        if (blocked) gpu_.unblock();
        throw;
    }
    gpu_.check(driver.record_event(end_, gpu_.stream()), "while it was timed");
    if (blocked) gpu_.unblock();
    gpu_.wait(task.launch_seconds, "while it was timed");
    if (blocked && gpu_.block_timed_out()) {
        ++timed_out_;
        return 0;
    }
    float milliseconds = 0;
    gpu_.check(driver.elapsed_ms(&milliseconds, begin_, end_), "while it was timed");
    // The clock of events is coarser than a nanosecond, and a kernel that takes none does not exist.
    return std::max(static_cast<double>(milliseconds) * 1e6, 1.0);
}

}  // namespace launchbox
