// SPDX-License-Identifier: Apache-2.0
#include "tune/backend/launch_expressions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

#include "support/error.hpp"
#include "support/expression/value_expression.hpp"

namespace launchbox {

namespace {

// The most combinations of values that one expression is tried with before compiling. If there are more, an even sample
// is tried; a failure in another one shows when that candidate is prepared.
constexpr std::size_t max_tries = 2'000'000;
// The most combinations of parameter values for which a table records whether a candidate has them.
constexpr std::size_t max_noted = std::size_t{1} << 24;

int in_int(std::int64_t value)
{
    using limits = std::numeric_limits<int>;
    return static_cast<int>(std::clamp<std::int64_t>(value, limits::min(), limits::max()));
}

std::string dimension(const char* what, std::size_t i)
{
    return fmt::format("{}[{}]", what, i);
}

// A whole number, as most specs write sizes; nothing for any other text.
std::optional<std::int64_t> literal_in(const std::string& text)
{
    std::int64_t number = 0;
    const char* last = text.data() + text.size();
    const auto [end, failure] = std::from_chars(text.data(), last, number);
    return failure == std::errc() && end == last ? std::optional(number) : std::nullopt;
}

double as_number(const parameter_value& value)
{
    if (const bool* truth = std::get_if<bool>(&value)) return *truth ? 1 : 0;
    if (const double* number = std::get_if<double>(&value)) return *number;
    return static_cast<double>(std::get<std::int64_t>(value));
}

// For each combination of values of these parameters, one candidate that has it.
std::vector<std::size_t> representatives(const search_space& space, const std::vector<std::size_t>& parameters);

}  // namespace

// A Lua state must not be used by two threads at once.
struct launch_expressions::one {
    std::string text;
    use what = use::size;
    std::optional<std::int64_t> literal;
    std::optional<value_expression> expression;
    mutable std::mutex lock;
};

launch_expressions::launch_expressions(const tune_spec& spec, limit_values limits)
    : spec_(spec), limits_(std::move(limits))
{
    const kernel_target& kernel = spec.kernel.value();
    for (std::size_t i = 0; i < 3; ++i) {
        add(dimension("threads", i), kernel.threads[i], use::size);
        add(dimension("blocks", i), kernel.blocks[i], use::size);
        add(dimension("cluster", i), kernel.cluster[i], use::size);
    }
    add("dynamic_shared", kernel.dynamic_shared, use::size);
    add("static_shared", kernel.static_shared, use::size);
    add("carveout", kernel.carveout, use::size);
    for (const auto* list : {&kernel.arguments, &kernel.variables})
        for (const kernel_argument& argument : *list) {
            add(of_argument(*list, argument, "count"), argument.count, use::count);
            add(of_argument(*list, argument, "value"), argument.value, use::value);
        }
}

launch_expressions::~launch_expressions() = default;

void launch_expressions::add(const std::string& key, const std::string& text, use what)
{
    if (text.empty()) return;
    auto added = std::make_unique<one>();
    added->text = text;
    added->what = what;
    added->literal = literal_in(text);
    if (!added->literal) {
        in_spec(spec_.places, [&] {
            added->expression.emplace(text);
            refuse_unknown_limits(*added->expression, limits_);
        });
    }
    expressions_.emplace(key, std::move(added));
}

parameter_value launch_expressions::value_of(const one& expression, const assignment& values) const
{
    const auto refuse = [&](const std::string& what, const std::string& hint) {
        throw expression_error(expression.text, "'" + expression.text.substr(0, 60) + "' is " + what, hint);
    };
    return in_spec(spec_.places, [&]() -> parameter_value {
        parameter_value value;
        if (expression.literal) {
            value = *expression.literal;
        } else {
            const std::lock_guard guard(expression.lock);
            value = (*expression.expression)(values, limits_);
        }
        if (const std::string* word = std::get_if<std::string>(&value))
            refuse("the word '" + word->substr(0, 40) + "', but a number is needed",
                   "compare the string, such as mode == 'b' and 2 or 1");
        if (expression.what == use::value) return value;
        if (const double* number = std::get_if<double>(&value)) {
            constexpr double bound = 9223372036854775808.0;  // 2^63
            if (!(std::fabs(*number) < bound) || *number != std::floor(*number))
                refuse(parameter_text(value) + ", not a whole number", "use // for a division that rounds down");
            value = static_cast<std::int64_t>(*number);
        }
        if (const bool* truth = std::get_if<bool>(&value)) value = std::int64_t{*truth ? 1 : 0};
        if (expression.what == use::count && std::get<std::int64_t>(value) < 0)
            refuse(parameter_text(value) + ", but a count must be 0 or more", "correct it");
        return value;
    });
}

std::int64_t launch_expressions::size_of(const std::string& key, const assignment& values) const
{
    const auto found = expressions_.find(key);
    if (found == expressions_.end()) return 0;
    return std::get<std::int64_t>(value_of(*found->second, values));
}

evaluated_launch launch_expressions::launch(const assignment& values) const
{
    evaluated_launch launch;
    for (std::size_t i = 0; i < 3; ++i) {
        launch.threads[i] = in_int(size_of(dimension("threads", i), values));
        launch.blocks[i] = size_of(dimension("blocks", i), values);
        launch.cluster[i] = in_int(size_of(dimension("cluster", i), values));
    }
    launch.dynamic_shared_bytes = size_of("dynamic_shared", values);
    if (expressions_.contains("carveout")) launch.carveout_percent = size_of("carveout", values);
    if (expressions_.contains("static_shared")) launch.static_shared_bytes = size_of("static_shared", values);
    return launch;
}

std::string launch_expressions::of_argument(const std::vector<kernel_argument>& list, const kernel_argument& argument,
                                            const char* what) const
{
    return fmt::format("{}[{}].{}", &list == &spec_.kernel->variables ? "variables" : "arguments",
                       &argument - list.data(), what);
}

std::vector<task_argument> launch_expressions::arguments(const assignment& values) const
{
    return evaluated(spec_.kernel->arguments, values);
}

std::vector<task_argument> launch_expressions::variables(const assignment& values) const
{
    return evaluated(spec_.kernel->variables, values);
}

std::vector<task_argument> launch_expressions::evaluated(const std::vector<kernel_argument>& list,
                                                         const assignment& values) const
{
    std::vector<task_argument> arguments;
    for (const kernel_argument& described : list) {
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
        argument.reset = described.reset;
        if (!described.count.empty()) argument.count = size_of(of_argument(list, described, "count"), values);
        if (described.value.empty()) continue;
        const parameter_value value = value_of(*expressions_.at(of_argument(list, described, "value")), values);
        argument.number = as_number(value);
        if (const std::int64_t* integer = std::get_if<std::int64_t>(&value))
            argument.integer = *integer;
        else
            argument.integer = static_cast<std::int64_t>(std::clamp(argument.number, -9.2e18, 9.2e18));
    }
    return arguments;
}

void launch_expressions::check(const search_space& space) const
{
    for (const auto& [key, expression] : expressions_) try_all(*expression, space);
}

void launch_expressions::try_all(const one& expression, const search_space& space) const
{
    const auto names = [&](const std::string& name) {
        return expression.expression &&
               std::ranges::find(expression.expression->names(), name) != expression.expression->names().end();
    };
    std::vector<std::size_t> parameters;
    for (std::size_t p = 0; p < spec_.parameters.size(); ++p)
        if (names(spec_.parameters[p].name)) parameters.push_back(p);
    // Workloads that are alike for this expression, by the values that it uses.
    std::map<std::string, std::vector<const workload*>> workloads;
    for (const workload& workload : spec_.workloads) {
        assignment used = workload.values;
        std::erase_if(used.values, [&](const auto& value) { return !names(value.first); });
        workloads[identity_of(used)].push_back(&workload);
    }
    const std::vector<std::size_t> candidates = representatives(space, parameters);
    const std::size_t tries = candidates.size() * workloads.size(), stride = tries / max_tries + 1;
    std::size_t at = 0;
    for (const std::size_t candidate : candidates) {
        const assignment chosen = space.at(candidate);
        for (const auto& [alike, same] : workloads) {
            if (at++ % stride != 0) continue;
            try {
                static_cast<void>(value_of(expression, joined(chosen, same.front()->values)));
            } catch (const error& failure) {
                // It is an error only if a candidate with these values runs on one of these workloads.
                const auto is_alike = [&](const assignment& other) {
                    return std::ranges::all_of(
                        parameters, [&](std::size_t p) { return other.values[p].second == chosen.values[p].second; });
                };
                const bool simple = space.workload_constraints().empty();
                for (std::size_t i = simple ? candidate : 0; i < space.size(); ++i) {
                    const assignment other = space.at(i);
                    if (!is_alike(other)) continue;
                    for (const workload* on : same)
                        if (space.why_not(other, *on).empty())
                            throw error(
                                failure.what() + std::string(", with ") + parameter_text(joined(other, on->values)),
                                "correct it, or add a constraint that excludes such candidates");
                }
            }
        }
    }
}

namespace {

std::vector<std::size_t> representatives(const search_space& space, const std::vector<std::size_t>& parameters)
{
    std::vector<std::size_t> found;
    if (parameters.empty()) {
        if (space.size() > 0) found.push_back(0);
        return found;
    }
    std::size_t combinations = 1;
    for (const std::size_t p : parameters) {
        combinations *= space.values_of(p).size();
        if (combinations > max_noted) break;
    }
    if (combinations > max_noted) {
        const std::size_t stride = space.size() / max_tries + 1;
        for (std::size_t i = 0; i < space.size(); i += stride) found.push_back(i);
        return found;
    }
    std::vector<bool> seen(combinations);
    for (std::size_t i = 0; i < space.size() && found.size() < combinations; ++i) {
        const std::vector<std::uint32_t> coordinates = space.coordinates(i);
        std::size_t number = 0;
        for (const std::size_t p : parameters) number = number * space.values_of(p).size() + coordinates[p];
        if (!seen[number]) found.push_back(i);
        seen[number] = true;
    }
    return found;
}

}  // namespace

}  // namespace launchbox
