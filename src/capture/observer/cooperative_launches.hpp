// Finds cooperative launches: CUPTI's records do not tell, but its callbacks do, before the record arrives.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <cstdint>
#include <mutex>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "capture/record/record_format.hpp"

namespace launchbox {

/// Thread-safe.
class cooperative_launches {
public:
    /// `attribute_of_node` is the driver's; null: nodes of graphs are unknown.
    explicit cooperative_launches(decltype(&cuGraphKernelNodeGetAttribute) attribute_of_node)
        : attribute_of_node_(attribute_of_node)
    {
    }

    /// The driver functions for which `called` must be called.
    static std::span<const CUpti_CallbackId> calls();

    /// Called before and after each of these calls, on the calling thread.
    void called(CUpti_CallbackId id, const CUpti_CallbackData& call);

    /// A node was created during a call of this thread: in a stream that is being captured, the call does nothing else.
    void node_created();
    /// A node of another graph, or of an executable graph, whose number in records is `id`.
    void node_cloned(CUgraphNode node, std::uint64_t id);

    /// For a record: the numbers of its call, and of its node in a graph (0 without).
    record::cooperative_state of_record(std::uint32_t correlation, std::uint64_t node);

private:
    const decltype(&cuGraphKernelNodeGetAttribute) attribute_of_node_;
    std::mutex lock_;
    std::unordered_set<std::uint32_t> launches_;  // whose record has not arrived yet
    std::unordered_map<std::uint64_t, bool> nodes_;
    bool has_cooperative_nodes_ = false;
};

}  // namespace launchbox
