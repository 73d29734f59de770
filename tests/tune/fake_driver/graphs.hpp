// Graphs of kernels: captured from the stream, instantiated, launched. Listeners are notified of their nodes like CUPTI
// by the driver.
#pragma once

#include <cuda.h>

#include <array>
#include <cstdint>

namespace fake {

struct graph_node {
    CUfunction what;
    std::array<unsigned, 3> grid, block, cluster;
    unsigned shared;
    bool cooperative;
    std::array<std::uint64_t, 3> parameters;
    std::uint64_t number = 0;
};

bool is_capturing();
/// For a launch while the stream is being captured.
void add_node(graph_node node);

/// Runs it as part of a graph launch.
CUresult run_node(const graph_node& node);

}  // namespace fake
