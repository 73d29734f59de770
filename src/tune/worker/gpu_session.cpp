// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/gpu_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <optional>
#include <ostream>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/files/mapped_file.hpp"
#include "support/process/clock.hpp"
#include "tune/worker/compare_outputs.hpp"
#include "tune/worker/npy.hpp"

namespace launchbox {

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
        measure(task, answer);
    } catch (const cuda_failure& failure) {
        failed(measurement_of(gpu_.driver(), failure));
    } catch (const gpu_hang& hang) {
        failed(measurement_of(hang));
    } catch (const error& failure) {
        failed({.what = outcome::rejected, .reason = failure.what()});
    } catch (const std::bad_alloc&) {
        failed({.what = outcome::out_of_memory, .reason = "this machine's own memory is not enough"});
    } catch (const std::exception& failure) {
        failed({.what = outcome::worker_died, .reason = failure.what(), .sticky = true});
    }
    return answer;
}

void gpu_session::measure(const gpu_task& task, measurement& answer)
{
    if (!task.repeated) kept_.clear();
    const auto same = [&](const kept_kernel& kept) { return kept.task.cubin_file == task.cubin_file; };
    if (const auto kept = std::ranges::find_if(kept_, same); kept != kept_.end()) {
        time_again(task, *kept, answer);
        return;
    }
    phase_seconds& phases = *answer.phases;
    enter(worker_phase::load);
    std::optional<loaded_kernel> own;
    const loaded_kernel* kernel = nullptr;
    {
        const phase_clock timed(phases.load);
        kernel = task.repeated ? &kept_.emplace_back(gpu_, task).kernel : &own.emplace(gpu_, task);
    }
    try {
        if (!task.capture.empty()) {
            measure_captured(task, *kernel, answer);
            if (task.repeated && answer.what != outcome::measured) kept_.pop_back();
            return;
        }
        workload_buffers* buffers = nullptr;
        {
            const phase_clock timed(phases.prepare);
            buffers = &workloads_.take(task.workload, task.arguments);
            buffers->poison_outputs();
            buffers->restore_in_out();
            for (const auto& output : buffers->outputs())
                if (const auto expected = task.expected.find(output.argument->name); expected != task.expected.end())
                    buffers->reference(*output.argument, expected->second);
            gpu_.wait(60, "before its first launch");
        }
        {
            const phase_clock timed(phases.verify);
            enter(worker_phase::verify);
            kernel->launch(buffers->parameters(0), "at the first launch");
            gpu_.wait(task.launch_seconds, "at the first launch");
            enter(worker_phase::check);
            if (is_right(task, *buffers, answer)) save(task, *buffers);
        }
        if (answer.what == outcome::measured) {
            {
                const phase_clock timed(phases.time);
                enter(worker_phase::measure);
                timer_.measure(task, *kernel, *buffers, answer);
            }
            // A race may go well once, and stray writes may depend on where the other copies of the inputs are.
            const phase_clock timed(phases.check);
            enter(worker_phase::check);
            if (!is_right(task, *buffers, answer)) answer.samples_ns.clear();
        }
    } catch (...) {
        if (task.repeated) kept_.pop_back();
        throw;
    }
    if (task.repeated && answer.what != outcome::measured) kept_.pop_back();
}

void gpu_session::time_again(const gpu_task& task, kept_kernel& kept, measurement& answer)
{
    launch_memory* buffers = nullptr;
    {
        const phase_clock timed(answer.phases->prepare);
        enter(worker_phase::load);
        if (!task.capture.empty()) {
            captured(task.capture).bind(kept.kernel.module());
            buffers = captured_.get();
        } else
            buffers = &workloads_.take(task.workload, task.arguments);
    }
    const phase_clock timed(answer.phases->time);
    enter(worker_phase::measure);
    timer_.measure(task, kept.kernel, *buffers, answer);
}

captured_buffers& gpu_session::captured(const std::string& file)
{
    if (captured_ && captured_file_ == file) return *captured_;
    captured_.reset();  // the next may want the same addresses
    captured_ = std::make_unique<captured_buffers>(gpu_, addresses_, file);
    captured_file_ = file;
    return *captured_;
}

void gpu_session::measure_captured(const gpu_task& task, const loaded_kernel& kernel, measurement& answer)
{
    phase_seconds& phases = *answer.phases;
    captured_buffers* buffers = nullptr;
    {
        const phase_clock timed(phases.prepare);
        buffers = &captured(task.capture);
        buffers->bind(kernel.module());
    }
    if (task.replays > 0) {
        replay(task, kernel, *buffers, answer);
        return;
    }
    {
        const phase_clock timed(phases.verify);
        enter(worker_phase::verify);
        buffers->restore_in_out();
        kernel.launch(buffers->parameters(0), "at the first launch");
        gpu_.wait(task.launch_seconds, "at the first launch");
        enter(worker_phase::check);
        if (!is_as_captured(task, *buffers, answer)) return;
    }
    {
        const phase_clock timed(phases.time);
        enter(worker_phase::measure);
        timer_.measure(task, kernel, *buffers, answer);
    }
    const phase_clock timed(phases.check);
    enter(worker_phase::check);
    if (!is_as_captured(task, *buffers, answer)) answer.samples_ns.clear();
}

// What a launch changed that it should not have is filled anew for the next.
bool gpu_session::is_as_captured(const gpu_task& task, captured_buffers& buffers, measurement& answer)
{
    const memory_sums sums = buffers.sums();
    std::uint64_t together = 0;
    for (const std::uint64_t sum : sums) together = together * 0x9e3779b97f4a7c15 + sum;
    answer.checksum = checksum_text(together);
    answer.verified = buffers.is_as_captured(sums);
    if (answer.verified) return true;
    const bool tolerant = !task.compared_as.empty() && task.replays == 0;
    answer.reason = tolerant ? buffers.first_difference_beyond(sums, task.compared_as, task.absolute, task.relative)
                             : buffers.first_difference(sums);
    answer.verified = tolerant && answer.reason.empty();
    if (answer.verified) return true;
    answer.what = outcome::wrong_result;
    captured_.reset();
    return false;
}

// Twice or more, so that a kernel whose results differ by themselves is not taken for one that is replayed wrongly.
void gpu_session::replay(const gpu_task& task, const loaded_kernel& kernel, captured_buffers& buffers,
                         measurement& answer)
{
    memory_sums first;
    for (int time = 0; time < task.replays; ++time) {
        enter(worker_phase::verify);
        buffers.restore_in_out();
        kernel.launch(buffers.parameters(0), "at the first launch");
        gpu_.wait(task.launch_seconds, "at the first launch");
        enter(worker_phase::check);
        const memory_sums sums = buffers.sums();
        if (time == 0) first = sums;
        if (sums == first) continue;
        answer.what = outcome::wrong_result;
        answer.reason =
            fmt::format("not deterministic: two replays left different bytes in {}", buffers.where_differ(first, sums));
        captured_.reset();
        return;
    }
    is_as_captured(task, buffers, answer);
}

bool gpu_session::is_right(const gpu_task& task, workload_buffers& buffers, measurement& answer)
{
    if (const std::string damage = buffers.damage(); !damage.empty()) {
        workloads_.forget();
        answer.what = outcome::illegal_access;
        answer.reason = damage;
        answer.verified = false;
        return false;
    }
    const auto outputs = buffers.outputs();
    if (outputs.empty()) return true;
    for (const auto& output : outputs) gpu_.ask_checksum(output.buffer->data, output.buffer->bytes);
    std::uint64_t together = 0;
    for (const std::uint64_t sum : gpu_.sums()) together = together * 0x9e3779b97f4a7c15 + sum;
    const std::string checksum = checksum_text(together);
    const bool compared = answer.checksum == checksum;
    answer.checksum = checksum;
    if (!compared) compare(task, buffers, answer);
    return answer.what == outcome::measured;
}

// All outputs at once; where there is no memory for a reference on the GPU, on the host.
void gpu_session::compare(const gpu_task& task, workload_buffers& buffers, measurement& answer)
{
    struct question {
        workload_buffers::output output;
        std::string file;
        bool on_host = false;
    };
    std::vector<question> questions;
    for (const auto& output : buffers.outputs()) {
        const auto expected = task.expected.find(output.argument->name);
        if (expected == task.expected.end()) continue;
        const guarded_buffer* reference = buffers.reference(*output.argument, expected->second);
        questions.push_back({output, expected->second, reference == nullptr});
        if (reference != nullptr)
            gpu_.ask_difference(element_type_of(output.argument->type), output.buffer->data, reference->data,
                                static_cast<std::size_t>(output.argument->count), task.absolute, task.relative);
    }
    const std::vector<std::uint64_t> slots = gpu_.sums();
    const std::uint64_t* slot = slots.data();
    for (const question& asked : questions) {
        output_difference difference;
        if (asked.on_host) {
            difference = compare_on_host(task, asked.output, asked.file);
        } else {
            difference = gpu_context::difference_in(slot);
            slot += gpu_context::slots_of_difference;
        }
        if (difference.differing > 0) {
            answer.what = outcome::wrong_result;
            answer.reason = sentence_of(asked.output, asked.file, difference);
            answer.verified = false;
            return;
        }
        answer.verified = true;
    }
}

output_difference gpu_session::compare_on_host(const gpu_task& task, const workload_buffers::output& output,
                                               const std::string& file)
{
    const mapped_file mapped(file);
    std::string_view reference = reference_elements(mapped.bytes(), file, *output.argument);
    output_comparison comparison(element_type_of(output.argument->type), task.absolute, task.relative);
    gpu_.download(output.buffer->data, output.buffer->bytes, [&](std::string_view piece) {
        comparison.add(piece, reference.substr(0, piece.size()));
        reference.remove_prefix(piece.size());
    });
    return comparison.result();
}

std::string gpu_session::sentence_of(const workload_buffers::output& output, const std::string& file,
                                     const output_difference& difference) const
{
    const element_type type = element_type_of(output.argument->type);
    const auto element = static_cast<std::size_t>(type.bytes);
    const std::size_t at = static_cast<std::size_t>(difference.first) * element;
    std::string is;
    gpu_.download(output.buffer->data + at, element, [&](std::string_view piece) { is += piece; });
    const mapped_file mapped(file);
    const std::string_view wanted = reference_elements(mapped.bytes(), file, *output.argument).substr(at, element);
    return difference_sentence(output.argument->name, type, difference, output.argument->count, is.data(),
                               wanted.data());
}

void gpu_session::save(const gpu_task& task, workload_buffers& buffers) const
{
    for (const auto& output : buffers.outputs()) {
        const auto wanted = task.save_outputs.find(output.argument->name);
        if (wanted == task.save_outputs.end()) continue;
        write_file_atomically(wanted->second, [&](std::ostream& to) {
            to << npy_header(element_type_of(output.argument->type), output.argument->count);
            gpu_.download(output.buffer->data, output.buffer->bytes, [&](std::string_view piece) { to << piece; });
        });
    }
}

}  // namespace launchbox
