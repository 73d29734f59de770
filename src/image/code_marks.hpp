// What an image says about places in the code of one kernel: where indirect branches go, and labels.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace launchbox {

struct elf_image;

struct code_marks {
    /// By the byte of an indirect branch: the bytes that it may go to.
    std::unordered_map<std::uint64_t, std::vector<std::uint64_t>> branches;
    /// Bytes at which nvdisasm begins a block, in any order: exits, shuffles and others that `.nv.info` lists.
    std::vector<std::uint64_t> labels;
    /// General registers that a thread gets; 0: not known. At most 255.
    std::uint32_t registers = 0;
};

/// `registers`: of a thread, 0 where it is not known.
code_marks code_marks_of(const elf_image& image, std::string_view kernel, int registers);

}  // namespace launchbox
