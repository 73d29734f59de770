// A kernel's output beside the reference, element by element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// What is counted of an output whose elements are not all as they should be.
struct output_difference {
    std::int64_t differing = 0;  ///< elements
    std::int64_t first = 0;      ///< the index of the first of them; meaningless without
    std::int64_t unwritten = 0;  ///< of `differing`, those that still hold the poison
    /// The largest distance of those that differ; infinite where one of the two is NaN or infinite, 0 for opaque types.
    double largest = 0;

    friend bool operator==(const output_difference&, const output_difference&) = default;
};

/// Compares an output piece by piece, on the host: what the kernels launchbox_compare_* of helper_module.hpp do on the
/// GPU, with the same answer.
class output_comparison {
public:
    output_comparison(const element_type& type, double absolute, double relative)
        : type_(type), absolute_(absolute), relative_(relative)
    {
    }

    /// The next elements of both; pieces of the same size, of whole elements. What still holds poison where the
    /// reference does not is wrong, whatever the tolerance; but for integers of one or two bytes, whose poison is a
    /// number like any other.
    void add(std::string_view output, std::string_view reference);

    [[nodiscard]] const output_difference& result() const { return result_; }

private:
    [[nodiscard]] double distance_of(const char* output, const char* reference, bool& same) const;

    element_type type_;
    double absolute_, relative_;
    std::int64_t compared_ = 0;
    output_difference result_;
};

/// "17", "0.5"; of an opaque type "0x00ff".
std::string element_text(const char* from, const element_type& type);

/// "out[1042] is 17, and the reference's is 3; 5,120 of 1,048,576 differ, by 21 at most", or "out[1042] was not
/// written,
/// ...". `output` and `reference`: the bytes of the first element that differs; `held_zeros`: so did the output before
/// the launch, and else poison.
std::string difference_sentence(const std::string& name, const element_type& type, const output_difference& difference,
                                std::int64_t count, const char* output, const char* reference, bool held_zeros = false);

}  // namespace launchbox
