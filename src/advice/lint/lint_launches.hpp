// Launches that always fail, or need an attribute that nothing sets; and the resident blocks of those that work.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "advice/lint/launched_kernels.hpp"

namespace launchbox {

std::vector<diagnosis> lint_launches(const source_view& view, const std::vector<linted_kernel>& kernels,
                                     const std::vector<kernel_launch>& launches,
                                     const std::function<source_location(int line)>& place);

/// Block size and dynamic shared memory of a kernel's launches, if all agree.
struct launch_size {
    std::optional<int> threads;
    std::optional<std::int64_t> dynamic_shared_bytes;
    std::optional<shared_by_threads> dynamic_shared_by_threads = {};
};
launch_size agreed_size(const std::vector<kernel_launch>& launches, std::size_t kernel);

}  // namespace launchbox
