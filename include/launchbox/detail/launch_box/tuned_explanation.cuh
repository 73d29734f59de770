// launchbox: a text about how a body is launched on the current GPU. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>

#include <launchbox/detail/launch_box/row_choice.cuh>
#include <launchbox/detail/launch_box/row_origin.hpp>
#include <launchbox/detail/launch_box/tuned_kernel.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox::detail {

// "warps, blocks and registers"
inline std::string limiters_text(const resource_set& limiters)
{
    constexpr const char* names[resource_count] = {"warps",         "blocks",   "registers",
                                                   "shared memory", "barriers", "virtual resources"};
    std::string text, last;
    for (int i = 0; i < resource_count; ++i) {
        if (!limiters.contains(static_cast<resource>(i))) continue;
        if (!last.empty()) text += (text.empty() ? "" : ", ") + last;
        last = names[i];
    }
    return text + (text.empty() ? "" : " and ") + last;
}

// "256 threads, 15 items, min_blocks 2"
inline std::string row_text(const row_figures& row)
{
    std::string text = threads_text(row.threads) + ", " + grouped(row.items) + (row.items == 1 ? " item" : " items");
    if (row.tile != std::int64_t{row.threads} * row.items) text += ", tile " + grouped(row.tile);
    if (row.min_blocks > 0) text += ", min_blocks " + std::to_string(row.min_blocks);
    return text;
}

// For row `variant` of the code's `variants`.
inline std::string origin_text(const row_figures& row, const compute_capability& code, std::size_t variant,
                               std::size_t variants)
{
    if (row.architecture.major == 0) return "the one row for every architecture";
    const std::string text =
        "the row of " + architecture_text_of(row.architecture) + (variant > 0 ? " for GPUs such as this one" : "");
    if (row.architecture.number() == code.number()) return "exact: " + text;
    return "inherited: " + text + ", since there is none for " + architecture_text_of(code) +
           (variants > 1 ? " and this GPU" : "");
}

// The GPUs on which a table was measured, as launchbox emit writes them; empty if it has none.
template <class Box>
constexpr std::span<const measured_gpu> gpus_measured()
{
    if constexpr (requires { std::span<const measured_gpu>(Box::measured); })
        return Box::measured;
    else
        return {};
}

// "sm_90a", "sm_90 (from compute_80)"
inline std::string code_text(int binary_version, const compute_capability& code)
{
    if (binary_version == code.number()) return architecture_text_of(code);
    return architecture_of(binary_version) + " (from compute_" + architecture_text_of(code).substr(3) + ")";
}

inline std::string percent(double share)
{
    const int tenths = static_cast<int>(share * 1000 + 0.5);
    return std::to_string(tenths / 10) + (tenths % 10 ? "." + std::to_string(tenths % 10) : "") + " %";
}

inline std::string resident_text(const occupancy_result& account)
{
    return std::to_string(account.resident_blocks) + (account.resident_blocks == 1 ? " block" : " blocks") +
           " on an SM, " + percent(account.occupancy()) + " occupancy";
}

/// The numbers of elements that a kernel is for, if there are size classes.
struct size_range {
    std::int64_t above, max;  // above -1: from 0 on
};

inline std::string range_text(const size_range& sizes)
{
    if (sizes.max == std::numeric_limits<std::int64_t>::max())
        return sizes.above < 0 ? "any number of elements" : "more than " + grouped(sizes.above) + " elements";
    const std::string largest = grouped(sizes.max) + (sizes.max == 1 ? " element" : " elements");
    if (sizes.above < 0) return "up to " + largest;
    return grouped(sizes.above + 1) + " to " + largest;
}

inline std::string explain_row(const kernel_handle& kernel, const row_figures& row, const std::string& origin,
                               const compute_capability& code, const std::optional<size_range>& sizes, int device)
{
    const own_errors errors;
    cudaFuncAttributes attributes{};
    if (const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel.function); status != cudaSuccess)
        refuse_status(kernel, kernel.function, status, errors.earlier);
    const compute_capability gpu = gpu_of(device);
    const auto local = static_cast<std::int64_t>(attributes.localSizeBytes);
    std::string text = name_of(kernel) + (sizes ? ", " + range_text(*sizes) : "") + ": " + row_text(row) + '\n';
    const auto add = [&](const char* label, const std::string& line) { text += label + line + '\n'; };
    add("  row       ", origin);
    add("  code      ", code_text(attributes.binaryVersion, code) + ", on " + device_text(device));
    add("  uses      ", std::to_string(attributes.numRegs) + " registers, " +
                            (local == 0 ? "no spills" : grouped(local) + " B of local memory (spills or a stack)"));
    add("  shared    ", grouped(static_cast<std::int64_t>(attributes.sharedSizeBytes)) + " B static, " +
                            grouped(row.dynamic_shared_bytes) + " B dynamic");
    if (!find_sm_limits(gpu)) {
        add("  resident  ", "unknown: launchbox has no limits for compute capability " +
                                std::string(compute_capability_name(gpu).view()));
        return text;
    }
    const occupancy_result account = account_of_row(kernel, row);
    add("  resident  ", resident_text(account));
    if (const std::string limiters = limiters_text(account.limiters); !limiters.empty()) add("  limiters  ", limiters);
    if (row.min_blocks > account.resident_blocks)
        add("  note      ", "min_blocks " + std::to_string(row.min_blocks) + " is not reached: give " +
                                architecture_text_of(gpu) + " a row with a smaller one");
    return text;
}

template <class Body, class Unit, std::size_t Class>
std::string explain_tuned(int device)
{
    using kernel = tuned_kernel<Body, Unit, Class>;
    using classes = classes_of<typename Body::tuning>;
    const row_answer answer = kernel::ask(device);
    const row_figures& row = kernel::figures[static_cast<std::size_t>(answer.row)];
    std::optional<size_range> sizes;
    // Not sizes = {.max = ...}: in a template nvcc 13.0 forgets which member that names.
    if constexpr (classes::depends_on_size) sizes = size_range{.above = -1, .max = classes::max_elements(Class)};
    if constexpr (Class > 0) sizes->above = classes::max_elements(Class - 1);
    std::string origin = "given with LAUNCHBOX_ROW";
    if constexpr (!Unit::has_given_row) {
        using table = table_of_class<Body, Class>;
        origin = origin_text(row, answer.code, static_cast<std::size_t>(answer.variant),
                             count_variants(places_of<table>(), answer.code));
        if (const auto measured = gpus_measured<table>(); !measured.empty())
            origin +=
                "; " + measured_text(measured, places_of<table>(), answer.row, gpu_of(device), properties_of(device));
    }
    return explain_row(kernel::handle(static_cast<std::size_t>(answer.variant)), row, origin, answer.code, sizes,
                       device);
}

}  // namespace launchbox::detail
#pragma GCC visibility pop
