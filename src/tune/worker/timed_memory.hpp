// The memory that a timed kernel works on: generated or captured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace launchbox {

/// The content of outputs before a launch. Either value can hide an error: a kernel may take the poison, which is NaN,
/// for "not there yet", and 0 for a result that it need not write.
enum class output_filling { poison, zeros };

class timed_memory {
public:
    virtual ~timed_memory() = default;

    /// In stream order: sets outputs to `filling` (zeros only if every element must be written), and restores
    /// everything else that launches change to its state before the first launch.
    virtual void make_ready(output_filling filling) = 0;
    /// Adds copies of the inputs, so that those of successive launches exceed `bytes`, as far as possible.
    virtual void rotate(std::size_t bytes) = 0;
    [[nodiscard]] virtual std::size_t sets() const = 0;
    /// The arguments for cuLaunchKernel, for one set of inputs. Valid until the next call.
    virtual void** parameters(std::size_t set) = 0;
};

}  // namespace launchbox
