// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/screen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

#include <launchbox/detail/launch/launch_explanation.hpp>
#include <launchbox/occupancy.hpp>

#include "support/error.hpp"
#include "support/expression/expression.hpp"

namespace launchbox {

namespace {

// The values that expressions can calculate with.
class calculator {
public:
    explicit calculator(const assignment& values)
    {
        for (const auto& [name, value] : values.values) {
            if (const auto* number = std::get_if<std::int64_t>(&value)) numbers_[name] = *number;
            if (const auto* truth = std::get_if<bool>(&value)) numbers_[name] = *truth ? 1 : 0;
        }
        for (const auto& [name, value] : numbers_) names_.push_back(name);
    }

    // Most expressions are a number or a name: Lua is asked for the others.
    [[nodiscard]] std::int64_t operator()(const std::string& text) const
    {
        std::int64_t number = 0;
        const char* last = text.data() + text.size();
        if (const auto [end, failure] = std::from_chars(text.data(), last, number);
            failure == std::errc() && end == last)
            return number;
        if (const auto found = numbers_.find(text); found != numbers_.end()) return found->second;
        return expression(text, names_)(numbers_);
    }

private:
    std::map<std::string, std::int64_t> numbers_;
    std::vector<std::string> names_;
};

template <class Size>
launch_extent extent_of(const std::array<Size, 3>& sizes)
{
    return {sizes[0], sizes[1], sizes[2]};
}

int in_int(std::int64_t value)
{
    using limits = std::numeric_limits<int>;
    return static_cast<int>(std::clamp<std::int64_t>(value, limits::min(), limits::max()));
}

// The explanation ends with what to do about it; here another candidate does.
std::string first_sentence(std::string_view text)
{
    text = text.substr(0, text.find(". "));
    if (text.ends_with('.')) text.remove_suffix(1);
    return std::string(text);
}

launch_facts facts_of(const evaluated_launch& launch, const sm_limits& limits)
{
    launch_facts facts{.gpu = limits.capability};
    facts.grid = extent_of(launch.blocks);
    facts.threads = extent_of(launch.threads);
    facts.cluster = extent_of(launch.cluster);
    facts.dynamic_shared_bytes = {launch.dynamic_shared_bytes};
    return facts;
}

std::string explained(const launch_facts& facts)
{
    const std::string whole = explain(facts).text;
    std::string_view text = whole;
    // Where a name would stand. GCC 12 takes a comparison of strings here for one of memory that was never written.
    if (text.size() > 2 && text[0] == ':' && text[1] == ' ') text.remove_prefix(2);
    return first_sentence(text);
}

// The most blocks that a cluster can have, where it is known.
std::string too_large_cluster(const evaluated_launch& launch, const sm_limits& limits)
{
    const launch_extent cluster = extent_of(launch.cluster);
    if (!limits.non_portable_cluster || cluster.count() <= 1 || cluster.count() <= *limits.non_portable_cluster)
        return {};
    return fmt::format("a cluster of {}, but it has at most {} on {}", detail::blocks_text(cluster),
                       *limits.non_portable_cluster, detail::gpu_name(limits.capability));
}

}  // namespace

evaluated_launch launch_of(const kernel_target& target, const assignment& values)
{
    const calculator value_of(values);
    evaluated_launch launch;
    for (std::size_t i = 0; i < 3; ++i) {
        launch.threads[i] = in_int(value_of(target.threads[i]));
        launch.blocks[i] = value_of(target.blocks[i]);
        launch.cluster[i] = in_int(value_of(target.cluster[i]));
    }
    launch.dynamic_shared_bytes = value_of(target.dynamic_shared);
    return launch;
}

std::vector<task_argument> arguments_of(const kernel_target& target, const assignment& values)
{
    const calculator value_of(values);
    std::vector<task_argument> arguments;
    for (const kernel_argument& described : target.arguments) {
        task_argument& argument = arguments.emplace_back();
        argument.name = described.name;
        argument.type = filled_in(described.type, values);
        argument.scalar = described.count.empty();
        argument.fill = described.fill;
        argument.low = described.low;
        argument.high = described.high;
        argument.seed = described.seed;
        argument.file = filled_in(described.file, values);
        argument.role = described.role;
        if (!described.count.empty()) {
            argument.count = value_of(filled_in(described.count, values));
            if (argument.count < 0)
                throw error(
                    fmt::format("argument {}: count = \"{}\" is {}", described.name, described.count, argument.count),
                    "a count is 0 or more");
        }
        if (described.value.empty()) continue;
        const std::string text = filled_in(described.value, values);
        const char* last = text.data() + text.size();
        if (const auto [end, failure] = std::from_chars(text.data(), last, argument.number);
            failure == std::errc() && end == last && text.find_first_of(".eE") != std::string::npos) {
            argument.integer = static_cast<std::int64_t>(argument.number);
        } else if (const parameter_value* named = values.find(text); named && std::get_if<double>(named) != nullptr) {
            argument.number = std::get<double>(*named);
            argument.integer = static_cast<std::int64_t>(argument.number);
        } else {
            argument.integer = value_of(text);
            argument.number = static_cast<double>(argument.integer);
        }
    }
    return arguments;
}

std::string why_not_before_build(const tune_spec& spec, const assignment& values, const evaluated_launch& launch,
                                 const sm_limits& limits)
{
    launch_facts facts = facts_of(launch, limits);
    if (spec.kernel && !spec.kernel->static_shared.empty()) {
        facts.static_shared_bytes = calculator(values)(spec.kernel->static_shared);
        if (facts.static_shared_bytes > limits.shared_per_block)
            return fmt::format("{} B of static shared memory, but a block has at most {} B of it",
                               detail::grouped(facts.static_shared_bytes), detail::grouped(limits.shared_per_block));
    }
    std::string why = explained(facts);
    return why.empty() ? too_large_cluster(launch, limits) : why;
}

double promise_before_build(const tune_spec& spec, const assignment& values, const sm_limits& limits)
{
    const evaluated_launch launch = launch_of(spec.kernel.value(), values);
    if (!why_not_before_build(spec, values, launch, limits).empty()) return 0;
    launch_facts facts = facts_of(launch, limits);
    facts.registers = 16;  // fewer make no difference on any GPU
    if (!spec.kernel->static_shared.empty()) facts.static_shared_bytes = calculator(values)(spec.kernel->static_shared);
    const occupancy_result account =
        occupancy(limits, detail::resources_of(limits, facts), detail::shape_of(facts),
                  detail::settings_of(limits, facts.static_shared_bytes, facts.carveout_percent));
    const std::int64_t threads = extent_of(launch.threads).count();
    return account.occupancy() >= 0.5 && threads % warp_size == 0 ? 1 : 0.5;
}

std::string why_not_launched(const kernel_info& kernel, const evaluated_launch& launch, const sm_limits& limits,
                             const screen_settings& settings)
{
    launch_facts facts = facts_of(launch, limits);
    facts.registers = kernel.registers.value_or(0);
    facts.static_shared_bytes = kernel.static_shared_bytes.value_or(0);
    facts.barriers = kernel.barriers.value_or(0);
    facts.binary_version = limits.capability.major * 10 + limits.capability.minor;
    facts.largest_cluster = std::nullopt;
    if (kernel.cluster)
        facts.required_cluster = launch_extent{(*kernel.cluster)[0], (*kernel.cluster)[1], (*kernel.cluster)[2]};
    if (kernel.required_threads) {
        const std::array<int, 3>& wanted = *kernel.required_threads;
        const launch_extent required{wanted[0], wanted[1], wanted[2]};
        if (required != extent_of(launch.threads))
            return detail::threads_text(extent_of(launch.threads)) + ", but it was compiled for blocks of exactly " +
                   detail::threads_text(required);
    }
    if (kernel.max_threads) {
        const std::int64_t bound =
            std::int64_t{1} * (*kernel.max_threads)[0] * (*kernel.max_threads)[1] * (*kernel.max_threads)[2];
        facts.max_threads = static_cast<int>(std::min<std::int64_t>(bound, max_threads_per_block));
        facts.invalid_value = true;  // it is the launch bound, and not what registers allow
    }
    std::string why = explained(facts);
    if (why.empty()) why = too_large_cluster(launch, limits);
    if (!why.empty() || settings.min_occupancy <= 0) return why;

    const occupancy_result account =
        occupancy(limits, detail::resources_of(limits, facts), detail::shape_of(facts),
                  detail::settings_of(limits, facts.static_shared_bytes, facts.carveout_percent));
    if (account.occupancy() >= settings.min_occupancy) return {};
    return fmt::format("occupancy {:.3g} %, and min_occupancy is {:.3g} %: {} of {} warps are resident on an SM",
                       account.occupancy() * 100, settings.min_occupancy * 100, account.resident_warps,
                       account.warp_slots);
}

}  // namespace launchbox
