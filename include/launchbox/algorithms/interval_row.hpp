// launchbox: the rows of interval_expand and interval_move.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/launch_box.cuh>

namespace launchbox {

/// `items` are outputs per thread; interval_expand rounds them down to whole vectors of 16 bytes.
struct interval_row {
    int threads, items, min_blocks = 0;
};

}  // namespace launchbox
