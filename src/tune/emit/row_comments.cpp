// SPDX-License-Identifier: Apache-2.0
#include "tune/emit/row_comments.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "support/error.hpp"
#include "support/text/terminal.hpp"
#include "tune/emit/row_use.hpp"

namespace launchbox {

std::string in_comment(std::string text)
{
    text = escape_for_terminal(text);
    std::replace(text.begin(), text.end(), '\\', '/');
    return text;
}

namespace {

// "energy where power <= 500: 0.3412 ms, 0.09685 J": figures of the row on the workload where its cost is largest.
std::string objective_comment(const recorded_run& run, const objective& goal, const row_choice& choice)
{
    const measurement* shown = nullptr;
    std::optional<double> largest;
    for (const stored_result& result : run.results) {
        if (result.parameters != choice.parameters) continue;
        const std::optional<double> cost = goal.cost_if_allowed(result.measured);
        if (!cost || (largest && *cost <= *largest)) continue;
        largest = cost;
        shown = &result.measured;
    }
    std::string text = goal.text();
    if (shown == nullptr) return text;
    std::vector<std::string> names = goal.quantities();
    names.insert(names.begin(), time_quantity);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (const std::optional<sample_summary> known = quantity_of(*shown, names[i])) {
            const std::string_view unit = unit_of(names[i]);
            text += fmt::format("{} {:.4g} {}", i == 0 ? ":" : ",", known->median, unit.empty() ? names[i] : unit);
        }
    return text;
}

}  // namespace

std::string gain_comment(const emit_record& record, const row_choice& choice, const old_row& old)
{
    const std::string replaced = old.text + ", " + old.origin;
    if (choice.kept) return "less than 1 % or noise, so that " + replaced + ", is kept";
    if (choice.over)
        return fmt::format("{:.3f} times as {} ({:.3f} to {:.3f}) as {}", choice.over->times,
                           objective_of(record.run.info).is_time() ? "fast" : "good", choice.over->low,
                           choice.over->high, replaced);
    return old.text.empty() ? "not known, since there was no row before"
                            : "not known, since " + replaced + ", could not be measured";
}

std::vector<std::string> row_comments(const emit_record& record, const row_choice& choice, const std::string& gain,
                                      const std::string& loss)
{
    const run_info& info = record.run.info;
    const environment_info& where = info.environment;
    std::vector<std::string> lines{
        in_comment(fmt::format("// measured: {}, driver {}, {}{}, launchbox {}{}", machine_of(where), where.driver,
                               where.toolkit.empty() ? "" : where.toolkit + ", ", info.started.substr(0, 10),
                               info.version, choice.verified ? "" : ", outputs not verified"))};
    if (!choice.rates.empty()) lines.push_back("// throughput: " + throughput_text(choice));
    const objective goal = objective_of(info);
    if (!goal.is_plain()) lines.push_back("// objective: " + in_comment(objective_comment(record.run, goal, choice)));
    if (!loss.empty()) lines.push_back(loss);
    lines.push_back("// gain: " + gain);
    lines.push_back(record.comment());
    return lines;
}

old_row replaced_by(const header_row& row)
{
    for (const std::string& comment : row.comments) {
        if (!comment.starts_with("// gain: ")) continue;
        const std::size_t open = comment.find('{'), close = comment.find("}, ", open);
        if (open == std::string::npos || close == std::string::npos) return {};
        const std::size_t start = close + 3;
        const std::size_t end = std::min(comment.find(", ", start), comment.size());
        return {comment.substr(open, close + 1 - open), comment.substr(start, end - start)};
    }
    return {};
}

std::vector<std::string> records_of(const header_row& row)
{
    constexpr std::string_view start = "// record: ";
    std::vector<std::string> named;
    for (const std::string& comment : row.comments)
        if (comment.starts_with(start)) named.push_back(comment.substr(start.size()));
    return named;
}

header_gpu gpu_of(const emit_record& record, bool with_bandwidth)
{
    const environment_info& where = record.run.info.environment;
    const detail::gpu_properties properties = properties_of(where, record.run.devices);
    header_gpu gpu{.name = in_comment(where.gpu),
                   .sms = properties.sms,
                   .memory_bytes = properties.memory_bytes,
                   .l2_bytes = properties.l2_bytes,
                   .memory_gb_per_second = with_bandwidth ? properties.memory_gb_per_second : 0};
    std::ranges::replace(gpu.name, '"', '\'');
    if (const auto code = parse_compute_capability(where.architecture)) gpu.architecture = code->number();
    return gpu;
}

void refuse_unverified(const emit_record& record, const row_choice& choice, bool allowed)
{
    if (choice.verified || choice.kept || allowed) return;
    throw error(fmt::format("{}: the outputs of {} were not compared with a reference", record.path,
                            escape_for_terminal(parameter_text(choice.parameters))),
                "add [verify] to the spec and tune again, or accept it with --allow-unverified");
}

}  // namespace launchbox
