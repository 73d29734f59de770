// The names that texts of a spec may use: parameters, values of the workload, limits of the GPU.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/expression/value_expression.hpp"
#include "support/process/command_words.hpp"
#include "support/text/matching.hpp"
#include "tune/spec/limit_values.hpp"
#include "tune/spec/tune_spec_reader.hpp"

namespace launchbox::spec_toml {

namespace {

/// Every name with its distinct values.
using named_values = std::map<std::string, std::vector<parameter_value>>;

named_values values_of_workloads(const tune_spec& spec);
void check_expression(const reader& of, const placed_text& text, const named_values& parameters,
                      const named_values& workload_values);
void check_filled(const reader& of, const placed_text& text, const named_values& parameters,
                  const named_values& workload_values);
void check_cycles(const reader& of);
toml::source_region place_of(const reader& of, const std::string& key);

}  // namespace

void check_names(const reader& of)
{
    const named_values workload_values = values_of_workloads(of.spec);
    named_values parameters;
    for (const tuning_parameter& parameter : of.spec.parameters) {
        std::vector<parameter_value>& values = parameters[parameter.name] = parameter.values;
        if (!parameter.when.empty()) values.push_back(parameter.otherwise);
    }
    for (const placed_text& text : of.texts)
        text.is_expression ? check_expression(of, text, parameters, workload_values)
                           : check_filled(of, text, parameters, workload_values);
    check_cycles(of);
}

namespace {

named_values values_of_workloads(const tune_spec& spec)
{
    named_values result;
    std::set<std::pair<std::string, parameter_value>> seen;
    for (const workload& workload : spec.workloads)
        for (const auto& [name, value] : workload.values.values)
            if (seen.insert({name, value}).second) result[name].push_back(value);
    return result;
}

void check_expression(const reader& of, const placed_text& text, const named_values& parameters,
                      const named_values& workload_values)
{
    const gpu_device some{};
    static const limit_values limits = limits_for_expressions({}, &some);
    of.file.placed(text.place, [&] {
        const value_expression expression(text.text);
        std::vector<std::string> known;
        for (const auto& [name, values] : parameters) known.push_back(name);
        if (text.names == scope::everything)
            for (const auto& [name, values] : workload_values) known.push_back(name);
        for (const auto& [name, value] : limits) known.push_back(name);
        for (const std::string& name : expression.names()) {
            if (std::find(known.begin(), known.end(), name) != known.end()) continue;
            const std::string what = fmt::format("unknown name {} in {}", in_toml_quotes(name), text.key);
            if (workload_values.contains(name))
                throw error(what, fmt::format("{} is a workload's value, and the parameters are the same for all "
                                              "workloads; put it into [constraints]",
                                              name));
            const std::string meant = nearest(name.substr(0, 64), known);
            std::string hint = "there are: ";
            for (const std::string& element : known) hint += (element == known.front() ? "" : ", ") + element;
            throw error(what, meant.empty() ? hint : "did you mean " + meant + "?");
        }
    });
}

void check_filled(const reader& of, const placed_text& text, const named_values& parameters,
                  const named_values& workload_values)
{
    std::map<std::string, std::string> known;
    for (const auto& [name, values] : workload_values) known[name] = parameter_text(values.front());
    if (text.names == scope::reference)
        for (const kernel_argument& argument : of.spec.kernel->arguments) known[argument.name] = "";
    if (text.names != scope::workload && text.names != scope::reference)
        for (const auto& [name, values] : parameters) known[name] = parameter_text(values.front());
    if (text.names == scope::commands)
        for (const char* letter : {"arch", "output", "name"}) known[letter] = "";
    of.file.placed(text.place, [&] {
        const std::vector<std::string> words = filled_in({text.text}, known);
        if (text.key != "type") return;
        // Checks every type that the argument can have.
        static_cast<void>(element_type_of(words.front()));
        for (const named_values* named : {&parameters, &workload_values})
            for (const auto& [name, values] : *named) {
                if (!mentions({text.text}, name)) continue;
                auto others = known;
                for (const parameter_value& value : values) {
                    others[name] = parameter_text(value);
                    static_cast<void>(element_type_of(filled_in({text.text}, others).front()));
                }
            }
    });
}

void check_cycles(const reader& of)
{
    std::map<std::string, std::vector<std::string>> needs;
    for (const tuning_parameter& parameter : of.spec.parameters)
        if (!parameter.when.empty()) needs[parameter.name] = value_expression(parameter.when).names();
    // A name is settled once all names that it needs are settled.
    for (bool some = true; some && !needs.empty();) {
        some = false;
        for (auto item = needs.begin(); item != needs.end();) {
            const bool waits = std::any_of(item->second.begin(), item->second.end(),
                                           [&](const std::string& name) { return needs.contains(name); });
            some = some || !waits;
            item = waits ? std::next(item) : needs.erase(item);
        }
    }
    if (needs.empty()) return;
    // Names only the members of the cycle, not those that depend on it.
    std::string circle, name = needs.begin()->first;
    std::vector<std::string> way;
    for (; std::find(way.begin(), way.end(), name) == way.end();) {
        way.push_back(name);
        const std::vector<std::string>& next = needs[name];
        name = *std::find_if(next.begin(), next.end(), [&](const std::string& text) { return needs.contains(text); });
    }
    for (auto item = std::find(way.begin(), way.end(), name); item != way.end(); ++item) circle += *item + ", ";
    of.file.fail(place_of(of, name + ".when"),
                 fmt::format("the `when` of {} depends on itself: {}{}", name, circle, name),
                 "remove one of these `when`");
}

toml::source_region place_of(const reader& of, const std::string& key)
{
    for (const placed_text& text : of.texts)
        if (text.key == key) return text.place;
    return of.file.root().source();
}

}  // namespace

}  // namespace launchbox::spec_toml
