// Rows of merge_sort, kept by launchbox emit; its documentation, docs/tunings.md, says what the lines mean.
#pragma once

#include <launchbox/launch_box.cuh>

namespace launchbox {

/// How merge_sort works on an architecture.
struct merge_sort_row {
    int threads;     ///< of a block, a power of two
    int items;       ///< of a thread, a power of two; others are rounded down
    int min_blocks;  ///< wanted on an SM; 0: not given
    int ways;        ///< runs that one pass merges: 2, 4, 8 or 16
};

template <class Key, class Value>
using merge_sort_tuning = by_type<Key, Value,  //
    element_bytes<4, 0, launch_box<sm<75, merge_sort_row{256, 16, 0, 4}>, sm<80, merge_sort_row{512, 16, 0, 8}>, sm<90, merge_sort_row{512, 32, 2, 8}>>>,
    element_bytes<8, 0, launch_box<sm<75, merge_sort_row{256, 8, 0, 4}>, sm<80, merge_sort_row{512, 8, 0, 8}>, sm<90, merge_sort_row{512, 16, 2, 8}>>>,
    element_bytes<4, 4, launch_box<sm<75, merge_sort_row{256, 8, 0, 4}>, sm<80, merge_sort_row{512, 8, 0, 8}>, sm<90, merge_sort_row{512, 16, 2, 8}>>>,
    element_bytes<8, 8, launch_box<sm<75, merge_sort_row{256, 4, 0, 4}>, sm<80, merge_sort_row{512, 4, 0, 8}>, sm<90, merge_sort_row{512, 8, 2, 8}>>>>;

}  // namespace launchbox
