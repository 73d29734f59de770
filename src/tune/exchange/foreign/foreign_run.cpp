// SPDX-License-Identifier: Apache-2.0
#include "tune/exchange/foreign/foreign_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "support/text/terminal.hpp"
#include "tune/exchange/foreign/json_pieces.hpp"
#include "tune/store/result_json.hpp"
#include "tune/types/objective.hpp"
#include "tune/types/sample_time.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

enum class value_kind { boolean, int64, float64, text };

value_kind kind_of_value(const parameter_value& value)
{
    return static_cast<value_kind>(value.index());
}

std::optional<parameter_value> number_from(const std::string& text)
{
    const char *begin = text.data(), *end = begin + text.size();
    std::int64_t integer = 0;
    if (const auto [at, failure] = std::from_chars(begin, end, integer); failure == std::errc() && at == end)
        return integer;
    double number = 0;
    if (const auto [at, failure] = std::from_chars(begin, end, number); failure == std::errc() && at == end)
        return number;
    return std::nullopt;
}

parameter_value converted(const parameter_value& value, value_kind kind)
{
    if (kind == value_kind::text) return parameter_text(value);
    parameter_value number = value;
    if (const auto* text = std::get_if<std::string>(&value)) number = *number_from(*text);
    if (const auto* truth = std::get_if<bool>(&number)) number = std::int64_t{*truth ? 1 : 0};
    if (kind == value_kind::float64)
        if (const auto* integer = std::get_if<std::int64_t>(&number)) number = static_cast<double>(*integer);
    return number;
}

}  // namespace

bool read_objects(std::string_view array, const char* word, foreign_diagnostics& diagnostics,
                  const std::function<void(const ordered_json& object, std::size_t number)>& read)
{
    json_pieces entries(array);
    for (std::size_t number = 0; const std::optional<json_piece> entry = entries.next(); ++number) {
        const std::optional<ordered_json> value = entry->whole ? parse_piece(entry->text) : std::nullopt;
        if (value && value->is_object())
            read(*value, number);
        else
            diagnostics.add("left out, since the entry is truncated or damaged", fmt::format("{} {}", word, number));
    }
    return entries.closed();
}

void foreign_diagnostics::add(const std::string& kind, const std::string& candidate)
{
    auto found =
        std::find_if(kinds_.begin(), kinds_.end(), [&](const kind_count& count) { return count.kind == kind; });
    if (found == kinds_.end()) found = kinds_.insert(kinds_.end(), {kind, candidate, 0});
    ++found->count;
}

void foreign_diagnostics::say(const std::string& sentence)
{
    sentences_.push_back(sentence);
}

std::vector<std::string> foreign_diagnostics::sentences() const
{
    std::vector<std::string> all;
    for (const std::string& sentence : sentences_) all.push_back(fmt::format("{} {}", file_, sentence));
    for (const kind_count& kind : kinds_)
        all.push_back(kind.count == 1
                          ? fmt::format("{}: 1 candidate {} ({})", file_, kind.kind, shortened(kind.first, 60))
                          : fmt::format("{}: {} candidates {} (the first: {})", file_,
                                        with_commas(static_cast<std::int64_t>(kind.count)), kind.kind,
                                        shortened(kind.first, 60)));
    return all;
}

void foreign_run::add(stored_result result)
{
    std::string key = parameter_text(result.parameters);
    if (const std::string why = why_invalid(result); !why.empty()) {
        diagnostics_.add("left out, since " + why, parameter_text(result.parameters));
        return;
    }
    const auto [place, is_new] = places_.emplace(std::move(key), results_.size());
    if (is_new) {
        results_.push_back(std::move(result));
    } else {
        diagnostics_.add("recorded more than once; the last one is used", parameter_text(result.parameters));
        results_[place->second] = std::move(result);
    }
}

recorded_run foreign_run::finish(std::int64_t number)
{
    unify_types();
    recorded_run run;
    run.number = number;
    run.info = std::move(info);
    run.info.baseline = facts.baseline;
    const std::string gpu = facts.environment.processor.empty() ? run.info.environment.gpu : std::string();
    run.info.environment = facts.environment;
    run.info.environment.gpu = gpu;
    // Files are identified by their content, so that a store never takes two of them for one run.
    run.info.task_hash = hash_;
    run.info.source_hash = hash_;
    if (gpu.empty() && facts.environment.processor.empty()) {
        diagnostics_.say("does not say on which GPU it was measured");
        run.info.environment.gpu = unknown_gpu;
    }
    for (stored_result& result : results_) {
        result.run = number;
        result.workload = facts.workload;
        result.weight = facts.weight;
        result.work = facts.work;
        if (!result.finished.empty() && (run.info.started.empty() || result.finished < run.info.started))
            run.info.started = result.finished;
    }
    run.results = std::move(results_);
    return run;
}

// Values are compared with their type, so 1 and 1.0, or 1 and true, would be two values of a parameter.
void foreign_run::unify_types()
{
    std::map<std::string, value_kind> wanted;
    std::map<std::string, bool> only_texts, numeric_texts;
    for (const stored_result& result : results_)
        for (const auto& [name, value] : result.parameters.values) {
            const bool is_text = kind_of_value(value) == value_kind::text;
            only_texts.try_emplace(name, true).first->second &= is_text;
            bool& numeric = numeric_texts.try_emplace(name, true).first->second;
            value_kind kind = kind_of_value(value);
            if (is_text) {
                const std::optional<parameter_value> number = number_from(std::get<std::string>(value));
                numeric &= number.has_value();
                kind = number ? kind_of_value(*number) : value_kind::text;
            }
            value_kind& widest = wanted.try_emplace(name, kind).first->second;
            widest = std::max(widest, kind);
        }
    for (auto& [name, kind] : wanted)
        if (only_texts[name] || !numeric_texts[name]) kind = value_kind::text;
    for (stored_result& result : results_)
        for (auto& [name, value] : result.parameters.values)
            if (kind_of_value(value) != wanted[name]) value = converted(value, wanted[name]);
}

parameter_value foreign_value(const ordered_json& value)
{
    if (value.is_boolean()) return value.get<bool>();
    if (value.is_number_unsigned() &&
        value.get<std::uint64_t>() > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
        return value.get<double>();
    if (value.is_number_integer()) return value.get<std::int64_t>();
    if (value.is_number_float()) return value.get<double>();
    if (value.is_string()) return value.get<std::string>();
    return value.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

std::optional<double> foreign_time(const ordered_json& value, double nanoseconds_per_unit)
{
    const std::optional<double> number = number_in(value);
    if (!number || *number <= 0) return std::nullopt;
    const double time = *number * nanoseconds_per_unit;
    return is_time(time) && time > 0 ? std::optional(time) : std::nullopt;
}

bool read_foreign_samples(const ordered_json* list, double nanoseconds_per_unit, std::optional<double> only,
                          std::optional<double> mean, measurement& measured, foreign_diagnostics& diagnostics,
                          const std::string& candidate)
{
    double sum = 0;
    bool unusable = false;
    for (const ordered_json& value : list != nullptr && list->is_array() ? *list : ordered_json::array()) {
        const std::optional<double> sample = foreign_time(value, nanoseconds_per_unit);
        unusable = unusable || !sample;
        if (!sample) continue;
        measured.samples_ns.push_back(*sample);
        sum += *sample;
    }
    if (unusable) diagnostics.add("without some of their samples, which are not valid times", candidate);
    if (measured.samples_ns.empty()) {
        if (only) measured.samples_ns = {*only};
        return only.has_value();
    }
    // Some files have the time of one run next to the samples of another.
    if (mean && std::abs(sum / static_cast<double>(measured.samples_ns.size()) - *mean) > 1e-3 * std::abs(*mean))
        diagnostics.add("whose time is not the mean of their samples: the samples are used", candidate);
    return true;
}

void add_foreign_quantity(measurement& measured, const std::string& name, const ordered_json& value)
{
    measured_quantity quantity{.name = name == "nvml_energy"  ? energy_quantity
                                       : name == "nvml_power" ? power_quantity
                                                              : name};
    for (char& c : quantity.name)
        if (!is_quantity_name(std::string("a") + c)) c = '_';
    if (!is_quantity_name(quantity.name)) quantity.name.insert(0, 1, '_');
    const auto take = [&](const ordered_json& number) {
        if (number.is_number() && is_quantity(number.get<double>())) quantity.samples.push_back(number.get<double>());
    };
    if (value.is_array())
        for (const ordered_json& number : value) take(number);
    else
        take(value);
    const bool is_known =
        std::ranges::find(measured.quantities, quantity.name, &measured_quantity::name) != measured.quantities.end() ||
        quantity.name == time_quantity;
    if (!quantity.samples.empty() && !is_known && is_quantity_name(quantity.name))
        measured.quantities.push_back(std::move(quantity));
}

double foreign_cost(const ordered_json& object, const char* name, double seconds_per_unit)
{
    const double cost = number_member(object, name).value_or(0) * seconds_per_unit;
    return cost > 0 && is_duration(cost) ? cost : 0;
}

std::string foreign_timestamp(const std::string& text)
{
    const auto is_digit = [&](std::size_t place) {
        return place < text.size() && text[place] >= '0' && text[place] <= '9';
    };
    const std::string_view form = "dddd-dd-dd dd:dd:dd";
    if (text.size() < form.size()) return text;
    for (std::size_t i = 0; i < form.size(); ++i) {
        const bool fits = form[i] == 'd'   ? is_digit(i)
                          : form[i] == ' ' ? text[i] == ' ' || text[i] == 'T'
                                           : text[i] == form[i];
        if (!fits) return text;
    }
    std::size_t end = form.size();
    if (end < text.size() && text[end] == '.')
        for (++end; is_digit(end);) ++end;
    const std::string zone = text.substr(end);
    // A time without a zone is Kernel Tuner's, which is UTC.
    if (!zone.empty() && zone != "Z" && zone != "+00:00" && zone != " UTC") return text;
    return text.substr(0, 10) + "T" + text.substr(11, end - 11) + "Z";
}

void set_failure(measurement& measured, const std::string& reason, outcome otherwise)
{
    measured.status = otherwise;
    measured.reason = reason.substr(0, reason.find('\n'));
    const std::size_t colon = measured.reason.find(": ");
    if (colon == std::string::npos) return;
    const std::optional<outcome> named = outcome_named(measured.reason.substr(0, colon));
    if (!named || *named == outcome::measured) return;
    measured.status = *named;
    measured.reason = measured.reason.substr(colon + 2);
}

}  // namespace launchbox
