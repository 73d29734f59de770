// Finds all candidates: the order of the loops over parameters, and the loops on all cores.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "support/expression/condition_scan.hpp"

namespace launchbox {

/// A candidate as the numbers of its values, in as few bits as possible, the first parameter highest, so that
/// candidates compare as their words do.
class packed_layout {
public:
    packed_layout() = default;
    explicit packed_layout(const std::vector<std::size_t>& counts_of_values);

    [[nodiscard]] std::size_t words() const { return words_; }
    void append(const std::vector<std::uint32_t>& indices, std::vector<std::uint64_t>& to) const;
    [[nodiscard]] std::vector<std::uint32_t> indices(const std::uint64_t* candidate) const;
    void set(std::uint64_t* candidate, std::size_t parameter, std::uint32_t index) const;

private:
    struct field {
        std::size_t word = 0;
        int shift = 0, bits = 0;
    };
    std::vector<field> fields_;
    std::size_t words_ = 1;
};

struct found_candidates {
    std::vector<std::uint64_t> packed = {};      ///< `layout.words()` each, rising
    std::vector<std::uint64_t> rejections = {};  ///< by each condition
};

/// All points of `levels` (in the order of the file; their `conditions` are set here) that satisfy the conditions.
/// Throws `error` for more than `most`, or for so many points that the search would take minutes.
found_candidates find_candidates(std::vector<scan_level> levels, const std::vector<std::string>& conditions,
                                 const named_constants& constants, const packed_layout& layout,
                                 std::size_t max_candidates, const std::function<void(double)>& progress);

}  // namespace launchbox
