// A record as a device: answers with recorded measurements.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tune/run/backend.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// The backend with the record's environment. A candidate that was not recorded is rejected. `spec` must outlive it.
tune_backend replay_backend(const tune_spec& spec, const recorded_run& run);

}  // namespace launchbox
