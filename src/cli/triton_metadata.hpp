// What Triton writes beside each kernel of its cache, kernel.json beside kernel.cubin: how the kernel is launched.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace launchbox::cli {

struct triton_metadata {
    std::string kernel;                        ///< its name; empty: not told
    std::optional<std::int64_t> shared_bytes;  ///< dynamic shared memory, bytes per block
    std::optional<int> threads;                ///< per block: warps × threads of a warp
    std::optional<int> max_registers;          ///< maxnreg, with which ptxas was called
    bool launched_early = false;               ///< launch_pdl: with programmatic dependence

    [[nodiscard]] bool is_of(std::string_view name) const { return kernel.empty() || kernel == name; }
};

/// Of the text of such a file; nullopt where it is not Triton's.
std::optional<triton_metadata> parse_triton_metadata(const std::string& text);

/// Of kernel.json for kernel.cubin or kernel.ptx; nullopt where there is none, or it is not Triton's. A number that no
/// launch can have is not taken.
std::optional<triton_metadata> metadata_beside(const std::string& file);

}  // namespace launchbox::cli
