// [callback]: candidates that a process of the user launches one after the other, such as Python with its libraries.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tune/run/backend.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// The backend without its environment. `spec` must outlive it. `gpus`: values of CUDA_VISIBLE_DEVICES, one process for
/// each; empty: as many processes as the spec asks for, on the processor.
tune_backend callback_backend(const tune_spec& spec, const std::vector<std::string>& gpus);

}  // namespace launchbox
