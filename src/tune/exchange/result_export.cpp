// SPDX-License-Identifier: Apache-2.0
#include "tune/exchange/result_export.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <ostream>
#include <set>

#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/exchange/foreign/foreign_run.hpp"
#include "tune/exchange/foreign/own_facts.hpp"
#include "tune/store/result_json.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

constexpr double nanoseconds_per_ms = 1e6;

struct foreign_words {
    const char *kernel_tuner, *t4;
};

std::string dumped(const ordered_json& value, int indent = -1)
{
    return value.dump(indent, ' ', false, ordered_json::error_handler_t::replace);
}

own_facts facts_of(const exported_part& part);
ordered_json device_name_of(const exported_part& part);
ordered_json problem_size_of(const assignment& workload, bool& says_all);
ordered_json cache_entry(const stored_result& result);
ordered_json t4_entry(const stored_result& result);
std::string python_text(const parameter_value& value);
std::vector<std::string> parameters_of(const exported_part& part);
bool is_result(const stored_result& result);

}  // namespace

std::vector<exported_part> parts_of(const recorded_run& run)
{
    std::vector<exported_part> parts;
    for (std::size_t i = 0; i < run.results.size(); ++i) {
        auto found = std::find_if(parts.begin(), parts.end(),
                                  [&](const exported_part& part) { return part.workload == run.results[i].workload; });
        if (found == parts.end()) found = parts.insert(parts.end(), {&run, run.results[i].workload, {}});
        found->results.push_back(i);
    }
    return parts;
}

void write_kernel_tuner_cache(const exported_part& part, std::ostream& out)
{
    static const std::set<std::string> taken{"time",           "times",         "compile_time",   "verification_time",
                                             "benchmark_time", "strategy_time", "framework_time", "timestamp",
                                             "__error__",      "verified"};
    const std::vector<std::string> names = parameters_of(part);
    for (const std::string& name : names)
        if (taken.contains(name))
            throw error(
                fmt::format("a Kernel Tuner cache cannot have a parameter named '{}'", escape_for_terminal(name)),
                "T4 can: --export t4");
    ordered_json values = ordered_json::object();
    for (const std::string& name : names) {
        std::set<parameter_value> different;
        for (const std::size_t result : part.results)
            if (const parameter_value* value = part.run->results[result].parameters.find(name))
                different.insert(*value);
        ordered_json& list = values[name] = ordered_json::array();
        for (const parameter_value& element : different)
            std::visit([&](const auto& value) { list.push_back(value); }, element);
    }
    bool says_all = false;
    ordered_json header{{"device_name", device_name_of(part)},
                        {"kernel_name", part.run->info.name},
                        {"problem_size", problem_size_of(part.workload, says_all)}};
    own_facts facts = facts_of(part);
    if (says_all) facts.workload = {};
    if (ordered_json own = json_of(facts); !own.empty()) header["launchbox"] = std::move(own);
    header["tune_params_keys"] = names;
    header["tune_params"] = std::move(values);
    header["objective"] = "time";
    // In the form of Python's json.dumps(indent=""): Kernel Tuner looks for its end when it continues a cache.
    std::string start = dumped(header, 0);
    start.resize(start.size() - 2);  // the line break and the bracket
    out << start << ",\n\"cache\": {";
    bool is_first = true;
    for (const std::size_t index : part.results) {
        const stored_result& result = part.run->results[index];
        if (!is_result(result)) continue;
        std::string key;
        for (const auto& [name, value] : result.parameters.values) key += (key.empty() ? "" : ",") + python_text(value);
        out << (is_first ? "\n" : ",\n") << dumped(key) << ": " << dumped(cache_entry(result));
        is_first = false;
    }
    out << "}\n}";
}

void write_t4_results(const exported_part& part, std::ostream& out)
{
    ordered_json metadata{{"timeunit", "milliseconds"}};
    ordered_json own = json_of(facts_of(part));
    own["device_name"] = device_name_of(part);
    own["kernel_name"] = part.run->info.name;
    metadata["launchbox"] = std::move(own);
    out << "{\"schema_version\": \"1.0.0\",\n\"metadata\": " << dumped(metadata) << ",\n\"results\": [";
    bool is_first = true;
    for (const std::size_t index : part.results) {
        const stored_result& result = part.run->results[index];
        if (!is_result(result)) continue;
        out << (is_first ? "\n" : ",\n") << dumped(t4_entry(result));
        is_first = false;
    }
    out << "\n]}\n";
}

namespace {

own_facts facts_of(const exported_part& part)
{
    own_facts facts{.environment = part.run->info.environment,
                    .workload = part.workload,
                    .weight = part.run->results[part.results.front()].weight,
                    .work = part.run->results[part.results.front()].work,
                    .baseline = part.run->info.baseline};
    return facts;
}

ordered_json device_name_of(const exported_part& part)
{
    const environment_info& where = part.run->info.environment;
    return where.gpu == unknown_gpu ? std::string() : machine_of(where);
}

// Kernel Tuner takes only numbers, x first, or one string.
ordered_json problem_size_of(const assignment& workload, bool& says_all)
{
    static const char* const axes[] = {"x", "y", "z"};
    const auto& values = workload.values;
    const auto is_whole = [](const auto& item) { return std::holds_alternative<std::int64_t>(item.second); };
    if (values.size() == 1 && values[0].first == "problem_size" &&
        (is_whole(values[0]) || std::holds_alternative<std::string>(values[0].second))) {
        says_all = true;
        return std::visit([](const auto& value) { return ordered_json(value); }, values[0].second);
    }
    if (values.empty() || values.size() > std::size(axes) || !std::all_of(values.begin(), values.end(), is_whole))
        return parameter_text(workload);
    ordered_json size = ordered_json::array();
    says_all = true;
    for (std::size_t i = 0; i < values.size(); ++i) {
        says_all &= values[i].first == axes[i];
        size.push_back(std::get<std::int64_t>(values[i].second));
    }
    return size;
}

bool is_result(const stored_result& result)
{
    return result.measured.status != outcome::device_lost;
}

foreign_words words_for(outcome what)
{
    switch (what) {
        case outcome::measured:
            return {"", "correct"};
        case outcome::rejected:
            return {"InvalidConfig", "constraints"};
        case outcome::compile_error:
        case outcome::compile_timeout:
            return {"CompilationFailedConfig", "compile"};
        case outcome::hang:
            return {"RuntimeFailedConfig", "timeout"};
        case outcome::wrong_result:
            return {"RuntimeFailedConfig", "correctness"};
        default:
            return {"RuntimeFailedConfig", "runtime"};
    }
}

// The outcome that a reader derives from the format's word alone.
outcome outcome_of_word(const char* kernel_tuner)
{
    const std::string_view word = kernel_tuner;
    return word == "InvalidConfig"             ? outcome::rejected
           : word == "CompilationFailedConfig" ? outcome::compile_error
                                               : outcome::launch_error;
}

double mean_ms(const std::vector<double>& samples_ns)
{
    const double sum = std::accumulate(samples_ns.begin(), samples_ns.end(), 0.0);
    return sum / static_cast<double>(samples_ns.size()) / nanoseconds_per_ms;
}

ordered_json samples_in_ms(const std::vector<double>& samples_ns)
{
    ordered_json list = ordered_json::array();
    for (const double samples_n : samples_ns) list.push_back(samples_n / nanoseconds_per_ms);
    return list;
}

// "2023-12-22T09:53:48.691683Z" as Python writes it.
std::string python_timestamp(const std::string& text)
{
    if (text.size() < 20 || text[10] != 'T' || text.back() != 'Z') return text;
    return text.substr(0, 10) + ' ' + text.substr(11, text.size() - 12) + "+00:00";
}

ordered_json cache_entry(const stored_result& result)
{
    const measurement& measured = result.measured;
    ordered_json entry = json_of(result.parameters);
    if (measured.status == outcome::measured) {
        entry["time"] = mean_ms(measured.samples_ns);
        entry["times"] = samples_in_ms(measured.samples_ns);
    } else {
        const char* const word = words_for(measured.status).kernel_tuner;
        entry["time"] = word;
        measurement understood;
        set_failure(understood, measured.reason, outcome_of_word(word));
        if (understood.status != measured.status || understood.reason != measured.reason)
            entry["__error__"] = fmt::format("{}: {}", name_of(measured.status), measured.reason);
        else if (measured.reason != word && !measured.reason.empty())
            entry["__error__"] = measured.reason;
    }
    entry["compile_time"] = result.compile_seconds * 1e3;
    entry["verification_time"] = 0;
    entry["benchmark_time"] = measured.seconds * 1e3;
    if (measured.verified) entry["verified"] = true;
    entry["strategy_time"] = 0;
    entry["framework_time"] = 0;
    if (!result.finished.empty()) entry["timestamp"] = python_timestamp(result.finished);
    return entry;
}

ordered_json t4_entry(const stored_result& result)
{
    const measurement& measured = result.measured;
    const bool is_measured = measured.status == outcome::measured;
    const foreign_words words = words_for(measured.status);
    ordered_json time = is_measured ? ordered_json(mean_ms(measured.samples_ns)) : ordered_json(words.kernel_tuner);
    ordered_json measurements = ordered_json::array({{{"name", "time"}, {"value", std::move(time)}, {"unit", "ms"}}});
    const auto add = [&](const char* name, const ordered_json& value) {
        measurements.push_back({{"name", name}, {"value", value}, {"unit", ""}});
    };
    if (measured.verified) add("verified", 1);
    if (!is_measured) add("outcome", name_of(measured.status));
    if (!measured.reason.empty() && measured.reason != words.kernel_tuner) add("reason", measured.reason);
    return {{"timestamp", python_timestamp(result.finished)},
            {"configuration", json_of(result.parameters)},
            {"times",
             {{"compilation_time", result.compile_seconds * 1e3},
              {"benchmark", measured.seconds * 1e3},
              {"framework", 0},
              {"search_algorithm", 0},
              {"validation", 0},
              {"runtimes", samples_in_ms(measured.samples_ns)}}},
            {"invalidity", words.t4},
            {"correctness", is_measured ? 1 : 0},
            {"measurements", std::move(measurements)},
            {"objectives", {"time"}}};
}

// As Python's str() writes the value.
std::string python_text(const parameter_value& value)
{
    if (const bool* truth = std::get_if<bool>(&value)) return *truth ? "True" : "False";
    if (const double* number = std::get_if<double>(&value)) {
        std::string text = fmt::format("{}", *number);
        return text.find_first_of(".e") == std::string::npos ? text + ".0" : text;
    }
    return parameter_text(value);
}

std::vector<std::string> parameters_of(const exported_part& part)
{
    std::vector<std::string> names;
    for (const std::size_t result : part.results)
        for (const auto& [name, value] : part.run->results[result].parameters.values)
            if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
    return names;
}

}  // namespace

}  // namespace launchbox
