// The tables of examples/block_sort.cu, kept by bench/measure_rows --header; docs/tunings.md says what the lines mean.
// Candidates had 128 threads or more: a smaller tile takes less time, since it is less sorted, and what sorts further
// pays for it.
#pragma once

#include <launchbox/launch_box.cuh>

struct block_sort_row {
    int threads, items, min_blocks = 0;
};

// clang-format off

// table block_sort_4: keys of 4 bytes
#ifdef BLOCK_SORT_4_ROW
using block_sort_4 = launchbox::only<block_sort_row BLOCK_SORT_4_ROW>;
#else
using block_sort_4 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, block_sort_row{128, 11, 0}>,
    // baseline, not measured
    launchbox::sm<80, block_sort_row{256, 11, 0}>,
    // measured: NVIDIA H200, driver 580.159.04, nvcc 13.0.88, 2026-11-21, commit bda8bd1
    // gain: 1.263 times as fast (1.260 to 1.266) as {256, 11, 0}, the row of sm_80
    // record: measurements/nvidia-h200/rows_block_sort_4.json fnv1a64:d364d0d4391226c4
    launchbox::sm<90, block_sort_row{128, 23, 0}>
>;
#endif

// table block_sort_8: keys of 8 bytes
#ifdef BLOCK_SORT_8_ROW
using block_sort_8 = launchbox::only<block_sort_row BLOCK_SORT_8_ROW>;
#else
using block_sort_8 = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, block_sort_row{128, 7, 0}>,
    // baseline, not measured
    launchbox::sm<80, block_sort_row{256, 7, 0}>,
    // measured: NVIDIA H200, driver 580.159.04, nvcc 13.0.88, 2026-11-21, commit bda8bd1
    // gain: 1.296 times as fast (1.293 to 1.297) as {256, 7, 0}, the row of sm_80
    // record: measurements/nvidia-h200/rows_block_sort_8.json fnv1a64:6111148db61b69c5
    launchbox::sm<90, block_sort_row{128, 17, 0}>
>;
#endif

// clang-format on
