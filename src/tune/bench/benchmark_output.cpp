// SPDX-License-Identifier: Apache-2.0
#include "tune/bench/benchmark_output.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "support/text/ascii.hpp"
#include "tune/types/sample_time.hpp"

namespace launchbox {

namespace {

using nlohmann::json;

constexpr std::size_t max_samples = 1'000'000;

benchmark_time no_time(std::string diagnostic)
{
    return {.diagnostic = std::move(diagnostic)};
}

// Rejects values that no clock can have measured.
benchmark_time checked(std::vector<double> samples)
{
    for (double sample : samples)
        if (const std::string why = why_no_time(sample); !why.empty())
            return no_time("it prints a time that is " + why);
    return {.samples_ns = std::move(samples)};
}

// A JSON value, shortened for a message.
std::string in_short(const json& value)
{
    constexpr std::size_t enough = 40;
    return value.dump(-1, ' ', false, json::error_handler_t::replace).substr(0, enough);
}

struct unit_of_time {
    std::string_view name;
    double nanoseconds;
};
constexpr std::array units{unit_of_time{"ns", 1},       unit_of_time{"us", 1e3},   unit_of_time{"µs", 1e3},
                           unit_of_time{"μs", 1e3},     unit_of_time{"usec", 1e3}, unit_of_time{"ms", 1e6},
                           unit_of_time{"msec", 1e6},   unit_of_time{"s", 1e9},    unit_of_time{"sec", 1e9},
                           unit_of_time{"seconds", 1e9}};

std::optional<double> nanoseconds_in(std::string_view name)
{
    for (const unit_of_time& unit : units)
        if (unit.name == name) return unit.nanoseconds;
    return std::nullopt;
}

// Google Benchmark: results with the same name are repetitions; its own mean and median are skipped.
std::optional<benchmark_time> google_benchmark(const json& object)
{
    const auto results = object.find("benchmarks");
    if (results == object.end() || !results->is_array()) return std::nullopt;
    std::string name;
    std::vector<double> samples;
    for (const json& result : *results) {
        if (!result.is_object() || result.value("run_type", json("iteration")) != "iteration") continue;
        if (result.contains("error_occurred") && result["error_occurred"] == true)
            return no_time("its benchmark reports an error");
        const json time = result.value("real_time", json()), unit = result.value("time_unit", json("ns"));
        const std::optional<double> scale = unit.is_string() ? nanoseconds_in(unit.get<std::string>()) : std::nullopt;
        if (!time.is_number()) return no_time("its real_time is " + in_short(time) + ", not a number");
        if (!scale) return no_time("its time_unit is " + in_short(unit) + ", not ns, us, ms or s");
        const json label = result.value("run_name", result.value("name", json("")));
        const std::string text = label.is_string() ? label.get<std::string>() : "";
        if (!samples.empty() && text != name)
            return no_time("it prints several benchmarks (" + name + ", " + text +
                           "): choose one with --benchmark_filter");
        name = text;
        if (samples.size() < max_samples) samples.push_back(time.get<double>() * *scale);
    }
    if (samples.empty()) return no_time("its list of benchmarks contains no time");
    return checked(std::move(samples));
}

// A list of samples; `nullopt` if there is none under this name.
std::optional<benchmark_time> samples_in(const json& object, const char* name, double nanoseconds)
{
    const auto samples = object.find(name);
    if (samples == object.end() || samples->is_number()) return std::nullopt;
    if (!samples->is_array())
        return no_time(std::string("its ") + name + " is " + in_short(*samples) + ", not a number or list of numbers");
    std::vector<double> values;
    for (const json& sample : *samples) {
        if (!sample.is_number()) return no_time(std::string("its ") + name + " hold something that is not a number");
        if (values.size() < max_samples) values.push_back(sample.get<double>() * nanoseconds);
    }
    if (values.empty()) return no_time(std::string("its ") + name + " are empty");
    return checked(std::move(values));
}

std::string text_member(const json& object, const char* name)
{
    const auto text = object.find(name);
    return text != object.end() && text->is_string() ? text->get<std::string>() : "";
}

constexpr std::array times{std::pair{"time_ns", 1.0}, std::pair{"time_us", 1e3}, std::pair{"time_ms", 1e6},
                           std::pair{"time_s", 1e9}};

std::optional<benchmark_time> time_in_object(const json& object)
{
    if (std::optional<benchmark_time> samples = samples_in(object, "samples_ns", 1)) return samples;
    for (const auto& [key, scale] : times)
        if (std::optional<benchmark_time> samples = samples_in(object, key, scale)) return samples;
    if (const auto median = object.find("median_ns"); median != object.end()) {
        if (!median->is_number()) return no_time("its median_ns is " + in_short(*median) + ", not a number");
        return checked({median->get<double>()});
    }
    for (const auto& [key, scale] : times)
        if (const auto time = object.find(key); time != object.end() && time->is_number())
            return checked({time->get<double>() * scale});
    return google_benchmark(object);
}

std::optional<benchmark_time> time_of_object(const json& object)
{
    if (!object.is_object()) return std::nullopt;
    // A program may use "failure" for something else: only the form that measure.cuh prints counts.
    if (const std::string failure = text_member(object, "failure");
        !failure.empty() && text_member(object, "launchbox").starts_with("measurement/")) {
        const std::string reason = text_member(object, "reason");
        return benchmark_time{.diagnostic = reason.empty() ? failure : reason, .failure = failure};
    }
    std::optional<benchmark_time> time = time_in_object(object);
    if (time && time->found()) time->checksum = text_member(object, "checksum");
    return time;
}

// The first JSON member of the text with the name of a time, such as "time_ms":
std::string_view time_named_in(std::string_view text)
{
    constexpr std::array<std::string_view, 7> names{"\"samples_ns\"", "\"median_ns\"", "\"time_ns\"",  "\"time_us\"",
                                                    "\"time_ms\"",    "\"time_s\"",    "\"real_time\""};
    for (const std::string_view name : names)
        for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
            const std::size_t colon = text.find_first_not_of(" \t", at + name.size());
            if (colon != std::string_view::npos && text[colon] == ':') return name;
        }
    return {};
}

// The text as a JSON object, or null. `twice` becomes the name of a time that occurs twice: a parser would silently
// keep one of them.
json parsed_object(std::string_view text, std::string_view& twice)
{
    std::array<int, times.size()> seen{};
    const auto count_names = [&](int depth, json::parse_event_t event, const json& parsed) {
        for (std::size_t i = 0; depth == 1 && event == json::parse_event_t::key && i < times.size(); ++i)
            if (parsed == times[i].first && ++seen[i] > 1) twice = times[i].first;
        return true;
    };
    json value = json::parse(text.begin(), text.end(), count_names, false);
    return value.is_object() ? value : json();
}

// The JSON objects that fill whole lines and contain a time: one, or several that agree. Tools print warnings before
// and after. The number of attempts to parse the rest of the text as one object is limited.
std::optional<benchmark_time> time_in_json(std::string_view output)
{
    constexpr int max_attempts = 20;
    std::optional<benchmark_time> found;
    int attempts = 0;
    for (std::size_t start = 0; start < output.size();) {
        const std::size_t line_end = std::min(output.find('\n', start), output.size());
        const std::size_t brace = output.find_first_not_of(" \t", start);
        start = line_end + 1;
        if (brace >= line_end || output[brace] != '{') continue;
        std::size_t longest = line_end;
        bool is_json = false;
        std::optional<benchmark_time> here;
        // Up to the last } of the text, or of the line.
        const std::size_t last_of_text = ++attempts <= max_attempts ? output.rfind('}') + 1 : 0;
        const std::size_t last_of_line = brace + output.substr(brace, line_end - brace).rfind('}') + 1;
        for (const std::size_t end : {last_of_text, last_of_line}) {
            if (end <= brace) continue;
            std::string_view twice;
            const json object = parsed_object(output.substr(brace, end - brace), twice);
            longest = std::max(longest, end);
            if (object.is_null()) continue;
            is_json = true;
            if (!twice.empty())
                return no_time("its JSON has " + std::string(twice) + " twice, and it is unclear which one counts");
            here = time_of_object(object);
            if (!here) continue;
            start = std::max(start, end);
            break;
        }
        if (!is_json)
            if (const std::string_view name = time_named_in(output.substr(brace, longest - brace)); !name.empty())
                return no_time("its JSON with " + std::string(name) +
                               " cannot be read; it must not contain NaN or infinity");
        if (!here) continue;
        if (!here->found()) return here;
        if (found && found->samples_ns != here->samples_ns)
            return no_time(
                "it prints a time as JSON twice, and it is unclear which one counts: print all samples as one list");
        found = std::move(here);
    }
    return found;
}

struct timed_line {
    std::string label;  ///< the words between the previous time and this one
    double nanoseconds = 0;
};

bool is_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || static_cast<unsigned char>(c) >= 0x80;
}

// The words before a time, normalised so that "run 1:" and "run 2:" are equal.
std::string label_of(std::string_view before)
{
    std::string label;
    for (char c : before)
        if (!is_digit(c))
            label += c;
        else if (label.empty() || label.back() != '#')
            label += '#';
    return label;
}

bool is_deviation(std::string_view before)
{
    while (before.ends_with(' ')) before.remove_suffix(1);
    return before.ends_with("±") || before.ends_with("+/-") || before.ends_with("+-");
}

// Length of the word nan, inf or infinity at this place; 0 if there is none.
std::size_t no_number_at(std::string_view line, std::size_t at)
{
    if (at > 0 && (is_word(line[at - 1]) || line[at - 1] == '_' || is_digit(line[at - 1]))) return 0;
    std::size_t end = at;
    while (end < line.size() && is_word(line[end])) ++end;
    std::string word(line.substr(at, std::min<std::size_t>(end - at, 10)));
    for (char& c : word) c = static_cast<char>(c | 0x20);
    return word == "nan" || word == "inf" || word == "infinity" ? end - at : 0;
}

// The times in a line: numbers followed by a unit of time, with or without a space. "12 GB/s" is not one.
std::vector<timed_line> times_in(std::string_view line)
{
    std::vector<timed_line> times;
    const auto past = [&](std::size_t i, const auto& holds) {
        while (i < line.size() && holds(line[i])) ++i;
        return i;
    };
    std::size_t words = 0;  // where the words of the next time begin
    for (std::size_t i = 0; i < line.size();) {
        if (const std::size_t word = no_number_at(line, i); word > 0) {
            const std::size_t unit = past(i + word, [](char c) { return c == ' ' || c == '\t'; });
            const std::size_t unit_end = past(unit, [](char c) { return is_word(c); });
            if (unit > i + word && nanoseconds_in(line.substr(unit, unit_end - unit))) {
                times.push_back({.label = label_of(line.substr(words, i - words)), .nanoseconds = std::nan("")});
                words = unit_end;
            }
            i += word;
            continue;
        }
        const bool starts = is_digit(line[i]) || (line[i] == '.' && i + 1 < line.size() && is_digit(line[i + 1]));
        if (!starts) {
            ++i;
            continue;
        }
        double value = 0;
        const auto [end, failure] = std::from_chars(line.data() + i, line.data() + line.size(), value);
        const std::size_t after = std::max(static_cast<std::size_t>(end - line.data()), i + 1);
        const std::size_t unit = past(after, [](char c) { return c == ' ' || c == '\t'; });
        const std::size_t unit_end = past(unit, [](char c) { return is_word(c); });
        const std::optional<double> scale = nanoseconds_in(line.substr(unit, unit_end - unit));
        const bool inside_word = i > 0 && (is_word(line[i - 1]) || line[i - 1] == '_');
        if (failure == std::errc{} && scale && !inside_word && !is_deviation(line.substr(0, i))) {
            const bool negative = i > 0 && line[i - 1] == '-';
            times.push_back({.label = label_of(line.substr(words, i - words)),
                             .nanoseconds = (negative ? -value : value) * *scale});
        }
        if (scale) words = unit_end;
        i = after;
    }
    return times;
}

bool says(const std::string& label, std::string_view word)
{
    const auto same = [](char a, char b) { return (a | 0x20) == b; };
    return word.empty() || std::search(label.begin(), label.end(), word.begin(), word.end(), same) != label.end();
}

benchmark_time time_in_lines(std::string_view output)
{
    std::vector<timed_line> times;
    for (std::size_t start = 0; start < output.size() && times.size() < max_samples;) {
        const std::size_t end = std::min(output.find('\n', start), output.size());
        for (timed_line& time : times_in(output.substr(start, end - start))) times.push_back(std::move(time));
        start = end + 1;
    }
    const auto all_alike = [](const std::vector<timed_line>& some) {
        return std::all_of(some.begin(), some.end(),
                           [&](const timed_line& line) { return line.label == some[0].label; });
    };
    for (std::string_view word : {"", "median", "time"}) {
        std::vector<timed_line> chosen;
        std::copy_if(times.begin(), times.end(), std::back_inserter(chosen),
                     [&](const timed_line& time) { return says(time.label, word); });
        if (chosen.empty() || !all_alike(chosen)) continue;
        std::vector<double> samples;
        for (const timed_line& line : chosen) samples.push_back(line.nanoseconds);
        return checked(std::move(samples));
    }
    if (times.empty()) return {.diagnostic = "it prints no time", .printed = false};
    return no_time("it prints several times, and it is unclear which one counts: let one line begin with \"time:\"");
}

}  // namespace

benchmark_time read_benchmark_output(std::string_view output)
{
    if (std::optional<benchmark_time> time = time_in_json(output)) return *time;
    return time_in_lines(output);
}

}  // namespace launchbox
