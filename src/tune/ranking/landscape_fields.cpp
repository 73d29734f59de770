// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/landscape_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string_view>

#include "support/error.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

using kind = landscape_field::kind;

struct record_field {
    const char* name;
    std::string (*text)(const landscape_source& source);
};

// The default order in which maps are divided.
constexpr std::array<record_field, 5> record_fields{{
    {"kernel", [](const landscape_source& from) { return from.run->info.name; }},
    {"gpu", [](const landscape_source& from) { return machine_of(from.run->info.environment); }},
    {"driver", [](const landscape_source& from) { return from.run->info.environment.driver; }},
    {"toolkit", [](const landscape_source& from) { return from.run->info.environment.toolkit; }},
    {"run", [](const landscape_source& from) { return run_name(from); }},
}};

constexpr std::array<std::pair<kind, std::string_view>, 3> prefixes{
    {{kind::parameter, "parameters."}, {kind::workload, "workload."}, {kind::record, "record."}}};

constexpr std::size_t max_names_listed = 12;

// All names, in order of appearance.
struct known_names {
    std::vector<std::string> parameters, workload, record;

    [[nodiscard]] const std::vector<std::string>& of(kind what) const
    {
        return what == kind::parameter ? parameters : what == kind::workload ? workload : record;
    }
};

void add_names(const assignment& values, std::set<std::string>& seen, std::vector<std::string>& into)
{
    for (const auto& [name, value] : values.values)
        if (seen.insert(name).second) into.push_back(name);
}

known_names names_in(const std::vector<landscape_source>& sources)
{
    known_names known;
    std::set<std::string> parameters, workload;
    for (const landscape_source& source : sources)
        for (const stored_result& result : source.run->results) {
            add_names(result.parameters, parameters, known.parameters);
            add_names(result.workload, workload, known.workload);
        }
    for (const record_field& field : record_fields) known.record.emplace_back(field.name);
    return known;
}

std::string listed(const std::vector<std::string>& names)
{
    std::string text;
    for (std::size_t i = 0; i < std::min(names.size(), max_names_listed); ++i)
        text += (i == 0 ? "" : ", ") + escape_for_terminal(names[i]);
    if (names.size() > max_names_listed) text += fmt::format(" and {} more", names.size() - max_names_listed);
    return text.empty() ? "none" : text;
}

landscape_field field_named(const known_names& known, const std::string& name, const std::string& option)
{
    std::vector<landscape_field> found;
    std::string spellings;
    for (const auto& [what, prefix] : prefixes) {
        const std::vector<std::string>& names = known.of(what);
        if (std::ranges::find(names, name) == names.end()) continue;
        found.push_back({name, what});
        spellings += (spellings.empty() ? "" : " or ") + std::string(prefix) + escape_for_terminal(name);
    }
    if (found.size() > 1)
        throw error(fmt::format("{}: '{}' is ambiguous", option, escape_for_terminal(name)), "write " + spellings);
    if (found.size() == 1) return found.front();
    for (const auto& [what, prefix] : prefixes) {
        if (!name.starts_with(prefix)) continue;
        const std::string rest = name.substr(prefix.size());
        const std::vector<std::string>& names = known.of(what);
        if (std::ranges::find(names, rest) != names.end()) return {rest, what};
    }
    throw error(fmt::format("{}: there is no '{}' in these records", option, escape_for_terminal(name)),
                fmt::format("tuning parameters: {}; of the workload: {}; of the record: {}", listed(known.parameters),
                            listed(known.workload), listed(known.record)));
}

}  // namespace

std::string run_name(const landscape_source& source)
{
    return escape_for_terminal(fmt::format("run {} of {}", source.run->number, source.file));
}

std::string run_identity(const recorded_run& run)
{
    const run_info& info = run.info;
    assignment all{{{"name", info.name}, {"task", info.task_hash}, {"source", info.source_hash}}};
    each_field(info.environment,
               [&](const char* name, const auto& member) { all.values.emplace_back(name, fmt::format("{}", member)); });
    return identity_of(std::move(all));
}

std::optional<parameter_value> value_of(const landscape_field& field, const landscape_source& source,
                                        const stored_result& result)
{
    if (field.of == kind::record) {
        for (const record_field& known : record_fields)
            if (field.name == known.name)
                if (std::string text = known.text(source); !text.empty()) return text;
        return std::nullopt;
    }
    const parameter_value* value = (field.of == kind::parameter ? result.parameters : result.workload).find(field.name);
    return value == nullptr ? std::nullopt : std::optional(*value);
}

std::vector<landscape_field> fields_named(const std::vector<landscape_source>& sources,
                                          const std::vector<std::string>& names, const std::string& option)
{
    std::vector<landscape_field> fields;
    if (names.empty()) return fields;
    const known_names known = names_in(sources);
    for (const std::string& name : names) {
        const landscape_field field = field_named(known, name, option);
        for (const landscape_field& other : fields)
            if (other.name == field.name)
                throw error(fmt::format("{} names '{}' twice", option, escape_for_terminal(name)), "name each once");
        fields.push_back(field);
    }
    return fields;
}

std::vector<landscape_field> fields_that_differ(const std::vector<landscape_source>& sources,
                                                const std::vector<landscape_field>& but)
{
    const auto is_axis = [&](const landscape_field& field) {
        return std::ranges::any_of(
            but, [&](const landscape_field& axis) { return axis.name == field.name && axis.of == field.of; });
    };
    const auto differs_in = [&](const landscape_field& field) {
        std::optional<std::optional<parameter_value>> first;
        for (const landscape_source& source : sources)
            for (const stored_result& result : source.run->results) {
                std::optional<parameter_value> value = value_of(field, source, result);
                if (!first)
                    first = std::move(value);
                else if (*first != value)
                    return true;
                if (field.of == kind::record) break;
            }
        return false;
    };
    std::vector<landscape_field> fields;
    const auto add = [&](const std::string& name, kind of) {
        landscape_field field{name, of};
        if (!is_axis(field) && differs_in(field)) fields.push_back(std::move(field));
    };
    add("kernel", kind::record);
    add("gpu", kind::record);
    for (const std::string& name : names_in(sources).workload) add(name, kind::workload);
    // Two records of the same kernel and machine can share a map if driver, toolkit, source and task are the same.
    std::map<std::pair<std::string, std::string>, std::string> first;
    for (const landscape_source& source : sources) {
        const run_info& info = source.run->info;
        const std::string identity = run_identity(*source.run);
        if (first.try_emplace({info.name, machine_of(info.environment)}, identity).first->second == identity) continue;
        add("run", kind::record);
        break;
    }
    return fields;
}

}  // namespace launchbox
