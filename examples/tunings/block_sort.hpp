// The tables of examples/block_sort.cu, kept by bench/measure_rows --header; docs/tunings.md says what the lines mean.
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
    launchbox::sm<80, block_sort_row{256, 11, 0}>
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
    launchbox::sm<80, block_sort_row{256, 7, 0}>
>;
#endif

// clang-format on
