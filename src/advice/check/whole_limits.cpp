// SPDX-License-Identifier: Apache-2.0
#include "advice/check/whole_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "advice/inspect/stack_reserve.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

void check_stack_reserve(std::int64_t max_bytes, check_result& result)
{
    std::vector<const kernel_info*> kernels;
    for (const checked_kernel& kernel : result.kernels) kernels.push_back(&kernel.info);
    ++result.checks;
    ++result.options;
    std::map<std::size_t, stack_reserve> worst;  // by kernel
    for (const stack_reserve& one : stack_reserves(kernels)) {
        if (one.bytes() <= max_bytes) continue;
        const auto [place, is_new] = worst.try_emplace(one.kernel, one);
        if (!is_new && one.bytes() > place->second.bytes()) place->second = one;
    }
    const std::string limit = with_commas(max_bytes) + " B";
    for (const auto& [kernel, one] : worst)
        result.findings.push_back(
            {.kernel = kernel,
             .check = "max_stack_reserve",
             .status = check_status::broken,
             .fails = true,
             .value = static_cast<double>(one.bytes()),
             .limit = static_cast<double>(max_bytes),
             .shown_value = with_commas(one.bytes()) + " B",
             .shown_limit = limit,
             .message = fmt::format("{} B of the memory of the {} are set aside for its stack of {} B "
                                    "in {} threads, at most {} allowed",
                                    with_commas(one.bytes()), one.gpu.name, with_commas(one.stack_bytes),
                                    with_commas(one.threads), limit),
             .set_by = {"--stack-reserve", 0}});
    for (std::size_t i = 0; i < result.kernels.size(); ++i) {
        const kernel_info& info = result.kernels[i].info;
        if (worst.contains(i) || (!info.stack_unbounded && deepest_stack(info))) continue;
        result.findings.push_back(
            {.kernel = i,
             .check = "max_stack_reserve",
             .status = check_status::unknown,
             .fails = true,
             .value = std::nullopt,
             .limit = static_cast<double>(max_bytes),
             .shown_value = "?",
             .shown_limit = limit,
             .message =
                 info.stack_unbounded
                     ? "cannot be checked: recursion, or a call through a pointer: nobody can tell its stack size"
                     : "cannot be checked: the input does not tell its stack",
             .set_by = {"--stack-reserve", 0}});
    }
    std::ranges::stable_sort(result.findings, {}, &check_finding::kernel);
}

void check_image_bytes(std::int64_t max_bytes, const std::vector<file_images>& files, check_result& result)
{
    const std::string limit = with_commas(max_bytes) + " B";
    ++result.options;
    for (const file_images& file : files) {
        ++result.checks;
        if (file.bytes <= static_cast<std::uint64_t>(max_bytes)) continue;
        std::optional<std::size_t> largest;
        for (std::size_t i = 0; i < result.kernels.size(); ++i) {
            const kernel_info& info = result.kernels[i].info;
            if (info.source.file != file.file) continue;
            if (!largest || info.code_bytes.value_or(0) > result.kernels[*largest].info.code_bytes.value_or(0))
                largest = i;
        }
        const std::string all = with_commas(static_cast<std::int64_t>(file.bytes)) + " B";
        if (!largest) {
            result.unchecked.push_back(
                {file.file, "", fmt::format("its images have {}, at most {} allowed", all, limit), true});
            continue;
        }
        result.findings.push_back(
            {.kernel = *largest,
             .check = "max_image_bytes",
             .status = check_status::broken,
             .fails = true,
             .value = static_cast<double>(file.bytes),
             .limit = static_cast<double>(max_bytes),
             .shown_value = all,
             .shown_limit = limit,
             .message =
                 fmt::format("the images of its file have {}, at most {} allowed; it is the largest of {} kernels, "
                             "with {} B of code",
                             all, limit, with_commas(static_cast<std::int64_t>(result.kernels.size())),
                             with_commas(result.kernels[*largest].info.code_bytes.value_or(0))),
             .set_by = {"--size", 0}});
    }
    std::ranges::stable_sort(result.findings, {}, &check_finding::kernel);
}

}  // namespace launchbox
