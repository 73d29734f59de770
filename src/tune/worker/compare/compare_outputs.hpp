// Compares a kernel's output with the reference, element by element.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// The differences of an output from its reference.
struct output_difference {
    std::int64_t differing = 0;  ///< elements
    std::int64_t first = 0;      ///< the index of the first of them; meaningless without
    std::int64_t unwritten = 0;  ///< of `differing`, those that still hold the poison
    /// The largest distance of those that differ; infinite where one of the two is NaN or infinite, 0 for opaque types.
    double largest = 0;

    friend bool operator==(const output_difference&, const output_difference&) = default;
};

/// Compares an output piece by piece on the host, with the same result as the kernels launchbox_compare_* of
/// helper_module.hpp on the GPU.
class output_comparison {
public:
    output_comparison(const element_type& type, double absolute, double relative)
        : type_(type), absolute_(absolute), relative_(relative)
    {
    }

    /// The next elements of both, in pieces of the same size and of whole elements. Poison in the output and not in the
    /// reference is an error whatever the tolerance; except for integers of one or two bytes, where the poison is an
    /// ordinary number.
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
