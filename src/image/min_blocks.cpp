// SPDX-License-Identifier: Apache-2.0
#include "image/min_blocks.hpp"

#include <launchbox/launch_bounds.hpp>
#include <launchbox/sm_limits.hpp>

#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "support/process/parallel.hpp"

namespace launchbox {

namespace {

// The PTX with one name, in one container or in the whole file. More candidates than there are virtual architectures
// would only cost time.
using candidates = std::vector<const kernel_info*>;
constexpr std::size_t max_candidates = 32;

struct place {
    std::string_view name;
    std::size_t container = 0;

    friend bool operator==(const place&, const place&) = default;
};
constexpr std::size_t anywhere = ~std::size_t{0};

struct place_hash {
    std::size_t operator()(const place& p) const { return std::hash<std::string_view>()(p.name) * 31 + p.container; }
};
using ptx_index = std::unordered_map<place, candidates, place_hash>;

std::optional<int> threads_of(const kernel_info& kernel);
struct matching_ptx {
    const kernel_info* kernel = nullptr;
    bool is_source = false;  // what the cubin was compiled from
};
matching_ptx best_match(const ptx_index& index, const kernel_info& kernel, std::size_t container);
bool take_from_ptx(const matching_ptx& match, const sm_limits* limits, kernel_info& kernel);
void add_to_image(std::vector<kernel_info>& kernels, std::size_t container, const ptx_index& index,
                  std::vector<std::string_view>& compiled);
void take_from_cap(const sm_limits* limits, kernel_info& kernel);

}  // namespace

void add_min_blocks(std::vector<std::vector<kernel_info>>& kernels, const std::vector<std::size_t>& container_of,
                    unsigned jobs, bool keep_ptx)
{
    ptx_index index;
    const auto add = [&](const place& where, const kernel_info& kernel) {
        candidates& there = index[where];
        if (there.size() < max_candidates) there.push_back(&kernel);
    };
    for (std::size_t i = 0; i < kernels.size(); ++i)
        for (const kernel_info& kernel : kernels[i])
            if (is_ptx(kernel)) {
                add({kernel.name, container_of[i]}, kernel);
                add({kernel.name, anywhere}, kernel);
            }

    std::vector<std::vector<std::string_view>> compiled_in(kernels.size());  // names that the PTX has as well
    run_parallel_ranges(
        kernels.size(), 8,
        [&](std::size_t begin, std::size_t end) {
            for (std::size_t i = begin; i < end; ++i) add_to_image(kernels[i], container_of[i], index, compiled_in[i]);
        },
        jobs);
    if (keep_ptx) return;
    std::unordered_set<std::string_view> compiled;
    for (const auto& names : compiled_in) compiled.insert(names.begin(), names.end());
    if (compiled.empty()) return;
    // Find all before removing any: the set refers to their names.
    std::vector<std::vector<bool>> left_out(kernels.size());
    for (std::size_t i = 0; i < kernels.size(); ++i)
        for (const kernel_info& kernel : kernels[i])
            left_out[i].push_back(is_ptx(kernel) && compiled.contains(kernel.name));
    for (std::size_t i = 0; i < kernels.size(); ++i) {
        std::size_t next = 0;
        std::erase_if(kernels[i], [&](const kernel_info&) { return left_out[i][next++]; });
    }
}

namespace {

// Handles the kernels of one image, which are for one architecture.
void add_to_image(std::vector<kernel_info>& kernels, std::size_t container, const ptx_index& index,
                  std::vector<std::string_view>& compiled)
{
    if (kernels.empty() || is_ptx(kernels.front())) return;
    const sm_limits* limits = limits_of(kernels.front());
    for (kernel_info& kernel : kernels) {
        matching_ptx match;
        if (const auto ptx = index.empty() ? index.end() : index.find({kernel.name, anywhere}); ptx != index.end()) {
            compiled.push_back(ptx->first.name);
            match = best_match(index, kernel, container);
        }
        if (match.kernel == nullptr || !take_from_ptx(match, limits, kernel)) take_from_cap(limits, kernel);
    }
}

std::optional<int> threads_of(const kernel_info& kernel)
{
    const auto& bound = kernel.bounds.required_threads ? kernel.bounds.required_threads : kernel.bounds.max_threads;
    if (!bound) return std::nullopt;
    std::int64_t threads = 1;
    for (const int extent : *bound) {
        if (extent < 1 || extent > 2048) return std::nullopt;
        threads *= extent;
    }
    return threads <= 2048 ? std::optional(static_cast<int>(threads)) : std::nullopt;
}

// PTX of the same virtual architecture, preferably from the same container; else any from the same container. Only PTX
// in the same container is certainly the source: static kernels of other files may have the same name.
matching_ptx best_match(const ptx_index& index, const kernel_info& kernel, std::size_t container)
{
    const kernel_info* same_container = nullptr;
    for (const std::size_t where : {container, anywhere}) {
        const auto found = index.find({kernel.name, where});
        if (found == index.end()) continue;
        for (const kernel_info* info : found->second) {
            if (info->virtual_architecture == kernel.virtual_architecture) return {info, where == container};
            if (where == container && same_container == nullptr) same_container = info;
        }
    }
    return {same_container, false};
}

// Returns whether the PTX settles the question.
bool take_from_ptx(const matching_ptx& match, const sm_limits* limits, kernel_info& kernel)
{
    const kernel_info& ptx = *match.kernel;
    // The bound depends on __CUDA_ARCH__, or this is another kernel of the same name.
    if (ptx.bounds.max_threads != kernel.bounds.max_threads ||
        ptx.bounds.required_threads != kernel.bounds.required_threads)
        return false;
    if (match.is_source) {
        kernel.bounds.min_blocks = ptx.bounds.min_blocks;
        kernel.bounds.requested_max_registers = ptx.bounds.requested_max_registers;
        if (ptx.launches.uses_dynamic_shared) kernel.launches.uses_dynamic_shared = ptx.launches.uses_dynamic_shared;
        kernel.figures.shared_variables = ptx.figures.shared_variables;
        return true;
    }
    // The bound must at least explain the cap.
    const auto threads = threads_of(kernel);
    if (limits == nullptr || !threads || !ptx.bounds.min_blocks) return false;
    if (register_cap(*limits, *threads, *ptx.bounds.min_blocks) != kernel.bounds.register_cap) return false;
    kernel.bounds.min_blocks = ptx.bounds.min_blocks;
    kernel.bounds.min_blocks_inferred = true;
    return true;
}

void take_from_cap(const sm_limits* limits, kernel_info& kernel)
{
    if (limits == nullptr || !kernel.bounds.register_cap || kernel.bounds.requested_max_registers) return;
    if (*kernel.bounds.register_cap >= limits->registers_per_thread) return;
    const auto threads = threads_of(kernel);
    if (!threads) return;
    const auto blocks = infer_min_blocks(*limits, *threads, *kernel.bounds.register_cap);
    // Without a second bound ptxas assumes one block.
    if (!blocks || *blocks < 2) return;
    kernel.bounds.min_blocks = blocks;
    kernel.bounds.min_blocks_inferred = true;
}

}  // namespace

}  // namespace launchbox
