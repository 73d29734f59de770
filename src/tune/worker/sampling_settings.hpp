// How a user's settings of [measure] become the rules by which there are enough samples.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/detail/measure/sampling.hpp>

#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// `best_ns`: of the best so far on this workload; 0: none.
detail::sampling_rules sampling_rules_of(const measure_settings& settings, double best_ns);

/// The same where the tool asks for each launch: one that is much too slow needs no second sample, and with `samples`
/// above 0 there are so many, however they scatter.
detail::sampling_rules sampling_rules_of_launches(const measure_settings& settings, double best_ns, int samples);

}  // namespace launchbox
