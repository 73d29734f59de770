// SPDX-License-Identifier: Apache-2.0
#include "report/bounds/advice_report.hpp"

#include <fmt/format.h>

#include "advice/bounds/bounds_reasons.hpp"
#include "report/bounds/bounds_report.hpp"
#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "report/occupancy/limiter_ids.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

// More notes would hide the answer.
constexpr std::size_t notes_shown = 4;

std::string place_text(const source_location& place)
{
    return fmt::format("{}:{}", escape_for_terminal(place.file), place.line);
}

// "launched at gemm.cu:52 with 256 threads; it never reads blockDim: the block size is fixed"
std::string launches_text(const kernel_advice& kernel)
{
    std::string text;
    const std::vector<seen_launch>& launches = kernel.use.launches;
    for (std::size_t i = 0; i < launches.size() && i < 2; ++i)
        text += fmt::format("{}{}{}", i == 0 ? "launched at " : " and ", place_text(launches[i].place),
                            launches[i].threads ? fmt::format(" with {} threads", *launches[i].threads)
                                                : std::string(" with a block size that the source does not show"));
    if (launches.size() > 2) text += fmt::format(" and {} more", launches.size() - 2);
    if (launches.empty()) text = "no launch was found";
    if (!kernel.use.maybe_launched.empty())
        text =
            fmt::format("maybe launched at {}, through a pointer: the source does not show which kernels it launches",
                        place_text(kernel.use.maybe_launched.front()));
    if (!kernel.use.reason.empty()) text += "; " + kernel.use.reason;
    if (kernel.use.freedom == block_size_freedom::fixed)
        text += kernel.threads_assumed ? ": the block size is fixed, and not known" : ": the block size is fixed";
    return text;
}

std::string write_text(const architecture_advice& one, bool narrow)
{
    switch (one.verdict) {
        case bounds_verdict::write:
            return narrow ? short_attribute_text(one.attribute) : attribute_text(one.attribute);
        case bounds_verdict::remove:
            return "no bound";
        case bounds_verdict::keep:
        case bounds_verdict::no_bound:
        case bounds_verdict::no_difference:
            return "nothing";
        default:
            return "?";
    }
}

// Whether an unknown amount of shared memory is missing from the count.
bool at_most(const architecture_advice& one)
{
    return !one.dynamic_shared_bytes || !one.written.figures.static_shared_bytes;
}

cell resident_cell(const architecture_advice& one)
{
    if (!one.obstacle.empty()) return {"never", tone::bad};
    if (!one.residency) return "?";
    return resident_text(one.residency->resident_blocks, one.threads, at_most(one));
}

table rows_of(const kernel_advice& kernel, const output_style& style)
{
    const bool narrow = style.width < 100;
    table rows{{{""}, {"regs", true}, {"spills", true}, {"resident", true}, {"occup.", true}, {"write"}, {"effect"}},
               {}};
    for (const architecture_advice& one : kernel.architectures) {
        const bool change = one.verdict == bounds_verdict::write || one.verdict == bounds_verdict::remove;
        rows.rows.push_back(
            {{escape_for_terminal(one.label())},
             known_or_sign(one.written.figures.registers, one.written),
             spills_cell(one.written),
             resident_cell(one),
             one.residency && one.obstacle.empty() ? occupancy_text(one.residency->occupancy(), at_most(one)) : "–",
             {write_text(one, narrow), change ? tone::good : tone::plain},
             one.obstacle.empty() || change ? (one.effect.empty() ? "–" : escape_for_terminal(one.effect))
                                            : escape_for_terminal(one.obstacle)});
    }
    return rows;
}

void add_kernel(document& page, const kernel_advice& kernel, bool all, const output_style& style)
{
    std::string title = escape_for_terminal(kernel.short_form.empty() ? kernel.name : kernel.short_form);
    if (kernel.declared_at) title += "     " + place_text(*kernel.declared_at);
    if (!kernel.attribute.empty()) title += ", " + attribute_text(kernel.attribute);
    page.heading(title);
    page.line("  " + launches_text(kernel));
    if (kernel.threads_assumed && !kernel.architectures.empty())
        page.line(fmt::format("  {} threads are assumed: resident blocks and occupancy hold for these alone; --threads "
                              "names the size",
                              kernel.architectures.front().threads),
                  tone::warning);
    page.add(rows_of(kernel, style));
    for (std::size_t i = 0; i < kernel.notes.size() && (all || i < notes_shown); ++i)
        page.line("  " + escape_for_terminal(kernel.notes[i]));
    const std::size_t hidden =
        kernel.details.size() + (kernel.notes.size() > notes_shown ? kernel.notes.size() - notes_shown : 0);
    if (all)
        for (const std::string& detail : kernel.details) page.line("  " + escape_for_terminal(detail), tone::faint);
    else if (hidden > 0)
        page.line(fmt::format("  {} more note{}, and the reasons: --all", hidden, hidden == 1 ? "" : "s"), tone::faint);
    // A command must not be wrapped: it would become two commands.
    if (!kernel.next_step.empty()) page.verbatim("  next: " + escape_for_terminal(kernel.next_step) + "\n");
}

ordered_json launches_json(const kernel_advice& kernel)
{
    return list_json(kernel.use.launches, [](const seen_launch& one) -> ordered_json {
        return {{"file", json_text(one.place.file)},
                {"line", one.place.line},
                {"threads", or_null(one.threads)},
                {"dynamic_shared_bytes", or_null(one.dynamic_shared_bytes)}};
    });
}

ordered_json architecture_json(const architecture_advice& one)
{
    const kernel_figures& figures = one.written.figures;
    ordered_json json{{"architecture", json_text(one.architecture)},
                      {"gpu", text_or_null(one.gpu)},
                      {"threads", one.threads > 0 ? ordered_json(one.threads) : ordered_json(nullptr)},
                      {"registers", or_null(figures.registers)},
                      {"spill_store_bytes", or_null(figures.spill_store_bytes)},
                      {"spill_load_bytes", or_null(figures.spill_load_bytes)},
                      {"shared_spill_store_bytes", or_null(figures.shared_spill_store_bytes)},
                      {"shared_spill_load_bytes", or_null(figures.shared_spill_load_bytes)},
                      {"static_shared_bytes", or_null(figures.static_shared_bytes)},
                      {"dynamic_shared_bytes", or_null(one.dynamic_shared_bytes)}};
    json["resident_blocks"] = one.residency ? ordered_json(one.residency->resident_blocks) : ordered_json(nullptr);
    json["occupancy"] = one.residency ? ordered_json(one.residency->occupancy()) : ordered_json(nullptr);
    json["limiters"] = one.residency ? limiter_ids(*one.residency) : std::vector<std::string>();
    json["obstacle"] = text_or_null(one.obstacle);
    json["verdict"] = verdict_name(one.verdict);
    json["write"] =
        one.verdict == bounds_verdict::write ? ordered_json(attribute_text(one.attribute)) : ordered_json(nullptr);
    json["effect"] = text_or_null(one.effect);
    return json;
}

}  // namespace

document advice_document(const advice_report& found, bool all, const output_style& style)
{
    document page;
    for (const kernel_advice& kernel : found.kernels) add_kernel(page, kernel, all, style);
    return page;
}

nlohmann::ordered_json advice_json(const advice_report& found)
{
    ordered_json json;
    json["schema"] = "launchbox.advice/1";
    json["file"] = json_text(found.file);
    json["compiler"] = json_text(found.compiler);
    json["kernels"] = list_json(found.kernels, [](const kernel_advice& kernel) -> ordered_json {
        return {{"name", json_text(kernel.name)},
                {"demangled", json_text(kernel.demangled)},
                {"short_name", json_text(kernel.short_form)},
                {"written", attribute_source(kernel.attribute)},
                {"launches", launches_json(kernel)},
                {"maybe_launched", value_json(kernel.use.maybe_launched)},
                {"block_size", freedom_name(kernel.use.freedom)},
                {"block_size_reason", text_or_null(kernel.use.reason)},
                {"threads_assumed", kernel.threads_assumed},
                {"architectures", list_json(kernel.architectures, architecture_json)},
                {"notes", value_json(kernel.notes)},
                {"details", value_json(kernel.details)},
                {"next", text_or_null(kernel.next_step)}};
    });
    json["errors"] = value_json(found.errors);
    return json;
}

table advice_table(const advice_report& found)
{
    ordered_json rows = ordered_json::array();
    for (const kernel_advice& kernel : found.kernels)
        for (const architecture_advice& one : kernel.architectures) {
            rows.push_back(architecture_json(one));
            rows.back().update({{"name", json_text(kernel.name)},
                                {"demangled", json_text(kernel.demangled)},
                                {"block_size", freedom_name(kernel.use.freedom)},
                                {"threads_assumed", kernel.threads_assumed}});
        }
    return json_table({{"name"},
                       {"demangled"},
                       {"architecture"},
                       {"gpu"},
                       {"block_size"},
                       {"threads"},
                       {"threads_assumed"},
                       {"registers"},
                       {"spill_store_bytes"},
                       {"spill_load_bytes"},
                       {"shared_spill_store_bytes"},
                       {"shared_spill_load_bytes"},
                       {"static_shared_bytes"},
                       {"dynamic_shared_bytes"},
                       {"resident_blocks"},
                       {"occupancy"},
                       {"limiters"},
                       {"obstacle"},
                       {"verdict"},
                       {"write"},
                       {"effect"}},
                      rows);
}

}  // namespace launchbox
