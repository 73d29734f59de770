// First launches, which can be timed once; see launch_box_bench.cpp. Warm ones are launch_ways() of launch_bench.hpp.
#pragma once

#include <string>
#include <vector>

namespace launchbox::bench {

/// A way to come to a kernel for the first time: every call is for another kernel, alike in code.
struct first_way {
    std::string way;
    bool ours = false;
    std::vector<void (*)()> calls;
};
std::vector<first_way> first_ways();

/// The nanoseconds that the call took: in a fresh context (`reset`), in which no image is loaded yet, or in one where
/// another kernel of the image is.
double time_first(void (*call)(), bool reset);

}  // namespace launchbox::bench
