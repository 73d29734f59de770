// SPDX-License-Identifier: Apache-2.0
#include "report/tune/run_json.hpp"

#include <algorithm>
#include <concepts>
#include <type_traits>

namespace launchbox {

using nlohmann::ordered_json;

namespace {

ordered_json environment_json(const environment_info& where)
{
    ordered_json json;
    each_field(where, [&](const char* name, const auto& member) {
        if constexpr (std::integral<std::remove_cvref_t<decltype(member)>>)
            json[name] = member == 0 ? ordered_json(nullptr) : ordered_json(member);
        else
            json[name] = text_or_null(member);
    });
    return json;
}

ordered_json run_json(const shown_run& shown, std::size_t environment, bool whole)
{
    const run_info& info = shown.run.info;
    ordered_json json{{"file", json_text(shown.file)},
                      {"number", shown.run.number},
                      {"name", json_text(info.name)},
                      {"environment", environment},
                      {"host", json_text(info.environment.host)},
                      {"started", json_text(info.started)},
                      {"call", or_null(info.call)},
                      {"version", json_text(info.version)},
                      {"command", json_text(info.command)},
                      {"spec_hash", json_text(info.spec_hash)},
                      {"task_hash", json_text(info.task_hash)},
                      {"source_hash", json_text(info.source_hash)},
                      {"baseline", optional_values_json(info.baseline)},
                      {"objective", json_text(info.objective)}};
    if (whole) json["spec"] = lines_json(info.spec_text);
    return json;
}

}  // namespace

ordered_json lines_json(const std::string& text)
{
    std::string safe;
    for (std::size_t start = 0; start < text.size();) {
        const std::size_t end = std::min(text.find_first_of("\n\t", start), text.size());
        safe += json_text(text.substr(start, end - start));
        if (end < text.size()) safe += text[end];
        start = end + 1;
    }
    return safe;
}

ordered_json safe_json(const ordered_json& value)
{
    if (value.is_string()) return json_text(value.get_ref<const std::string&>());
    if (!value.is_structured()) return value;
    ordered_json result = value.is_array() ? ordered_json::array() : ordered_json::object();
    for (const auto& [name, item] : value.items()) {
        if (value.is_array())
            result.push_back(safe_json(item));
        else
            result[json_text(name)] = safe_json(item);
    }
    return result;
}

ordered_json values_json(const assignment& values)
{
    return safe_json(json_of(values));
}

ordered_json optional_values_json(const std::optional<assignment>& values)
{
    return values ? values_json(*values) : ordered_json(nullptr);
}

ordered_json noise_json(const std::optional<sample_noise>& noise)
{
    if (!noise) return nullptr;
    return {{"least", noise->least}, {"most", noise->most}, {"gap", noise->gap}};
}

std::pair<ordered_json, ordered_json> runs_json(const std::vector<shown_run>& runs, bool with_specs)
{
    std::vector<environment_info> environments;
    ordered_json shown_runs = ordered_json::array(), shown_environments = ordered_json::array();
    for (const shown_run& run : runs) {
        environment_info where = run.run.info.environment;
        where.host.clear();
        const auto known = std::find(environments.begin(), environments.end(), where);
        shown_runs.push_back(run_json(run, static_cast<std::size_t>(known - environments.begin()), with_specs));
        if (known == environments.end()) {
            environments.push_back(where);
            shown_environments.push_back(environment_json(where));
        }
    }
    return {shown_environments, shown_runs};
}

ordered_json texts_json(const assignment& values)
{
    ordered_json json = ordered_json::object();
    for (const auto& [name, value] : values.values) json[json_text(name)] = json_text(parameter_text(value));
    return json;
}

void add_gain(ordered_json& json, const std::string& name, const std::optional<gain>& of)
{
    for (const auto& [suffix, part] : {std::pair("", &gain::times), {"_low", &gain::low}, {"_high", &gain::high}})
        json[name + suffix] = of ? ordered_json((*of).*part) : ordered_json(nullptr);
}

}  // namespace launchbox
