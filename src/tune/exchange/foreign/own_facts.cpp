// SPDX-License-Identifier: Apache-2.0
#include "tune/exchange/foreign/own_facts.hpp"

#include <limits>

#include "tune/exchange/foreign/json_pieces.hpp"
#include "tune/store/result_json.hpp"

namespace launchbox {

using nlohmann::ordered_json;

ordered_json json_of(const own_facts& facts)
{
    ordered_json json = ordered_json::object();
    each_field(facts.environment, [&]<class Member>(std::string_view name, const Member& member) {
        if (name != "gpu" && member != Member{}) json[std::string(name)] = member;
    });
    if (!facts.workload.values.empty()) json["workload"] = json_of(facts.workload);
    if (facts.weight != 1) json["weight"] = facts.weight;
    for (const work_kind& kind : work_kinds)
        if (const std::optional<double>& amount = facts.work.*kind.amount) json[kind.name] = *amount;
    if (facts.baseline) json["baseline"] = json_of(*facts.baseline);
    return json;
}

void read_own_facts(const ordered_json& value, own_facts& facts)
{
    each_field(facts.environment, [&]<class Member>(const char* name, Member& member) {
        if (std::string_view(name) == "gpu") return;
        if constexpr (std::same_as<Member, std::string>) {
            member = text_member(value, name);
        } else {
            const double number = number_member(value, name).value_or(0);
            const double max = std::min(1e18, static_cast<double>(std::numeric_limits<Member>::max()));
            member = number >= 0 && number <= max ? static_cast<Member>(number) : 0;
        }
    });
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
