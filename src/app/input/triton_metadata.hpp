// Triton's metadata of each kernel in its cache: kernel.json beside kernel.cubin, with the figures of its launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace launchbox {

struct triton_metadata {
    std::string kernel;                        ///< its name; empty: not told
    std::optional<std::int64_t> shared_bytes;  ///< dynamic shared memory, bytes per block
    std::optional<int> threads;                ///< per block: warps × threads of a warp
    std::optional<int> max_registers;          ///< maxnreg, with which ptxas was called
    bool launched_early = false;               ///< launch_pdl: with programmatic dependence

    [[nodiscard]] bool is_of(std::string_view name) const { return kernel.empty() || kernel == name; }
};

struct metadata_reading {
    std::optional<triton_metadata> value = {};  ///< empty: there is no such file, or it is not Triton's
    std::string problem = {};                   ///< why a file that is there cannot be read
};

/// Parses the text of such a file; `name` is used in messages. Numbers that no launch can have are ignored.
metadata_reading parse_triton_metadata(const std::string& text, const std::string& name);

/// "dir/kernel." of dir/kernel.cubin and dir/kernel.ptx, beside which there can be a dir/kernel.json.
std::optional<std::string> stem_of_compiled(const std::string& file);

/// Reads the file beside the compiled ones.
metadata_reading metadata_beside(const std::string& stem);

}  // namespace launchbox
