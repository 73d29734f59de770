// Rows of block_sort_tuning, kept by launchbox emit; its documentation, docs/tunings.md, says what the lines mean.
#pragma once

#include <launchbox/launch_box.cuh>

struct block_sort_tuning_row {
    int threads = {};
    int items = {};
    int min_blocks = {};
};

// clang-format off

// table block_sort_tuning: block_sort
#ifdef BLOCK_SORT_TUNING_ROW
using block_sort_tuning = launchbox::only<block_sort_tuning_row BLOCK_SORT_TUNING_ROW>;
#else
using block_sort_tuning = launchbox::launch_box<
    // baseline, not measured
    launchbox::sm<75, block_sort_tuning_row{256, 11, 0}>,
    // measured: NVIDIA H200, driver 13.0, NVRTC 13.0, 2026-11-21, launchbox 0.1.0
    // gain: 2.386 times as fast (2.379 to 2.393) as {256, 11, 0}, the baseline
    // record: measurements/nvidia-h200/tune_block_sort.json fnv1a64:76a5be674920bd14
    launchbox::sm<90, block_sort_tuning_row{64, 17, 0}>
>;
#endif

// clang-format on
