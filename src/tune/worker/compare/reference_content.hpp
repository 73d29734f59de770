// Whether a reference can distinguish a calculated output from one that was never calculated.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// Examines the elements of a reference, piece by piece.
class reference_content {
public:
    explicit reference_content(const element_type& type) : type_(type) {}
    /// The same for content that was examined elsewhere. `first`: its first element; `poisoned`: how many of its
    /// `count` elements hold the poison; `uniform`: all are equal.
    reference_content(const element_type& type, std::string first, std::size_t count, std::size_t poisoned,
                      bool uniform);

    /// The next elements: whole ones.
    void add(std::string_view piece);

    /// Why it cannot: "the reference of 'out' is 0 everywhere: a kernel that only clears its output passes". Empty if
    /// it can, and for a reference without elements.
    [[nodiscard]] std::string weakness(const std::string& name) const;
    /// Whether no element is poison, so that all of the reference was written.
    [[nodiscard]] bool is_whole() const { return bytes_ > 0 && !has_poison_; }

private:
    element_type type_;
    std::string first_;      // element
    std::size_t bytes_ = 0;  // so far
    bool uniform_ = true, all_poison_ = true, has_poison_ = false;
};

}  // namespace launchbox
