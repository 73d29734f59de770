// launchbox: which row the code of a kernel was compiled with on the current GPU, and whether it can be launched there.
// The code itself is asked, once for each kernel and GPU. Needs no CUDA compiler. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include <launchbox/detail/launch/checked_launch.cuh>
#include <launchbox/detail/launch_box/probe_value.hpp>
#include <launchbox/detail/launch_box/row_rules.hpp>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

/// Which row does a kernel with this table use?
struct row_question {
    kernel_handle kernel;                       ///< without a function only the row is wanted
    const void* probe = nullptr;                ///< the architecture probe of the kernel's unit
    std::span<const row_figures> rows;          ///< ascending
    row_places places;                          ///< of the same rows
    std::span<const int> listed;                ///< numbers of the architectures that the unit is compiled for
    std::span<const void* const> kernels = {};  ///< for each variant of the row, instead of the function of `kernel`
};

/// What the code answered.
struct row_answer {
    int row = 0;              ///< its index
    int variant = 0;          ///< of the kernel
    compute_capability code;  ///< what the kernel was compiled for
};

inline std::string architecture_text_of(const compute_capability& architecture)
{
    return std::string(architecture_name(architecture).view());
}

inline std::string row_name(const row_figures& row)
{
    return row.architecture.major == 0 ? "the row for every architecture"
                                       : "the row of " + architecture_text_of(row.architecture);
}

inline compute_capability gpu_of(int device)
{
    return {.major = device_attribute(cudaDevAttrComputeCapabilityMajor, device),
            .minor = device_attribute(cudaDevAttrComputeCapabilityMinor, device)};
}

// "device 0 (sm_90)"
inline std::string device_text(int device)
{
    return "device " + std::to_string(device) + " (" + architecture_text_of(gpu_of(device)) + ")";
}

inline std::string list_text(std::span<const int> listed)
{
    std::string text;
    for (int number : listed) text += (text.empty() ? "sm_" : ", sm_") + std::to_string(number);
    return text;
}

// The body or the function; row_for if only the row is wanted.
inline std::string name_in_errors(const kernel_handle& kernel)
{
    return kernel.function || kernel.type || kernel.shown_type ? name_of(kernel) : "launchbox::row_for";
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_row(const kernel_handle& kernel, const std::string& text,
                                                              launch_error_kind kind, cudaError_t code)
{
    throw launch_error(name_in_errors(kernel) + ": " + text, code, kind);
}

/// Reports that a query about `asked`, a kernel or its probe, failed. The failure has overwritten the error that was
/// pending, which is therefore reported too.
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_status(const kernel_handle& kernel, const void* asked,
                                                                 cudaError_t status, cudaError_t earlier)
{
    cudaGetLastError();  // reported below; with an error pending, beside_captures would allow no queries
    launch_facts facts = gather({asked, nullptr, kernel.shown_type}).facts;
    facts.kernel = name_in_errors(kernel);
    launch_explanation why = explain_missing({asked, nullptr, nullptr}, facts, status);
    if (why.kind == launch_error_kind::no_gpu || why.kind == launch_error_kind::earlier_error) earlier = cudaSuccess;
    if (earlier != cudaSuccess) why.text += " An earlier error was pending: " + error_text(earlier) + '.';
    cudaGetLastError();  // errors of these queries
    throw launch_error(why.text, status, why.kind, launch_obstacle::none, earlier);
}

// The architecture that the probe was compiled for. One that is not on the unit's list comes from another build.
inline compute_capability ask_probe(const row_question& question, int device, cudaError_t earlier)
{
    cudaFuncAttributes attributes{};
    if (const cudaError_t status = cudaFuncGetAttributes(&attributes, question.probe); status != cudaSuccess)
        refuse_status(question.kernel, question.probe, status, earlier);
    const compute_capability code = architecture_of_probe(attributes.maxThreadsPerBlock);
    if (std::find(question.listed.begin(), question.listed.end(), code.number()) == question.listed.end())
        refuse_row(question.kernel,
                   "its code on " + device_text(device) + " was compiled for " + architecture_text_of(code) +
                       ", but its source file for " + list_text(question.listed) +
                       ". The program mixes two builds of the file: rebuild all of it.",
                   launch_error_kind::row_mismatch, cudaErrorInvalidKernelImage);
    return code;
}

inline void check_kernel(const row_question& question, const row_figures& row, const compute_capability& code,
                         int device, cudaError_t earlier)
{
    const kernel_handle& kernel = question.kernel;
    cudaFuncAttributes attributes{};
    if (const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel.function); status != cudaSuccess)
        refuse_status(kernel, kernel.function, status, earlier);
    if (attributes.maxThreadsPerBlock != row.threads)
        refuse_row(kernel,
                   "its code for " + architecture_text_of(code) + " on " + device_text(device) + " is bound to " +
                       std::to_string(attributes.maxThreadsPerBlock) + " threads, but " + row_name(row) + " has " +
                       std::to_string(row.threads) +
                       ". Build all files that use it with the same table; a __global__ function needs "
                       "LAUNCHBOX_BOUNDS of that table.",
                   launch_error_kind::row_mismatch, cudaErrorInvalidKernelImage);
    const std::int64_t fixed = static_cast<std::int64_t>(attributes.sharedSizeBytes);
    const std::int64_t max_bytes = device_attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (row.dynamic_shared_bytes + fixed > max_bytes) {
        const std::string gpu = architecture_text_of(gpu_of(device));
        refuse_row(kernel,
                   row_name(row) + " needs " + grouped(row.dynamic_shared_bytes) + " B of dynamic shared memory" +
                       (fixed > 0 ? " and " + grouped(fixed) + " B static" : "") + ", but a block has at most " +
                       grouped(max_bytes) + " B on " + device_text(device) + ". Add a row for " + gpu +
                       " that needs less, and compile for " + gpu + '.',
                   launch_error_kind::block, cudaErrorInvalidConfiguration);
    }
    if (row.dynamic_shared_bytes <= attributes.maxDynamicSharedSizeBytes) return;
    if (earlier != cudaSuccess) refuse_while_pending(kernel, earlier);
    ensure(opt_in::dynamic_shared, kernel.function, true);
}

/// The properties of the current GPU.
inline gpu_properties properties_of(int device)
{
    std::size_t free = 0, total = 0;
    cudaMemGetInfo(&free, &total);  // 0 if it fails: in no range with a minimum
    // Two bus transfers per clock, as the driver counts clocks for every kind of memory. CUDA 13 removed the clock from
    // cudaDeviceProp; the attributes still exist.
    const std::int64_t clock_khz = device_attribute(cudaDevAttrMemoryClockRate, device);
    const std::int64_t bus_bits = device_attribute(cudaDevAttrGlobalMemoryBusWidth, device);
    return {.sms = device_attribute(cudaDevAttrMultiProcessorCount, device),
            .l2_bytes = device_attribute(cudaDevAttrL2CacheSize, device),
            .memory_bytes = static_cast<std::int64_t>(total),
            .memory_gb_per_second = 2 * clock_khz * bus_bits / 8 / 1'000'000};
}

/// Throws launch_error if there is no code, if the code does not fit the table, or if the GPU cannot hold the row.
/// Leaves no error pending and disturbs no stream capture.
inline row_answer choose_row(row_question question, int device)
{
    const own_errors errors;
    const beside_captures beside;
    row_answer answer;
    answer.code = ask_probe(question, device, errors.earlier);
    if (const std::size_t variants = count_variants(question.places, answer.code); variants > 0) {
        if (variants > 1)
            answer.variant = static_cast<int>(select_variant(question.places, answer.code, properties_of(device)));
        const auto variant = static_cast<std::size_t>(answer.variant);
        answer.row = select_row(question.places, answer.code, variant);
        if (!question.kernels.empty()) question.kernel.function = question.kernels[variant];
        if (question.kernel.function)
            check_kernel(question, question.rows[static_cast<std::size_t>(answer.row)], answer.code, device,
                         errors.earlier);
        return answer;
    }
    // Such code does not compile, so the kernel was compiled with another table than the host code.
    refuse_row(question.kernel,
               "its code on " + device_text(device) + " was compiled for " + architecture_text_of(answer.code) +
                   ", for which its table has no row. Rebuild all files that use the table.",
               launch_error_kind::row_mismatch, cudaErrorInvalidKernelImage);
}

/// Whether code can be launched before the preceding kernel has ended: code for less than 9.0 has no instruction to
/// wait for it, even on a GPU that would start it early. Graphs captured before CUDA 12.3 have no such edges.
inline bool can_begin_early(const compute_capability& code)
{
    int driver = 0;
    return code.major >= 9 && cudaDriverGetVersion(&driver) == cudaSuccess && driver >= 12030;
}

/// The row on each GPU, once it is known. Threads that ask before that may each determine it, with the same result;
/// later ones only read it.
class known_rows {
public:
    template <class Ask>
    std::size_t on(int device, const Ask& ask)
    {
        if (device < 0 || device >= static_cast<int>(rows_.size())) return static_cast<std::size_t>(ask());
        std::atomic<int>& known = rows_[static_cast<std::size_t>(device)];
        int row = known.load(std::memory_order_acquire) - 1;
        if (row < 0) [[unlikely]]
            known.store((row = ask()) + 1, std::memory_order_release);
        return static_cast<std::size_t>(row);
    }

private:
    std::array<std::atomic<int>, 128> rows_{};  // index + 1; 0: not asked yet
};

/// The occupancy of a kernel with its row on the current GPU.
inline occupancy_result account_of_row(const kernel_handle& kernel, const row_figures& row)
{
    const known_kernel known = know(kernel);
    return occupancy(*known.limits, known.resources,
                     {.threads = row.threads, .dynamic_shared_bytes = row.dynamic_shared_bytes}, known.settings);
}

[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_grid_without_elements(const kernel_handle& kernel)
{
    refuse_row(kernel,
               "a grid of its own, but its table is chosen by the number of elements. Launch with "
               "blocks{grid, elements}.",
               launch_error_kind::grid, cudaErrorInvalidConfiguration);
}

inline constexpr std::int64_t max_tiles = 2147483647;  // blocks of a grid in x

/// For a negative number of elements, or one that makes more tiles than a grid has blocks.
[[noreturn, gnu::cold, gnu::noinline]] inline void refuse_elements(const kernel_handle& kernel, const row_figures& row,
                                                                   std::int64_t elements)
{
    std::string text = grouped(elements) + " elements";
    if (elements < 0) {
        text += ", but there are 0 or more. Check where the number comes from: it may have overflowed.";
    } else {
        text += " are " + grouped((elements - 1) / row.tile + 1) + " blocks of " + grouped(row.tile) + " with " +
                row_name(row) + ", but a grid has at most " + grouped(max_tiles) + ". Launch parts of " +
                grouped(max_tiles * row.tile) + " elements or fewer, or write a row with a larger tile.";
    }
    refuse_row(kernel, text, launch_error_kind::grid, cudaErrorInvalidConfiguration);
}

}  // namespace launchbox::detail
#pragma GCC visibility pop
