// SPDX-License-Identifier: Apache-2.0
#include "advice/check/whole_limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <utility>

#include "advice/inspect/stack_reserve.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr const char *stack_option = "--stack-reserve", *size_option = "--size";

check_finding too_much(const stack_reserve& most, std::int64_t max_bytes)
{
    const std::string limit = with_commas(max_bytes) + " B";
    check_finding finding;
    finding.check = "max_stack_reserve";
    finding.value = static_cast<double>(most.bytes());
    finding.limit = static_cast<double>(max_bytes);
    finding.shown_value = with_commas(most.bytes()) + " B";
    finding.shown_limit = limit;
    finding.message = fmt::format("its stack of {2} B in {3} threads takes {0} B of the {1}, at most {4} allowed",
                                  with_commas(most.bytes()), name_of(most.gpu), with_commas(most.stack_bytes),
                                  with_commas(most.threads), limit);
    finding.set_by = {stack_option, 0};
    return finding;
}

check_finding cannot_be_checked(const std::string& why, std::int64_t max_bytes)
{
    check_finding finding;
    finding.check = "max_stack_reserve";
    finding.status = check_status::unknown;
    finding.limit = static_cast<double>(max_bytes);
    finding.shown_value = "?";
    finding.shown_limit = with_commas(max_bytes) + " B";
    finding.message = "cannot be checked: " + why;
    finding.set_by = {stack_option, 0};
    return finding;
}

// The kernel with the most code among those in this file, in one of their copies.
struct largest_kernel {
    std::size_t kernel = 0, copy = 0, of = 0;
    std::int64_t code_bytes = -1;
};
largest_kernel largest_in(const std::string& file, const std::vector<checked_kernel>& kernels)
{
    largest_kernel largest;
    for (std::size_t k = 0; k < kernels.size(); ++k)
        for (std::size_t i = 0; i < kernels[k].copies(); ++i) {
            const kernel_info& info = kernels[k].copy(i).info;
            if (info.source.file != file) continue;
            ++largest.of;
            if (info.figures.code_bytes.value_or(0) <= largest.code_bytes) continue;
            largest.kernel = k;
            largest.copy = i;
            largest.code_bytes = info.figures.code_bytes.value_or(0);
        }
    return largest;
}

}  // namespace

void check_stack_reserve(std::int64_t max_bytes, check_result& result)
{
    struct place {
        std::size_t kernel, copy;
    };
    std::vector<stack_user> users;
    std::vector<place> places;
    for (std::size_t k = 0; k < result.kernels.size(); ++k)
        for (std::size_t i = 0; i < result.kernels[k].copies(); ++i) {
            users.push_back({result.kernels[k].identity, &result.kernels[k].copy(i).info});
            places.push_back({k, i});
        }
    const std::vector<stack_need> needs = stack_needs(users);
    gate passed{.name = stack_option, .decided = 0, .failing = 0, .why_nothing = "no kernel has a known stack"};
    ++result.options;
    // The users of one kernel are adjacent.
    for (std::size_t first = 0; first < users.size();) {
        std::size_t end = first, worst = first, unknown = users.size();
        const auto bytes_of = [&](std::size_t user) { return needs[user].most ? needs[user].most->bytes() : 0; };
        for (; end < users.size() && places[end].kernel == places[first].kernel; ++end) {
            if (bytes_of(end) > bytes_of(worst)) worst = end;
            if (unknown == users.size() && !needs[end].why_unknown.empty()) unknown = end;
        }
        ++result.checks;
        const bool broken = bytes_of(worst) > max_bytes;
        if (broken || unknown < end) {
            ++passed.failing;
            const std::size_t user = broken ? worst : unknown;
            check_finding finding =
                broken ? too_much(*needs[user].most, max_bytes) : cannot_be_checked(needs[user].why_unknown, max_bytes);
            finding.kernel = places[user].kernel;
            finding.copy = places[user].copy;
            finding.message += place_of_copy(result.kernels[finding.kernel], finding.copy);
            result.findings.push_back(std::move(finding));
        }
        passed.decided += broken || unknown == users.size() ? 1 : 0;
        first = end;
    }
    result.gates.push_back(std::move(passed));
    std::ranges::stable_sort(result.findings, {}, &check_finding::kernel);
}

void check_image_bytes(std::int64_t max_bytes, const std::vector<file_images>& files, check_result& result)
{
    const std::string limit = with_commas(max_bytes) + " B";
    ++result.options;
    gate passed{
        .name = size_option, .decided = files.size(), .failing = 0, .why_nothing = "no input contains an image"};
    for (const file_images& file : files) {
        ++result.checks;
        if (file.bytes <= static_cast<std::uint64_t>(max_bytes)) continue;
        ++passed.failing;
        const std::string all = with_commas(static_cast<std::int64_t>(file.bytes)) + " B";
        const largest_kernel largest = largest_in(file.file, result.kernels);
        if (largest.of == 0) {
            result.unchecked.push_back(
                {file.file, "", fmt::format("its images have {}, at most {} allowed", all, limit), true});
            continue;
        }
        check_finding finding;
        finding.kernel = largest.kernel;
        finding.copy = largest.copy;
        finding.check = "max_image_bytes";
        finding.value = static_cast<double>(file.bytes);
        finding.limit = static_cast<double>(max_bytes);
        finding.shown_value = all;
        finding.shown_limit = limit;
        finding.message = fmt::format(
            "the images of its file have {}, at most {} allowed; it is the largest of {} kernels, with {} "
            "B of code",
            all, limit, with_commas(static_cast<std::int64_t>(largest.of)), with_commas(largest.code_bytes));
        finding.set_by = {size_option, 0};
        result.findings.push_back(std::move(finding));
    }
    result.gates.push_back(std::move(passed));
    std::ranges::stable_sort(result.findings, {}, &check_finding::kernel);
}

}  // namespace launchbox
