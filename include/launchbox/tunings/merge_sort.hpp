// The rows of launchbox::merge_sort, kept by launchbox emit; docs/tunings.md says what the lines mean, and
// algorithms/tune_all measures them again. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <type_traits>

#include <launchbox/launch_box.cuh>

namespace launchbox {

/// What one kernel of merge_sort is compiled for: the sort of a tile, and the passes that merge tiles.
struct merge_sort_row {
    int threads;     ///< of a block: a power of two, 64 to 1,024
    int items;       ///< of a thread, a power of two (rounded down to one); threads * items is the tile
    int min_blocks;  ///< wanted resident blocks on an SM; 0: as the compiler likes
    int ways;        ///< sorted runs that one pass merges: 2, 4, 8, 16 or 32
};

// clang-format off

// table merge_sort_k4_upto_262144: 4-byte keys, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K4_UPTO_262144_ROW
using merge_sort_k4_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_UPTO_262144_ROW>;
#else
using merge_sort_k4_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.040 times as fast (1.029 to 1.050) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4.json.gz fnv1a64:f06f2e520aa4ce0c
    launchbox::sm<90, merge_sort_row{256, 8, 2, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_k4_upto_2097152: 4-byte keys, n above 262144, n up to 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K4_UPTO_2097152_ROW
using merge_sort_k4_upto_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_UPTO_2097152_ROW>;
#else
using merge_sort_k4_upto_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.083 times as fast (1.076 to 1.096) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4.json.gz fnv1a64:f06f2e520aa4ce0c
    launchbox::sm<90, merge_sort_row{128, 32, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k4_above_2097152: 4-byte keys, n above 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K4_ABOVE_2097152_ROW
using merge_sort_k4_above_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_ABOVE_2097152_ROW>;
#else
using merge_sort_k4_above_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.327 times as fast (1.324 to 1.328) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4.json.gz fnv1a64:f06f2e520aa4ce0c
    launchbox::sm<90, merge_sort_row{256, 32, 5, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k8_upto_262144: 8-byte keys, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K8_UPTO_262144_ROW
using merge_sort_k8_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_UPTO_262144_ROW>;
#else
using merge_sort_k8_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.018 times as fast (1.013 to 1.027) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8.json.gz fnv1a64:94733477a4cb8969
    launchbox::sm<90, merge_sort_row{256, 8, 2, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_k8_upto_2097152: 8-byte keys, n above 262144, n up to 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K8_UPTO_2097152_ROW
using merge_sort_k8_upto_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_UPTO_2097152_ROW>;
#else
using merge_sort_k8_upto_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.067 times as fast (1.053 to 1.076) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8.json.gz fnv1a64:94733477a4cb8969
    launchbox::sm<90, merge_sort_row{128, 32, 5, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k8_above_2097152: 8-byte keys, n above 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K8_ABOVE_2097152_ROW
using merge_sort_k8_above_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_ABOVE_2097152_ROW>;
#else
using merge_sort_k8_above_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.144 times as fast (1.142 to 1.145) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8.json.gz fnv1a64:94733477a4cb8969
    launchbox::sm<90, merge_sort_row{128, 32, 4, 8}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k16_upto_262144: 16-byte keys, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K16_UPTO_262144_ROW
using merge_sort_k16_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K16_UPTO_262144_ROW>;
#else
using merge_sort_k16_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.388 times as fast (1.372 to 1.407) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k16.json.gz fnv1a64:b9b19a08290a3d3e
    launchbox::sm<90, merge_sort_row{512, 4, 2, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_k16_above_262144: 16-byte keys, n above 262144
#ifdef LAUNCHBOX_MERGE_SORT_K16_ABOVE_262144_ROW
using merge_sort_k16_above_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K16_ABOVE_262144_ROW>;
#else
using merge_sort_k16_above_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 1, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.217 times as fast (1.210 to 1.222) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k16.json.gz fnv1a64:b9b19a08290a3d3e
    launchbox::sm<90, merge_sort_row{256, 16, 3, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 1, 8}>
>;
#endif

// table merge_sort_k4_v4_upto_262144: 4-byte keys with 4-byte values, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K4_V4_UPTO_262144_ROW
using merge_sort_k4_v4_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_V4_UPTO_262144_ROW>;
#else
using merge_sort_k4_v4_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.238 times as fast (1.231 to 1.245) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4_v4.json.gz fnv1a64:9512b02f7ad1b2a1
    launchbox::sm<90, merge_sort_row{256, 8, 2, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_k4_v4_upto_2097152: 4-byte keys with 4-byte values, n above 262144, n up to 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K4_V4_UPTO_2097152_ROW
using merge_sort_k4_v4_upto_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_V4_UPTO_2097152_ROW>;
#else
using merge_sort_k4_v4_upto_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.056 times as fast (1.032 to 1.065) as {128, 16, 8, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_k4_v4.json.gz fnv1a64:9512b02f7ad1b2a1
    launchbox::sm<90, merge_sort_row{256, 16, 3, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k4_v4_above_2097152: 4-byte keys with 4-byte values, n above 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K4_V4_ABOVE_2097152_ROW
using merge_sort_k4_v4_above_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_V4_ABOVE_2097152_ROW>;
#else
using merge_sort_k4_v4_above_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.104 times as fast (1.102 to 1.105) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4_v4.json.gz fnv1a64:9512b02f7ad1b2a1
    launchbox::sm<90, merge_sort_row{128, 32, 6, 8}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_k8_v8_upto_262144: 8-byte keys with 8-byte values, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K8_V8_UPTO_262144_ROW
using merge_sort_k8_v8_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_V8_UPTO_262144_ROW>;
#else
using merge_sort_k8_v8_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.246 times as fast (1.231 to 1.276) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8_v8.json.gz fnv1a64:805c66c58e0e1f66
    launchbox::sm<90, merge_sort_row{512, 4, 2, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_k8_v8_upto_2097152: 8-byte keys with 8-byte values, n above 262144, n up to 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K8_V8_UPTO_2097152_ROW
using merge_sort_k8_v8_upto_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_V8_UPTO_2097152_ROW>;
#else
using merge_sort_k8_v8_upto_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 1, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.190 times as fast (1.176 to 1.203) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8_v8.json.gz fnv1a64:805c66c58e0e1f66
    launchbox::sm<90, merge_sort_row{128, 16, 2, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 1, 8}>
>;
#endif

// table merge_sort_k8_v8_above_2097152: 8-byte keys with 8-byte values, n above 2097152
#ifdef LAUNCHBOX_MERGE_SORT_K8_V8_ABOVE_2097152_ROW
using merge_sort_k8_v8_above_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_V8_ABOVE_2097152_ROW>;
#else
using merge_sort_k8_v8_above_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 1, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-21, launchbox 0.1.0
    // gain: 1.042 times as fast (1.041 to 1.046) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8_v8.json.gz fnv1a64:805c66c58e0e1f66
    launchbox::sm<90, merge_sort_row{256, 16, 3, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 1, 8}>
>;
#endif

// table merge_sort_s4_upto_16384: 4-byte keys whose equal ones may differ, n up to 16384
#ifdef LAUNCHBOX_MERGE_SORT_S4_UPTO_16384_ROW
using merge_sort_s4_upto_16384 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S4_UPTO_16384_ROW>;
#else
using merge_sort_s4_upto_16384 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-23, launchbox 0.1.0
    // gain: 1.121 times as fast (1.113 to 1.133) as {256, 8, 2, 32}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s4.json.gz fnv1a64:cb6326136a606764
    launchbox::sm<90, merge_sort_row{256, 4, 2, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_s4_upto_262144: 4-byte keys whose equal ones may differ, n above 16384, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_S4_UPTO_262144_ROW
using merge_sort_s4_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S4_UPTO_262144_ROW>;
#else
using merge_sort_s4_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // baseline, not measured
    launchbox::sm<90, merge_sort_row{256, 8, 2, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_s4_upto_2097152: 4-byte keys whose equal ones may differ, n above 262144, n up to 2097152
#ifdef LAUNCHBOX_MERGE_SORT_S4_UPTO_2097152_ROW
using merge_sort_s4_upto_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S4_UPTO_2097152_ROW>;
#else
using merge_sort_s4_upto_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-23, launchbox 0.1.0
    // gain: 1.067 times as fast (1.058 to 1.075) as {128, 32, 4, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s4.json.gz fnv1a64:cb6326136a606764
    launchbox::sm<90, merge_sort_row{256, 16, 2, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_s4_above_2097152: 4-byte keys whose equal ones may differ, n above 2097152
#ifdef LAUNCHBOX_MERGE_SORT_S4_ABOVE_2097152_ROW
using merge_sort_s4_above_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S4_ABOVE_2097152_ROW>;
#else
using merge_sort_s4_above_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<90, merge_sort_row{256, 32, 5, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_s8_upto_16384: 8-byte keys whose equal ones may differ, n up to 16384
#ifdef LAUNCHBOX_MERGE_SORT_S8_UPTO_16384_ROW
using merge_sort_s8_upto_16384 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S8_UPTO_16384_ROW>;
#else
using merge_sort_s8_upto_16384 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-23, launchbox 0.1.0
    // gain: 1.201 times as fast (1.188 to 1.211) as {256, 8, 2, 32}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s8.json.gz fnv1a64:6b125c8be75d8f07
    launchbox::sm<90, merge_sort_row{256, 4, 2, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_s8_upto_262144: 8-byte keys whose equal ones may differ, n above 16384, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_S8_UPTO_262144_ROW
using merge_sort_s8_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S8_UPTO_262144_ROW>;
#else
using merge_sort_s8_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // baseline, not measured
    launchbox::sm<90, merge_sort_row{256, 8, 2, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_s8_upto_2097152: 8-byte keys whose equal ones may differ, n above 262144, n up to 2097152
#ifdef LAUNCHBOX_MERGE_SORT_S8_UPTO_2097152_ROW
using merge_sort_s8_upto_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S8_UPTO_2097152_ROW>;
#else
using merge_sort_s8_upto_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-23, launchbox 0.1.0
    // gain: 1.078 times as fast (1.064 to 1.091) as {128, 32, 5, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s8.json.gz fnv1a64:6b125c8be75d8f07
    launchbox::sm<90, merge_sort_row{256, 16, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_s8_above_2097152: 8-byte keys whose equal ones may differ, n above 2097152
#ifdef LAUNCHBOX_MERGE_SORT_S8_ABOVE_2097152_ROW
using merge_sort_s8_above_2097152 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S8_ABOVE_2097152_ROW>;
#else
using merge_sort_s8_above_2097152 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-23, launchbox 0.1.0
    // gain: 1.013 times as fast (1.012 to 1.013) as {128, 32, 4, 8}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s8.json.gz fnv1a64:6b125c8be75d8f07
    launchbox::sm<90, merge_sort_row{128, 32, 5, 8}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
>;
#endif

// table merge_sort_s16_upto_16384: 16-byte keys whose equal ones may differ, n up to 16384
#ifdef LAUNCHBOX_MERGE_SORT_S16_UPTO_16384_ROW
using merge_sort_s16_upto_16384 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S16_UPTO_16384_ROW>;
#else
using merge_sort_s16_upto_16384 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-23, launchbox 0.1.0
    // gain: 1.199 times as fast (1.191 to 1.210) as {512, 4, 2, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s16.json.gz fnv1a64:b6dfd3cc578c97e3
    launchbox::sm<90, merge_sort_row{256, 4, 2, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_s16_upto_262144: 16-byte keys whose equal ones may differ, n above 16384, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_S16_UPTO_262144_ROW
using merge_sort_s16_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S16_UPTO_262144_ROW>;
#else
using merge_sort_s16_upto_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // baseline, not measured
    launchbox::sm<90, merge_sort_row{512, 4, 2, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
>;
#endif

// table merge_sort_s16_above_262144: 16-byte keys whose equal ones may differ, n above 262144
#ifdef LAUNCHBOX_MERGE_SORT_S16_ABOVE_262144_ROW
using merge_sort_s16_above_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S16_ABOVE_262144_ROW>;
#else
using merge_sort_s16_above_262144 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 1, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-23, launchbox 0.1.0
    // gain: 1.789 times as fast (1.785 to 1.791) as {256, 16, 3, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s16.json.gz fnv1a64:b6dfd3cc578c97e3
    launchbox::sm<90, merge_sort_row{256, 16, 2, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 1, 8}>
>;
#endif

// clang-format on

// Names of their own, since each letter of a kernel's name costs time at its launch.
// The tables of 8-byte keys for more than 2^21 are not in use: with those for fewer the sort takes 0.82 to 1.02 times
// as long (measurements/nvidia-h200/merge_sort_code_steps.txt), and is a third less code.
struct merge_sort_k4 : by_size<upto<262144, merge_sort_k4_upto_262144>, upto<2097152, merge_sort_k4_upto_2097152>,
                               otherwise<merge_sort_k4_above_2097152>> {};
struct merge_sort_k8 : by_size<upto<262144, merge_sort_k8_upto_262144>, otherwise<merge_sort_k8_upto_2097152>> {};
struct merge_sort_k16 : by_size<upto<262144, merge_sort_k16_upto_262144>, otherwise<merge_sort_k16_above_262144>> {};
struct merge_sort_s4 : by_size<upto<16384, merge_sort_s4_upto_16384>, upto<262144, merge_sort_s4_upto_262144>,
                               upto<2097152, merge_sort_s4_upto_2097152>, otherwise<merge_sort_s4_above_2097152>> {};
struct merge_sort_s8 : by_size<upto<16384, merge_sort_s8_upto_16384>, upto<262144, merge_sort_s8_upto_262144>,
                               upto<2097152, merge_sort_s8_upto_2097152>, otherwise<merge_sort_s8_above_2097152>> {};
struct merge_sort_s16 : by_size<upto<16384, merge_sort_s16_upto_16384>, upto<262144, merge_sort_s16_upto_262144>,
                                otherwise<merge_sort_s16_above_262144>> {};
struct merge_sort_k4_v4
    : by_size<upto<262144, merge_sort_k4_v4_upto_262144>, upto<2097152, merge_sort_k4_v4_upto_2097152>,
              otherwise<merge_sort_k4_v4_above_2097152>> {};
struct merge_sort_k8_v8
    : by_size<upto<262144, merge_sort_k8_v8_upto_262144>, otherwise<merge_sort_k8_v8_upto_2097152>> {};

namespace detail {

template <std::size_t Bytes>
struct some_bytes {
    unsigned char bytes[Bytes];
};

// The table of the next larger elements that there is, since a row that fits them fits smaller ones, and a key of 1 or
// 2 bytes takes as much room as one of 4. Keys of more than 8 bytes with values are as much larger keys alone: the
// pairs that were measured are smaller. Larger elements than those of all tables keep their size, and by_type scales a
// row for them. Values of more than 8 bytes are sorted as indices of 4 bytes.
template <class Key, class Value>
struct merge_sort_types {
    static constexpr std::size_t value_bytes = sizeof(Value) > 8 || sizeof(Value) <= 4 ? 4 : 8;
    static constexpr bool is_small = sizeof(Key) <= 4 && value_bytes <= 4, is_large = sizeof(Key) > 8;
    using key = some_bytes<is_small ? 4 : is_large ? sizeof(Key) + value_bytes : 8>;
    using value = std::conditional_t<is_large, void, some_bytes<is_small ? 4 : 8>>;
};
template <class Key>
struct merge_sort_types<Key, void> {
    using key = some_bytes<sizeof(Key) <= 4 ? 4 : sizeof(Key) <= 8 ? 8 : sizeof(Key) <= 16 ? 16 : sizeof(Key)>;
    using value = void;
};

}  // namespace detail

/// The rows for keys and values (`void`: none) of any types. `Differ`: equal keys may differ in their bits, as
/// floating-point numbers and keys with an order of one's own do, so that they are merged one by one.
template <class Key, class Value = void, bool Differ = false>
using merge_sort_tuning = typename std::conditional_t<
    Differ && std::is_void_v<Value>,
    std::type_identity<
        by_type<typename detail::merge_sort_types<Key, Value>::key, void, element_bytes<4, 0, merge_sort_s4>,
                element_bytes<8, 0, merge_sort_s8>, element_bytes<16, 0, merge_sort_s16>>>,
    std::type_identity<by_type<typename detail::merge_sort_types<Key, Value>::key,
                               typename detail::merge_sort_types<Key, Value>::value, element_bytes<4, 0, merge_sort_k4>,
                               element_bytes<8, 0, merge_sort_k8>, element_bytes<16, 0, merge_sort_k16>,
                               element_bytes<4, 4, merge_sort_k4_v4>, element_bytes<8, 8, merge_sort_k8_v8>>>>::type;

}  // namespace launchbox
