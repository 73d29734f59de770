// SPDX-License-Identifier: Apache-2.0
#include "capture/observer/cooperative_launches.hpp"

#include <array>

namespace launchbox {

namespace {

constexpr std::array<CUpti_CallbackId, 6> cooperative_calls{
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernel_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz,
    CUPTI_DRIVER_TRACE_CBID_cuLaunchCooperativeKernelMultiDevice,
    CUPTI_DRIVER_TRACE_CBID_cuGraphKernelNodeSetAttribute};

// The launch that this thread is making; 0 if none, or if it became a graph node.
thread_local std::uint32_t launching = 0;

bool is_cooperative(const CUlaunchConfig& config)
{
    bool is = false;
    for (unsigned i = 0; i < config.numAttrs; ++i)
        if (config.attrs[i].id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE) is = config.attrs[i].value.cooperative != 0;
    return is;
}

}  // namespace

std::span<const CUpti_CallbackId> cooperative_launches::calls()
{
    return cooperative_calls;
}

void cooperative_launches::called(CUpti_CallbackId id, const CUpti_CallbackData& call)
{
    const bool enters = call.callbackSite == CUPTI_API_ENTER;
    if (id == CUPTI_DRIVER_TRACE_CBID_cuGraphKernelNodeSetAttribute) {
        const auto& set = *static_cast<const cuGraphKernelNodeSetAttribute_params*>(call.functionParams);
        if (!enters || set.attr != CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE) return;
        const std::lock_guard guard(lock_);
        has_cooperative_nodes_ = true;
        return;
    }
    if (enters) {
        if (id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx || id == CUPTI_DRIVER_TRACE_CBID_cuLaunchKernelEx_ptsz) {
            const auto& launch = *static_cast<const cuLaunchKernelEx_params*>(call.functionParams);
            if (launch.config == nullptr || !is_cooperative(*launch.config)) return;
        }
        launching = call.correlationId;
        const std::lock_guard guard(lock_);
        launches_.insert(launching);
    } else if (launching == call.correlationId) {
        launching = 0;
        if (*static_cast<const CUresult*>(call.functionReturnValue) == CUDA_SUCCESS) return;
        const std::lock_guard guard(lock_);  // it will have no record
        launches_.erase(call.correlationId);
    }
}

void cooperative_launches::node_created()
{
    if (launching == 0) return;
    const std::lock_guard guard(lock_);
    launches_.erase(launching);
}

void cooperative_launches::node_cloned(CUgraphNode node, std::uint64_t id)
{
    CUkernelNodeAttrValue value{};
    if (attribute_of_node_ == nullptr ||
        attribute_of_node_(node, CU_KERNEL_NODE_ATTRIBUTE_COOPERATIVE, &value) != CUDA_SUCCESS)
        return;
    const std::lock_guard guard(lock_);
    nodes_[id] = value.cooperative != 0;
    has_cooperative_nodes_ |= value.cooperative != 0;
}

record::cooperative_state cooperative_launches::of_record(std::uint32_t correlation, std::uint64_t node)
{
    using record::cooperative_state;
    const std::lock_guard guard(lock_);
    if (node == 0) return launches_.erase(correlation) > 0 ? cooperative_state::yes : cooperative_state::no;
    if (const auto known = nodes_.find(node); known != nodes_.end())
        return known->second ? cooperative_state::yes : cooperative_state::no;
    // CUPTI does not report nodes within a child graph.
    return has_cooperative_nodes_ || attribute_of_node_ == nullptr ? cooperative_state::unknown : cooperative_state::no;
}

}  // namespace launchbox
