// Kernel Tuner's results file 1.0 and Kernel Launcher's wisdom: the best candidate of each GPU and problem size, no
// more.
// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <deque>

#include "tune/exchange/foreign/formats.hpp"
#include "tune/exchange/foreign/json_pieces.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

struct winner_reader {
    foreign_diagnostics& diagnostics;
    std::string hash, kernel;
    std::deque<foreign_run> runs;  // one a GPU and problem size

    void add(const std::string& gpu, const assignment& workload, stored_result result, const ordered_json* time,
             const std::string& where);
    std::vector<recorded_run> finish();
};

// "4096x4096" or [4096, 4096], x first.
assignment workload_in(const ordered_json& size)
{
    static const char* const axes[] = {"x", "y", "z"};
    ordered_json list = size;
    if (size.is_string()) {
        list = ordered_json::array();
        std::string text = size.get<std::string>();
        for (std::size_t begin = 0; begin <= text.size();) {
            const std::size_t end = std::min(text.find('x', begin), text.size());
            const ordered_json part = ordered_json::parse(text.substr(begin, end - begin), nullptr, false);
            if (!part.is_number_integer()) return {{{"problem_size", std::move(text)}}};
            list.push_back(part);
            begin = end + 1;
        }
    }
    if (!list.is_array() || list.empty() || list.size() > std::size(axes))
        return {{{"problem_size", foreign_value(size)}}};
    assignment workload;
    for (std::size_t i = 0; i < list.size(); ++i) workload.values.emplace_back(axes[i], foreign_value(list[i]));
    return workload;
}

}  // namespace

std::vector<recorded_run> read_kernel_tuner_results(const foreign_text& file, foreign_diagnostics& diagnostics)
{
    winner_reader reader{diagnostics, file.hash, {}, {}};
    std::string objective = "time";
    std::string_view data;
    json_pieces members(file.text);
    while (const std::optional<json_piece> member = members.next()) {
        if (member->name == "data") data = member->text;
        const std::optional<ordered_json> value = member->name == "data" ? std::nullopt : parse_piece(member->text);
        if (!value || !value->is_string()) continue;
        if (member->name == "kernel_name") reader.kernel = value->get<std::string>();
        if (member->name == "objective") objective = value->get<std::string>();
    }
    if (objective != "time") diagnostics.say("was not tuned for time");
    json_pieces entries(data);
    for (std::size_t number = 0; const std::optional<json_piece> entry = entries.next(); ++number) {
        const std::string where = fmt::format("entry {}", number);
        const std::optional<ordered_json> value = entry->whole ? parse_piece(entry->text) : std::nullopt;
        const ordered_json* parameters = value ? member_of(*value, "tunable_parameters") : nullptr;
        if (parameters == nullptr || !parameters->is_object()) {
            diagnostics.add("left out, since the entry is truncated or damaged", where);
            continue;
        }
        stored_result result;
        for (const auto& [name, item] : parameters->items())
            result.parameters.values.emplace_back(name, foreign_value(item));
        const ordered_json* size = member_of(*value, "problem_size");
        reader.add(text_member(*value, "device_name"), size != nullptr ? workload_in(*size) : assignment{},
                   std::move(result), member_of(*value, "time"), where);
    }
    if (!entries.closed()) diagnostics.say("is truncated: all candidates up to its end are read");
    return reader.finish();
}

std::vector<recorded_run> read_wisdom(const foreign_text& file, foreign_diagnostics& diagnostics)
{
    winner_reader reader{diagnostics, file.hash, {}, {}};
    std::vector<std::string> names;
    bool is_header = true;
    std::size_t number = 0;
    for (std::string_view rest = file.text; !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        const std::string_view line = rest.substr(0, end);
        rest.remove_prefix(std::min(end + 1, rest.size()));
        ++number;
        if (line.find_first_not_of(" \t\r") == line.npos || line.starts_with("#") || line.starts_with("//")) continue;
        const std::optional<ordered_json> value = parse_piece(line);
        const std::string where = fmt::format("line {}", number);
        if (is_header) {
            is_header = false;
            if (!value) continue;
            reader.kernel = text_member(*value, "key");
            if (text_member(*value, "objective") != "time") diagnostics.say("was not tuned for time");
            if (const ordered_json* list = member_of(*value, "tunable_parameters"); list != nullptr && list->is_array())
                for (const ordered_json& json : *list)
                    if (json.is_string()) names.push_back(json.get<std::string>());
            continue;
        }
        const ordered_json* values = value ? member_of(*value, "config") : nullptr;
        if (values == nullptr || !values->is_array() || values->size() != names.size()) {
            diagnostics.add("left out, since the line is truncated or damaged", where);
            continue;
        }
        stored_result result;
        for (std::size_t i = 0; i < names.size(); ++i)
            result.parameters.values.emplace_back(names[i], foreign_value((*values)[i]));
        const ordered_json* environment = member_of(*value, "environment");
        if (environment != nullptr) result.finished = foreign_timestamp(text_member(*environment, "date"));
        const ordered_json* size = member_of(*value, "problem_size");
        reader.add(environment != nullptr ? text_member(*environment, "device_name") : std::string(),
                   size != nullptr ? workload_in(*size) : assignment{}, std::move(result), member_of(*value, "time"),
                   where);
    }
    return reader.finish();
}

namespace {

void winner_reader::add(const std::string& gpu, const assignment& workload, stored_result result,
                        const ordered_json* time, const std::string& where)
{
    const std::optional<double> sample = time != nullptr ? foreign_time(*time, ns_per_millisecond) : std::nullopt;
    if (!sample) {
        diagnostics.add(no_foreign_time, where);
        return;
    }
    result.measured.samples_ns = {*sample};
    auto found = std::find_if(runs.begin(), runs.end(), [&](const foreign_run& run) {
        return run.info.environment.gpu == gpu && run.facts.workload == workload;
    });
    if (found == runs.end()) {
        runs.emplace_back(diagnostics, fmt::format("{}-{}", hash, runs.size()));
        found = runs.end() - 1;
        found->info.name = kernel;
        found->info.environment.gpu = gpu;
        found->facts.workload = workload;
    }
    found->add(std::move(result));
}

std::vector<recorded_run> winner_reader::finish()
{
    diagnostics.say("contains only the best candidates, not all that were tried");
    std::vector<recorded_run> recorded;
    for (foreign_run& run : runs) recorded.push_back(run.finish(static_cast<std::int64_t>(recorded.size() + 1)));
    return recorded;
}

}  // namespace

}  // namespace launchbox
