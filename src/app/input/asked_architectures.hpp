// Applies --arch to each kernel: takes its code for that architecture, else code that runs there, else reports it
// missing.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "app/architectures.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

struct kernel_input;

inline constexpr std::size_t no_input = static_cast<std::size_t>(-1);

/// Code that was not read; its names and architecture are known.
struct other_code {
    kernel_info info;
    std::size_t input = no_input;  ///< its place in `kernel_input::inputs`; `no_input`: that is not shown
};

class asked_architectures {
public:
    /// An empty list and "all" ask for everything.
    explicit asked_architectures(const architecture_list& list);

    [[nodiscard]] bool all() const { return targets_.empty(); }
    [[nodiscard]] const std::vector<target>& targets() const { return targets_; }

    /// "sm_80,sm_90", and those of them that launchbox does not know.
    [[nodiscard]] std::string words() const;

    /// Whether code of this name, "sm_90a" or "compute_90", is for one of them.
    [[nodiscard]] bool has(std::string_view architecture) const;

    /// The names of code for other architectures that is needed all the same, because a kernel has nothing else that
    /// runs on one of them.
    [[nodiscard]] std::set<std::string> needed_beside(const std::vector<const kernel_info*>& kernels) const;

    /// Of one thing that the user named, whose kernels and files begin at these numbers: leaves the kernels' code that
    /// was asked for or runs there instead, marked as that (`kernel_info::runs_on`), and adds what is missing to the
    /// files. `others` are kernels that were not read. Nothing is missing in a file with errors. `instead`: false for a
    /// source, which is compiled for each architecture: what one compile lacks no other has, since the driver takes the
    /// image that was made for the GPU.
    void choose(std::size_t first_kernel, std::size_t first_input, const std::vector<other_code>& others, bool instead,
                kernel_input& input) const;

private:
    std::vector<target> targets_;
};

}  // namespace launchbox
