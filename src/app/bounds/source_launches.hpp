// How the kernels of a source are launched in it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <future>
#include <optional>
#include <string>
#include <vector>

#include "advice/lint/block_size_use.hpp"
#include "compiler/run/source_unit.hpp"
#include "compiler/run/toolchain.hpp"

namespace launchbox {

/// Reads the source as the host's compiler sees it, in a separate thread.
class source_launches {
public:
    /// `tools` and `text` must outlive this.
    source_launches(const toolchain& tools, std::string file, const std::string& text, std::vector<std::string> flags,
                    std::vector<compute_capability> architectures);

    /// One result for each of the kernels, which must be of this source.
    [[nodiscard]] std::vector<block_size_use> uses_of(const std::vector<const kernel_info*>& kernels);

private:
    const std::string& text_;
    std::string file_;
    std::vector<std::string> flags_;
    std::future<std::optional<source_unit>> reading_;
    std::optional<source_unit> unit_;
    std::optional<source_view> view_;  ///< of it, read once for all architectures
};

}  // namespace launchbox
