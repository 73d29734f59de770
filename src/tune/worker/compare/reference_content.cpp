// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/compare/reference_content.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "tune/worker/buffers.hpp"
#include "tune/worker/compare/compare_outputs.hpp"

namespace launchbox {

namespace {

// Without a branch in the loop, so that it is as fast as reading the memory.
template <class Word>
bool holds(std::string_view piece, Word poison)
{
    bool found = false;
    for (std::size_t at = 0; at + sizeof(Word) <= piece.size(); at += sizeof(Word)) {
        Word word{};
        std::memcpy(&word, piece.data() + at, sizeof word);
        found |= word == poison;
    }
    return found;
}

// `position`: of the piece in its buffer.
bool holds_poison(std::string_view piece, std::size_t element, std::size_t position)
{
    if (position % 4 == 0 && element == 4) return holds(piece, poison_word);
    if (position % 4 == 0 && element == 8) return holds(piece, std::uint64_t{poison_word} << 32 | poison_word);
    for (std::size_t at = 0; at < piece.size(); at += element)
        if (is_poison(piece.data() + at, std::min(element, piece.size() - at), position + at)) return true;
    return false;
}

}  // namespace

reference_content::reference_content(const element_type& type, std::string first, std::size_t count,
                                     std::size_t poisoned, bool uniform)
    : type_(type),
      first_(std::move(first)),
      bytes_(count * static_cast<std::size_t>(type.bytes)),
      uniform_(uniform),
      all_poison_(poisoned == count),
      has_poison_(poisoned > 0)
{
}

void reference_content::add(std::string_view piece)
{
    if (piece.empty()) return;
    const auto element = static_cast<std::size_t>(type_.bytes);
    if (first_.empty()) first_ = piece.substr(0, element);
    // All elements are equal: the first equals that of earlier pieces, and each equals the one before it. Real data
    // ends this at once.
    uniform_ = uniform_ && piece.substr(0, element) == first_ &&
               piece.substr(element) == piece.substr(0, piece.size() - element);
    all_poison_ = all_poison_ && is_poison(piece.data(), piece.size(), bytes_);
    has_poison_ = has_poison_ || holds_poison(piece, element, bytes_);
    bytes_ += piece.size();
}

std::string reference_content::weakness(const std::string& name) const
{
    if (bytes_ == 0) return {};
    if (all_poison_)
        return fmt::format(
            "the reference of '{}' is its content before the launch, so nothing was written: a kernel that does "
            "nothing passes",
            name);
    if (uniform_ && std::ranges::all_of(first_, [](char byte) { return byte == 0; }))
        return fmt::format("the reference of '{}' is 0 everywhere: a kernel that only clears its output passes", name);
    if (uniform_ && bytes_ > first_.size())
        return fmt::format("the reference of '{}' is {} everywhere: a kernel that only fills its output passes", name,
                           element_text(first_.data(), type_));
    return {};
}

}  // namespace launchbox
