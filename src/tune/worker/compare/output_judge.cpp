// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/compare/output_judge.hpp"

#include <fmt/format.h>

#include <utility>

#include "support/files/mapped_file.hpp"
#include "tune/worker/compare/compare_outputs.hpp"

namespace launchbox {

output_judge::output_judge(gpu_context& gpu, workload_buffers& buffers, const gpu_task& task,
                           std::vector<std::uint64_t> right)
    : gpu_(gpu),
      buffers_(buffers),
      task_(task),
      expected_(task.expected),
      reference_(task.reference),
      outputs_(buffers.outputs()),
      right_(std::move(right)),
      verified_(!right_.empty() && !task.expected.empty())
{
}

void output_judge::ask(bool first)
{
    asked_.clear();
    if (first) load_references();
    for (const auto& output : outputs_) gpu_.ask_checksum(output.buffer->data, output.buffer->bytes);
    if (first) ask_differences();
    gpu_.fetch_sums();
}

// Before asking for comparisons, because uploading a reference also scans it on the GPU.
void output_judge::load_references()
{
    asked_.clear();
    for (const auto& output : outputs_)
        if (const auto expected = expected_.find(output.argument->name); expected != expected_.end())
            asked_.push_back(
                {output, expected->second, buffers_.reference(*output.argument, expected->second, reference_)});
}

void output_judge::ask_differences()
{
    for (const question& asked : asked_) {
        const workload_buffers::output& output = asked.output;
        if (asked.reference != nullptr)
            gpu_.ask_difference(element_type_of(output.argument->type), output.buffer->data, asked.reference->data,
                                static_cast<std::size_t>(output.argument->count), task_.absolute, task_.relative);
    }
}

std::string output_judge::fault()
{
    sums answer = gpu_.fetched_sums();
    const auto behind_sums = answer.begin() + static_cast<std::ptrdiff_t>(outputs_.size());
    last_.assign(answer.begin(), behind_sums);
    if (last_ == right_) return {};
    answer.erase(answer.begin(), behind_sums);
    if (asked_.empty()) {
        load_references();
        ask_differences();
        answer = gpu_.sums();
    }
    std::string why = difference(answer.data());
    if (why.empty()) why = unwritten();
    if (why.empty()) {
        verified_ = verified_ || !asked_.empty();
        right_ = last_;
        return {};
    }
    if (last_ == wrong_) why += "; the previous launch left the same output";
    wrong_ = last_;
    return why;
}

std::string output_judge::difference(const std::uint64_t* slot) const
{
    for (const question& asked : asked_) {
        output_difference difference;
        if (asked.reference == nullptr) {
            difference = compare_on_host(asked);
        } else {
            difference = gpu_context::difference_in(slot);
            slot += gpu_context::slots_of_difference;
        }
        if (difference.differing > 0) return sentence_of(asked, difference);
    }
    return {};
}

// An output without a known content must still be written if an earlier launch wrote it.
std::string output_judge::unwritten() const
{
    if (right_.empty()) return {};
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
        const auto& output = outputs_[i];
        if (expected_.contains(output.argument->name) || output.buffer->bytes == 0) continue;
        if (last_[i] == output.sum_before && right_[i] != output.sum_before)
            return fmt::format("{} was not written, although an earlier launch wrote it", output.argument->name);
    }
    return {};
}

output_difference output_judge::compare_on_host(const question& asked) const
{
    const auto& [argument, buffer, sum_before] = asked.output;
    const mapped_file mapped(asked.file);
    std::string_view reference = reference_elements(mapped.bytes(), asked.file, *argument);
    output_comparison comparison(element_type_of(argument->type), task_.absolute, task_.relative);
    gpu_.download(buffer->data, buffer->bytes, [&](std::string_view piece) {
        comparison.add(piece, reference.substr(0, piece.size()));
        reference.remove_prefix(piece.size());
    });
    return comparison.result();
}

std::string output_judge::sentence_of(const question& asked, const output_difference& difference) const
{
    const workload_buffers::output& output = asked.output;
    const element_type type = element_type_of(output.argument->type);
    const auto element = static_cast<std::size_t>(type.bytes);
    const std::size_t at = static_cast<std::size_t>(difference.first) * element;
    std::string is;
    gpu_.download(output.buffer->data + at, element, [&](std::string_view piece) { is += piece; });
    std::string wanted;
    if (asked.reference != nullptr)
        gpu_.download(asked.reference->data + at, element, [&](std::string_view piece) { wanted += piece; });
    else
        wanted = reference_elements(mapped_file(asked.file).bytes(), asked.file, *output.argument).substr(at, element);
    std::string sentence =
        difference_sentence(output.argument->name, type, difference, output.argument->count, is.data(), wanted.data(),
                            buffers_.filling_of(output.argument->name) == output_filling::zeros);
    const auto number = static_cast<std::size_t>(&output - outputs_.data());
    if (output.argument->role == argument_role::in_out && last_[number] == output.sum_before)
        sentence += ", which was not changed at all";
    return sentence;
}

std::string output_judge::checksum() const
{
    if (last_.empty()) return {};
    std::uint64_t together = 0;
    for (const std::uint64_t sum : last_) together = together * 0x9e3779b97f4a7c15 + sum;
    return checksum_text(together);
}

}  // namespace launchbox
