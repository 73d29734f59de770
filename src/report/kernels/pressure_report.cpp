// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "report/core/json.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "report/kernels/lines_report.hpp"
#include "support/process/parallel.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

// "to save 6 registers (then 5 blocks are resident): no more than 45 live, an estimate; 3 lines have more"
std::string saving_text(const register_saving& saving)
{
    return fmt::format("to save {} (then {}): at most {} live, an estimate; {} more",
                       counted(static_cast<std::size_t>(saving.registers), "register", "registers"),
                       counted(static_cast<std::size_t>(saving.blocks), "block is resident", "blocks are resident"),
                       saving.live_at_most, counted(saving.lines, "line has", "lines have"));
}

void add_pressure(document& page, const inspected_kernel& kernel, const std::optional<next_step>& next,
                  const line_names& names, std::size_t lines_shown)
{
    const kernel_info& info = kernel.info;
    const register_pressure& pressure = *info.analysis.pressure;
    page.heading(fmt::format("{}  {}{}", escape_for_terminal(kernel.info.short_form), architecture_label(info),
                             info.figures.registers ? fmt::format("  {} registers", *info.figures.registers) : ""));
    page.line(fmt::format("  at most {} live, at byte {:#x} of its code; {} uniform, {} predicates", pressure.peak,
                          pressure.peak_at, pressure.uniform_peak, pressure.predicate_peak));
    if (!pressure.doubt.empty()) page.line("  approximate: " + escape_for_terminal(pressure.doubt), tone::warning);
    if (const std::string why = why_more_registers(info); !why.empty()) page.line("  " + why, tone::faint);
    if (!info.analysis.lines || !info.analysis.lines->told) {
        page.line("  " + why_no_lines(info), tone::warning);
        return;
    }
    const kernel_lines& lines = *info.analysis.lines;
    const std::optional<register_saving> saving = register_saving_of(info, next);
    if (saving) page.line("  " + saving_text(*saving));
    table rows{{{"live", true}, {"spilled", true}, {"line"}}, {}};
    const std::vector<line_cost> costs = crowded_lines(lines, lines_shown);
    for (std::size_t i = 0; i < costs.size(); ++i)
        rows.rows.push_back(
            {{std::to_string(costs[i].use.live_registers), saving && i < saving->lines ? tone::strong : tone::plain},
             costs[i].use.spill_bytes() > 0 ? with_commas(costs[i].use.spill_bytes()) : "–",
             place_text(costs[i], names)});
    page.add(std::move(rows));
    table since{{{"held", true}, {"at the peak, written on"}}, {}};
    for (std::size_t i = 0; i < pressure.live_at_peak.size() && i < lines_shown; ++i) {
        const live_since& held = pressure.live_at_peak[i];
        since.rows.push_back({std::to_string(held.registers), held.place == no_line
                                                                  ? "code without a line"
                                                                  : place_text(line_at(lines, held.place), names)});
    }
    page.add(std::move(since));
}

std::optional<next_step> next_step_of(const inspected_kernel& kernel)
{
    const kernel_account account = account_of(kernel);
    return account.occupancy ? account.occupancy->next : std::nullopt;
}

}  // namespace

bool has_pressure(const inspected_kernel& kernel)
{
    return kernel.info.analysis.pressure && kernel.info.analysis.pressure->problem.empty();
}

document pressure_document(const inspection& found, const line_names& names, std::size_t lines_shown)
{
    std::vector<const inspected_kernel*> known;
    for (const inspected_kernel& kernel : found.kernels)
        if (has_pressure(kernel)) known.push_back(&kernel);
    std::vector<document> parts(std::min(known.size(), found.page_rows));
    run_parallel(parts.size(), [&](std::size_t i) {
        add_pressure(parts[i], *known[i], next_step_of(*known[i]), names, lines_shown);
    });
    document page;
    for (document& part : parts) std::ranges::move(part.blocks, std::back_inserter(page.blocks));
    std::map<std::string, std::size_t> unknown;
    for (const inspected_kernel& kernel : found.kernels) {
        const auto& pressure = kernel.info.analysis.pressure;
        if (!has_pressure(kernel))
            ++unknown[pressure              ? pressure->problem
                      : is_ptx(kernel.info) ? "PTX has no registers yet"
                                            : "no code to read"];
    }
    if (!unknown.empty() && !page.blocks.empty()) page.line("");
    for (const auto& [why, kernels] : unknown)
        page.line(fmt::format("  {}: {}", counted(kernels, "kernel", "kernels"), escape_for_terminal(why)),
                  tone::warning);
    add_not_shown(page, found, known.size() - parts.size());
    return page;
}

nlohmann::ordered_json pressure_json(const inspected_kernel& kernel, const std::optional<next_step>& next)
{
    if (!kernel.info.analysis.pressure) return nullptr;
    const register_pressure& pressure = *kernel.info.analysis.pressure;
    if (!pressure.problem.empty()) return {{"problem", json_text(pressure.problem)}};
    const auto frames_of = [&](std::uint32_t place) {
        return frames_json(kernel.info.analysis.lines ? line_at(*kernel.info.analysis.lines, place).frames
                                                      : std::vector<line_frame>());
    };
    nlohmann::ordered_json json{{"live_registers", pressure.peak},
                                {"live_uniform_registers", pressure.uniform_peak},
                                {"live_predicates", pressure.predicate_peak},
                                {"highest_register", pressure.highest - 1},
                                {"peak_at_byte", pressure.peak_at},
                                {"decoded_by", pressure.source == pressure_source::nvdisasm ? "nvdisasm" : "launchbox"},
                                {"exact", pressure.doubt.empty()}};
    json["doubt"] = nullptr;
    if (!pressure.doubt.empty()) json["doubt"] = json_text(pressure.doubt);
    json["to_save"] = nullptr;
    if (const auto saving = register_saving_of(kernel.info, next))
        json["to_save"] = {{"registers", saving->registers},
                           {"resident_blocks", saving->blocks},
                           {"live_at_most", saving->live_at_most},
                           {"lines", saving->lines}};
    json["live_at_peak"] = nlohmann::ordered_json::array();
    for (const live_since& held : pressure.live_at_peak)
        json["live_at_peak"].push_back({{"registers", held.registers}, {"frames", frames_of(held.place)}});
    return json;
}

}  // namespace launchbox
