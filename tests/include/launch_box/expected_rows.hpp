// The rows of bodies.cuh, written again by hand, with the results of ptxas.
#pragma once

namespace launchbox {

struct expected_row {
    int threads, items, min_blocks, register_cap;
};

// Register cap by hand: 65,536 registers / (threads * min_blocks), rounded down to 8.
inline constexpr expected_row row_75{512, 3, 2, 64}, row_80{384, 5, 3, 56}, row_90{256, 7, 5, 48},
    row_90a{320, 9, 6, 32}, row_100{128, 11, 12, 40}, row_100f{192, 13, 4, 80}, row_120{160, 15, 4, 96};

}  // namespace launchbox
