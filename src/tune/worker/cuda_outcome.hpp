// The outcome of a candidate that follows from an error of the driver.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "gpu/cuda_driver.hpp"
#include "tune/types/measurement.hpp"

namespace launchbox {

/// Thrown inside the worker and always caught there.
struct cuda_failure {
    CUresult code = CUDA_SUCCESS;
    std::string stage;  ///< "at the first launch"
};
struct gpu_hang {
    double seconds = 0;
    std::string stage;
};

outcome outcome_of(CUresult code);

/// Whether the context is unusable afterwards: earlier work on the GPU may be undone or half done.
bool is_sticky(CUresult code);

/// Samples and the rest are left empty.
measurement measurement_of(const cuda_driver& driver, const cuda_failure& failure);
measurement measurement_of(const gpu_hang& hang);

}  // namespace launchbox
