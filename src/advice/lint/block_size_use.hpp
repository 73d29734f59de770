// How a source launches each of its kernels, and whether another block size would be correct.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "advice/lint/source_lint.hpp"
#include "support/text/source_location.hpp"

namespace launchbox {

struct seen_launch {
    source_location place;
    std::optional<int> threads;                        ///< per block; `nullopt` if the text does not tell
    std::optional<std::int64_t> dynamic_shared_bytes;  ///< `nullopt` if the text does not tell

    friend bool operator==(const seen_launch&, const seen_launch&) = default;
};

enum class block_size_freedom : std::uint8_t {
    unknown,  ///< undetermined
    free,     ///< the kernel reads blockDim, and nothing ties it to one size
    fixed,    ///< another size gives wrong results, or cannot be launched
};

/// "free", "fixed", "unknown": stable names for programs.
const char* freedom_name(block_size_freedom freedom);

/// What is known about the block size of one kernel.
struct block_size_use {
    block_size_freedom freedom = block_size_freedom::unknown;
    std::string reason = {};                                   ///< "it never reads blockDim", in half a sentence
    std::vector<seen_launch> launches = {};                    ///< in the order of the text
    std::optional<source_location> defined_at = std::nullopt;  ///< its name, if the text has a single such kernel
    std::optional<int> threads = std::nullopt;  ///< per block, if all launches agree, or the kernel requires it
    std::optional<std::int64_t> dynamic_shared_bytes = std::nullopt;  ///< if all launches agree
    /// if all launches agree, and only the block size is unknown
    std::optional<shared_by_threads> dynamic_shared_by_threads = std::nullopt;
    /// Launches through a pointer that may be of this kernel: no other launch was found, its address is taken, and the
    /// text does not tell which kernels these launch.
    std::vector<source_location> maybe_launched = {};

    /// With this block size, if all launches agree; `nullopt` if the text does not tell.
    [[nodiscard]] std::optional<std::int64_t> dynamic_shared_for(int block) const;
    /// Whether its launches pass dynamic shared memory of a size that the text does not tell.
    [[nodiscard]] bool passes_unknown_shared() const;
};

/// How to read figures without this memory, and what to do; empty if its size is known, or if there is none. `kernel`
/// is compiled.
std::string unknown_shared_text(const block_size_use& use, const kernel_info& kernel);

/// One for each kernel of the request.
std::vector<block_size_use> block_size_uses(const lint_request& request);

/// The same for a view of the request's text that exists already.
std::vector<block_size_use> block_size_uses(const lint_request& request, const source_view& view);

/// The same without a source: from the kernel's code and bounds.
block_size_use block_size_use_of(const kernel_info& kernel);

}  // namespace launchbox
