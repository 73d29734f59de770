// SPDX-License-Identifier: Apache-2.0
#include "tune/ranking/gpu_prediction.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>

namespace launchbox {

namespace {

// The GPU whose row launch_box would use: the nearest architecture that is not newer.
std::optional<std::size_t> inherited_from(const std::vector<recorded_gpu>& gpus, std::size_t held_out,
                                          const std::vector<bool>& counts)
{
    std::optional<std::size_t> nearest;
    const std::optional<compute_capability>& wanted = gpus[held_out].architecture;
    if (!wanted) return std::nullopt;
    for (std::size_t g = 0; g < gpus.size(); ++g) {
        const std::optional<compute_capability>& here = gpus[g].architecture;
        if (!counts[g] || !here || here->number() > wanted->number()) continue;
        if (!nearest || here->number() > gpus[*nearest].architecture->number()) nearest = g;
    }
    return nearest;
}

// Among the rows that `counts` accepts, the one with the largest `worth`.
template <typename Counts, typename Worth>
std::optional<std::size_t> best_row(const portability& records, const Counts& counts, const Worth& worth)
{
    std::optional<std::size_t> best;
    double most = 0;
    for (std::size_t r = 0; r < records.rows.size(); ++r) {
        if (!counts(records.rows[r])) continue;
        const std::optional<double> here = worth(records.rows[r]);
        if (here && (!best || *here > most)) best = r, most = *here;
    }
    return best;
}

held_out_gpu hold_out(const portability& records, const std::vector<recorded_gpu>& gpus, std::size_t held_out,
                      left_out what)
{
    std::vector<bool> others;
    for (std::size_t g = 0; g < gpus.size(); ++g) {
        const bool is_alike = gpus[g].architecture && gpus[held_out].architecture &&
                              gpus[g].architecture->number() == gpus[held_out].architecture->number();
        others.push_back(g != held_out && !(what == left_out::architecture && is_alike));
    }
    const recorded_gpu& gpu = gpus[held_out];
    const auto known = [&](const assignment& candidate) { return gpu.recorded.contains(identity_of(candidate)); };
    const auto counts = [&](const portable_row& row) { return known(row.parameters); };
    const auto chosen = [&](std::optional<std::size_t> row) -> std::optional<chosen_row> {
        if (!row) return std::nullopt;
        return chosen_row{*row, records.rows[*row].shares[held_out]};
    };
    held_out_gpu made{
        .gpu = held_out, .architecture = gpu.architecture, .inherits_from = inherited_from(gpus, held_out, others)};
    made.rows.resize(row_sources);
    const auto place = [&](row_source source) -> std::optional<chosen_row>& {
        return made.rows[static_cast<std::size_t>(source)];
    };

    std::vector<double> weights;
    for (std::size_t g = 0; g < gpus.size(); ++g)
        weights.push_back(!others[g] ? 0 : record_weight(gpus[g].architecture, gpu.architecture));
    std::vector<predicted_row> predicted = predict_rows(records, weights, known);
    if (predicted.size() > measured_candidates) predicted.resize(measured_candidates);
    for (const predicted_row& candidate : predicted) {
        if (!place(row_source::predicted)) place(row_source::predicted) = chosen(candidate.row);
        std::optional<chosen_row>& best = place(row_source::ten_measured);
        const std::optional<chosen_row> here = chosen(candidate.row);
        if (!best || here->share.value_or(0) > best->share.value_or(0)) best = here;
    }
    if (made.inherits_from)
        place(row_source::inherited) =
            chosen(best_row(records, counts, [&](const portable_row& row) { return row.shares[*made.inherits_from]; }));
    place(row_source::common) = chosen(best_row(records, counts, [&](const portable_row& row) -> std::optional<double> {
        std::optional<double> worst;
        for (std::size_t g = 0; g < gpus.size(); ++g) {
            if (!others[g]) continue;
            if (!row.shares[g]) return std::nullopt;
            worst = std::min(worst.value_or(1), *row.shares[g]);
        }
        return worst;
    }));
    if (gpu.baseline)
        for (std::size_t r = 0; r < records.rows.size(); ++r)
            if (records.rows[r].parameters == *gpu.baseline) place(row_source::baseline) = chosen(r);
    return made;
}

}  // namespace

// docs/bench_search.md explains the figures.
double record_weight(const std::optional<compute_capability>& measured, const std::optional<compute_capability>& wanted)
{
    constexpr int unknown_steps = 8;
    if (!measured || !wanted) return std::pow(0.1, unknown_steps);
    if (measured->number() == wanted->number()) return 1;
    return std::pow(0.1, std::min(1 + std::abs(measured->major - wanted->major), unknown_steps));
}

std::vector<predicted_row> predict_rows(const portability& records, const std::vector<double>& weights,
                                        const std::function<bool(const assignment&)>& may_run)
{
    const double all = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<predicted_row> predicted;
    for (std::size_t r = 0; r < records.rows.size(); ++r) {
        const portable_row& row = records.rows[r];
        double logs = 0, weight = 0;
        predicted_row made{.row = r};
        for (std::size_t g = 0; g < weights.size(); ++g) {
            if (weights[g] <= 0 || !row.shares[g]) continue;
            logs += weights[g] * std::log(*row.shares[g]);
            weight += weights[g];
            ++made.measured;
        }
        if (weight <= 0 || weight < 0.5 * all || (may_run && !may_run(row.parameters))) continue;
        made.share = std::exp(logs / weight);
        predicted.push_back(made);
    }
    std::ranges::stable_sort(predicted, std::ranges::greater{}, &predicted_row::share);
    return predicted;
}

const char* name_of(row_source source)
{
    constexpr const char* names[row_sources] = {"predicted", "inherited", "best common", "ten measured", "baseline"};
    return names[static_cast<std::size_t>(source)];
}

std::vector<held_out_gpu> hold_each_out(const portability& records, const std::vector<recorded_gpu>& gpus,
                                        left_out what)
{
    std::vector<held_out_gpu> all;
    for (std::size_t g = 0; g < records.gpus.size(); ++g) all.push_back(hold_out(records, gpus, g, what));
    return all;
}

}  // namespace launchbox
