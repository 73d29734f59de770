// What a timed kernel works on, whoever made it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace launchbox {

class launch_memory {
public:
    virtual ~launch_memory() = default;

    /// In stream order: what launches change is as it was before the first.
    virtual void restore_in_out() const = 0;
    /// More copies of the inputs, so that those of successive launches exceed `bytes`, as far as that can be.
    virtual void rotate(std::size_t bytes) = 0;
    [[nodiscard]] virtual std::size_t sets() const = 0;
    /// What cuLaunchKernel takes, for a set of inputs. Valid until the next call.
    virtual void** parameters(std::size_t set) = 0;
};

}  // namespace launchbox
