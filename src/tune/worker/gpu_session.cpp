// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/gpu_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <new>
#include <ostream>
#include <utility>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/clock.hpp"
#include "support/sample_statistics.hpp"
#include "tune/types/objective.hpp"
#include "tune/worker/npy.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

// Adds the wall time of a scope to one of the phases.
class phase_clock {
public:
    explicit phase_clock(double& phase) : phase_(phase) {}
    ~phase_clock() { phase_ += seconds_since(start_); }
    phase_clock(const phase_clock&) = delete;
    phase_clock& operator=(const phase_clock&) = delete;

private:
    double& phase_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

}  // namespace

gpu_session::gpu_session(int device, const reserved_addresses& addresses, std::function<void(worker_phase)> tell)
    : tell_(std::move(tell)),
      addresses_(addresses),
      gpu_(device,
           [this] {
               if (phase_ != worker_phase::ready) tell_(phase_);
           }),
      timer_(gpu_),
      energy_(gpu_.nvml()),
      workloads_(gpu_)
{
}

void gpu_session::enter(worker_phase phase)
{
    phase_ = phase;
    tell_(phase);
}

measurement gpu_session::run(const gpu_task& task)
{
    measurement answer{.phases = phase_seconds{}};
    const auto failed = [&](measurement how) {
        how.phases = answer.phases;
        answer = std::move(how);
    };
    try {
        if (task.with_energy)
            measure(with_limit_of_time(task), answer);
        else
            measure(task, answer);
    } catch (const cuda_failure& failure) {
        failed(measurement_of(gpu_.driver(), failure));
    } catch (const gpu_hang& hang) {
        failed(measurement_of(hang));
    } catch (const error& failure) {
        failed({.status = outcome::rejected, .reason = failure.what()});
    } catch (const std::bad_alloc&) {
        failed({.status = outcome::out_of_memory, .reason = "this machine has too little memory"});
    } catch (const std::exception& failure) {
        failed({.status = outcome::worker_died, .reason = failure.what(), .sticky = true});
    }
    if (answer.status != outcome::measured) to_save_ = {};  // its memory may be freed
    return answer;
}

// A candidate that runs so long that even an idle GPU would use more energy than the best must itself use more.
gpu_task gpu_session::with_limit_of_time(const gpu_task& task)
{
    if (!gpu_.nvml().energy_joules())
        throw error("the GPU has no energy counter, or NVML does not report it", "GPUs from Volta on have one");
    gpu_task limited = task;
    const double idle = energy_.idle_watts();
    if (task.best_joules > 0 && idle > 0) limited.best_ns = task.best_joules / idle * 1e9 / task.measure.give_up_ratio;
    return limited;
}

void gpu_session::measure(const gpu_task& task, measurement& answer)
{
    if (task.cubin_file.empty()) {
        prepare(task, answer);
        return;
    }
    const auto same = [&](const kept_kernel& kept) { return task.repeated && kept.task.cubin_file == task.cubin_file; };
    auto kept = std::ranges::find_if(kept_, same);
    if (kept == kept_.end()) {
        if (!task.repeated) kept_.clear();
        const phase_clock timed(answer.phases->load);
        enter(worker_phase::load);
        kept = kept_.emplace(kept_.end(), gpu_, task);
    }
    try {
        if (task.capture.empty())
            measure_workload(task, *kept, answer);
        else
            measure_captured(task, *kept, answer);
    } catch (...) {
        kept_.erase(kept);
        throw;
    }
    if (!task.repeated || answer.status != outcome::measured) kept_.erase(kept);
}

// Runs while other threads compile what is to be measured.
void gpu_session::prepare(const gpu_task& task, measurement& answer)
{
    const phase_clock timed(answer.phases->prepare);
    enter(worker_phase::load);
    if (task.capture.empty())
        workloads_.take(task.workload, task.arguments);
    else
        captured(task.capture);
    gpu_.wait(60, "before its first launch");
    answer.status = outcome::measured;
}

void gpu_session::measure_workload(const gpu_task& task, kept_kernel& kept, measurement& answer)
{
    phase_seconds& phases = *answer.phases;
    workload_buffers* buffers = nullptr;
    {
        const phase_clock timed(phases.prepare);
        enter(worker_phase::load);
        buffers = &workloads_.take(task.workload, task.arguments);
        for (const auto& output : buffers->outputs())
            if (const auto expected = task.expected.find(output.argument->name); expected != task.expected.end())
                buffers->reference(*output.argument, expected->second, task.reference);
        gpu_.wait(60, "before its first launch");
    }
    output_judge judge(gpu_, *buffers, task, kept.right);
    const timed_kernel what{task, kept.kernel, *buffers, judge, kept.history};
    if (!std::exchange(kept.was_launched, true)) {
        const phase_clock timed(phases.verify);
        first_launch(what);
        if (!is_unharmed(*buffers, answer)) return;
        if (!kept.history.any_wrong() && task.makes_reference) make_reference(task, *buffers, judge);
    }
    measure_times(what, answer);
    kept.right = judge.right();
    answer.checksum = task.makes_reference && buffers->keeps_outputs() ? buffers->kept_checksum() : judge.checksum();
    answer.verified = judge.verified() && answer.status == outcome::measured;
    for (std::string& weakness : buffers->weak_references()) answer.warnings.push_back(std::move(weakness));
    // Stray writes may depend on the addresses of the other copies of the inputs.
    const phase_clock timed(phases.check);
    enter(worker_phase::check);
    is_unharmed(*buffers, answer);
}

void gpu_session::first_launch(const timed_kernel& what)
{
    enter(worker_phase::verify);
    what.memory.make_ready(output_filling::poison);
    what.kernel.reset_variables();
    what.kernel.launch(what.memory.parameters(0), "at the first launch");
    what.judge.ask(true);
    gpu_.wait(what.task.launch_seconds, "at the first launch");
    enter(worker_phase::check);
    what.history.note(what.judge.fault());
}

void gpu_session::measure_times(const timed_kernel& what, measurement& answer)
{
    if (!what.history.any_wrong()) {
        const phase_clock timed(answer.phases->time);
        enter(worker_phase::measure);
        timer_.measure(what, answer);
        if (!what.history.any_wrong() && !what.task.repeated) compare_with_fresh_variables(what, answer);
        if (what.task.with_energy) measure_energy(what, answer);
    }
    if (!what.history.any_wrong()) return;
    answer.status = outcome::wrong_result;
    answer.samples_ns.clear();
    answer.quantities.clear();
    answer.reason = what.history.reason(what.kernel.changed_variables());
}

// The time is measured already. A candidate is given up if even an idle GPU would use more energy than the best in that
// time.
void gpu_session::measure_energy(const timed_kernel& what, measurement& answer)
{
    const gpu_task& task = what.task;
    if (what.history.any_wrong() || answer.status != outcome::measured || answer.samples_ns.empty()) return;
    const double seconds = summarise(answer.samples_ns).median * 1e-9;
    answer.stopped_early |= task.best_joules > 0 && energy_.idle_watts() * seconds >= task.best_joules;
    if (answer.stopped_early) return;
    std::size_t rounds = 0;
    auto told = std::chrono::steady_clock::now();
    const auto round = [&](bool launches) {
        if (seconds_since(told) > 0.5) {
            gpu_.alive();
            told = std::chrono::steady_clock::now();
        }
        return timer_.round(what, rounds++, launches);
    };
    // With warmed caches or reset variables, the work around a launch differs between candidates.
    const bool alike = task.measure.cold && task.variables.empty();
    const std::string surroundings = alike ? task.workload + task.capture : "";
    launch_energy found = energy_.measure(round, surroundings, task.measure.max_seconds);
    const auto is_steady = [&] {
        constexpr double least = 0.8, most = 1.25, noticeable = 5e-6;
        const double times = found.seconds / seconds;
        return (times > least && times < most) || std::abs(found.seconds - seconds) < noticeable;
    };
    if (!found.joules.empty() && !is_steady()) {
        energy_.forget_surroundings();
        found = energy_.measure(round, surroundings, task.measure.max_seconds);
    }
    if (!found.joules.empty() && !is_steady()) {
        energy_.forget_surroundings();
        found.joules.clear();
        found.why_none = fmt::format(
            "a candidate has no energy: its launches took {:.2f} times as long as when they were timed; another "
            "process uses the GPU, or clocks changed",
            found.seconds / seconds);
    }
    // The last launch is judged, too.
    if (what.history.any_wrong() || !timer_.round(what, 0, true)) return;
    if (!found.why_none.empty()) answer.warnings.push_back(found.why_none);
    if (found.joules.empty()) return;
    std::vector<double> watts;
    for (const double joules : found.joules) watts.push_back(joules / seconds);
    answer.quantities = {{energy_quantity, std::move(found.joules)}, {power_quantity, std::move(watts)}};
}

// A kernel that keeps its results in a variable of its module, and at later launches only copies them, is right every
// time but did its work once.
void gpu_session::compare_with_fresh_variables(const timed_kernel& what, measurement& answer)
{
    constexpr double noticeable = 1.2, noticeable_ns = 2000;
    const std::vector<std::string> changed = what.kernel.changed_variables();
    if (changed.empty() || answer.samples_ns.empty()) return;
    const loaded_kernel fresh(gpu_, what.task);
    const double with_fresh = timer_.median_with_fresh_variables(what, fresh);
    const double kept = summarise(answer.samples_ns).median;
    if (what.history.any_wrong() || with_fresh < kept * noticeable || with_fresh - kept < noticeable_ns) return;
    answer.status = outcome::wrong_result;
    answer.samples_ns.clear();
    answer.reason = fmt::format(
        "later launches do less work than the first: {:.1f} us, but {:.1f} us when {} reset to the state after "
        "loading; {} in [kernel] times it that way, and reset = false accepts the reuse",
        kept * 1e-3, with_fresh * 1e-3,
        changed.size() == 1 ? changed.front() + " is" : fmt::format("{} are", fmt::join(changed, ", ")),
        reset_of(changed));
}

bool gpu_session::is_unharmed(const workload_buffers& buffers, measurement& answer)
{
    std::string damage = buffers.damage();
    if (damage.empty()) return true;
    workloads_.forget();
    answer.status = outcome::illegal_access;
    answer.reason = std::move(damage);
    answer.verified = false;
    answer.samples_ns.clear();
    return false;
}

captured_buffers& gpu_session::captured(const std::string& file)
{
    if (captured_ && captured_file_ == file) return *captured_;
    captured_.reset();  // the next one may want the same addresses
    captured_ = std::make_unique<captured_buffers>(gpu_, addresses_, file);
    captured_file_ = file;
    return *captured_;
}

void gpu_session::measure_captured(const gpu_task& task, kept_kernel& kept, measurement& answer)
{
    phase_seconds& phases = *answer.phases;
    captured_buffers* buffers = nullptr;
    {
        const phase_clock timed(phases.prepare);
        enter(worker_phase::load);
        buffers = &captured(task.capture);
        buffers->bind(kept.kernel.module());
    }
    if (task.replays > 0) {
        replay(task, kept, *buffers, answer);
        return;
    }
    captured_judge judge(gpu_, *buffers, task);
    const timed_kernel what{task, kept.kernel, *buffers, judge, kept.history};
    if (!std::exchange(kept.was_launched, true)) {
        const phase_clock timed(phases.verify);
        first_launch(what);
        if (!is_as_captured(judge, *buffers, answer)) return;
    }
    measure_times(what, answer);
    if (answer.status != outcome::measured) {
        answer.verified = false;
        captured_.reset();
        return;
    }
    const phase_clock timed(phases.check);
    enter(worker_phase::check);
    if (!is_as_captured(judge, *buffers, answer)) answer.samples_ns.clear();
}

// Memory that a launch changed and should not have is filled again for the next.
bool gpu_session::is_as_captured(const captured_judge& judge, captured_buffers& buffers, measurement& answer)
{
    const memory_sums sums = buffers.sums();
    std::uint64_t together = 0;
    for (const std::uint64_t sum : sums) together = together * 0x9e3779b97f4a7c15 + sum;
    answer.checksum = checksum_text(together);
    answer.reason = judge.difference(sums);
    answer.verified = answer.reason.empty();
    if (answer.verified) return true;
    answer.status = outcome::wrong_result;
    captured_.reset();
    return false;
}

// Twice or more, so that a kernel whose results vary by themselves is not mistaken for one that is replayed wrongly.
void gpu_session::replay(const gpu_task& task, kept_kernel& kept, captured_buffers& buffers, measurement& answer)
{
    memory_sums first;
    for (int time = 0; time < task.replays; ++time) {
        enter(worker_phase::verify);
        buffers.make_ready(output_filling::poison);
        kept.kernel.launch(buffers.parameters(0), "at the first launch");
        gpu_.wait(task.launch_seconds, "at the first launch");
        enter(worker_phase::check);
        const memory_sums sums = buffers.sums();
        if (time == 0) first = sums;
        if (sums == first) continue;
        answer.status = outcome::wrong_result;
        answer.reason =
            fmt::format("not deterministic: two replays left different bytes in {}", buffers.where_differ(first, sums));
        captured_.reset();
        return;
    }
    is_as_captured(captured_judge(gpu_, buffers, task), buffers, answer);
}

// Outputs that fit into GPU memory are compared with directly, without a file.
void gpu_session::make_reference(const gpu_task& task, workload_buffers& buffers, output_judge& judge)
{
    const std::string checksum = judge.checksum();
    std::map<std::string, std::string> files = task.save_outputs;
    for (const auto& output : buffers.outputs()) files.try_emplace(output.argument->name);
    if (buffers.keep_outputs(checksum)) {
        judge.expect(files, checksum);
        if (!task.save_outputs.empty()) to_save_ = {&buffers, task.save_outputs};
        return;
    }
    for (const auto& output : buffers.outputs())
        if (const auto wanted = task.save_outputs.find(output.argument->name); wanted != task.save_outputs.end()) {
            save(*output.argument, wanted->second,
                 [&](const auto& take) { gpu_.download(output.buffer->data, output.buffer->bytes, take); });
            std::error_code ignored;
            fs::remove(pending_file(wanted->second), ignored);
        }
    judge.expect(task.save_outputs, {});
}

void gpu_session::finish()
{
    const outputs_to_save saved = std::exchange(to_save_, {});
    if (saved.buffers == nullptr) return;
    for (const auto& output : saved.buffers->outputs()) {
        const auto wanted = saved.files.find(output.argument->name);
        if (wanted == saved.files.end()) continue;
        try {
            save(*output.argument, wanted->second,
                 [&](const auto& take) { saved.buffers->download_reference(*output.argument, take); });
        } catch (const error&) {  // a full disk: readers make the reference again
        }
        std::error_code ignored;
        fs::remove(pending_file(wanted->second), ignored);
    }
}

void gpu_session::save(const task_argument& output, const std::string& file, const content_source& content) const
{
    write_file_atomically(file, [&](std::ostream& to) {
        to << npy_header(element_type_of(output.type), output.count);
        content([&](std::string_view piece) { to << piece; });
    });
}

}  // namespace launchbox
