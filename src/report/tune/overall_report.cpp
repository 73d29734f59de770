// SPDX-License-Identifier: Apache-2.0
#include "report/tune/overall_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/tune/run_cells.hpp"
#include "report/tune/run_json.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

using nlohmann::ordered_json;

std::vector<std::string> names_of(const std::vector<ranking>& rankings)
{
    std::vector<assignment> workloads;
    for (const ranking& workload_ranking : rankings) workloads.push_back(workload_ranking.workload);
    return workload_names(workloads);
}

std::string speed_interval(const gain& speed)
{
    return fmt::format("{:.2f} to {:.2f}", speed.low, speed.high);
}

std::string note_of(const overall_ranking& overall, std::size_t place)
{
    std::string note = overall.candidates[place].is_baseline ? "baseline" : "";
    if (overall.winner == place) note += note.empty() ? "winner" : ", winner";
    std::size_t twins = 0;
    for (const overall_candidate& candidate : overall.candidates) twins += candidate.same_as == place ? 1 : 0;
    if (twins > 0) note += (note.empty() ? "" : ", ") + fmt::format("{} more with this code", twins);
    if (const auto same = overall.candidates[place].same_as)
        note += (note.empty() ? "" : ", ") + fmt::format("same code as #{}", *same + 1);
    return note;
}

}  // namespace

std::string overall_verdict(const overall_ranking& overall, const std::vector<ranking>& rankings)
{
    if (overall.candidates.empty()) return "There is no best candidate on average: none was measured on all workloads.";
    const overall_candidate& best = overall.candidates.front();
    const std::string name = names_of(best.parameters);
    if (overall.noise) {
        const auto baseline = std::ranges::find_if(overall.candidates, &overall_candidate::is_baseline);
        return no_winner_text(*overall.noise, name,
                              baseline == overall.candidates.end() ? "" : names_of(baseline->parameters));
    }
    const overall_candidate& winner = overall.candidates[*overall.winner];
    const bool by_time = rankings.front().goal.is_time();
    const std::string best_score = fmt::format("{:.2f} × ({})", best.score.times, speed_interval(best.score));
    if (overall.over_baseline && winner.is_baseline) {
        if (&winner == &best || best.score == gain{})
            return fmt::format("The baseline, {}, is the best on average.", names_of(winner.parameters));
        return fmt::format("The baseline, {}, stays: no measurable gain over it from {}, the best on average: {}.",
                           names_of(winner.parameters), name, best_score);
    }
    std::string text = names_of(winner.parameters) + (overall.tie.why ? " is used, " : " is the best on average, ");
    text += overall.over_baseline
                ? fmt::format("{:.2f} × as {} as the baseline ({})", winner.score.times, by_time ? "fast" : "good",
                              speed_interval(winner.score))
                : fmt::format("with {:.2f} of {} ({})", winner.score.times,
                              by_time ? "the speed of each workload's fastest" : "what each workload's best has",
                              speed_interval(winner.score));
    const workload_speed& worst = winner.speeds[winner.worst];
    const bool slower = overall.over_baseline && worst.speed.high < 1;
    text += fmt::format("; its worst is {:.2f}, at {}", worst.speed.times, names_of(rankings)[worst.ranking]);
    if (slower) text += by_time ? ": slower than the baseline" : ": worse than the baseline";
    if (overall.tie.why)
        text += "; " + tie_text(overall.tie);
    else if (overall.over_next && overall.over_next->low <= 1)
        text += "; against the next: " + equality_text(overall.over_next->high - 1);
    return text + ".";
}

void add_overall(const shown_run& shown, std::size_t top, document& page)
{
    const overall_ranking overall = rank_overall(shown.run.results, shown.rankings);
    const std::vector<std::string> workloads = names_of(shown.rankings);
    const bool by_time = shown.rankings.front().goal.is_time();
    page.heading(fmt::format("over all {} workloads: {}, {}", shown.rankings.size(),
                             counted(overall.candidates.size(), "candidate", "candidates"),
                             !by_time                ? "gain over the baseline, or share of each workload's best"
                             : overall.over_baseline ? "speed-up over the baseline"
                                                     : "speed over each workload's fastest, without a baseline"));
    if (!overall.candidates.empty()) {
        std::vector<const assignment*> candidates;
        for (const overall_candidate& candidate : overall.candidates) candidates.push_back(&candidate.parameters);
        const parameter_columns columns = columns_of(candidates);
        table rows{{{"#", true}}, {}};
        add_columns(columns, rows);
        for (const char* name : {"score", "interval", "worst"}) rows.columns.push_back({name, true});
        rows.columns.push_back({"worst at"});
        add_last_column(columns, "note", rows);
        // Long names of workloads are written only once, below the table.
        const bool numbered = std::ranges::any_of(workloads, [](const std::string& name) { return name.size() > 16; });
        std::set<std::size_t> worst_at;
        std::size_t distinct = 0;
        for (std::size_t place = 0; place < overall.candidates.size(); ++place) {
            const overall_candidate& candidate = overall.candidates[place];
            const bool wins = overall.winner == place;
            const bool shown_anyway = wins || candidate.is_baseline || top == static_cast<std::size_t>(-1);
            if (!shown_anyway && (candidate.same_as || distinct >= top)) continue;
            if (!candidate.same_as) ++distinct;
            std::vector<cell> row{std::to_string(place + 1)};
            add_cells(columns, candidate.parameters, row);
            row.emplace_back(fmt::format("{:.2f}", candidate.score.times));
            row.emplace_back(speed_interval(candidate.score));
            const workload_speed& worst = candidate.speeds[candidate.worst];
            row.emplace_back(fmt::format("{:.2f}", worst.speed.times));
            // The reference has no worst workload: its ratio is 1 on all of them.
            const bool everywhere = candidate.is_baseline && overall.over_baseline;
            if (!everywhere) worst_at.insert(worst.ranking);
            row.emplace_back(everywhere ? "–"
                             : numbered ? fmt::format("workload {}", worst.ranking + 1)
                                        : workloads[worst.ranking]);
            add_last_cell(columns, candidate.parameters, {note_of(overall, place), wins ? tone::good : tone::plain},
                          row);
            rows.rows.push_back(std::move(row));
        }
        const std::size_t hidden = overall.candidates.size() - rows.rows.size();
        page.add(std::move(rows));
        if (!columns.constant.empty()) page.line("  all: " + escape_for_terminal(columns.constant), tone::faint);
        if (hidden > 0)
            page.line(fmt::format("  {} more: --top all", with_commas(static_cast<std::int64_t>(hidden))), tone::faint);
        if (numbered)
            for (const std::size_t workload : worst_at)
                page.line(fmt::format("  workload {}: {}", workload + 1, workloads[workload]), tone::faint);
    }
    if (overall.incomplete > 0)
        page.line(fmt::format("  {} without a score: not measured completely on all workloads.",
                              counted(overall.incomplete, "candidate", "candidates")),
                  tone::faint);
    page.line("  " + overall_verdict(overall, shown.rankings), tone::good);
}

ordered_json overall_json(const shown_run& shown, std::size_t run)
{
    const overall_ranking overall = rank_overall(shown.run.results, shown.rankings);
    ordered_json candidates = ordered_json::array();
    for (const overall_candidate& candidate : overall.candidates) {
        ordered_json speeds = ordered_json::array();
        for (const workload_speed& at : candidate.speeds) {
            speeds.push_back({{"workload", values_json(shown.rankings[at.ranking].workload)}});
            add_gain(speeds.back(), "speed_up", at.speed);
        }
        candidates.push_back(
            {{"parameters", values_json(candidate.parameters)},
             {"score", candidate.score.times},
             {"score_low", candidate.score.low},
             {"score_high", candidate.score.high},
             {"is_baseline", candidate.is_baseline},
             {"same_as", candidate.same_as ? values_json(overall.candidates[*candidate.same_as].parameters)
                                           : ordered_json(nullptr)},
             {"worst", values_json(shown.rankings[candidate.speeds[candidate.worst].ranking].workload)},
             {"speeds", speeds}});
    }
    return {{"run", run},
            {"over_baseline", overall.over_baseline},
            {"workloads", shown.rankings.size()},
            {"incomplete", overall.incomplete},
            {"winner",
             overall.winner ? values_json(overall.candidates[*overall.winner].parameters) : ordered_json(nullptr)},
            {"noise", noise_json(overall.noise)},
            {"verdict", overall_verdict(overall, shown.rankings)},
            {"candidates", candidates}};
}

}  // namespace launchbox
