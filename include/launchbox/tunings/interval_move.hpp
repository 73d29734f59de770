// The tables of interval_move, kept by launchbox emit; docs/tunings.md says what the lines mean.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <launchbox/algorithms/interval_row.hpp>

namespace launchbox::tunings {

// clang-format off

// table interval_move_4: interval_move, type of 4 bytes
#ifdef LAUNCHBOX_INTERVAL_MOVE_4_ROW
using interval_move_4 = launchbox::only<launchbox::interval_row LAUNCHBOX_INTERVAL_MOVE_4_ROW>;
#else
struct interval_move_4 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, launchbox::interval_row{256, 12, 4}>,
    // baseline, not measured
    launchbox::sm<80, launchbox::interval_row{256, 16, 4}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.052 times as fast (1.047 to 1.055) as {256, 16, 4}, the row of sm_80
    // record: measurements/nvidia-h200/tune_interval_move.json.gz fnv1a64:8ae354b9d519aa62
    launchbox::sm<90, launchbox::interval_row{256, 16, 6}>,
    // baseline, not measured
    launchbox::sm<110, launchbox::interval_row{256, 16, 4}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table interval_move_8: interval_move, type of 8 bytes
#ifdef LAUNCHBOX_INTERVAL_MOVE_8_ROW
using interval_move_8 = launchbox::only<launchbox::interval_row LAUNCHBOX_INTERVAL_MOVE_8_ROW>;
#else
struct interval_move_8 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, launchbox::interval_row{256, 12, 4}>,
    // baseline, not measured
    launchbox::sm<80, launchbox::interval_row{256, 12, 4}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.091 times as fast (1.090 to 1.093) as {256, 12, 4}, the row of sm_80
    // record: measurements/nvidia-h200/tune_interval_move.json.gz fnv1a64:8ae354b9d519aa62
    launchbox::sm<90, launchbox::interval_row{128, 20, 8}>,
    // baseline, not measured
    launchbox::sm<110, launchbox::interval_row{256, 12, 4}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// clang-format on

/// Not scaled, since the shared memory of a tile does not depend on the element.
template <class Element>
using interval_move = std::conditional_t<(sizeof(Element) < 8), interval_move_4, interval_move_8>;

}  // namespace launchbox::tunings
