// The kernel launches in source text, in every form that has a name: `kernel<<<grid, block, ...>>>(...)`,
// cudaLaunchKernel, cudaLaunchKernelEx, nodes of graphs, cuLaunchKernel, triple_chevron of CCCL and launchbox::launch.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "source/constant_expression.hpp"
#include "source/source_tokens.hpp"
#include "source/source_values.hpp"

namespace launchbox {

/// A function as an expression names it: `a::merge<int, 256>`, `(const void*)&merge`.
struct function_name_in_text {
    std::string_view name;                     ///< "merge"; empty if the expression is not a name
    std::vector<std::string_view> qualifiers;  ///< "a"
    std::vector<token_span> arguments;         ///< of the template
    bool has_arguments = false;                ///< true even for <>
};
function_name_in_text read_function_name(token_span expression);

/// The form of a launch, which tells where its sizes are.
enum class launch_form {
    chevrons,         ///< <<<grid, block, shared, stream>>>
    runtime_call,     ///< cudaLaunchKernel(kernel, grid, block, arguments, shared, stream)
    runtime_config,   ///< cudaLaunchKernelEx(&config, kernel, ...)
    graph_node,       ///< cudaGraphAddKernelNode(..., &parameters), whose member `func` is the kernel
    driver_call,      ///< cuLaunchKernel(function, grid x, y, z, block x, y, z, shared, ...)
    launchbox_config  ///< launchbox::launch(kernel, {.grid = 1, .threads = 256}, ...)
};

struct source_launch {
    launch_form form = launch_form::chevrons;
    std::string_view kernel;  ///< the name in `function`
    function_name_in_text function;
    token_span callee;                  ///< the expression that names it; may be `kernels[i]`, `table[i].kernel`
    std::vector<token_span> arguments;  ///< grid, block, shared memory, stream; empty for a config
    token_span config;                  ///< an expression
    std::string_view part;              ///< of a configuration for several kinds: "kernel." for cudaGraphNodeParams
    std::optional<std::size_t> passed;  ///< arguments of the kernel
    std::size_t first = 0, last = 0;    ///< tokens: <<< and the first > of >>>, or the function and its bracket
    int line = 0;                       ///< of `first`
    int branch = -1;                    ///< of the preprocessor
};

/// All complete launches, in order. `source` must outlive them.
std::vector<source_launch> read_source_launches(const source_text& source);

/// Bytes that depend on the block size: `threads * sizeof(float)` is 128 per warp.
struct shared_by_threads {
    std::int64_t bytes = 0, per_warp = 0;

    [[nodiscard]] std::int64_t of(int threads) const { return bytes + per_warp * threads / 32; }
    friend bool operator==(const shared_by_threads&, const shared_by_threads&) = default;
};

/// The size of a launch, as far as the text tells.
struct launch_figures {
    source_extent grid, block;
    std::optional<std::int64_t> dynamic_shared_bytes;
    std::optional<shared_by_threads> dynamic_shared_by_threads = {};  ///< if only the block size is unknown
    source_extent cluster;                                            ///< 1, 1, 1: no clusters
    bool raises_limits = false;  ///< launchbox::launch, which opts in to the shared memory needed

    friend bool operator==(const launch_figures&, const launch_figures&) = default;
};
launch_figures figures_of(const source_launch& launch, const source_values& values,
                          const template_values& instance = {});

/// A call of cudaFuncSetAttribute that raises a kernel's limit.
struct source_opt_in {
    enum class attribute { dynamic_shared, clusters } kind = attribute::dynamic_shared;
    function_name_in_text function;  ///< without a name, it may be any kernel
    token_span value;                ///< the new limit
    std::size_t at = 0;              ///< the token where it is evaluated
};
std::vector<source_opt_in> read_opt_ins(const source_text& source);

}  // namespace launchbox
