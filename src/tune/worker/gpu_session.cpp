// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/gpu_session.hpp"

#include <filesystem>
#include <new>
#include <ostream>

#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/files/mapped_file.hpp"
#include "tune/worker/compare_outputs.hpp"
#include "tune/worker/npy.hpp"

namespace launchbox {

namespace {

std::string_view reference_data(std::string_view bytes, const std::string& file, const task_argument& argument)
{
    const npy_array array = read_npy(bytes, file);
    const element_type type = element_type_of(argument.type);
    if (!holds(array, type))
        throw error(file + " has elements of type " + array.type + ", and '" + argument.name + "' is " + argument.type);
    if (array.count != argument.count)
        throw error(file + " has " + std::to_string(array.count) + " elements, and '" + argument.name + "' has " +
                    std::to_string(argument.count));
    return array.data;
}

}  // namespace

gpu_session::gpu_session(int device, std::function<void(worker_phase)> tell)
    : tell_(std::move(tell)),
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
    try {
        return measure(task);
    } catch (const cuda_failure& failure) {
        return measurement_of(gpu_.driver(), failure);
    } catch (const gpu_hang& hang) {
        return measurement_of(hang);
    } catch (const error& failure) {
        return {.what = outcome::rejected, .reason = failure.what()};
    } catch (const std::bad_alloc&) {
        return {.what = outcome::out_of_memory, .reason = "this machine's own memory is not enough"};
    } catch (const std::exception& failure) {
        return {.what = outcome::worker_died, .reason = failure.what(), .sticky = true};
    }
}

measurement gpu_session::measure(const gpu_task& task)
{
    measurement answer;
    enter(worker_phase::load);
    const loaded_kernel kernel(gpu_, task);
    workload_buffers& buffers = workloads_.take(task.workload, task.arguments);
    buffers.poison_outputs();
    buffers.restore_in_out();
    gpu_.wait(60, "before its first launch");

    enter(worker_phase::verify);
    kernel.launch(buffers.parameters(0), "at the first launch");
    gpu_.wait(task.launch_seconds, "at the first launch");

    enter(worker_phase::check);
    if (!is_right(task, buffers, answer)) return answer;
    save(task, buffers);

    enter(worker_phase::measure);
    timer_.measure(task, kernel, buffers, answer);
    // A race may go well once, and stray writes may depend on where the other copies of the inputs are.
    enter(worker_phase::check);
    if (!is_right(task, buffers, answer)) answer.samples_ns.clear();
    return answer;
}

bool gpu_session::is_right(const gpu_task& task, workload_buffers& buffers, measurement& answer)
{
    if (const std::string damage = buffers.damage(); !damage.empty()) {
        workloads_.forget();
        answer.what = outcome::illegal_access;
        answer.reason = damage;
        return false;
    }
    const auto outputs = buffers.outputs();
    for (const auto& output : outputs) gpu_.ask_checksum(output.buffer->data, output.buffer->bytes);
    const std::vector<std::uint64_t> sums = gpu_.sums();
    std::uint64_t together = 0;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        together = together * 0x9e3779b97f4a7c15 + sums[i];
        if (answer.what == outcome::measured) compare(task, outputs[i], sums[i], answer);
    }
    if (!outputs.empty()) answer.checksum = checksum_text(together);
    return answer.what == outcome::measured;
}

void gpu_session::compare(const gpu_task& task, const workload_buffers::output& output, std::uint64_t sum,
                          measurement& answer)
{
    const auto expected = task.expected.find(output.argument->name);
    if (expected == task.expected.end()) return;
    if (sum != reference_sum(expected->second, *output.argument)) {
        const mapped_file file(expected->second);
        std::string_view reference = reference_data(file.bytes(), expected->second, *output.argument);
        output_comparison comparison(element_type_of(output.argument->type), task.absolute, task.relative);
        gpu_.download(output.buffer->data, output.buffer->bytes, [&](std::string_view piece) {
            comparison.add(piece, reference.substr(0, piece.size()));
            reference.remove_prefix(piece.size());
        });
        if (comparison.differing() > 0) {
            answer.what = outcome::wrong_result;
            answer.reason = comparison.sentence(output.argument->name);
            answer.verified = false;
            return;
        }
    }
    answer.verified = true;
}

// The sum of a reference is calculated once; a file that was written again is read again.
std::uint64_t gpu_session::reference_sum(const std::string& file, const task_argument& argument)
{
    std::error_code failure;
    const std::uintmax_t bytes = std::filesystem::file_size(file, failure);
    const std::int64_t changed =
        failure ? 0 : std::filesystem::last_write_time(file, failure).time_since_epoch().count();
    known_reference& known = references_[file];
    if (failure || known.bytes != bytes || known.changed != changed || known.bytes == 0) {
        const mapped_file mapped(file);
        known = {bytes, changed, checksum(reference_data(mapped.bytes(), file, argument))};
    }
    return known.sum;
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
