// The rows of launchbox::merge_sort, kept by launchbox emit; docs/tunings.md says what the lines mean, and
// algorithms/tune_all measures them again.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <launchbox/launch_box.cuh>

namespace launchbox {

/// What one kernel of merge_sort is compiled for: the sort of a tile, and the passes that merge tiles.
struct merge_sort_row {
    int threads;     ///< of a block: a power of two, 64 to 1,024
    int items;       ///< of a thread, a power of two, 2 or more; threads * items is the tile
    int min_blocks;  ///< wanted resident blocks on an SM; 0: as the compiler likes
    int ways;        ///< sorted runs that one pass merges: 2, 4, 8, 16 or 32

    /// The number of items that by_type uses instead of one that it has scaled to elements of another size.
    static constexpr int fitting_items(int items)
    {
        return items < 2 ? 2 : static_cast<int>(std::bit_floor(static_cast<unsigned>(items)));
    }
};

// clang-format off

// table merge_sort_k4_upto_262144: 4-byte keys, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K4_UPTO_262144_ROW
using merge_sort_k4_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_UPTO_262144_ROW>;
#else
struct merge_sort_k4_upto_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.062 times as fast (1.054 to 1.075) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4.json.gz fnv1a64:6dda74d9cf76f66b
    launchbox::sm<90, merge_sort_row{256, 8, 2, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_k4_above_1048576: 4-byte keys, n above 1048576
#ifdef LAUNCHBOX_MERGE_SORT_K4_ABOVE_1048576_ROW
using merge_sort_k4_above_1048576 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_ABOVE_1048576_ROW>;
#else
struct merge_sort_k4_above_1048576 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.289 times as fast (1.285 to 1.296) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k4.json.gz fnv1a64:6dda74d9cf76f66b
    launchbox::sm<90, merge_sort_row{256, 32, 5, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_k8_upto_262144: 8-byte keys, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K8_UPTO_262144_ROW
using merge_sort_k8_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_UPTO_262144_ROW>;
#else
struct merge_sort_k8_upto_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.053 times as fast (1.045 to 1.066) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8.json.gz fnv1a64:0f9881929791c9c3
    launchbox::sm<90, merge_sort_row{256, 8, 2, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_k8_above_262144: 8-byte keys, n above 262144
#ifdef LAUNCHBOX_MERGE_SORT_K8_ABOVE_262144_ROW
using merge_sort_k8_above_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_ABOVE_262144_ROW>;
#else
struct merge_sort_k8_above_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.252 times as fast (1.245 to 1.261) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k8.json.gz fnv1a64:0f9881929791c9c3
    launchbox::sm<90, merge_sort_row{128, 32, 5, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_k16_upto_262144: 16-byte keys, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K16_UPTO_262144_ROW
using merge_sort_k16_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K16_UPTO_262144_ROW>;
#else
struct merge_sort_k16_upto_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.385 times as fast (1.368 to 1.399) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k16.json.gz fnv1a64:c8a6f4304c8a33a4
    launchbox::sm<90, merge_sort_row{256, 4, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_k16_above_1048576: 16-byte keys, n above 1048576
#ifdef LAUNCHBOX_MERGE_SORT_K16_ABOVE_1048576_ROW
using merge_sort_k16_above_1048576 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K16_ABOVE_1048576_ROW>;
#else
struct merge_sort_k16_above_1048576 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 1, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.170 times as fast (1.165 to 1.173) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_k16.json.gz fnv1a64:c8a6f4304c8a33a4
    launchbox::sm<90, merge_sort_row{256, 16, 3, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 1, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_k4_v4_upto_262144: 4-byte keys with 4-byte values, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K4_V4_UPTO_262144_ROW
using merge_sort_k4_v4_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_V4_UPTO_262144_ROW>;
#else
struct merge_sort_k4_v4_upto_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.198 times as fast (1.181 to 1.214) as {256, 16, 2, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_k4_v4.json.gz fnv1a64:342221013eec4fca
    launchbox::sm<90, merge_sort_row{256, 4, 4, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_k4_v4_above_262144: 4-byte keys with 4-byte values, n above 262144
#ifdef LAUNCHBOX_MERGE_SORT_K4_V4_ABOVE_262144_ROW
using merge_sort_k4_v4_above_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K4_V4_ABOVE_262144_ROW>;
#else
struct merge_sort_k4_v4_above_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.149 times as fast (1.144 to 1.156) as {256, 16, 2, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_k4_v4.json.gz fnv1a64:342221013eec4fca
    launchbox::sm<90, merge_sort_row{128, 32, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_k8_v8_upto_262144: 8-byte keys with 8-byte values, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_K8_V8_UPTO_262144_ROW
using merge_sort_k8_v8_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_V8_UPTO_262144_ROW>;
#else
struct merge_sort_k8_v8_upto_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.092 times as fast (1.076 to 1.109) as {256, 16, 2, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_k8_v8.json.gz fnv1a64:89745a514e258c9b
    launchbox::sm<90, merge_sort_row{256, 4, 4, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_k8_v8_above_262144: 8-byte keys with 8-byte values, n above 262144
#ifdef LAUNCHBOX_MERGE_SORT_K8_V8_ABOVE_262144_ROW
using merge_sort_k8_v8_above_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K8_V8_ABOVE_262144_ROW>;
#else
struct merge_sort_k8_v8_above_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 1, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.174 times as fast (1.158 to 1.187) as {256, 16, 2, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_k8_v8.json.gz fnv1a64:89745a514e258c9b
    launchbox::sm<90, merge_sort_row{256, 16, 3, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 1, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_s4_upto_262144: 4-byte keys whose equal ones may differ, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_S4_UPTO_262144_ROW
using merge_sort_s4_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S4_UPTO_262144_ROW>;
#else
struct merge_sort_s4_upto_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.168 times as fast (1.156 to 1.176) as {256, 16, 2, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s4.json.gz fnv1a64:d7ad1cc7ac0220d2
    launchbox::sm<90, merge_sort_row{256, 8, 2, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_s4_above_1048576: 4-byte keys whose equal ones may differ, n above 1048576
#ifdef LAUNCHBOX_MERGE_SORT_S4_ABOVE_1048576_ROW
using merge_sort_s4_above_1048576 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S4_ABOVE_1048576_ROW>;
#else
struct merge_sort_s4_above_1048576 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.268 times as fast (1.260 to 1.275) as {256, 16, 2, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s4.json.gz fnv1a64:d7ad1cc7ac0220d2
    launchbox::sm<90, merge_sort_row{256, 32, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_s8_upto_262144: 8-byte keys whose equal ones may differ, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_S8_UPTO_262144_ROW
using merge_sort_s8_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S8_UPTO_262144_ROW>;
#else
struct merge_sort_s8_upto_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.262 times as fast (1.249 to 1.276) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_s8.json.gz fnv1a64:c5a6e325f2e1d6c0
    launchbox::sm<90, merge_sort_row{256, 4, 4, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_s8_above_262144: 8-byte keys whose equal ones may differ, n above 262144
#ifdef LAUNCHBOX_MERGE_SORT_S8_ABOVE_262144_ROW
using merge_sort_s8_above_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S8_ABOVE_262144_ROW>;
#else
struct merge_sort_s8_above_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.163 times as fast (1.155 to 1.172) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_s8.json.gz fnv1a64:c5a6e325f2e1d6c0
    launchbox::sm<90, merge_sort_row{256, 16, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_s16_upto_262144: 16-byte keys whose equal ones may differ, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_S16_UPTO_262144_ROW
using merge_sort_s16_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S16_UPTO_262144_ROW>;
#else
struct merge_sort_s16_upto_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.634 times as fast (1.598 to 1.657) as {256, 16, 2, 16}, the baseline
    // record: measurements/nvidia-h200/tune_merge_sort_s16.json.gz fnv1a64:d679c578db0e014b
    launchbox::sm<90, merge_sort_row{256, 4, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_s16_above_1048576: 16-byte keys whose equal ones may differ, n above 1048576
#ifdef LAUNCHBOX_MERGE_SORT_S16_ABOVE_1048576_ROW
using merge_sort_s16_above_1048576 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S16_ABOVE_1048576_ROW>;
#else
struct merge_sort_s16_above_1048576 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 1, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: less than 1 % or noise, so that {256, 16, 2, 16}, the row of sm_90, is kept
    // record: measurements/nvidia-h200/tune_merge_sort_s16.json.gz fnv1a64:d679c578db0e014b
    launchbox::sm<90, merge_sort_row{256, 16, 2, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 1, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_s4_v4_upto_262144: 4-byte keys that are not integers, with 4-byte values, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_S4_V4_UPTO_262144_ROW
using merge_sort_s4_v4_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S4_V4_UPTO_262144_ROW>;
#else
struct merge_sort_s4_v4_upto_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.260 times as fast (1.244 to 1.269) as {256, 16, 2, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s4_v4.json.gz fnv1a64:54dc297bc6f2f2fa
    launchbox::sm<90, merge_sort_row{256, 4, 4, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_s4_v4_above_262144: 4-byte keys that are not integers, with 4-byte values, n above 262144
#ifdef LAUNCHBOX_MERGE_SORT_S4_V4_ABOVE_262144_ROW
using merge_sort_s4_v4_above_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S4_V4_ABOVE_262144_ROW>;
#else
struct merge_sort_s4_v4_above_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 2, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.074 times as fast (1.065 to 1.080) as {256, 16, 2, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s4_v4.json.gz fnv1a64:54dc297bc6f2f2fa
    launchbox::sm<90, merge_sort_row{128, 32, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 2, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_s8_v8_upto_262144: 8-byte keys that are not integers, with 8-byte values, n up to 262144
#ifdef LAUNCHBOX_MERGE_SORT_S8_V8_UPTO_262144_ROW
using merge_sort_s8_v8_upto_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S8_V8_UPTO_262144_ROW>;
#else
struct merge_sort_s8_v8_upto_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 4, 4, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.376 times as fast (1.367 to 1.391) as {256, 16, 2, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s8_v8.json.gz fnv1a64:c099eefb09480571
    launchbox::sm<90, merge_sort_row{256, 4, 4, 32}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 4, 4, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_s8_v8_above_262144: 8-byte keys that are not integers, with 8-byte values, n above 262144
#ifdef LAUNCHBOX_MERGE_SORT_S8_V8_ABOVE_262144_ROW
using merge_sort_s8_v8_above_262144 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_S8_V8_ABOVE_262144_ROW>;
#else
struct merge_sort_s8_v8_above_262144 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 8, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 8, 1, 8}>,
    // measured: NVIDIA H200, driver 13.0, nvcc 13.0.88, 2026-11-24, launchbox 0.1.0
    // gain: 1.151 times as fast (1.146 to 1.157) as {256, 16, 2, 16}, the row of sm_90
    // record: measurements/nvidia-h200/tune_merge_sort_s8_v8.json.gz fnv1a64:c099eefb09480571
    launchbox::sm<90, merge_sort_row{128, 16, 5, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 8, 1, 8}>
> {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA H200", 90, 132, 150'109'880'320, 0},
    };
};
#endif

// table merge_sort_k16_v8_upto_65536: keys of 9 to 16 bytes with values, n up to 65536
#ifdef LAUNCHBOX_MERGE_SORT_K16_V8_UPTO_65536_ROW
using merge_sort_k16_v8_upto_65536 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K16_V8_UPTO_65536_ROW>;
#else
struct merge_sort_k16_v8_upto_65536 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 2, 2, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{256, 2, 4, 8}>,
    // baseline, not measured
    launchbox::sm<90, merge_sort_row{256, 4, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{256, 2, 4, 8}>
> {};
#endif

// table merge_sort_k16_v8_above_65536: keys of 9 to 16 bytes with values, n above 65536
#ifdef LAUNCHBOX_MERGE_SORT_K16_V8_ABOVE_65536_ROW
using merge_sort_k16_v8_above_65536 = launchbox::only<merge_sort_row LAUNCHBOX_MERGE_SORT_K16_V8_ABOVE_65536_ROW>;
#else
struct merge_sort_k16_v8_above_65536 : launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, merge_sort_row{256, 4, 1, 8}>,
    // baseline, not measured
    launchbox::sm<80, merge_sort_row{512, 4, 1, 8}>,
    // baseline, not measured
    launchbox::sm<90, merge_sort_row{128, 16, 4, 16}>,
    // baseline, not measured
    launchbox::sm<120, merge_sort_row{512, 4, 1, 8}>
> {};
#endif

// clang-format on

// Named structs, since each letter of a kernel's name costs time at its launch. Only two classes of sizes, since each
// takes three kernels. Rows of the larger class were measured from 2^20 or 2^21 elements on; at 2^19 they are at least
// as fast as those of the smaller class.
struct merge_sort_k4 : by_size<upto<262144, merge_sort_k4_upto_262144>, otherwise<merge_sort_k4_above_1048576>> {};
struct merge_sort_k8 : by_size<upto<262144, merge_sort_k8_upto_262144>, otherwise<merge_sort_k8_above_262144>> {};
struct merge_sort_k16 : by_size<upto<262144, merge_sort_k16_upto_262144>, otherwise<merge_sort_k16_above_1048576>> {};
struct merge_sort_s4 : by_size<upto<262144, merge_sort_s4_upto_262144>, otherwise<merge_sort_s4_above_1048576>> {};
struct merge_sort_s8 : by_size<upto<262144, merge_sort_s8_upto_262144>, otherwise<merge_sort_s8_above_262144>> {};
struct merge_sort_s16 : by_size<upto<262144, merge_sort_s16_upto_262144>, otherwise<merge_sort_s16_above_1048576>> {};
struct merge_sort_k4_v4
    : by_size<upto<262144, merge_sort_k4_v4_upto_262144>, otherwise<merge_sort_k4_v4_above_262144>> {};
struct merge_sort_k8_v8
    : by_size<upto<262144, merge_sort_k8_v8_upto_262144>, otherwise<merge_sort_k8_v8_above_262144>> {};
struct merge_sort_s4_v4
    : by_size<upto<262144, merge_sort_s4_v4_upto_262144>, otherwise<merge_sort_s4_v4_above_262144>> {};
struct merge_sort_s8_v8
    : by_size<upto<262144, merge_sort_s8_v8_upto_262144>, otherwise<merge_sort_s8_v8_above_262144>> {};
// Chosen among several rows on an H100, without a record of tune: measurements/nvidia-h100/merge_sort_steps.txt.
struct merge_sort_k16_v8
    : by_size<upto<65536, merge_sort_k16_v8_upto_65536>, otherwise<merge_sort_k16_v8_above_65536>> {};

// Floating-point keys without values in their natural order: small sorts merge them one by one, larger ones sort them
// as integers.
struct merge_sort_f4_upto : merge_sort_s4_upto_262144 {};
struct merge_sort_f4 : merge_sort_k4_above_1048576 {};
struct merge_sort_f8_upto : merge_sort_s8_upto_262144 {};
struct merge_sort_f8 : merge_sort_k8_above_262144 {};

template <class Key>
struct merge_sort_floats {
    static constexpr std::int64_t max_elements = 262144;  ///< that are merged one by one
    using one_by_one = std::conditional_t<sizeof(Key) <= 4, merge_sort_f4_upto, merge_sort_f8_upto>;
    using words = std::conditional_t<sizeof(Key) <= 4, merge_sort_f4, merge_sort_f8>;
};

namespace detail {

template <std::size_t Bytes>
struct some_bytes {
    unsigned char bytes[Bytes];
};

// Element sizes are rounded up to those of the next larger table, since a row that fits larger elements fits smaller
// ones, and a key of 1 or 2 bytes takes as much memory as one of 4. A key of more than 16 bytes with a value counts as
// a larger key without one, since the measured pairs are smaller. Elements larger than those of all tables keep their
// size, and by_type scales a row for them. Values of more than 8 bytes are sorted as indices of 4 bytes.
template <class Key, class Value>
struct merge_sort_types {
    static constexpr std::size_t value_bytes = sizeof(Value) > 8 || sizeof(Value) <= 4 ? 4 : 8;
    static constexpr bool is_small = sizeof(Key) <= 4 && value_bytes <= 4, is_large = sizeof(Key) > 16;
    static constexpr std::size_t key_bytes = is_small           ? 4
                                             : is_large         ? sizeof(Key) + value_bytes
                                             : sizeof(Key) <= 8 ? 8
                                                                : 16;
    using key = some_bytes<key_bytes>;
    using value = std::conditional_t<is_large, void, some_bytes<is_small ? 4 : 8>>;
};
template <class Key>
struct merge_sort_types<Key, void> {
    using key = some_bytes<sizeof(Key) <= 4 ? 4 : sizeof(Key) <= 8 ? 8 : sizeof(Key) <= 16 ? 16 : sizeof(Key)>;
    using value = void;
};

}  // namespace detail

/// The rows for keys and values (`void`: none) of any types. `Differ`: equal keys may differ in their bits, as
/// for floating-point numbers and keys with a user's own order, so that they are merged one by one.
template <class Key, class Value = void, bool Differ = false, class Types = detail::merge_sort_types<Key, Value>>
using merge_sort_tuning = typename std::conditional_t<
    Differ && std::is_void_v<Value>,
    std::type_identity<by_type<typename Types::key, void, element_bytes<4, 0, merge_sort_s4>,
                               element_bytes<8, 0, merge_sort_s8>, element_bytes<16, 0, merge_sort_s16>>>,
    std::type_identity<by_type<typename Types::key, typename Types::value, element_bytes<4, 0, merge_sort_k4>,
                               element_bytes<8, 0, merge_sort_k8>, element_bytes<16, 0, merge_sort_k16>,
                               element_bytes<4, 4, std::conditional_t<Differ, merge_sort_s4_v4, merge_sort_k4_v4>>,
                               element_bytes<8, 8, std::conditional_t<Differ, merge_sort_s8_v8, merge_sort_k8_v8>>,
                               element_bytes<16, 8, merge_sort_k16_v8>>>>::type;

}  // namespace launchbox
