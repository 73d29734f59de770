// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "image/names/demangle.hpp"
#include "report/core/json.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "report/kernels/lines_report.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

// "41 % integer, 20 % memory, ...", the largest first.
std::string mix_text(const code_traffic& traffic)
{
    std::vector<std::pair<std::uint32_t, const char*>> parts;
    for (std::size_t i = 0; i < traffic.mix.size(); ++i)
        if (traffic.mix[i] > 0) parts.emplace_back(traffic.mix[i], name_of(static_cast<instruction_class>(i)));
    std::ranges::stable_sort(parts, [](const auto& a, const auto& b) { return a.first > b.first; });
    std::string text;
    for (const auto& [count, name] : parts)
        text += fmt::format("{}{:.0f} % {}", text.empty() ? "" : ", ", 100.0 * count / traffic.instructions, name);
    return text;
}

std::string synchronisation_text(const code_traffic& traffic)
{
    std::string text = counted(traffic.barriers, "barrier", "barriers");
    if (traffic.waits_for_grid) text += "; waits for the preceding grid (griddepcontrol.wait)";
    if (traffic.lets_next_grid_begin) text += "; lets the next grid begin (griddepcontrol.launch_dependents)";
    return text;
}

// "tile" for "void k<256>(float*)::tile"; a variable of an inlined function keeps its scope: "helper(float)::tile".
std::string variable_name(const shared_variable& variable, const inspected_kernel& kernel)
{
    std::string name = demangle(variable.name);
    const std::size_t colons = name.rfind("::");
    if (colons != name.npos && name.substr(0, colons) == kernel.info.demangled) name.erase(0, colons + 2);
    return escape_for_terminal(name);
}

std::string shared_text(const inspected_kernel& kernel)
{
    std::string text;
    for (const shared_variable& variable : kernel.info.figures.shared_variables)
        text += fmt::format("{}{} {} B", text.empty() ? "" : ", ", variable_name(variable, kernel),
                            with_commas(variable.bytes));
    return text;
}

void add_traffic(document& page, const inspected_kernel& kernel, const line_names& names, std::size_t lines_shown)
{
    const kernel_info& info = kernel.info;
    const code_traffic& traffic = *info.analysis.traffic;
    page.heading(fmt::format("{}  {}", escape_for_terminal(kernel.info.short_form), architecture_label(info)));
    if (traffic.instructions == 0) {
        page.line("  it has no code");
        return;
    }
    page.line(fmt::format("  {} instructions: {}", with_commas(traffic.instructions), mix_text(traffic)));
    page.line(fmt::format(
        "  {}; {}", synchronisation_text(traffic),
        traffic.loops == 0
            ? "no loops"
            : fmt::format("{}, at most {} deep", counted(static_cast<std::size_t>(traffic.loops), "loop", "loops"),
                          traffic.deepest_loop)));
    if (!info.figures.shared_variables.empty()) page.line("  static shared memory: " + shared_text(kernel));
    const auto local = std::ranges::find_if(
        traffic.uses, [](const memory_use& use) { return use.space == memory_space::local && use.loop_depth > 0; });
    if (local != traffic.uses.end())
        page.line("  local memory, spills or arrays, is used inside a loop", tone::warning);
    if (!info.analysis.lines || !info.analysis.lines->told) page.line("  " + why_no_lines(info), tone::warning);
    if (traffic.uses.empty()) {
        page.line("  no loads and stores");
        return;
    }
    table rows{{{"loops", true}, {"space"}, {"access"}, {"B", true}, {"instr.", true}, {"line"}}, {}};
    std::uint32_t rest = 0;
    std::size_t not_shown = 0;
    for (std::size_t i = 0; i < traffic.uses.size(); ++i) {
        const memory_use& use = traffic.uses[i];
        if (i >= lines_shown && traffic.uses.size() > lines_shown + 1) {
            ++not_shown;
            rest += use.instructions;
            continue;
        }
        const bool bad = use.space == memory_space::local && use.loop_depth > 0;
        rows.rows.push_back({std::to_string(use.loop_depth),
                             {name_of(use.space), bad ? tone::warning : tone::plain},
                             name_of(use.access),
                             use.bytes == 0 ? "?" : std::to_string(use.bytes),
                             with_commas(use.instructions),
                             info.analysis.lines ? place_text(line_at(*info.analysis.lines, use.place), names) : ""});
    }
    if (not_shown > 0)
        rows.rows.push_back({"", "", "", "", with_commas(rest), {fmt::format("{} more rows", not_shown), tone::faint}});
    page.add(std::move(rows));
}

}  // namespace

document traffic_document(const inspection& found, const line_names& names, std::size_t lines_shown)
{
    document page;
    std::size_t without = 0, told = 0;
    for (const inspected_kernel& kernel : found.kernels) {
        if (kernel.info.analysis.traffic && kernel.info.analysis.traffic->problem.empty()) {
            if (told++ < found.page_rows) add_traffic(page, kernel, names, lines_shown);
            continue;
        }
        if (kernel.info.analysis.traffic)
            page.line(fmt::format("{}: {}", escape_for_terminal(kernel.info.short_form),
                                  escape_for_terminal(kernel.info.analysis.traffic->problem)),
                      tone::warning);
        else
            ++without;
    }
    if (without > 0) page.line(fmt::format("  {} without machine code", counted(without, "kernel", "kernels")));
    if (!found.kernels.empty()) {
        page.line("");
        page.line(
            "  loops: around the instruction, an estimate; B: bytes a thread, of one instruction; instr.: how many "
            "there are",
            tone::faint);
    }
    add_not_shown(page, found, told - std::min(told, found.page_rows));
    return page;
}

ordered_json traffic_json(const inspected_kernel& kernel)
{
    const code_traffic& traffic = *kernel.info.analysis.traffic;
    if (!traffic.problem.empty()) return {{"problem", json_text(traffic.problem)}};
    ordered_json mix = ordered_json::object();
    for (std::size_t i = 0; i < traffic.mix.size(); ++i)
        mix[name_of(static_cast<instruction_class>(i))] = traffic.mix[i];
    ordered_json uses = ordered_json::array();
    for (const memory_use& use : traffic.uses) {
        uses.push_back(
            {{"space", name_of(use.space)},
             {"access", name_of(use.access)},
             {"bytes", use.bytes == 0 ? ordered_json(nullptr) : ordered_json(use.bytes)},
             {"loop_depth", use.loop_depth},
             {"instructions", use.instructions},
             {"frames", frames_json(kernel.info.analysis.lines ? line_at(*kernel.info.analysis.lines, use.place).frames
                                                               : std::vector<line_frame>())}});
    }
    return {{"instructions", traffic.instructions},
            {"mix", std::move(mix)},
            {"barriers", traffic.barriers},
            {"loops", traffic.loops},
            {"deepest_loop", traffic.deepest_loop},
            {"waits_for_grid", traffic.waits_for_grid},
            {"lets_next_grid_begin", traffic.lets_next_grid_begin},
            {"memory", std::move(uses)},
            {"not_known", value_json(traffic.not_known)}};
}

}  // namespace launchbox
