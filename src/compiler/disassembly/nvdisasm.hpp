// nvdisasm: NVIDIA's disassembler, from the toolkit or its Python package.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "image/cubin.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// Looks beside `nvcc` if that is given, else in PATH, $CUDA_HOME, $CUDA_PATH and /usr/local/cuda. Throws `error` with
/// status `missing` and the command that installs it.
std::filesystem::path find_nvdisasm(const std::string& nvcc);
/// The same; empty if there is none.
std::filesystem::path find_nvdisasm_if_any(const std::string& nvcc);

struct nvdisasm_command {
    std::filesystem::path nvdisasm;
    std::vector<std::string> options;  ///< beside --print-code
};

/// The output of one run of nvdisasm.
struct disassembled_kernels {
    std::vector<std::size_t> kernels;  ///< indices into the examination
    std::string output;
    std::string problem;  ///< why it is missing

    void for_each_line(const std::function<void(std::string_view)>& read) const;
};

/// Disassembles the wanted kernels of a cubin, a fraction of a megabyte of code per run, on all cores.
void disassemble(const cubin_examination& cubin, const nvdisasm_command& with,
                 const std::function<bool(const kernel_info& kernel)>& wanted,
                 const std::function<void(const disassembled_kernels&)>& read);

}  // namespace launchbox
