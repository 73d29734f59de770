// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/gpu_buffers.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "support/error.hpp"
#include "support/files/mapped_file.hpp"
#include "tune/worker/compare/reference_content.hpp"
#include "tune/worker/npy.hpp"

namespace launchbox {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t max_sets = 8;

bool is_changed_by_launches(const task_argument& argument)
{
    return !argument.scalar && argument.role != argument_role::input;
}

}  // namespace

workload_buffers::workload_buffers(gpu_context& gpu, const std::vector<task_argument>& arguments)
    : gpu_(gpu), arguments_(arguments)
{
}

workload_buffers::~workload_buffers()
{
    free_all();
}

void workload_buffers::free_all()
{
    if (!gpu_.hangs())
        for (const guarded_buffer* buffer : all()) gpu_.driver().free(buffer->base);
    live_.clear();
    pristine_.clear();
    copies_.clear();
    references_.clear();
    kept_checksum_.clear();
}

std::vector<const guarded_buffer*> workload_buffers::all() const
{
    std::vector<const guarded_buffer*> buffers;
    const auto note = [&](const std::vector<guarded_buffer>& some) {
        for (const guarded_buffer& buffer : some)
            if (buffer.base != 0) buffers.push_back(&buffer);
    };
    note(live_);
    note(pristine_);
    for (const std::vector<guarded_buffer>& set : copies_) note(set);
    for (const auto& [output, reference] : references_)
        if (reference.buffer.base != 0) buffers.push_back(&reference.buffer);
    return buffers;
}

guarded_buffer workload_buffers::allocate(const task_argument& argument)
{
    guarded_buffer buffer{.bytes = bytes_of(argument), .name = argument.name};
    gpu_.check(gpu_.driver().allocate(&buffer.base, buffer.bytes + 2 * guard_bytes),
               fmt::format("when {} bytes for '{}' were allocated", buffer.bytes, argument.name));
    buffer.data = buffer.base + guard_bytes;
    const auto set_guard = [&](CUdeviceptr where) {
        gpu_.check(gpu_.driver().set_bytes(where, guard_byte, guard_bytes, gpu_.stream()),
                   "when its buffers were filled");
    };
    set_guard(buffer.base);
    set_guard(buffer.data + buffer.bytes);
    return buffer;
}

void workload_buffers::fill()
try {
    live_.resize(arguments_.size());
    pristine_.resize(arguments_.size());
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        const task_argument& argument = arguments_[i];
        if (argument.scalar) continue;
        live_[i] = allocate(argument);
        if (argument.role == argument_role::output) continue;
        guarded_buffer& first = argument.role == argument_role::in_out ? pristine_[i] : live_[i];
        if (argument.role == argument_role::in_out) first = allocate(argument);
        first.constant = true;
        fill(argument, first);
        gpu_.ask_checksum(first.data, first.bytes);
    }
    fill_outputs();
    for (const output& output : outputs()) gpu_.ask_checksum(output.buffer->data, output.buffer->bytes);
    const std::vector<std::uint64_t> sums = gpu_.sums();
    const std::uint64_t* sum = sums.data();
    for (std::size_t i = 0; i < arguments_.size(); ++i)
        for (guarded_buffer* buffer : {&pristine_[i], &live_[i]})
            if (buffer->constant) buffer->sum = *sum++;
    for (std::size_t i = 0; i < arguments_.size(); ++i)
        if (is_changed_by_launches(arguments_[i])) live_[i].sum = *sum++;
} catch (...) {
    free_all();
    throw;
}

// Contents that can be computed are made on the GPU.
void workload_buffers::fill(const task_argument& argument, const guarded_buffer& buffer)
{
    const argument_filler filler(argument);
    if (filler.generated()) {
        gpu_.fill(*filler.generated(), buffer.data, argument.count);
        return;
    }
    const auto element = static_cast<std::size_t>(element_type_of(argument.type).bytes);
    gpu_.upload(buffer.data, buffer.bytes, [&](std::size_t start, std::size_t bytes, char* to) {
        filler.fill(static_cast<std::int64_t>(start / element), static_cast<std::int64_t>(bytes / element), to);
    });
}

void workload_buffers::rotate(std::size_t bytes)
{
    if (rotated_) return;
    rotated_ = true;
    std::size_t one_set = 0;
    for (const guarded_buffer& buffer : live_) one_set += buffer.constant ? buffer.bytes : 0;
    if (one_set == 0) return;
    const std::size_t wanted = std::clamp<std::size_t>(bytes / one_set + 1, 2, max_sets);
    while (sets() < wanted) {
        copies_.emplace_back(arguments_.size());
        try {
            for (std::size_t i = 0; i < arguments_.size(); ++i) {
                if (!live_[i].constant) continue;
                guarded_buffer& copy = copies_.back()[i] = allocate(arguments_[i]);
                copy.constant = true;
                copy.sum = live_[i].sum;
                gpu_.check(gpu_.driver().copy_on_device(copy.data, live_[i].data, copy.bytes, gpu_.stream()),
                           "when its inputs were copied");
            }
        } catch (const cuda_failure& failure) {
            for (const guarded_buffer& buffer : copies_.back())
                if (buffer.base != 0) gpu_.driver().free(buffer.base);
            copies_.pop_back();
            if (failure.code != CUDA_ERROR_OUT_OF_MEMORY) throw;
            return;
        }
    }
}

void workload_buffers::make_ready(output_filling filling)
{
    filling_ = filling;
    fill_outputs();
    restore_in_out();
}

void workload_buffers::fill_outputs() const
{
    const cuda_driver& driver = gpu_.driver();
    for (const output& output : outputs()) {
        if (output.argument->role != argument_role::output) continue;
        const std::uint32_t word = filling_of(output.argument->name) == output_filling::zeros ? 0 : poison_word;
        const std::size_t words = output.buffer->bytes / 4;
        if (words > 0)
            gpu_.check(driver.set_words(output.buffer->data, word, words, gpu_.stream()),
                       "when its outputs were poisoned");
        for (std::size_t at = words * 4; at < output.buffer->bytes; ++at)
            gpu_.check(driver.set_bytes(output.buffer->data + at, static_cast<unsigned char>(word >> 8 * (at % 4)), 1,
                                        gpu_.stream()),
                       "when its outputs were poisoned");
    }
}

void workload_buffers::restore_in_out() const
{
    for (std::size_t i = 0; i < arguments_.size(); ++i)
        if (pristine_[i].base != 0 && live_[i].bytes > 0)
            gpu_.check(gpu_.driver().copy_on_device(live_[i].data, pristine_[i].data, live_[i].bytes, gpu_.stream()),
                       "when its inputs were restored");
}

void** workload_buffers::parameters(std::size_t set)
{
    values_.assign(arguments_.size(), {});
    parameters_.clear();
    for (std::size_t i = 0; i < arguments_.size(); ++i) {
        if (arguments_[i].scalar) {
            values_[i] = scalar_bytes(arguments_[i]);
        } else {
            const bool copied = set > 0 && copies_[set - 1][i].base != 0;
            const CUdeviceptr pointer = copied ? copies_[set - 1][i].data : live_[i].data;
            std::memcpy(values_[i].data(), &pointer, sizeof pointer);
        }
        parameters_.push_back(values_[i].data());
    }
    return parameters_.data();
}

std::string workload_buffers::damage() const
{
    const std::vector<const guarded_buffer*> buffers = all();
    for (const guarded_buffer* buffer : buffers) {
        gpu_.ask_other_bytes(buffer->data + buffer->bytes, guard_bytes, guard_byte);
        gpu_.ask_other_bytes(buffer->base, guard_bytes, guard_byte);
        if (buffer->constant) gpu_.ask_checksum(buffer->data, buffer->bytes);
    }
    const std::vector<std::uint64_t> sums = gpu_.sums();
    const std::uint64_t* sum = sums.data();
    std::string changed;
    for (const guarded_buffer* buffer : buffers) {
        const auto bytes = [&](std::uint64_t count) {
            return count == 1 ? std::string("1 byte") : std::to_string(count) + " bytes";
        };
        const std::uint64_t behind = *sum++, before = *sum++;
        if (behind > 0) return fmt::format("wrote {} after the end of '{}'", bytes(behind), buffer->name);
        if (before > 0) return fmt::format("wrote {} before the begin of '{}'", bytes(before), buffer->name);
        if (!buffer->constant) continue;
        if (*sum++ != buffer->sum && changed.empty())
            changed = fmt::format("{} '{}'", buffer->is_reference ? "wrote over the reference of" : "changed its input",
                                  buffer->name);
    }
    return changed;
}

std::vector<workload_buffers::output> workload_buffers::outputs() const
{
    std::vector<output> outputs;
    for (std::size_t i = 0; i < arguments_.size(); ++i)
        if (is_changed_by_launches(arguments_[i]))
            outputs.push_back({&arguments_[i], &live_[i],
                               arguments_[i].role == argument_role::in_out ? pristine_[i].sum : live_[i].sum});
    return outputs;
}

bool workload_buffers::keep_outputs(const std::string& checksum)
{
    forget_references();
    try {
        for (const output& output : outputs()) {
            guarded_buffer& copy = references_[output.argument->name].buffer = allocate(*output.argument);
            copy.constant = copy.is_reference = true;
            gpu_.check(gpu_.driver().copy_on_device(copy.data, output.buffer->data, copy.bytes, gpu_.stream()),
                       "when its outputs were kept");
            gpu_.ask_checksum(copy.data, copy.bytes);
        }
    } catch (const cuda_failure& full) {
        if (full.code != CUDA_ERROR_OUT_OF_MEMORY) throw;
        gpu_.sums();  // of the outputs before
        forget_references();
        return false;
    }
    const std::vector<std::uint64_t> sums = gpu_.sums();
    const std::uint64_t* sum = sums.data();
    for (const output& output : outputs()) references_[output.argument->name].buffer.sum = *sum++;
    for (const output& output : outputs()) note_content(*output.argument, references_[output.argument->name].buffer);
    kept_checksum_ = checksum;
    return true;
}

void workload_buffers::forget_references()
{
    for (const auto& [output, reference] : references_)
        if (reference.buffer.base != 0) gpu_.driver().free(reference.buffer.base);
    references_.clear();
    kept_checksum_.clear();
}

const guarded_buffer* workload_buffers::reference(const task_argument& output, const std::string& file,
                                                  const std::string& checksum)
{
    if (!kept_checksum_.empty() && kept_checksum_ == checksum) return &references_[output.name].buffer;
    if (!kept_checksum_.empty()) forget_references();
    std::error_code failure;
    file_state now{.name = file, .bytes = fs::file_size(file, failure)};
    if (!failure) now.changed = fs::last_write_time(file, failure).time_since_epoch().count();
    kept_reference& kept = references_[output.name];
    if (!failure && kept.file == now) return kept.buffer.base == 0 ? nullptr : &kept.buffer;

    const mapped_file mapped(file);
    const std::string_view elements = reference_elements(mapped.bytes(), file, output);
    if (kept.buffer.base != 0) gpu_.driver().free(kept.buffer.base);
    kept = {};
    try {
        kept.buffer = allocate(output);
    } catch (const cuda_failure& full) {
        if (full.code != CUDA_ERROR_OUT_OF_MEMORY) throw;
        kept.file = now;
        return nullptr;
    }
    kept.buffer.constant = kept.buffer.is_reference = true;
    gpu_.upload(kept.buffer.data, elements.size(), [&](std::size_t start, std::size_t bytes, char* to) {
        std::memcpy(to, elements.data() + start, bytes);
    });
    gpu_.ask_checksum(kept.buffer.data, kept.buffer.bytes);
    kept.buffer.sum = gpu_.sums().front();
    note_content(output, kept.buffer);
    kept.file = now;
    return &kept.buffer;
}

// The GPU version of reference_content: do all elements equal the ones before them?
void workload_buffers::note_content(const task_argument& output, const guarded_buffer& reference)
{
    const auto count = static_cast<std::size_t>(output.count);
    if (count == 0) return;
    const element_type type = element_type_of(output.type);
    const auto element = static_cast<std::size_t>(type.bytes);
    gpu_.ask_poisoned(reference.data, count, type.bytes);
    gpu_.ask_difference({element_type::kind::opaque, type.bytes}, reference.data + element, reference.data, count - 1,
                        0, 0);
    const std::vector<std::uint64_t> answers = gpu_.sums();
    std::string first;
    gpu_.download(reference.data, element, [&](std::string_view piece) { first = piece; });
    const reference_content content(type, std::move(first), count, answers[0],
                                    gpu_context::difference_in(&answers[1]).differing == 0);
    if (content.is_whole()) expect_all_of(output.name);
    if (std::string weakness = content.weakness(output.name); !weakness.empty())
        weaknesses_.push_back(std::move(weakness));
}

void workload_buffers::download_reference(const task_argument& output,
                                          const std::function<void(std::string_view)>& take) const
{
    const guarded_buffer& kept = references_.at(output.name).buffer;
    gpu_.download(kept.data, kept.bytes, take);
}

std::string_view reference_elements(std::string_view file_content, const std::string& file, const task_argument& output)
{
    const npy_array array = read_npy(file_content, file);
    if (!holds(array, element_type_of(output.type)))
        throw error(file + " has elements of type " + array.type + ", and '" + output.name + "' is " + output.type);
    if (array.count != output.count)
        throw error(file + " has " + std::to_string(array.count) + " elements, and '" + output.name + "' has " +
                    std::to_string(output.count));
    return array.data;
}

workload_buffers& workload_store::take(const std::string& workload, const std::vector<task_argument>& arguments)
{
    const auto found =
        std::find_if(kept_.begin(), kept_.end(), [&](const entry& kept) { return kept.workload == workload; });
    if (found != kept_.end()) {
        const bool was_last = found == kept_.begin();
        kept_.splice(kept_.begin(), kept_, found);
        // While other workloads ran, a stray write may have hit this one without touching their guards.
        if (was_last || found->buffers->damage().empty()) return *found->buffers;
        kept_.pop_front();
    }
    auto buffers = std::make_unique<workload_buffers>(gpu_, arguments);
    for (;;) {
        try {
            buffers->fill();
            break;
        } catch (const cuda_failure& failure) {
            if (failure.code != CUDA_ERROR_OUT_OF_MEMORY || kept_.empty()) throw;
            kept_.pop_back();
        }
    }
    kept_.push_front({workload, std::move(buffers)});
    return *kept_.front().buffers;
}

}  // namespace launchbox
