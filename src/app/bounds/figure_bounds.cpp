// SPDX-License-Identifier: Apache-2.0
#include "app/bounds/figure_bounds.hpp"

namespace launchbox {

std::vector<register_limits> bounds_of_figures(const figure_bounds_request& request)
{
    const std::vector<target> targets =
        request.architectures.empty() ? std::vector{target_of_this_machine()} : request.architectures.gpus();
    std::vector<register_limits> all;
    for (const int threads : request.threads)
        for (const target& where : targets)
            all.push_back({.architecture = where.architecture,
                           .limits = where.limits,
                           .gpu = where.gpu,
                           .threads = threads,
                           .max_min_blocks = max_legal_min_blocks(*where.limits, threads),
                           .bounds = limits_of_bounds(*where.limits, threads, request.min_blocks)});
    return all;
}

}  // namespace launchbox
