// First launches, each of which can be timed only once; see launch_box_bench.cpp. launch_bench.hpp has warm ones.
#pragma once

#include <string>
#include <vector>

namespace launchbox::bench {

/// One way to make a first launch: every call launches another kernel with the same code.
struct first_way {
    std::string way;
    bool ours = false;
    std::vector<void (*)()> calls;
};
std::vector<first_way> first_ways();

/// The nanoseconds of the call: with `reset` in a fresh context, in which no image is loaded, otherwise in one that has
/// launched another kernel of the image.
double time_first(void (*call)(), bool reset);

}  // namespace launchbox::bench
