// Turns a user's settings of [measure] into rules for when there are enough samples.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/detail/measure/sampling.hpp>

#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// `best_ns`: the best so far on this workload; 0: none.
detail::sampling_rules sampling_rules_of(const measure_settings& settings, double best_ns);

/// The same for candidates that are launched one request at a time: a much too slow one needs no second sample, and
/// with `samples` above 0 exactly that many are taken, however they scatter.
detail::sampling_rules sampling_rules_of_launches(const measure_settings& settings, double best_ns, int samples);

}  // namespace launchbox
