// SPDX-License-Identifier: Apache-2.0
#include "tune/exchange/foreign/own_facts.hpp"

#include <cmath>
#include <limits>

#include "tune/exchange/foreign/json_pieces.hpp"
#include "tune/store/result_json.hpp"

namespace launchbox {

using nlohmann::ordered_json;

ordered_json json_of(const own_facts& facts)
{
    const environment_info& where = facts.environment;
    ordered_json json = ordered_json::object();
    if (!where.processor.empty()) json["processor"] = where.processor;
    if (!where.architecture.empty()) json["architecture"] = where.architecture;
    if (where.sms > 0) json["sms"] = where.sms;
    if (where.memory_bytes > 0) json["memory_bytes"] = where.memory_bytes;
    if (!where.driver.empty()) json["driver"] = where.driver;
    if (!where.toolkit.empty()) json["toolkit"] = where.toolkit;
    if (!facts.workload.values.empty()) json["workload"] = json_of(facts.workload);
    if (facts.weight != 1) json["weight"] = facts.weight;
    for (const work_kind& kind : work_kinds)
        if (const std::optional<double>& amount = facts.work.*kind.amount) json[kind.name] = *amount;
    if (facts.baseline) json["baseline"] = json_of(*facts.baseline);
    return json;
}

void read_own_facts(const ordered_json& value, own_facts& facts)
{
    environment_info& where = facts.environment;
    where.processor = text_member(value, "processor");
    where.architecture = text_member(value, "architecture");
    where.driver = text_member(value, "driver");
    where.toolkit = text_member(value, "toolkit");
    const auto integer = [&](const char* name, double max) {
        const double number = number_member(value, name).value_or(0);
        return number >= 0 && number <= max ? number : 0;
    };
    where.sms = static_cast<int>(integer("sms", std::numeric_limits<int>::max()));
    where.memory_bytes = static_cast<std::int64_t>(integer("memory_bytes", 1e18));
    if (const ordered_json* workload = member_of(value, "workload"))
        if (assignment read; read_json(*workload, read)) facts.workload = std::move(read);
    if (const double weight = number_member(value, "weight").value_or(1); weight > 0) facts.weight = weight;
    for (const work_kind& kind : work_kinds)
        if (const std::optional<double> amount = number_member(value, kind.name); amount && is_work(*amount))
            facts.work.*kind.amount = amount;
    if (const ordered_json* baseline = member_of(value, "baseline"))
        if (assignment read; read_json(*baseline, read)) facts.baseline = std::move(read);
}

}  // namespace launchbox
