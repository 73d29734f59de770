// What an image says about places in the code of one kernel: where indirect branches go, and labels.
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
    /// By the byte of an indirect branch: the bytes that it may go to.
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> branches;
    /// Bytes at which nvdisasm begins a block, in any order: exits, shuffles and others that `.nv.info` lists.
    std::vector<std::uint64_t> labels;
    /// General registers that a thread gets; 0: not known. At most 255.
    std::uint32_t registers = 0;
};

/// Finds the marks of many kernels of one image, each by its name. Sections that overlap are not read more than once.
class code_mark_index {
public:
    explicit code_mark_index(const elf_image& image);

    /// `registers`: per thread, 0 if unknown.
    [[nodiscard]] code_marks of(std::string_view kernel, int registers) const;

private:
    std::unordered_map<std::string_view, std::vector<const elf_section*>> sections_;
};

/// The same for one kernel.
code_marks code_marks_of(const elf_image& image, std::string_view kernel, int registers);

}  // namespace launchbox
