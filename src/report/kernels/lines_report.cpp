// SPDX-License-Identifier: Apache-2.0
#include "report/kernels/lines_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "report/core/json.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

std::string bytes_or_dash(std::int64_t bytes);
std::vector<line_cost> live_and_spilling_lines(const kernel_lines& lines);
bool has_spills(const kernel_info& info);
void add_kernel(document& page, const inspected_kernel& kernel, const line_names& names, std::size_t lines_shown);
void add_others(document& page, const inspection& found);

}  // namespace

document lines_document(const inspection& found, const line_names& names, std::size_t lines_shown)
{
    document page;
    std::size_t with_spills = 0;
    for (const inspected_kernel& kernel : found.kernels)
        if (has_spills(kernel.info) && with_spills++ < found.page_rows) add_kernel(page, kernel, names, lines_shown);
    add_others(page, found);
    add_not_shown(page, found, with_spills - std::min(with_spills, found.page_rows));
    return page;
}

void add_not_shown(document& page, const inspection& found, std::size_t beyond)
{
    if (beyond + found.selection.not_shown == 0) return;
    page.line("");
    if (found.selection.not_shown > 0)
        page.line(fmt::format("  {} more: --top all", count_text(found.selection.not_shown)));
    if (beyond > 0)
        page.line(fmt::format("  {} more are not shown: --top all shows them, and JSON has them", count_text(beyond)));
}

table lines_table(const inspection& found, const line_names& names, bool live)
{
    table rows{{{"kernel"},
                {"architecture"},
                {"spill_store_bytes", true},
                {"spill_load_bytes", true},
                {"spill_stores", true},
                {"spill_loads", true},
                {"file"},
                {"line", true},
                {"function"},
                {"inlined_at"},
                {"shared_spill_store_bytes", true},
                {"shared_spill_load_bytes", true}},
               {}};
    constexpr std::ptrdiff_t live_column = 2;
    if (live) rows.columns.insert(rows.columns.begin() + live_column, {"live_registers", true});
    for (const inspected_kernel& kernel : found.kernels) {
        if (!kernel.info.analysis.lines) continue;
        const kernel_lines& lines = *kernel.info.analysis.lines;
        for (const line_cost& cost : live ? live_and_spilling_lines(lines) : spilling_lines(lines)) {
            std::string calls;
            for (std::size_t i = 1; i < cost.frames.size(); ++i)
                calls += fmt::format("{}{}:{}", i > 1 ? " " : "", escape_for_terminal(cost.frames[i].file),
                                     cost.frames[i].line);
            const bool told = !cost.frames.empty();
            const auto name = told ? names.functions.find(cost.frames[0].function) : names.functions.end();
            rows.rows.push_back(
                {escape_for_terminal(kernel.info.name), escape_for_terminal(kernel.info.architecture),
                 std::to_string(cost.use.spill_store_bytes), std::to_string(cost.use.spill_load_bytes),
                 std::to_string(cost.use.spill_stores), std::to_string(cost.use.spill_loads),
                 told ? escape_for_terminal(cost.frames[0].file) : "", told ? std::to_string(cost.frames[0].line) : "",
                 name == names.functions.end() ? "" : escape_for_terminal(name->second), calls,
                 std::to_string(cost.use.shared_spill_store_bytes), std::to_string(cost.use.shared_spill_load_bytes)});
            if (live)
                rows.rows.back().insert(rows.rows.back().begin() + live_column,
                                        std::to_string(cost.use.live_registers));
        }
    }
    return rows;
}

ordered_json frames_json(const std::vector<line_frame>& frames)
{
    return list_json(frames, [](const line_frame& frame) -> ordered_json {
        return {{"file", json_text(frame.file)},
                {"line", frame.line},
                {"function", text_or_null(std::string(frame.function))}};
    });
}

ordered_json lines_json(const inspected_kernel& kernel)
{
    if (!kernel.info.analysis.lines) return nullptr;
    const kernel_lines& lines = *kernel.info.analysis.lines;
    const auto figures = [&](const line_use& use) {
        ordered_json json;
        if (lines.all_code) {
            json["instructions"] = use.instructions;
            json["memory_reads"] = use.reads;
            json["memory_writes"] = use.writes;
        }
        json["spill_stores"] = use.spill_stores;
        json["spill_loads"] = use.spill_loads;
        json["spill_store_bytes"] = use.spill_store_bytes;
        json["spill_load_bytes"] = use.spill_load_bytes;
        json["shared_spill_store_bytes"] = use.shared_spill_store_bytes;
        json["shared_spill_load_bytes"] = use.shared_spill_load_bytes;
        if (use.live_registers > 0) json["live_registers"] = use.live_registers;
        return json;
    };
    ordered_json json{{"told", lines.told}, {"all_spills", lines.all_spills}, {"total", figures(total_of(lines))}};
    json["lines"] = ordered_json::array();
    for (const line_cost& cost :
         lines.all_code || kernel.info.analysis.pressure ? all_lines(lines) : spilling_lines(lines)) {
        ordered_json line = figures(cost.use);
        line["frames"] = frames_json(cost.frames);
        json["lines"].push_back(std::move(line));
    }
    return json;
}

namespace {

std::string bytes_or_dash(std::int64_t bytes)
{
    return bytes == 0 ? "–" : with_commas(bytes);
}

// Spills without a line, and of lines where no register is live, come last.
std::vector<line_cost> live_and_spilling_lines(const kernel_lines& lines)
{
    std::vector<line_cost> costs = crowded_lines(lines, lines.uses.size());
    std::ranges::copy_if(spilling_lines(lines), std::back_inserter(costs), [](const line_cost& cost) {
        return cost.use.live_registers == 0 || cost.use.place == no_line;
    });
    return costs;
}

bool has_spills(const kernel_info& info)
{
    return info.analysis.lines &&
           std::ranges::any_of(info.analysis.lines->uses, [](const line_use& use) { return use.spills(); });
}

}  // namespace

std::string file_text(std::string_view file, const line_names& names)
{
    const std::string& folder = names.folder;
    if (!folder.empty() && file.size() > folder.size() + 1 && file.starts_with(folder) && file[folder.size()] == '/')
        file.remove_prefix(folder.size() + 1);
    return escape_for_terminal(file);
}

std::string place_text(const line_cost& cost, const line_names& names)
{
    if (cost.frames.empty()) return "code without a line";
    std::string text;
    for (std::size_t i = 0; i < cost.frames.size(); ++i) {
        const line_frame& frame = cost.frames[i];
        text += i == 0 ? "" : i == 1 ? ", inlined at " : ", at ";
        text += file_text(frame.file, names);
        text += ':';
        text += std::to_string(frame.line);
        const auto name = names.functions.find(frame.function);
        if (!frame.function.empty() && name != names.functions.end())
            text += " in " + escape_for_terminal(name->second);
    }
    return text;
}

namespace {

void add_kernel(document& page, const inspected_kernel& kernel, const line_names& names, std::size_t lines_shown)
{
    const kernel_lines& lines = *kernel.info.analysis.lines;
    const line_use total = total_of(lines);
    std::string title =
        fmt::format("{}  {}", escape_for_terminal(kernel.info.short_form), architecture_label(kernel.info));
    if (kernel.info.analysis.written_at)
        title += fmt::format("  ({}:{})", file_text(kernel.info.analysis.written_at->file, names),
                             kernel.info.analysis.written_at->line);
    page.heading(title);
    const bool shared = total.shared_spill_stores + total.shared_spill_loads > 0;
    if (!lines.told) {
        page.line(fmt::format("  {} B stored, {} B loaded{}; {}", with_commas(total.spill_store_bytes),
                              with_commas(total.spill_load_bytes),
                              !shared ? std::string()
                                      : fmt::format(", and in shared memory {} B stored, {} B loaded",
                                                    with_commas(total.shared_spill_store_bytes),
                                                    with_commas(total.shared_spill_load_bytes)),
                              why_no_lines(kernel.info)));
        return;
    }
    // Registers spilled to shared memory have columns of their own, if there are any.
    table rows{{{"stored", true}, {"loaded", true}}, {}};
    if (shared) rows.columns.insert(rows.columns.end(), {{"stored shared", true}, {"loaded shared", true}});
    rows.columns.push_back({"line"});
    const auto row_of = [&](const line_use& use, cell last, const auto& text) {
        std::vector<cell> row{text(use.spill_store_bytes), text(use.spill_load_bytes)};
        if (shared) {
            row.push_back(text(use.shared_spill_store_bytes));
            row.push_back(text(use.shared_spill_load_bytes));
        }
        row.push_back(std::move(last));
        return row;
    };
    const auto plainly = [](std::int64_t bytes) { return cell(bytes_or_dash(bytes)); };
    const std::vector<line_cost> costs = spilling_lines(lines);
    line_use rest;
    std::size_t not_shown = 0;
    for (std::size_t i = 0; i < costs.size(); ++i) {
        const line_use& use = costs[i].use;
        if (i < lines_shown || costs.size() == lines_shown + 1) {
            rows.rows.push_back(row_of(use, place_text(costs[i], names), plainly));
            continue;
        }
        ++not_shown;
        add_to(rest, use);
    }
    if (not_shown > 0)
        rows.rows.push_back(row_of(rest, {fmt::format("{} more lines", count_text(not_shown)), tone::faint}, plainly));
    if (costs.size() > 1)
        rows.rows.push_back(row_of(total, {"bytes per thread, together", tone::faint},
                                   [](std::int64_t bytes) { return cell(with_commas(bytes), tone::strong); }));
    page.add(std::move(rows));
    if (!lines.all_spills) page.line("  its image lists only these spills, and has more", tone::warning);
}

// Kernels without a table: those without spills, and those without data.
void add_others(document& page, const inspection& found)
{
    std::size_t clean = 0;
    std::map<std::string, std::size_t> unknown;
    for (const inspected_kernel& kernel : found.kernels) {
        const kernel_info& info = kernel.info;
        const std::optional<spill_range> range = spill_range_of(info);
        if (has_spills(info)) continue;
        if (range && range->max_bytes() == 0)
            ++clean;
        else if (!range && info.analysis.lines && !is_ptx(info))
            ++unknown["their images list no spills, as before CUDA 12.6"];
        else
            ++unknown[why_no_lines(info)];
    }
    if (clean + unknown.size() == 0) return;
    if (!page.blocks.empty()) page.line("");
    if (clean > 0)
        page.line(fmt::format("  {} spill{} nothing", counted(clean, "kernel", "kernels"), clean == 1 ? "s" : ""));
    for (const auto& [why, kernels] : unknown)
        page.line(fmt::format("  {}: {}", counted(kernels, "kernel", "kernels"), why), tone::faint);
}

}  // namespace

}  // namespace launchbox
