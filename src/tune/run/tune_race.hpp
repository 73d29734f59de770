// The final race of one workload in a tuning run: its contestants, their timing, and its record.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>

#include "tune/run/backend.hpp"
#include "tune/run/final_race.hpp"
#include "tune/run/measuring_devices.hpp"
#include "tune/space/search_space.hpp"
#include "tune/store/result_store.hpp"

namespace launchbox {

struct race_setting {
    const tune_spec& spec;
    const search_space& space;
    const tune_backend& backend;
    measuring_devices& devices;
    result_store& store;
    std::int64_t run = 0;
    bool nothing_new = false;  ///< no result was added since the last race
    race_rules rules;
    std::function<prepared_job(const tune_job&)> prepare;
};

/// Times the best results of the run on this workload again, in turns, and stores the outcome with the results that it
/// used. Does nothing if nothing was measured, if a race decides already and nothing is new, and after an interrupt.
void race_workload(const race_setting& setting, std::size_t workload);

}  // namespace launchbox
