// launchbox: what a body is launched with on the current GPU, in words. Internal: include launch_box.cuh.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include <launchbox/detail/row_choice.cuh>
#include <launchbox/detail/tuned_kernel.cuh>

namespace launchbox::detail {

inline std::string limiters_text(const resource_set& limiters)
{
    constexpr const char* names[resource_count] = {"warps",         "blocks",   "registers",
                                                   "shared memory", "barriers", "virtual resources"};
    std::string text;
    for (int i = 0; i < resource_count; ++i)
        if (limiters.contains(static_cast<resource>(i))) text += (text.empty() ? "" : " and ") + std::string(names[i]);
    return text;
}

// "256 threads, 15 items, min_blocks 2"
inline std::string row_text(const row_figures& row)
{
    std::string text =
        std::to_string(row.threads) + " threads, " + std::to_string(row.items) + (row.items == 1 ? " item" : " items");
    if (row.min_blocks > 0) text += ", min_blocks " + std::to_string(row.min_blocks);
    return text;
}

inline std::string origin_text(const row_figures& row, const compute_capability& code)
{
    if (row_is_given) return "given with LAUNCHBOX_ROW";
    if (row.architecture.major == 0) return "the one row for every architecture";
    if (row.architecture.number() == code.number())
        return "exact: the row of " + architecture_text_of(row.architecture);
    return "inherited: the row of " + architecture_text_of(row.architecture) + ", since there is none for " +
           architecture_text_of(code);
}

inline std::string percent(double share)
{
    const int tenths = static_cast<int>(share * 1000 + 0.5);
    return std::to_string(tenths / 10) + (tenths % 10 ? "." + std::to_string(tenths % 10) : "") + " %";
}

/// For problems of at most `most` elements; nullopt: there are no size classes.
inline std::string explain_row(const kernel_handle& kernel, const row_figures& row, const row_answer& answer,
                               std::optional<std::int64_t> most, int device)
{
    const own_errors errors;
    cudaFuncAttributes attributes{};
    if (const cudaError_t status = cudaFuncGetAttributes(&attributes, kernel.function); status != cudaSuccess)
        refuse_status(kernel, kernel.function, status, errors.earlier);
    std::string text = name_of(kernel);
    if (most)
        text += *most == std::numeric_limits<std::int64_t>::max() ? ", larger problems"
                                                                  : ", up to " + grouped(*most) + " elements";
    text += ": " + row_text(row) + '\n';
    text += "  row       " + origin_text(row, answer.code) + '\n';
    text += "  code      " + architecture_of(attributes.binaryVersion) + ", compiled as " +
            architecture_text_of(answer.code) + ", on " + device_text(device) + '\n';
    const auto local = static_cast<std::int64_t>(attributes.localSizeBytes);
    text += "  uses      " + std::to_string(attributes.numRegs) + " registers, " +
            (local == 0 ? "no spills" : grouped(local) + " B of local memory (spills or a stack)") + ", " +
            grouped(static_cast<std::int64_t>(attributes.sharedSizeBytes)) + " B static and " +
            grouped(row.dynamic_shared_bytes) + " B dynamic shared memory\n";
    const occupancy_result account = account_of_row(kernel, row);
    text += "  resident  " + std::to_string(account.resident_blocks) +
            (account.resident_blocks == 1 ? " block" : " blocks") + " on an SM, " + percent(account.occupancy()) +
            " occupancy";
    if (const std::string limiters = limiters_text(account.limiters); !limiters.empty())
        text += ", limited by " + limiters;
    text += '\n';
    if (row.min_blocks > account.resident_blocks)
        text += "  note      min_blocks " + std::to_string(row.min_blocks) +
                " is not reached here: write a smaller one for this architecture\n";
    return text;
}

template <class Body, class Unit, std::size_t Class>
std::string explain_tuned(int device)
{
    using kernel = tuned<Body, Unit, Class>;
    using classes = classes_of<typename Body::tuning>;
    const row_answer answer = kernel::ask(device);
    std::optional<std::int64_t> most;
    if (classes::depends_on_size) most = classes::most(Class);
    return explain_row(kernel::handle(), kernel::figures[static_cast<std::size_t>(answer.row)], answer, most, device);
}

}  // namespace launchbox::detail
