// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/gpu_timing.hpp"

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "support/process/clock.hpp"
#include "tune/worker/sampling_settings.hpp"

namespace launchbox {

namespace {

using clock = std::chrono::steady_clock;
using detail::sample_series;
using detail::sampling_rules;
using detail::sampling_state;

// How many launches are judged to say how often a candidate is wrong.
constexpr int launches_to_judge = 12;
constexpr int fresh_samples = 5;
constexpr int surroundings_to_time = 2;

// Keeps a sample only if NVML reports no slowdown in the readings around it. Reading NVML takes as long as a short
// kernel, so it is not read for every sample.
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
        // A GPU that is always slowed down is measured as it is; the recorded device state shows it.
        const bool doubted =
            is_throttled(reading_) && dropped_ < rules_.max_samples && seconds_since(begin_) < rules_.max_seconds;
        if (doubted && samples_.size() > trusted_) {
            dropped_ += static_cast<int>(samples_.size() - trusted_);
            samples_.resize(trusted_);
            series_ = sample_series(rules_);
            for (const double sample : samples_) series_.add(sample);
        }
        if (doubted) std::this_thread::sleep_for(std::chrono::milliseconds(20));  // let it cool down
        trusted_ = samples_.size();
    }

    static constexpr double seconds_between_looks = 0.02;
    sampling_rules rules_;
    const nvml_device& gpu_;
    sample_series series_;
    std::vector<double> samples_;
    std::size_t trusted_ = 0;  // number of samples before the last look
    int dropped_ = 0;
    nvml_reading reading_;
    clock::time_point begin_ = clock::now(), looked_ = begin_;
};

}  // namespace

gpu_timer::gpu_timer(gpu_context& gpu) : gpu_(gpu)
{
    for (CUevent* event : {&start_, &ready_, &begin_, &end_, &judged_})
        gpu.check(gpu.driver().create_event(event, CU_EVENT_DEFAULT), "when its events were made");
    if (gpu.l2_bytes() > 0)
        gpu.check(gpu.driver().allocate(&flush_, gpu.l2_bytes()), "when memory to flush the L2 was allocated");
}

void gpu_timer::measure(const timed_kernel& what, measurement& answer)
{
    const gpu_task& task = what.task;
    if (task.measure.rotate_inputs) what.memory.rotate(gpu_.l2_bytes());
    const std::size_t sets = task.measure.rotate_inputs ? what.memory.sets() : 1;
    timed_out_ = 0;
    ready_ns_ = judging_ns_ = 0;
    launches_ = surroundings_timed_ = 0;
    watched_samples samples(sampling_rules_of_launches(task.measure, task.best_ns, task.samples), gpu_.nvml());
    const clock::time_point begin = clock::now();
    clock::time_point told = begin;
    sampling_state state = sampling_state::more;
    for (std::size_t i = 0;; ++i) {
        const double seconds = seconds_since(begin);
        if (!what.history.any_wrong()) state = samples.state(seconds);
        if (what.history.any_wrong() || state == sampling_state::given_up) {
            // Find out how often it is wrong. And a candidate that is given up after a sample or two, and changes its
            // variables, may behave differently later.
            const bool seen = what.history.judged() >= launches_to_judge || seconds >= task.measure.max_seconds;
            if (seen || (!what.history.any_wrong() && what.kernel.changed_variables().empty())) break;
        } else if (state != sampling_state::more) {
            break;
        }
        const double ns = sample_ns(what, i % sets, nullptr);
        if (ns > 0 && state == sampling_state::more)
            samples.add(ns);
        else if (timed_out_ > 3)
            break;  // `sample_ns` no longer blocks, so the clock stands still
        if (seconds_since(told) > 0.5) {
            gpu_.alive();
            told = clock::now();
        }
    }
    if (answer.phases && surroundings_timed_ > 0) {
        // The timed ones stand for all, but may have been slow ones: limit the sum to the total time.
        const double timed_ns = ready_ns_ + judging_ns_;
        const double of_all = std::min(1e-9 * timed_ns * launches_ / surroundings_timed_, answer.phases->time);
        const double scale = timed_ns > 0 ? of_all / timed_ns : 0;
        answer.phases->prepare += ready_ns_ * scale;
        answer.phases->check += judging_ns_ * scale;
        answer.phases->time -= of_all;
    }
    answer.dropped = samples.dropped();
    answer.stopped_early = state == sampling_state::given_up;
    if (!what.history.any_wrong()) answer.samples_ns = samples.samples_ns();
    if (gpu_.nvml().there()) {
        // Temperature and clocks change slowly, and reading them takes longer than many candidates.
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

double gpu_timer::median_with_fresh_variables(const timed_kernel& what, const loaded_kernel& fresh)
{
    std::vector<double> samples;
    for (int i = 0; i < fresh_samples && !what.history.any_wrong(); ++i)
        if (const double ns = sample_ns(what, 0, &fresh); ns > 0) samples.push_back(ns);
    if (samples.empty()) return 0;
    std::ranges::nth_element(samples, samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2));
    return samples[samples.size() / 2];
}

bool gpu_timer::round(const timed_kernel& what, std::size_t number, bool launches)
{
    const round_parts with{.launches = launches, .judges = number == 0 || (random_() >> 8) % 16 == 0};
    sample_ns(what, what.task.measure.rotate_inputs ? number % what.memory.sets() : 0, nullptr, with);
    return !what.history.any_wrong();
}

void gpu_timer::make_ready(const timed_kernel& what, const loaded_kernel* fresh)
{
    what.memory.make_ready((random_() >> 8) % 4 == 0 ? output_filling::zeros : output_filling::poison);
    what.kernel.reset_variables();
    if (fresh != nullptr) what.kernel.take_variables_of(*fresh);
}

// For a hot cache: a launch right before leaves the caches as this candidate wants them, whatever was read in between.
// Once or twice at random, so that the timed launch is not always every second one.
void gpu_timer::warm_up(const timed_kernel& what, std::size_t set, const loaded_kernel* fresh)
{
    const auto times = 1 + (random_() >> 8) % 2;
    for (unsigned i = 0; i < times; ++i) {
        what.kernel.launch(what.memory.parameters(set), "at a launch that warms the caches up");
        what.history.note_unjudged();
        make_ready(what, fresh);
    }
}

double gpu_timer::elapsed_ns(CUevent from, CUevent to) const
{
    float milliseconds = 0;
    gpu_.check(gpu_.driver().elapsed_ms(&milliseconds, from, to), "while it was timed");
    return static_cast<double>(milliseconds) * 1e6;
}

// 0 if the time includes more than the kernel, or the launch left something wrong.
double gpu_timer::sample_ns(const timed_kernel& what, std::size_t set, const loaded_kernel* fresh,
                            const round_parts& with)
{
    const gpu_task& task = what.task;
    const cuda_driver& driver = gpu_.driver();
    const auto record = [&](CUevent event) {
        gpu_.check(driver.record_event(event, gpu_.stream()), "while it was timed");
    };
    // The work around launches always takes the same time, so a few samples suffice.
    const bool times_all = surroundings_timed_ < surroundings_to_time;
    if (times_all) record(start_);
    make_ready(what, fresh);
    if (times_all) record(ready_);
    if (!task.measure.cold) warm_up(what, set, fresh);
    if (task.measure.cold && flush_ != 0) {
        // Data that a kernel asked the cache to keep would survive the flush
        // (measurements/nvidia-h100/persisting_l2.txt).
        if (driver.reset_persisting_l2 != nullptr) driver.reset_persisting_l2();
        gpu_.check(driver.set_bytes(flush_, 0, gpu_.l2_bytes(), gpu_.stream()), "when the L2 was flushed");
    }
    // Some drivers may wait for the GPU within a launch; then blocking the stream only costs time.
    const bool blocked = timed_out_ <= 3;
    if (blocked) gpu_.block();
    try {
        record(begin_);
        if (with.launches) what.kernel.launch(what.memory.parameters(set), "at a timed launch");
        record(end_);
        if (with.judges) what.judge.ask(false);
        if (times_all) record(judged_);
    } catch (...) {
        if (blocked) gpu_.unblock();
        throw;
    }
    if (blocked) gpu_.unblock();
    gpu_.wait(task.launch_seconds, "while it was timed");
    if (times_all) {
        ++surroundings_timed_;
        ready_ns_ += elapsed_ns(start_, ready_);
        judging_ns_ += elapsed_ns(end_, judged_);
    }
    if (!with.judges || !with.launches) {
        if (with.judges) gpu_.fetched_sums();  // not needed
        if (with.launches) what.history.note_unjudged();
        return 1;
    }
    ++launches_;
    std::string fault = what.judge.fault();
    const bool wrong = !fault.empty();
    what.history.note(std::move(fault));
    if (blocked && gpu_.block_timed_out()) {
        ++timed_out_;
        return 0;
    }
    // Event timers are coarser than a nanosecond, but no kernel takes zero time.
    return wrong ? 0 : std::max(elapsed_ns(begin_, end_), 1.0);
}

}  // namespace launchbox
