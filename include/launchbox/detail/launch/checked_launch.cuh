// launchbox: launches a kernel, and explains a refusal. Internal: include launch.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <optional>
#include <string>

#include <launchbox/detail/launch/kernel_queries.cuh>
#include <launchbox/detail/launch/launch_explanation.hpp>
#include <launchbox/detail/launch/opt_in.cuh>
#include <launchbox/detail/launch/runtime_config.cuh>
#include <launchbox/launch_config.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

// The runtime's maximum for exactly this launch; nullopt if it does not know one.
inline std::optional<int> largest_cluster(const void* kernel, const launch_config& config)
{
    launch_config single = config;
    single.cluster = 1;
    single.cooperative = single.programmatic_dependent_launch = false;
    const runtime_config runtime(single);
    int blocks = 0;
    if (cudaOccupancyMaxPotentialClusterSize(&blocks, kernel, &runtime.native) != cudaSuccess || blocks < 1)
        return std::nullopt;
    return blocks;
}

// `code` is what the launch returned; cudaSuccess if it was not tried.
inline launch_explanation explain_refusal(const kernel_handle& kernel, const launch_config& config, cudaError_t code)
{
    gathered_facts gathered = gather(kernel);
    launch_facts& facts = gathered.facts;
    if (code == cudaErrorNoKernelImageForDevice || is_lasting(code)) gathered.status = code;
    if (gathered.status != cudaSuccess) return explain_missing(kernel, facts, gathered.status);

    facts.grid = config.grid;
    facts.threads = config.threads;
    facts.cluster = config.cluster;
    facts.dynamic_shared_bytes = config.dynamic_shared_bytes;
    facts.cooperative = config.cooperative;
    if (config.cluster != launch_extent{} && facts.gpu.major >= 9)
        facts.largest_cluster = largest_cluster(kernel.function, config);
    if (code != cudaSuccess) {
        facts.error_name = cudaGetErrorName(code);
        facts.error_text = cudaGetErrorString(code);
        facts.invalid_value = code == cudaErrorInvalidValue;
    }
    return explain(facts);
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse(const kernel_handle& kernel, const launch_config& config,
                                                          cudaError_t code, cudaError_t earlier)
{
    cudaGetLastError();  // reported below; with an error pending, beside_captures would allow no queries
    launch_explanation why = explain_refusal(kernel, config, code);
    if (why.kind == launch_error_kind::no_gpu) earlier = cudaSuccess;  // every call fails with this error
    if (earlier != cudaSuccess && why.kind != launch_error_kind::earlier_error)
        why.text += " An earlier error was pending: " + error_text(earlier) + '.';
    cudaGetLastError();  // errors of these queries
    throw launch_error(why.text, code, why.kind, why.obstacle, earlier);
}

// cudaFuncSetAttribute clears a pending error (CUDA 13.0 on an H200), which may be the only trace of a failure: report
// it instead of losing it.
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_while_pending(const kernel_handle& kernel,
                                                                        cudaError_t earlier)
{
    cudaGetLastError();  // reported below
    throw launch_error(
        name_of(kernel) + ": not launched: an earlier error was pending, " + error_text(earlier) +
            ", and opting in to this much shared memory or this large a cluster would have lost it. Check "
            "the calls before this launch.",
        earlier, launch_error_kind::earlier_error, launch_obstacle::none, earlier);
}

// Tries again after opting in again, if that can help.
[[gnu::cold, gnu::noinline]] inline void retry(const kernel_handle& kernel, const launch_config& config,
                                               void** arguments, cudaError_t code, cudaError_t earlier)
{
    const bool shared = config.dynamic_shared_bytes.bytes > 0,
               cluster = config.cluster.count() > cluster_without_opt_in;
    if (kernel.function && (shared || cluster) && !is_lasting(code)) {
        if (earlier != cudaSuccess) {
            if (shared && !means_no_gpu(earlier) &&
                !has_dynamic_shared(kernel.function, config.dynamic_shared_bytes.bytes))
                refuse_while_pending(kernel, earlier);
            refuse(kernel, config, code, earlier);
        }
        cudaGetLastError();  // from the first try; with an error pending, beside_captures would allow no queries
        if (shared) ensure(opt_in::dynamic_shared, kernel.function, true);
        if (cluster) ensure(opt_in::large_cluster, kernel.function, true);
        const runtime_config runtime(config);
        const cudaError_t second = cudaLaunchKernelExC(&runtime.native, kernel.function, arguments);
        if (second == cudaSuccess) {
            cudaGetLastError();  // from an opt-in that was not needed
            return;
        }
        code = second;
    }
    refuse(kernel, config, code, earlier);
}

// A launch whose opt-ins are done. If it is refused, its error overwrites the one that was pending.
inline void launch_opted_in(const kernel_handle& kernel, const launch_config& config, void** arguments,
                            cudaError_t earlier = cudaPeekAtLastError())
{
    const runtime_config runtime(config);
    const cudaError_t code = kernel.function ? cudaLaunchKernelExC(&runtime.native, kernel.function, arguments)
                                             : cudaErrorInvalidDeviceFunction;
    if (code != cudaSuccess) [[unlikely]]
        retry(kernel, config, arguments, code, earlier);
}

// Without a driver every call leaves an error, even the query for the pending one. Then no earlier call is to blame,
// and the launch is tried and reports the same error.
inline void launch_checked(const kernel_handle& kernel, const launch_config& config, void** arguments)
{
    const cudaError_t earlier = cudaPeekAtLastError();
    if (earlier == cudaSuccess) [[likely]]
        ensure_opt_in(kernel.function, config);
    else if (kernel.function && !means_no_gpu(earlier) && lacks_opt_in(kernel.function, config))
        refuse_while_pending(kernel, earlier);
    launch_opted_in(kernel, config, arguments, earlier);
}

}  // namespace launchbox::detail
#pragma GCC visibility pop
