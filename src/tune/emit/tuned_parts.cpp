// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/tuned_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

#include "support/error.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

namespace {

std::optional<std::int64_t> size_in(const assignment& workload, const std::string& name)
{
    const parameter_value* value = workload.find(name);
    if (value == nullptr || !std::holds_alternative<std::int64_t>(*value)) return std::nullopt;
    return std::get<std::int64_t>(*value);
}

std::optional<int> bytes_in(const assignment& workload, const std::string& name)
{
    const parameter_value* value = workload.find(name);
    if (value == nullptr || !std::holds_alternative<std::string>(*value)) return std::nullopt;
    try {
        const int bytes = element_type_of(std::get<std::string>(*value)).bytes;
        return bytes > 0 ? std::optional(bytes) : std::nullopt;
    } catch (const error&) {
        return std::nullopt;
    }
}

std::optional<std::int64_t> integer_in(std::string_view text)
{
    std::int64_t number = 0;
    const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

std::vector<assignment> workloads_of(const std::vector<const recorded_run*>& runs)
{
    std::vector<assignment> workloads;
    for (const recorded_run* run : runs)
        for (const stored_result& result : run->results)
            if (std::find(workloads.begin(), workloads.end(), result.workload) == workloads.end())
                workloads.push_back(result.workload);
    return workloads;
}

// Whole numbers that vary within one type. "bytes" does not count: it only describes the type.
std::set<std::string> varying(const std::vector<assignment>& workloads, bool words, const std::string& type)
{
    std::map<std::string, std::map<std::string, std::set<std::string>>> values;
    for (const assignment& workload : workloads) {
        const parameter_value* of = words || type.empty() ? nullptr : workload.find(type);
        for (const auto& [name, value] : workload.values) {
            const bool fits =
                words ? std::holds_alternative<std::string>(value) : std::holds_alternative<std::int64_t>(value);
            if (fits) values[name][of == nullptr ? "" : parameter_text(*of)].insert(parameter_text(value));
        }
    }
    std::set<std::string> names;
    for (const auto& [name, by_type] : values)
        for (const auto& [which, all] : by_type)
            if (all.size() > 1) names.insert(name);
    return names;
}

std::string one_of(const std::set<std::string>& names, const std::string& asked, const char* kind, const char* option)
{
    if (!asked.empty()) return asked;
    if (names.size() < 2) return names.empty() ? "" : *names.begin();
    std::string all;
    for (const std::string& name : names) all += (all.empty() ? "" : ", ") + name;
    throw error(fmt::format("the workloads differ in several values that may be the {}: {}", kind, all),
                fmt::format("choose one with {}, or use one table for all with --split none", option));
}

// Whether the part's own best row beats the row of a larger part on this part, for at least one architecture.
bool pays(const std::vector<const recorded_run*>& runs, const table_part& larger, const table_part& part)
{
    for (const recorded_run* run : runs) {
        const auto in = [&](const table_part& which) {
            return part_of(*run, [&](const assignment& workload) { return which.holds(workload); });
        };
        const recorded_run own = in(part);
        if (own.results.empty()) continue;
        try {
            const row_choice common = choose_row(in(larger), std::nullopt);
            if (!choose_row(own, common.parameters).kept) return true;
        } catch (const error&) {
            continue;  // no row fits all of the larger part; emit reports it if it matters
        }
    }
    return false;
}

std::vector<table_part> parts_by_type(const std::vector<const recorded_run*>& runs,
                                      const std::vector<assignment>& workloads, const std::string& type)
{
    std::set<int> sizes;
    for (const assignment& workload : workloads) {
        const std::optional<int> bytes = bytes_in(workload, type);
        if (!bytes) return {{}};  // an element of unknown size cannot choose a table
        sizes.insert(*bytes);
    }
    std::vector<table_part> parts;
    bool some = false;
    for (const int bytes : sizes) {
        parts.push_back({.type = type, .bytes = bytes});
        some |= pays(runs, {}, parts.back());
    }
    return some && parts.size() > 1 ? parts : std::vector<table_part>{{}};
}

std::vector<table_part> parts_by_size(const std::vector<const recorded_run*>& runs,
                                      const std::vector<assignment>& workloads, const std::string& size,
                                      const table_part& within)
{
    std::set<std::int64_t> found;
    for (const assignment& workload : workloads) {
        if (!within.holds(workload)) continue;
        const std::optional<std::int64_t> value = size_in(workload, size);
        if (!value || *value < 1) return {within};
        found.insert(*value);
    }
    const std::vector<std::int64_t> sizes(found.begin(), found.end());
    std::vector<table_part> parts;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        table_part own = within;
        own.size = size;
        if (i > 0)
            own.above = static_cast<std::int64_t>(std::sqrt(static_cast<double>(sizes[i - 1])) *
                                                  std::sqrt(static_cast<double>(sizes[i])));
        if (i + 1 < sizes.size())
            own.upto = static_cast<std::int64_t>(std::sqrt(static_cast<double>(sizes[i])) *
                                                 std::sqrt(static_cast<double>(sizes[i + 1])));
        if (!parts.empty()) {
            table_part both = parts.back();
            both.upto = own.upto;
            if (!pays(runs, both, own) && !pays(runs, both, parts.back())) {
                parts.back() = both;
                continue;
            }
        }
        parts.push_back(own);
    }
    return parts.size() > 1 ? parts : std::vector<table_part>{within};
}

}  // namespace

bool table_part::holds(const assignment& workload) const
{
    if (bytes && bytes_in(workload, type) != bytes) return false;
    if (!above && !upto) return true;
    const std::optional<std::int64_t> value = size_in(workload, size);
    return value && (!above || *value > *above) && (!upto || *value <= *upto);
}

std::string table_part::suffix() const
{
    std::string text;
    if (bytes) text += fmt::format("_{}", *bytes);
    if (upto) return text + fmt::format("_upto_{}", *upto);
    return above ? text + fmt::format("_above_{}", *above) : text;
}

std::string table_part::description() const
{
    std::string text;
    if (bytes) text += fmt::format(", {} of {} bytes", type, *bytes);
    if (above) text += fmt::format(", {} above {}", size, *above);
    if (upto) text += fmt::format(", {} up to {}", size, *upto);
    return text;
}

table_part part_of_text(const std::string& text, const split_names& names)
{
    table_part part{.type = names.type, .size = names.size};
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find(", ", start), text.size());
        const std::string_view words = std::string_view(text).substr(start, end - start);
        start = end + 2;
        const auto name_before = [&](std::string_view sign) {
            const std::size_t at = words.find(sign);
            return at == std::string_view::npos ? std::string() : std::string(words.substr(0, at));
        };
        const auto after = [&](std::string_view sign) { return words.substr(words.find(sign) + sign.size()); };
        if (const std::string name = name_before(" of "); !name.empty() && words.ends_with(" bytes")) {
            std::string_view count = after(" of ");
            count.remove_suffix(6);
            const std::optional<std::int64_t> bytes = integer_in(count);
            if (!bytes || *bytes < 1 || *bytes > 1'000'000) continue;
            part.bytes = static_cast<int>(*bytes);
            if (names.type.empty()) part.type = name;
        } else if (const std::string larger = name_before(" above "); !larger.empty()) {
            if ((part.above = integer_in(after(" above ")))) part.size = larger;
        } else if (const std::string smaller = name_before(" up to "); !smaller.empty()) {
            if ((part.upto = integer_in(after(" up to ")))) part.size = smaller;
        }
    }
    return part;
}

split_names find_split_names(const std::vector<const recorded_run*>& runs, const split_names& asked, split_kind split)
{
    const std::vector<assignment> workloads = workloads_of(runs);
    split_names names = asked;
    for (const std::string& text : {asked.type, asked.size})
        if (!text.empty() && std::none_of(workloads.begin(), workloads.end(),
                                          [&](const assignment& workload) { return workload.find(text) != nullptr; }))
            throw error("no workload has a value '" + text + "'", "name one that the spec's [[workload]] has");
    if (split == split_kind::none) return names;
    names.type = one_of(varying(workloads, true, {}), asked.type, "type", "--type-name");
    if (split != split_kind::type)
        names.size = one_of(varying(workloads, false, names.type), asked.size, "size", "--size-name");
    return names;
}

std::vector<table_part> find_parts(const std::vector<const recorded_run*>& runs, const split_names& names,
                                   split_kind split)
{
    const std::vector<assignment> workloads = workloads_of(runs);
    std::vector<table_part> parts{{}};
    const bool by_type = split == split_kind::automatic || split == split_kind::type;
    const bool by_size = split == split_kind::automatic || split == split_kind::size;
    if (by_type && !names.type.empty()) parts = parts_by_type(runs, workloads, names.type);
    if (!by_size || names.size.empty()) return parts;
    std::vector<table_part> finer;
    for (const table_part& whole_part : parts)
        for (table_part& part : parts_by_size(runs, workloads, names.size, whole_part))
            finer.push_back(std::move(part));
    return finer;
}

}  // namespace launchbox
