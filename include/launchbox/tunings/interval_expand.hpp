// The tables of interval_expand, kept by launchbox emit; docs/tunings.md says what the lines mean.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <type_traits>

#include <launchbox/algorithms/interval_row.hpp>

namespace launchbox::tunings {

// clang-format off

// table interval_expand_4: interval_expand, type of 4 bytes
#ifdef LAUNCHBOX_INTERVAL_EXPAND_4_ROW
using interval_expand_4 = launchbox::only<launchbox::interval_row LAUNCHBOX_INTERVAL_EXPAND_4_ROW>;
#else
struct interval_expand_4 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, launchbox::interval_row{256, 16, 4}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.071 times as fast (1.063 to 1.078) as {256, 16, 4}, the row of sm_75
    // record: measurements/nvidia-h200/tune_interval_expand.json.gz fnv1a64:ec89997222e8fce2
    launchbox::sm<90, launchbox::interval_row{256, 24, 4}>,
    // baseline, not measured
    launchbox::sm<110, launchbox::interval_row{256, 16, 4}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table interval_expand_8: interval_expand, type of 8 bytes
#ifdef LAUNCHBOX_INTERVAL_EXPAND_8_ROW
using interval_expand_8 = launchbox::only<launchbox::interval_row LAUNCHBOX_INTERVAL_EXPAND_8_ROW>;
#else
struct interval_expand_8 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, launchbox::interval_row{256, 8, 4}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.188 times as fast (1.182 to 1.196) as {256, 8, 4}, the row of sm_75
    // record: measurements/nvidia-h200/tune_interval_expand.json.gz fnv1a64:ec89997222e8fce2
    launchbox::sm<90, launchbox::interval_row{256, 24, 4}>,
    // baseline, not measured
    launchbox::sm<110, launchbox::interval_row{256, 8, 4}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// clang-format on

/// Elements of less than 4 bytes use the items for 4 bytes, since marks take the shared memory; elements of more than
/// 8 bytes have fewer items.
template <class Element>
using interval_expand = std::conditional_t<(sizeof(Element) < 8), interval_expand_4,
                                           by_type<Element, void, element_bytes<8, 0, interval_expand_8>>>;

}  // namespace launchbox::tunings
