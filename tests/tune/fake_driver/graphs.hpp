// Graphs of kernels: captured from the stream, made ready, launched; what is told of their nodes is what the driver
// tells.
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
/// Of a launch while the stream is being captured.
void add_node(graph_node node);

/// Runs it, as a launch of a graph does.
CUresult run_node(const graph_node& node);

}  // namespace fake
