// What a timed kernel works on, whoever made it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace launchbox {

/// What outputs hold before a launch. A kernel may take either for something that it need not calculate or write: the
/// poison, which is NaN, for a mark of what is not there yet, or 0 for what it would leave anyway.
enum class output_filling { poison, zeros };

class timed_memory {
public:
    virtual ~timed_memory() = default;

    /// In stream order: outputs hold `filling` (zeros only where all of the output has to be written), and what else
    /// launches change is as it was before the first.
    virtual void make_ready(output_filling filling) = 0;
    /// More copies of the inputs, so that those of successive launches exceed `bytes`, as far as that can be.
    virtual void rotate(std::size_t bytes) = 0;
    [[nodiscard]] virtual std::size_t sets() const = 0;
    /// What cuLaunchKernel takes, for a set of inputs. Valid until the next call.
    virtual void** parameters(std::size_t set) = 0;
};

}  // namespace launchbox
