// A kernel's output beside the reference, element by element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// Compares an output piece by piece; `sentence` then says what differs.
class output_comparison {
public:
    output_comparison(const element_type& type, double absolute, double relative)
        : type_(type), absolute_(absolute), relative_(relative)
    {
    }

    /// The next elements of both; pieces of the same size, of whole elements. What still holds poison where the
    /// reference does not is wrong, whatever the tolerance.
    void add(std::string_view output, std::string_view reference);

    [[nodiscard]] std::int64_t differing() const { return differing_; }
    /// "out[1042] is 17, and the reference's is 3; 5,120 of 1,048,576 differ"; empty when none does.
    [[nodiscard]] std::string sentence(const std::string& name) const;

private:
    [[nodiscard]] bool same(const char* output, const char* reference) const;

    element_type type_;
    double absolute_, relative_;
    std::int64_t compared_ = 0, differing_ = 0, first_ = 0;
    std::string is_, wanted_;
};

}  // namespace launchbox
