// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/reference_content.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "tune/worker/buffers.hpp"
#include "tune/worker/compare_outputs.hpp"

namespace launchbox {

void reference_content::add(std::string_view piece)
{
    if (piece.empty()) return;
    const auto element = static_cast<std::size_t>(type_.bytes);
    if (first_.empty()) first_ = piece.substr(0, element);
    // All equal: the first is that of the pieces before, and each equals the one before it. Data end this at once.
    uniform_ = uniform_ && piece.substr(0, element) == first_ &&
               piece.substr(element) == piece.substr(0, piece.size() - element);
    all_poison_ = all_poison_ && is_poison(piece.data(), piece.size(), bytes_);
    for (std::size_t at = 0; at < piece.size() && !has_poison_; at += element)
        has_poison_ = is_poison(piece.data() + at, std::min(element, piece.size() - at), bytes_ + at);
    bytes_ += piece.size();
}

std::string reference_content::weakness(const std::string& name) const
{
    if (bytes_ == 0) return {};
    if (all_poison_)
        return fmt::format(
            "the reference of '{}' is what it held before the launch, so that nothing was written: a "
            "kernel that does nothing passes",
            name);
    if (uniform_ && std::ranges::all_of(first_, [](char byte) { return byte == 0; }))
        return fmt::format("the reference of '{}' is 0 everywhere: a kernel that only clears its output passes", name);
    if (uniform_ && bytes_ > first_.size())
        return fmt::format("the reference of '{}' is {} everywhere: a kernel that only fills its output passes", name,
                           element_text(first_.data(), type_));
    return {};
}

}  // namespace launchbox
