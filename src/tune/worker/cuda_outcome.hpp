// What an error of the driver says about a candidate.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gpu/cuda_driver.hpp"
#include "tune/types/measurement.hpp"

namespace launchbox {

/// Thrown inside the worker; never leaves it.
struct cuda_failure {
    CUresult code = CUDA_SUCCESS;
    std::string stage;  ///< "at the first launch"
};
struct gpu_hang {
    double seconds = 0;
    std::string stage;
};

outcome outcome_of(CUresult code);

/// Whether the context is dead after it: all that was asked of the GPU before may be undone or half done.
bool is_sticky(CUresult code);

/// Samples and the rest are left empty.
measurement measurement_of(const cuda_driver& driver, const cuda_failure& failure);
measurement measurement_of(const gpu_hang& hang);

}  // namespace launchbox
