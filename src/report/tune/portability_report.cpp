// SPDX-License-Identifier: Apache-2.0
#include "report/tune/portability_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>

#include "report/core/json_stream.hpp"
#include "report/core/json_table.hpp"
#include "report/tune/comparison_report.hpp"
#include "report/tune/run_cells.hpp"
#include "report/tune/run_json.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

std::string share_text(const std::optional<double>& share)
{
    return share ? fmt::format("{:.1f}", *share * 100) : "–";
}

std::string loss_text(double share)
{
    const double loss = loss_of(share);
    return loss < 0.0005 ? "–" : fmt::format("+{:.1f} %", loss * 100);
}

// "A  NVIDIA H100"
std::string gpu_title(const portability& rows, std::size_t gpu)
{
    return letter_of(gpu) + "  " + escape_for_terminal(rows.gpus[gpu].name);
}

void add_letters(const portability& rows, table& into)
{
    for (std::size_t g = 0; g < rows.gpus.size(); ++g) into.columns.push_back({letter_of(g), true});
}

void add_shares(const portable_row& row, std::vector<cell>& into)
{
    for (const std::optional<double>& share : row.shares)
        into.emplace_back(share_text(share), !share ? tone::faint : *share >= 1 ? tone::good : tone::plain);
}

void add_gpus(const portability& rows, document& page)
{
    const bool times = std::ranges::any_of(rows.gpus, [](const portable_gpu& gpu) { return gpu.best_ns.has_value(); });
    const bool architectures =
        std::ranges::any_of(rows.gpus, [](const portable_gpu& gpu) { return !gpu.architecture.empty(); });
    table gpus{{{"GPU"}}, {}};
    if (architectures) gpus.columns.push_back({"arch"});
    gpus.columns.push_back({"candidates", true});
    if (times) gpus.columns.push_back({"ms", true});
    gpus.columns.push_back({"the best"});
    for (std::size_t g = 0; g < rows.gpus.size(); ++g) {
        const portable_gpu& gpu = rows.gpus[g];
        std::vector<cell> line{gpu_title(rows, g)};
        if (architectures) line.emplace_back(gpu.architecture.empty() ? "?" : escape_for_terminal(gpu.architecture));
        line.emplace_back(count_text(gpu.candidates));
        if (times) line.emplace_back(gpu.best_ns ? milliseconds(*gpu.best_ns, *gpu.best_ns) : "–");
        line.emplace_back(names_of(rows.rows[gpu.best].parameters), tone::good);
        gpus.rows.push_back(std::move(line));
    }
    page.add(std::move(gpus));
}

void add_matrix(const portability& rows, document& page)
{
    page.heading("The best of each GPU on the others: % of the best there");
    table matrix{{{"the best of"}}, {}};
    add_letters(rows, matrix);
    const auto add = [&](std::string name, const portable_row& row) {
        std::vector<cell> line{std::move(name)};
        add_shares(row, line);
        matrix.rows.push_back(std::move(line));
    };
    for (std::size_t g = 0; g < rows.gpus.size(); ++g) add(gpu_title(rows, g), rows.rows[rows.gpus[g].best]);
    if (rows.baseline) add("the baseline", rows.rows[*rows.baseline]);
    page.add(std::move(matrix));
}

void add_common(const portability_report& report, document& page)
{
    const portability& rows = report.rows;
    page.heading("One row for all: % of the best, the best worst case first");
    if (rows.common.empty()) {
        page.line("  No candidate was measured on all GPUs.", tone::warning);
        return;
    }
    table best{{{"worst", true}, {"on"}, {"mean", true}}, {}};
    add_letters(rows, best);
    best.columns.push_back({"candidate"});
    const std::size_t count = std::min(report.found.top, rows.common.size());
    for (std::size_t i = 0; i < count; ++i) {
        const portable_row& row = rows.rows[rows.common[i]];
        std::vector<cell> line{share_text(row.shares[row.worst()]), letter_of(row.worst()), share_text(row.mean())};
        add_shares(row, line);
        line.emplace_back(names_of(row.parameters), i == 0 ? tone::good : tone::plain);
        best.rows.push_back(std::move(line));
    }
    page.add(std::move(best));
    if (rows.common.size() > count)
        page.line(fmt::format("  {} more: --top all", count_text(rows.common.size() - count)), tone::faint);
    if (const std::size_t others = rows.rows.size() - rows.common.size(); others > 0)
        page.line(fmt::format("  {} not measured on every GPU.",
                              others == 1 ? "1 candidate was" : count_text(others) + " candidates were"),
                  tone::faint);
}

void add_sets(const portability_report& report, document& page)
{
    const portability& rows = report.rows;
    page.heading("How few rows are enough");
    table sets{{{"rows", true}, {"worst loss", true}, {"on"}, {"mean loss", true}}, {}};
    const std::optional<std::size_t> enough = smallest_set(rows, report.within);
    for (std::size_t i = 0; i < rows.sets.size(); ++i) {
        const portable_set& set = rows.sets[i];
        const tone look = i == enough ? tone::good : tone::plain;
        sets.rows.push_back({{count_text(set.rows.size()), look},
                             {loss_text(set.worst_share), look},
                             {set.worst_share < 1 ? gpu_title(rows, set.worst) : "–", look},
                             {loss_text(set.mean_share), look}});
    }
    page.add(std::move(sets));
    if (!rows.is_exact)
        page.line(
            fmt::format("  For more than {} GPUs these are good sets, and better ones may exist.", max_exact_gpus),
            tone::faint);
    if (!enough) return;
    const portable_set& set = rows.sets[*enough];
    page.heading(fmt::format("Within {}: {}", percent_text(report.within),
                             set.rows.size() == 1 ? "one row" : count_text(set.rows.size()) + " rows"));
    table chosen{{{"GPU"}, {"loss", true}, {"row"}}, {}};
    for (std::size_t r = 0; r < set.rows.size(); ++r)
        for (std::size_t g = 0; g < rows.gpus.size(); ++g) {
            if (set.row_of[g] != r) continue;
            const portable_row& row = rows.rows[set.rows[r]];
            chosen.rows.push_back(
                {{gpu_title(rows, g)}, {loss_text(*row.shares[g])}, {names_of(row.parameters), tone::good}});
        }
    page.add(std::move(chosen));
}

ordered_json row_json(const portable_row& row)
{
    ordered_json json{{"parameters", values_json(row.parameters)}, {"shares", value_json(row.shares)}};
    const bool complete = row.is_complete();
    json["worst_share"] = complete ? ordered_json(*row.shares[row.worst()]) : ordered_json(nullptr);
    json["mean_share"] = complete ? ordered_json(row.mean()) : ordered_json(nullptr);
    return json;
}

ordered_json gpu_json(const portability& rows, const portable_gpu& gpu)
{
    return {{"name", json_text(gpu.name)},
            {"architecture", text_or_null(gpu.architecture)},
            {"runs", gpu.sources},
            {"candidates", gpu.candidates},
            {"best", values_json(rows.rows[gpu.best].parameters)},
            {"best_ns", or_null(gpu.best_ns)},
            {"baseline_ns", or_null(gpu.baseline_ns)}};
}

ordered_json set_json(const portability& rows, const portable_set& set)
{
    ordered_json chosen = ordered_json::array();
    for (std::size_t r = 0; r < set.rows.size(); ++r) {
        ordered_json gpus = ordered_json::array(), losses = ordered_json::array();
        for (std::size_t g = 0; g < rows.gpus.size(); ++g)
            if (set.row_of[g] == r) {
                gpus.push_back(g);
                losses.push_back(loss_of(*rows.rows[set.rows[r]].shares[g]));
            }
        chosen.push_back(
            {{"parameters", values_json(rows.rows[set.rows[r]].parameters)}, {"gpus", gpus}, {"losses", losses}});
    }
    return {{"rows", chosen},
            {"worst_loss", loss_of(set.worst_share)},
            {"worst_gpu", set.worst},
            {"mean_loss", loss_of(set.mean_share)}};
}

// Rows measured on all GPUs first, ordered by their worst share.
std::vector<std::size_t> order_of_rows(const portability& rows)
{
    std::vector<std::size_t> order = rows.common;
    for (std::size_t r = 0; r < rows.rows.size(); ++r)
        if (!rows.rows[r].is_complete()) order.push_back(r);
    return order;
}

std::vector<std::string> notes_of(const portability_report& report)
{
    std::vector<std::string> notes = report.found.diagnostics;
    notes.insert(notes.end(), report.rows.left_out.begin(), report.rows.left_out.end());
    return notes;
}

}  // namespace

document portability_document(const portability_report& report)
{
    const portability& rows = report.rows;
    document page;
    page.heading(
        fmt::format("{} on {} GPUs", escape_for_terminal(report.found.runs.front().run.info.name), rows.gpus.size()));
    add_gpus(rows, page);
    add_matrix(rows, page);
    add_common(report, page);
    add_sets(report, page);
    add_diagnostics(notes_of(report), page);
    return page;
}

void write_portability_json(const portability_report& report, std::ostream& out)
{
    const portability& rows = report.rows;
    const auto [environments, runs] = runs_json(report.found.runs);
    const std::optional<std::size_t> enough = smallest_set(rows, report.within);
    json_object_stream json(out);
    json.member("schema", "launchbox.portability/1");
    json.member("environments", environments);
    json.member("runs", runs);
    json.member("gpus", list_json(rows.gpus, [&](const portable_gpu& gpu) { return gpu_json(rows, gpu); }));
    json.member("baseline", rows.baseline ? row_json(rows.rows[*rows.baseline]) : ordered_json(nullptr));
    json.member("within", report.within);
    json.member("smallest", or_null(enough));
    json.member("exact", rows.is_exact);
    json.member("sets", list_json(rows.sets, [&](const portable_set& set) { return set_json(rows, set); }));
    json.begin_array("rows");
    for (const std::size_t row : order_of_rows(rows)) json.element(row_json(rows.rows[row]));
    json.end_array();
    json.member("problems", value_json(notes_of(report)));
    json.finish();
}

table portability_table(const portability_report& report)
{
    ordered_json rows = ordered_json::array(), header{{"parameters", ordered_json::object()}};
    for (const portable_gpu& gpu : report.rows.gpus) header["share." + json_text(gpu.name)] = nullptr;
    header.update({{"worst_share", nullptr}, {"mean_share", nullptr}});
    for (const std::size_t place : order_of_rows(report.rows)) {
        const portable_row& row = report.rows.rows[place];
        ordered_json& json = rows.emplace_back(row_json(row));
        json["parameters"] = texts_json(row.parameters);
        for (std::size_t g = 0; g < row.shares.size(); ++g)
            json["share." + json_text(report.rows.gpus[g].name)] = or_null(row.shares[g]);
        json.erase("shares");
    }
    return flat_table(rows, std::move(header));
}

}  // namespace launchbox
