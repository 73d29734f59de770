// SPDX-License-Identifier: Apache-2.0
#include "image/kernel_memory.hpp"

#include <utility>

namespace launchbox {

namespace {

// Short strings are stored inside the object.
std::uint64_t heap_bytes(const std::string& text)
{
    return text.capacity() < sizeof(std::string) ? 0 : text.capacity() + 1;
}

std::uint64_t bytes_of(const kernel_info& kernel)
{
    // The reader's notes on the kernel, unused capacity of lists, and its row in the output.
    constexpr std::uint64_t beside = 256;
    std::uint64_t shared = kernel.figures.shared_variables.capacity() * sizeof(shared_variable);
    for (const shared_variable& variable : kernel.figures.shared_variables) shared += heap_bytes(variable.name);
    return sizeof(kernel_info) + beside + heap_bytes(kernel.name) + heap_bytes(kernel.source.file) +
           heap_bytes(kernel.source.container) + shared;
}

}  // namespace

kernel_memory::kernel_memory(std::uint64_t max_bytes, std::string whose, kernel_memory* all)
    : max_bytes_(max_bytes), whose_(std::move(whose)), all_(all)
{
}

bool kernel_memory::take(const kernel_info& kernel)
{
    return take(bytes_of(kernel));
}

bool kernel_memory::take(const kernel_lines& lines)
{
    return lines.uses.empty() || take(lines.uses.capacity() * sizeof(line_use));
}

bool kernel_memory::used_up() const
{
    const std::lock_guard guard(lock_);
    return !refusal_.empty();
}

std::string kernel_memory::refusal() const
{
    const std::lock_guard guard(lock_);
    return refusal_;
}

void kernel_memory::limit_line_text(std::uint64_t bytes)
{
    const std::lock_guard guard(lock_);
    line_text_left_ = bytes;
}

bool kernel_memory::take_line_text(std::uint64_t bytes)
{
    const std::lock_guard guard(lock_);
    if (bytes > max_line_text_per_kernel || bytes > line_text_left_) return false;
    line_text_left_ -= bytes;
    return true;
}

bool kernel_memory::take(std::uint64_t bytes)
{
    const std::lock_guard guard(lock_);
    if (!refusal_.empty()) return false;
    if (bytes > max_bytes_ - used_) {
        constexpr std::uint64_t gib = 1 << 30;
        refusal_ = "the kernels of " + whose_ + " may take " +
                   (max_bytes_ % gib == 0 ? std::to_string(max_bytes_ / gib) + " GiB"
                                          : std::to_string(max_bytes_) + " bytes") +
                   " of memory";
        return false;
    }
    if (all_ != nullptr && !all_->take(bytes)) {
        refusal_ = all_->refusal();
        return false;
    }
    used_ += bytes;
    return true;
}

}  // namespace launchbox
