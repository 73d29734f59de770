// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/sampling_settings.hpp"

namespace launchbox {

namespace {

// Of 3,599 candidates recorded on an H200 (measurements/nvidia-h200/tune_*.json) no first sample took more than 1.30
// times as long as the candidate's shortest.
constexpr double margin_of_first_sample = 2;

}  // namespace

detail::sampling_rules sampling_rules_of(const measure_settings& settings, double best_ns)
{
    return {.min_samples = settings.min_samples,
            .max_samples = settings.max_samples,
            .relative_error = settings.relative_error,
            .max_seconds = settings.max_seconds,
            .best_ns = best_ns,
            .give_up_ratio = settings.give_up_ratio};
}

detail::sampling_rules sampling_rules_of_launches(const measure_settings& settings, double best_ns, int samples)
{
    if (samples > 0) return {.min_samples = samples, .max_samples = samples, .relative_error = 0, .max_seconds = 1e9};
    detail::sampling_rules rules = sampling_rules_of(settings, best_ns);
    rules.certain_ratio = margin_of_first_sample * settings.give_up_ratio;
    return rules;
}

}  // namespace launchbox
