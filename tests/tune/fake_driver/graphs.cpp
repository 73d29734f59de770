#include "graphs.hpp"

#include <deque>
#include <vector>

#include "listeners.hpp"

namespace fake {

namespace {

struct graph {
    std::deque<graph_node> nodes;  // a deque, so that addresses stay valid
    std::vector<const graph*> children;
};

graph* captured = nullptr;
std::uint64_t last_number = 0;

listeners& all_listeners()
{
    return *fake_driver_listeners();
}

CUgraphNode handle_of(graph_node& node)
{
    return reinterpret_cast<CUgraphNode>(&node);
}

graph_node& create(graph& in, graph_node node, bool is_told)
{
    node.number = ++last_number;
    graph_node& made = in.nodes.emplace_back(node);
    if (is_told && all_listeners().node_created != nullptr) all_listeners().node_created(handle_of(made));
    return made;
}

void clone(graph& to, const graph& from, bool is_told)
{
    for (const graph_node& node : from.nodes) {
        graph_node& made = create(to, node, is_told);
        if (is_told && all_listeners().node_cloned != nullptr) all_listeners().node_cloned(handle_of(made));
    }
}

}  // namespace

bool is_capturing()
{
    return captured != nullptr;
}

void add_node(graph_node node)
{
    create(*captured, node, true);
}

}  // namespace fake

extern "C" [[gnu::visibility("default")]] std::uint64_t fake_driver_node_number(CUgraphNode node)
{
    return reinterpret_cast<fake::graph_node*>(node)->number;
}

#define DOUBLE extern "C" [[gnu::visibility("default")]] CUresult

DOUBLE cuStreamBeginCapture_v2(CUstream, CUstreamCaptureMode)
{
    fake::captured = new fake::graph;
    return CUDA_SUCCESS;
}
DOUBLE cuStreamEndCapture(CUstream, CUgraph* to)
{
    *to = reinterpret_cast<CUgraph>(fake::captured);
    fake::captured = nullptr;
    return CUDA_SUCCESS;
}
DOUBLE cuGraphCreate(CUgraph* to, unsigned)
{
    *to = reinterpret_cast<CUgraph>(new fake::graph);
    return CUDA_SUCCESS;
}
// The parent gets a clone of the child.
DOUBLE cuGraphAddChildGraphNode(CUgraphNode*, CUgraph parent, const CUgraphNode*, std::size_t, CUgraph child)
{
    auto* const cloned = new fake::graph;
    fake::clone(*cloned, *reinterpret_cast<fake::graph*>(child), true);
    reinterpret_cast<fake::graph*>(parent)->children.push_back(cloned);
    return CUDA_SUCCESS;
}
// Nodes of children get numbers that are never reported (CUPTI 13.0).
DOUBLE cuGraphInstantiateWithFlags(CUgraphExec* to, CUgraph from, unsigned long long)
{
    const fake::graph& graph = *reinterpret_cast<fake::graph*>(from);
    auto* const ready = new fake::graph;
    fake::clone(*ready, graph, true);
    for (const fake::graph* child : graph.children) fake::clone(*ready, *child, false);
    *to = reinterpret_cast<CUgraphExec>(ready);
    return CUDA_SUCCESS;
}
DOUBLE cuGraphLaunch(CUgraphExec what, CUstream)
{
    for (const fake::graph_node& node : reinterpret_cast<fake::graph*>(what)->nodes)
        if (const CUresult result = fake::run_node(node); result != CUDA_SUCCESS) return result;
    return CUDA_SUCCESS;
}
DOUBLE cuGraphKernelNodeGetAttribute(CUgraphNode what, CUlaunchAttributeID id, CUlaunchAttributeValue* value)
{
    if (id != CU_LAUNCH_ATTRIBUTE_COOPERATIVE) return CUDA_ERROR_INVALID_VALUE;
    value->cooperative = reinterpret_cast<fake::graph_node*>(what)->cooperative ? 1 : 0;
    return CUDA_SUCCESS;
}
