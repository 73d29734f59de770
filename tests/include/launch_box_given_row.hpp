// A unit compiled with -DLAUNCHBOX_ROW, as a tuner compiles it.
#pragma once

#include <string>

namespace launchbox {

struct given_row {
    int threads = 0, items = 0, min_blocks = 0, bytes = 0;
    bool operator==(const given_row&) const = default;
};

/// Launches over some elements on the current device; the row from row_for; and explain().
void launch_with_given_row(long long elements);
given_row row_that_is_given(long long elements);
std::string explain_given_row();
const void* kernel_with_given_row();
const void* probe_with_given_row();

}  // namespace launchbox
