// What an image records about offsets in the code of one kernel: targets of indirect branches, and labels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace launchbox {

struct elf_image;
struct elf_section;

struct code_marks {
    /// The targets of each indirect branch, by its offset; all offsets in bytes.
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> branches;
    /// Offsets where nvdisasm begins a block, in any order: exits, shuffles and others listed in `.nv.info`.
    std::vector<std::uint64_t> labels;
    /// General registers per thread, at most 255; 0: unknown.
    std::uint32_t registers = 0;
};

/// Finds the marks of many kernels of one image by name. Overlapping sections are read only once.
class code_mark_index {
public:
    explicit code_mark_index(const elf_image& image);

    /// `registers`: per thread, 0 if unknown.
    [[nodiscard]] code_marks of(std::string_view kernel, int registers) const;

private:
    std::unordered_map<std::string_view, std::vector<const elf_section*>> sections_;
};

/// The same for a single kernel.
code_marks code_marks_of(const elf_image& image, std::string_view kernel, int registers);

}  // namespace launchbox
