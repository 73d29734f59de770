// SPDX-License-Identifier: Apache-2.0
#include "advice/check/budget_limits.hpp"

#include <fmt/format.h>

#include <limits>

#include "advice/model/kernel_question.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

// The figure that a limit is compared with, or why it is unknown.
struct known_figure {
    std::optional<double> value = {};
    std::string shown = {};            ///< "272 B of spills (116 stored, 156 loaded)"
    std::string why_not = {};          ///< if it is unknown, or inexact
    std::optional<double> worst = {};  ///< if inexact: the worst possible value
};

known_figure figure_of(budget_limit which, const effective_limits& limits, const kernel_info& kernel);
known_figure residency_figure(budget_limit which, const effective_limits& limits, const kernel_info& kernel);

bool is_minimum(budget_limit which)
{
    return which == budget_limit::min_blocks_per_sm || which == budget_limit::min_occupancy ||
           which == budget_limit::require_launch_bounds;
}

std::string whole_number(double value)
{
    return with_commas(static_cast<std::int64_t>(value));
}

// Occupancies are compared with this tolerance, so that "0.333333" means a third of the warp slots.
constexpr double tolerance = 1e-6;

std::string shown_number(budget_limit which, double value)
{
    switch (which) {
        case budget_limit::min_occupancy:
            return fmt::format("{:.4g} %", value * 100);
        case budget_limit::max_spill_bytes:
        case budget_limit::max_shared_spill_bytes:
        case budget_limit::max_stack_bytes:
        case budget_limit::max_static_shared:
        case budget_limit::max_code_bytes:
            return whole_number(value) + " B";
        case budget_limit::require_launch_bounds:
            return value > 0 ? "yes" : "no";
        case budget_limit::max_registers:
        case budget_limit::min_blocks_per_sm:
            break;
    }
    return whole_number(value);
}

}  // namespace

namespace {

std::optional<check_finding> check_copy(budget_limit which, const effective_limits& limits, const kernel_info& kernel);

// Broken comes before unknown: an unknown copy must not hide it. Of two broken ones, the worse.
bool is_worse(budget_limit which, const check_finding& one, const check_finding& other)
{
    if (one.status != other.status) return one.status == check_status::broken;
    if (!one.value || !other.value) return false;
    return is_minimum(which) ? *one.value < *other.value : *one.value > *other.value;
}

}  // namespace

std::optional<check_finding> check_limit(budget_limit which, const effective_limits& limits,
                                         const checked_kernel& kernel)
{
    std::optional<check_finding> worst;
    for (std::size_t i = 0; i < kernel.copies(); ++i) {
        std::optional<check_finding> finding = check_copy(which, limits, kernel.copy(i).info);
        if (!finding || (worst && !is_worse(which, *finding, *worst))) continue;
        finding->copy = i;
        worst = std::move(finding);
    }
    if (worst) worst->message += place_of_copy(kernel, worst->copy);
    return worst;
}

namespace {

std::optional<check_finding> check_copy(budget_limit which, const effective_limits& limits, const kernel_info& kernel)
{
    const effective_limits::limit& limit = *limits.limits[static_cast<std::size_t>(which)];
    const known_figure found = limit.applies
                                   ? figure_of(which, limits, kernel)
                                   : known_figure{{}, {}, "its architecture is not known, and the rule has `arch`"};
    check_finding finding;
    finding.limit = limit.value;
    finding.shown_limit = shown_number(which, limit.value);
    if (!found.value) {
        finding.status = check_status::unknown;
        finding.shown_value = "?";
        finding.message = "cannot be checked: " + found.why_not;
        return finding;
    }
    const bool minimum = is_minimum(which);
    const auto holds = [&](double value) { return minimum ? value >= limit.value - tolerance : value <= limit.value; };
    if (holds(*found.value)) {
        if (!found.worst || holds(*found.worst)) return std::nullopt;
        finding.status = check_status::unknown;
        finding.shown_value = "?";
        finding.message = "cannot be checked: " + found.why_not;
        return finding;
    }
    finding.value = found.value;
    finding.shown_value = shown_number(which, *found.value);
    finding.message = found.shown;
    if (which != budget_limit::require_launch_bounds)
        finding.message +=
            (minimum ? ", at least " : ", at most ") + finding.shown_limit + (minimum ? " wanted" : " allowed");
    return finding;
}

known_figure bytes(const std::optional<std::int64_t>& value, const char* what, const char* size = nullptr)
{
    if (!value) return {{}, {}, fmt::format("the input does not contain its {}", size != nullptr ? size : what)};
    return {static_cast<double>(*value), fmt::format("{} B of {}", with_commas(*value), what), {}};
}

known_figure spills_of(const kernel_info& kernel)
{
    if (const auto& range = kernel.figures.spills_between)
        return {static_cast<double>(range->min_bytes()),
                fmt::format("at least {} B of spills ({} stored, {} loaded)", with_commas(range->min_bytes()),
                            with_commas(range->min_stores), with_commas(range->min_loads)),
                fmt::format("the image lists {} B of spills, and its list is full; they can be up to {} B",
                            with_commas(range->min_bytes()), with_commas(range->max_bytes())),
                static_cast<double>(range->max_bytes())};
    if (!kernel.figures.spill_store_bytes || !kernel.figures.spill_load_bytes)
        return {{},
                {},
                kernel.linked ? "nvlink does not print spills; give the log of ptxas too"
                              : "the input does not contain its spills"};
    const double sum =
        static_cast<double>(*kernel.figures.spill_store_bytes) + static_cast<double>(*kernel.figures.spill_load_bytes);
    return {sum,
            fmt::format("{} B of spills ({} stored, {} loaded)", whole_number(sum),
                        with_commas(*kernel.figures.spill_store_bytes), with_commas(*kernel.figures.spill_load_bytes)),
            {}};
}

known_figure shared_spills_of(const kernel_info& kernel)
{
    const std::optional<std::int64_t> sum = shared_spill_bytes(kernel);
    if (!sum) return {{}, {}, "the input does not contain spills to shared memory; a cubin does"};
    return {static_cast<double>(*sum),
            fmt::format("{} B spilled to shared memory ({} stored, {} loaded)", with_commas(*sum),
                        with_commas(*kernel.figures.shared_spill_store_bytes),
                        with_commas(*kernel.figures.shared_spill_load_bytes)),
            {}};
}

known_figure stack_of(const kernel_info& kernel)
{
    const std::optional<std::int64_t> stack = deepest_stack(kernel);
    const bool deeper = stack && kernel.figures.stack_frame_bytes && *stack > *kernel.figures.stack_frame_bytes;
    known_figure found = bytes(stack, deeper ? "stack with the functions that it calls" : "stack frame");
    if (kernel.figures.stack_unbounded) {
        found.worst = std::numeric_limits<double>::infinity();
        found.why_not = "recursion, or a call through a pointer: its stack size is unknown";
    }
    return found;
}

known_figure launch_bounds_of(const kernel_info& kernel)
{
    if (bound_threads(kernel)) return {1, "launch bounds", {}};
    // A cubin that has a register cap would have the bounds, too.
    if (kernel.bounds.register_cap) return {0, "it has no launch bounds", {}};
    return {{}, {}, "the input does not contain launch bounds; logs never do"};
}

known_figure figure_of(budget_limit which, const effective_limits& limits, const kernel_info& kernel)
{
    switch (which) {
        case budget_limit::max_registers:
            if (!kernel.figures.registers) return {{}, {}, "the input does not contain its registers"};
            return {static_cast<double>(*kernel.figures.registers),
                    with_commas(*kernel.figures.registers) + " registers",
                    {}};
        case budget_limit::max_spill_bytes:
            return spills_of(kernel);
        case budget_limit::max_shared_spill_bytes:
            return shared_spills_of(kernel);
        case budget_limit::max_stack_bytes:
            return stack_of(kernel);
        case budget_limit::max_static_shared:
            return bytes(kernel.figures.static_shared_bytes, "static shared memory");
        case budget_limit::max_code_bytes:
            return bytes(kernel.figures.code_bytes, "code", "code size");
        case budget_limit::require_launch_bounds:
            return launch_bounds_of(kernel);
        case budget_limit::min_blocks_per_sm:
        case budget_limit::min_occupancy:
            break;
    }
    return residency_figure(which, limits, kernel);
}

std::string why_no_question(const kernel_info& kernel, bool threads_known)
{
    if (kernel.architecture.empty()) return "its architecture is not known";
    if (limits_where_run(kernel) == nullptr)
        return "no limits are known for " + escape_for_terminal(architecture_where_run(kernel));
    if (!threads_known) return "its launch bound is not known; add threads to the rule";
    return "the input does not contain its registers";
}

known_figure residency_figure(budget_limit which, const effective_limits& limits, const kernel_info& kernel)
{
    std::optional<occupancy_question> question = question_for(kernel, limits.threads);
    if (!question) return {{}, {}, why_no_question(kernel, limits.threads || bound_threads(kernel))};
    if (limits.dynamic_shared || limits.dynamic_shared_of) {
        set_dynamic_shared(*question, limits.dynamic_shared ? *limits.dynamic_shared
                                                            : limits.dynamic_shared_of(question->shape.threads));
        question->dynamic_shared_known = true;
    }
    const std::int64_t dynamic = question->shape.dynamic_shared_bytes;
    const auto answer = [&](int barriers) {
        kernel_resources resources = question->resources;
        resources.barriers = barriers;
        return occupancy(*question->limits, resources, question->shape, question->settings);
    };
    const occupancy_result result = answer(question->resources.barriers);
    known_figure found;
    const bool blocks = which == budget_limit::min_blocks_per_sm;
    found.value = blocks ? result.resident_blocks : result.occupancy();
    found.shown = blocks ? fmt::format("{} resident blocks of {} threads", result.resident_blocks,
                                       with_commas(question->shape.threads))
                         : fmt::format("{} occupancy with {} threads", shown_number(which, result.occupancy()),
                                       with_commas(question->shape.threads));
    if (dynamic > 0) found.shown += fmt::format(" and {} B of dynamic shared memory", with_commas(dynamic));
    if (result.obstacle != launch_obstacle::none) found.shown += " (" + obstacle_text(*question, result) + ")";
    if (!question->dynamic_shared_known) {
        found.worst = 0;
        found.shown = "at most " + found.shown;
        found.why_not =
            "it uses dynamic shared memory of unknown size; add dynamic_shared to the rule, or give --dynamic-shared";
    } else if (!question->shared_known) {
        found.worst = 0;
        found.why_not = "the input does not contain its static shared memory";
    } else if (!question->barriers_known) {
        const occupancy_result worst = answer(max_barriers_per_block);
        found.worst = blocks ? worst.resident_blocks : worst.occupancy();
        found.why_not = "the input does not contain its barriers, and too many are possible";
    }
    return found;
}

}  // namespace

}  // namespace launchbox
