// SPDX-License-Identifier: Apache-2.0
#include "report/tune/held_out_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "report/core/json.hpp"
#include "report/tune/run_cells.hpp"
#include "report/tune/run_json.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

constexpr std::size_t place_of(row_source source)
{
    return static_cast<std::size_t>(source);
}

std::string longer_text(double loss)
{
    return fmt::format("+{:.1f} %", loss * 100);
}

std::string shown_architecture(const held_out_gpu& gpu)
{
    return gpu.architecture ? std::string(architecture_name(*gpu.architecture)) : std::string();
}

cell loss_cell(const std::optional<chosen_row>& row)
{
    if (!row) return {"none", tone::faint};
    if (!row->share) return {"fails", tone::warning};
    const double loss = loss_of(*row->share);
    return {longer_text(loss), loss < 0.02 ? tone::good : tone::plain};
}

// Whether the two can be compared on this GPU.
bool has_both(const held_out_gpu& gpu)
{
    for (const row_source source : {row_source::predicted, row_source::inherited}) {
        const std::optional<chosen_row>& row = gpu.rows[place_of(source)];
        if (!row || !row->share) return false;
    }
    return true;
}

// The conclusion about predictions, in one sentence. One percent counts, as it does when `emit` replaces a row.
std::string comparison_of(const std::vector<held_out_space>& spaces)
{
    const std::vector<held_out_losses> losses = losses_of(spaces, true);
    const held_out_losses &predicted = losses[place_of(row_source::predicted)],
                          &inherited = losses[place_of(row_source::inherited)];
    if (predicted.gpus == 0) return "No GPU has both a predicted and an inherited row: nothing to compare.";
    std::size_t better = 0, worse = 0;
    for (const held_out_space& space : spaces)
        for (const held_out_gpu& gpu : space.gpus) {
            if (!has_both(gpu)) continue;
            const double gain =
                *gpu.rows[place_of(row_source::predicted)]->share / *gpu.rows[place_of(row_source::inherited)]->share;
            better += gain >= 1.01 ? 1 : 0;
            worse += gain <= 1 / 1.01 ? 1 : 0;
        }
    return fmt::format(
        "Where both exist ({}), predicted rows take {:.1f} % longer than the best and inherited ones {:.1f} %: better "
        "on "
        "{}, worse on {}, equal within 1 % on {}.",
        predicted.gpus == 1 ? "1 GPU" : count_text(predicted.gpus) + " GPUs", predicted.mean * 100,
        inherited.mean * 100, count_text(better), count_text(worse), count_text(predicted.gpus - better - worse));
}

ordered_json row_json(const portability& records, const std::optional<chosen_row>& row)
{
    if (!row) return nullptr;
    return {{"parameters", values_json(records.rows[row->row].parameters)},
            {"loss", row->share ? ordered_json(loss_of(*row->share)) : ordered_json(nullptr)}};
}

// "best common" becomes the member best_common.
std::string member_of(row_source source)
{
    std::string name = name_of(source);
    std::ranges::replace(name, ' ', '_');
    return name;
}

ordered_json gpu_json(const portability& records, const held_out_gpu& held_out)
{
    const portable_gpu& gpu = records.gpus[held_out.gpu];
    ordered_json json{{"name", json_text(gpu.name)}, {"architecture", text_or_null(shown_architecture(held_out))}};
    json["inherits_from"] = held_out.inherits_from ? ordered_json(json_text(records.gpus[*held_out.inherits_from].name))
                                                   : ordered_json(nullptr);
    json["candidates"] = gpu.candidates;
    for (std::size_t source = 0; source < row_sources; ++source)
        json[member_of(static_cast<row_source>(source))] = row_json(records, held_out.rows[source]);
    return json;
}

}  // namespace

std::vector<held_out_losses> losses_of(const std::vector<held_out_space>& spaces, bool comparable)
{
    std::vector<held_out_losses> all;
    for (std::size_t source = 0; source < row_sources; ++source) {
        held_out_losses made{.source = static_cast<row_source>(source)};
        std::vector<double> losses;
        double logs = 0;
        for (const held_out_space& space : spaces)
            for (const held_out_gpu& gpu : space.gpus) {
                const std::optional<chosen_row>& row = gpu.rows[source];
                if (!row || (comparable && !has_both(gpu))) continue;
                ++made.gpus;
                if (!row->share) {
                    ++made.failed;
                    continue;
                }
                losses.push_back(loss_of(*row->share));
                logs += std::log1p(losses.back());
            }
        std::ranges::sort(losses);
        if (const std::size_t count = losses.size(); count > 0) {
            made.mean = std::expm1(logs / static_cast<double>(count));
            made.median = (losses[(count - 1) / 2] + losses[count / 2]) / 2;
            made.worst = losses.back();
        }
        all.push_back(made);
    }
    return all;
}

const char* name_of(left_out what)
{
    return what == left_out::gpu ? "gpu" : "architecture";
}

void add_held_out(const std::vector<held_out_space>& spaces, left_out what, document& page)
{
    for (const held_out_space& space : spaces) {
        page.heading(fmt::format("{} on {} GPUs, {} candidates, each {} held out: how much longer than its best",
                                 escape_for_terminal(space.name), space.gpus.size(),
                                 count_text(space.records.rows.size()),
                                 what == left_out::gpu ? "GPU" : "architecture"));
        table rows{{{"GPU"}, {"arch"}}, {}};
        for (std::size_t source = 0; source < row_sources; ++source)
            rows.columns.push_back({name_of(static_cast<row_source>(source)), true});
        for (const held_out_gpu& gpu : space.gpus) {
            const std::string architecture = shown_architecture(gpu);
            std::vector<cell> line{escape_for_terminal(space.records.gpus[gpu.gpu].name),
                                   architecture.empty() ? "?" : architecture};
            for (const std::optional<chosen_row>& row : gpu.rows) line.push_back(loss_cell(row));
            rows.rows.push_back(std::move(line));
        }
        page.add(std::move(rows));
    }
    page.heading("All GPUs that were held out");
    table sums{{{"row"}, {"GPUs", true}, {"fails", true}, {"mean loss", true}, {"median", true}, {"worst", true}}, {}};
    for (const held_out_losses& losses : losses_of(spaces, false)) {
        std::vector<cell> line{name_of(losses.source), count_text(losses.gpus), count_text(losses.failed)};
        const bool some = losses.gpus > losses.failed;
        for (const double loss : {losses.mean, losses.median, losses.worst})
            line.emplace_back(some ? longer_text(loss) : "–");
        sums.rows.push_back(std::move(line));
    }
    page.add(std::move(sums));
    page.line("  " + comparison_of(spaces));
    page.line("");
}

nlohmann::ordered_json held_out_json(const std::vector<held_out_space>& spaces)
{
    return list_json(spaces, [](const held_out_space& space) -> ordered_json {
        return {{"name", json_text(space.name)},
                {"files", value_json(space.files)},
                {"gpus", list_json(space.gpus, [&](const held_out_gpu& gpu) { return gpu_json(space.records, gpu); })}};
    });
}

table held_out_table(const std::vector<held_out_space>& spaces)
{
    table rows{{{"name"}, {"gpu"}, {"architecture"}, {"row"}, {"loss"}, {"parameters"}}, {}};
    for (const held_out_space& space : spaces)
        for (const held_out_gpu& gpu : space.gpus)
            for (std::size_t source = 0; source < row_sources; ++source)
                if (const std::optional<chosen_row>& row = gpu.rows[source])
                    rows.rows.push_back({escape_for_terminal(space.name),
                                         escape_for_terminal(space.records.gpus[gpu.gpu].name), shown_architecture(gpu),
                                         name_of(static_cast<row_source>(source)),
                                         row->share ? fmt::format("{}", loss_of(*row->share)) : "",
                                         names_of(space.records.rows[row->row].parameters)});
    return rows;
}

}  // namespace launchbox
