// launchbox: the input of the occupancy model: a kernel, how it is launched, and settings.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>

#include <launchbox/sm_limits.hpp>

namespace launchbox {

/// What one kernel uses, as the compiler or cudaFuncGetAttributes reports it.
struct kernel_resources {
    int registers = 0;                     ///< per thread, 0 to 256; 0: registers do not limit
    std::int64_t static_shared_bytes = 0;  ///< per block, without the system's reserve
    std::int64_t local_bytes = 0;          ///< per thread; does not limit residency
    int barriers = 0;  ///< highest named barrier + 1, as ptxas counts ("used 1 barriers"); 0: barriers do not limit
    int max_threads = max_threads_per_block;  ///< the launch bound; a larger block cannot be launched

    friend constexpr bool operator==(const kernel_resources&, const kernel_resources&) = default;
};

/// How it is launched.
struct launch_shape {
    int threads = 0;                        ///< per block, from 1
    std::int64_t dynamic_shared_bytes = 0;  ///< per block
    /// Blocks in a cluster; 1: no clusters. A cluster larger than the GPU supports cannot be launched; otherwise the
    /// cluster does not change the resident blocks of an SM. See clusters.hpp.
    int cluster_blocks = 1;

    friend constexpr bool operator==(const launch_shape&, const launch_shape&) = default;
};

/// Whether to calculate like the GPU or like the spreadsheet.
enum class model_mode {
    driver,       ///< like the hardware and the CUDA runtime
    spreadsheet,  ///< like CUDA_Occupancy_Calculator.xls 11.1; only if `sm_limits::spreadsheet` has a row
};

/// cudaFuncCache: how L1 and shared memory should share their storage. On 7.0 and later the carveout has priority.
enum class cache_preference { none, shared, l1, equal };

/// Whether global loads are cached in L1 on 5.2, 5.3, 6.1 and 6.2, where a block must then run in one half of the SM.
/// `preferred` gives up caching if the block does not fit, `strict` does not.
enum class global_caching { off, preferred, strict };

/// Other settings of a launch that affect the resident blocks. The defaults are those of a plain launch.
struct launch_settings {
    model_mode mode = model_mode::driver;
    /// cudaFuncAttributeMaxDynamicSharedMemorySize in bytes. Unset: 48 KB minus the static part, the runtime's default.
    std::optional<std::int64_t> max_dynamic_shared_bytes = std::nullopt;
    /// cudaFuncAttributePreferredSharedMemoryCarveout, 0 to 100 percent of the SM's shared memory; -1: no preference.
    int carveout_percent = -1;
    cache_preference cache = cache_preference::none;
    global_caching caching = global_caching::off;
    /// cudaFuncAttributeNonPortableClusterSizeAllowed: without it a cluster has at most `sm_limits::portable_cluster`
    /// blocks, even one set by `__cluster_dims__`.
    bool non_portable_clusters = false;
    int virtual_resources = 0;  ///< `virtualResourceCount` of cuda_occupancy.h; the runtime always reports 0

    friend constexpr bool operator==(const launch_settings&, const launch_settings&) = default;
};

}  // namespace launchbox
