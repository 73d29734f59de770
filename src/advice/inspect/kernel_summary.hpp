// A summary of one input: images, kernels, code, spills and copies by architecture, and the GPUs that can run it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "advice/inspect/inspected_kernel.hpp"
#include "image/binary.hpp"

namespace launchbox {

/// All images and kernels of one architecture.
struct architecture_summary {
    std::string architecture;                      ///< empty if unknown
    std::optional<compute_capability> capability;  ///< of `architecture`
    std::string kind;                              ///< as in `binary_image`; empty for a source or a log
    bool relocatable = false;                      ///< not the code that runs
    bool linked = false;                           ///< nvlink's figures in a log
    std::size_t images = 0;
    std::uint64_t stored_bytes = 0, bytes = 0;                 ///< in the file, and decompressed
    std::size_t kernels = 0, unique_kernels = 0;               ///< unique: by `kernel_identity`
    std::int64_t code_bytes = 0;                               ///< of kernels with a known size
    std::size_t code_unknown = 0;                              ///< kernels of unknown size
    std::size_t spilling = 0, spills_unknown = 0;              ///< kernels
    std::size_t spills_at_least = 0;                           ///< of `spilling`: counted bytes are a lower bound
    std::int64_t spill_store_bytes = 0, spill_load_bytes = 0;  ///< per thread, summed over kernels
    std::int64_t shared_spill_store_bytes = 0, shared_spill_load_bytes = 0;  ///< to shared memory
    std::optional<int> largest_registers;
};

/// A kernel that occurs several times for one architecture.
struct repeated_kernel {
    std::string short_form, architecture;
    std::size_t times = 0;              ///< copies of this code, or number of different codes
    std::optional<std::int64_t> bytes;  ///< of redundant code
};

/// The number of kernels that one GPU can run.
struct gpu_support {
    compute_capability gpu;
    std::size_t by_cubin = 0, by_ptx = 0;  ///< by_ptx: those without a cubin for it
};

/// A virtual architecture with PTX.
struct ptx_summary {
    std::string architecture;
    std::string where_it_runs;  ///< in words; "unknown" if the name is not an architecture

    friend bool operator==(const ptx_summary&, const ptx_summary&) = default;
};

struct kernel_summary {
    std::size_t kernels = 0, unique_kernels = 0;
    std::vector<architecture_summary> architectures;    ///< those that run first, ascending
    std::vector<std::pair<int, std::size_t>> toolkits;  ///< CUDA version x 10, kernels; ascending
    std::size_t toolkit_unknown = 0;
    std::vector<repeated_kernel> copies;     ///< the same code more than once; the largest waste first
    std::vector<repeated_kernel> differing;  ///< the same name with different code
    std::size_t code_not_compared = 0;       ///< kernels whose code could not be compared
    std::size_t only_ptx = 0;                ///< kernels without a cubin
    std::vector<ptx_summary> ptx;            ///< ascending
    std::size_t runnable = 0;                ///< unique kernels in images that are not relocatable
    std::vector<gpu_support> gpus;           ///< of every GPU in the table of limits; empty without images
    std::size_t on_later_gpus = 0;           ///< of `runnable`, those with PTX for future GPUs
};

/// `kernels` and `images` of one input.
kernel_summary summarize(const std::vector<const inspected_kernel*>& kernels, const std::vector<binary_image>& images);

}  // namespace launchbox
