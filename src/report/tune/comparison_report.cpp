// SPDX-License-Identifier: Apache-2.0
#include "report/tune/comparison_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "report/tune/run_cells.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

constexpr std::size_t hash_digits = 12;

/// The two runs of one comparison.
struct pair_of_runs {
    const shown_run &a, &b;
    std::string a_name, b_name;

    [[nodiscard]] const stored_result& in_a(const compared_candidate& candidate) const
    {
        return a.run.results[candidate.a];
    }
    [[nodiscard]] const stored_result& in_b(const compared_candidate& candidate) const
    {
        return b.run.results[candidate.b];
    }
};

std::string ratio_interval(const gain& ratio)
{
    return fmt::format("{:.3f} to {:.3f}", ratio.low, ratio.high);
}

std::string difference_text(const run_difference& difference, const std::string& value)
{
    if (value.empty()) return "–";
    const bool is_hash = difference.what == "task" || difference.what == "source" || difference.what == "spec";
    return escape_for_terminal(is_hash ? value.substr(0, hash_digits) : value);
}

void add_differences(const run_comparison& found, const pair_of_runs& pair, document& page)
{
    if (found.differences.empty()) {
        page.line("  Machine, driver, toolkit, task and source are the same.");
        return;
    }
    table rows{{{"differs"}, {pair.a_name}, {pair.b_name}}, {}};
    for (const run_difference& difference : found.differences)
        rows.rows.push_back(
            {difference.what, difference_text(difference, difference.a), difference_text(difference, difference.b)});
    page.add(std::move(rows));
    if (!found.same_task) page.line("  The tasks differ: the times may be of different work.", tone::warning);
}

void add_winner(const std::optional<compared_winner>& winner, const std::optional<sample_noise>& noise,
                const std::string& name, double smallest, table& rows)
{
    if (!winner) {
        rows.rows.push_back({name, "–", "–", "–", noise ? "no winner: " + noise_text(*noise) : "nothing wins"});
        return;
    }
    const auto time = [&](const std::optional<double>& ns) {
        return ns                   ? milliseconds(*ns, smallest)
               : !winner->elsewhere ? std::string("not tried")
                                    : std::string(words_of(*winner->elsewhere));
    };
    rows.rows.push_back({name, time(winner->a_ns), time(winner->b_ns),
                         winner->over_best ? fmt::format("{:.3f}", winner->over_best->times) : "–",
                         names_of(winner->parameters)});
}

double smallest_time(const compared_workload& workload)
{
    double smallest = 0;
    for (const auto* winner : {&workload.winner_a, &workload.winner_b})
        for (const auto part : {&compared_winner::a_ns, &compared_winner::b_ns})
            if (*winner && (**winner).*part)
                smallest = smallest == 0 ? *((**winner).*part) : std::min(smallest, *((**winner).*part));
    return smallest;
}

void add_winners(const compared_workload& workload, const pair_of_runs& pair, document& page)
{
    table rows{{{"winner of"},
                {"ms in " + pair.a_name, true},
                {"ms in " + pair.b_name, true},
                {"over the other's best", true},
                {"candidate"}},
               {}};
    add_winner(workload.winner_a, workload.noise_a, pair.a_name, smallest_time(workload), rows);
    add_winner(workload.winner_b, workload.noise_b, pair.b_name, smallest_time(workload), rows);
    page.add(std::move(rows));
    if (!workload.best) return;
    const time_move& best = *workload.best;
    std::string text = fmt::format("  From winner to winner {} takes {:.3f} × the time of {}", pair.b_name,
                                   best.ratio.times, pair.a_name);
    if (best.chance <= max_chance) text += " (" + ratio_interval(best.ratio) + ")";
    tone look = tone::plain;
    switch (best.moved) {
        case move_kind::equal:
            text += best.ratio.low <= 1 && best.ratio.high >= 1 ? ": equal within the noise of the samples."
                                                                : ": a difference of less than 1 %.";
            break;
        case move_kind::faster:
            text += ": faster.";
            look = tone::good;
            break;
        case move_kind::slower:
            text += ": slower.";
            look = tone::bad;
            break;
        case move_kind::unclear:
            text += ": too few samples to distinguish that from noise.";
            look = tone::warning;
            break;
    }
    page.line(text, look);
    const std::string rates_a = rates_text(per_second(workload.work_a, workload.winner_a->a_ns.value_or(0)));
    const std::string rates_b = rates_text(per_second(workload.work_b, workload.winner_b->b_ns.value_or(0)));
    if (rates_a.empty() && rates_b.empty()) return;
    page.line(fmt::format("  Throughput of the winners: {} {}; {} {}.", pair.a_name, rates_a.empty() ? "?" : rates_a,
                          pair.b_name, rates_b.empty() ? "?" : rates_b));
}

void add_counts(const compared_workload& workload, document& page)
{
    const std::size_t compared = workload.faster + workload.slower + workload.equal + workload.unclear;
    if (compared == 0) {
        page.line("  No candidate was measured in both.", tone::warning);
        return;
    }
    std::string text =
        fmt::format("  {} compared: {} faster, {} slower, {} equal", counted(compared, "candidate", "candidates"),
                    count_text(workload.faster), count_text(workload.slower), count_text(workload.equal));
    if (workload.unclear > 0) text += fmt::format(", {} with too few samples to tell", count_text(workload.unclear));
    text += fmt::format("; median ratio {:.3f}", *workload.median_ratio);
    if (workload.shared > 0) text += fmt::format("; {} more with the code of another", count_text(workload.shared));
    page.line(text + ".");
    if (workload.expected_by_chance >= 0.05)
        page.line(fmt::format("  If nothing had changed, chance would show at most {:.1f} of them as faster or slower.",
                              workload.expected_by_chance),
                  tone::faint);
    std::size_t more = 0, fewer = 0, more_spills = 0, fewer_spills = 0;
    for (const compared_candidate& candidate : workload.candidates) {
        more += candidate.registers.value_or(0) > 0 ? 1 : 0;
        fewer += candidate.registers.value_or(0) < 0 ? 1 : 0;
        more_spills += candidate.spill_bytes.value_or(0) > 0 ? 1 : 0;
        fewer_spills += candidate.spill_bytes.value_or(0) < 0 ? 1 : 0;
    }
    if (more + fewer > 0)
        page.line(fmt::format("  Registers: {} with more, {} with fewer.", counted(more, "candidate", "candidates"),
                              count_text(fewer)));
    if (more_spills + fewer_spills > 0)
        page.line(fmt::format("  Spills: {} with more, {} with fewer.", counted(more_spills, "candidate", "candidates"),
                              count_text(fewer_spills)));
}

std::string change(const auto& a, const auto& b)
{
    const std::string one = a ? with_commas(*a) : "?", other = b ? with_commas(*b) : "?";
    return one == other ? one : one + " → " + other;
}

void add_moves(const compared_workload& workload, const pair_of_runs& pair, bool same_machine, std::size_t top,
               document& page)
{
    std::vector<const compared_candidate*> moved;
    bool kernels = false;
    for (const compared_candidate& candidate : workload.candidates) {
        if (!candidate.time || candidate.time->moved == move_kind::equal || candidate.shared) continue;
        moved.push_back(&candidate);
        kernels |= pair.in_a(candidate).kernel && pair.in_b(candidate).kernel;
    }
    if (moved.empty()) return;
    page.line("");
    if (!same_machine) page.line("  the largest changes against the median ratio", tone::faint);
    table rows{{{pair.b_name + "/" + pair.a_name, true},
                {"interval", true},
                {"ms in " + pair.a_name, true},
                {"ms in " + pair.b_name, true}},
               {}};
    if (kernels) rows.columns.push_back({"regs", true});
    rows.columns.push_back({"candidate"});
    const auto median = [](const stored_result& result) { return summarise(result.measured.samples_ns).median; };
    const double smallest = smallest_time(workload);
    for (std::size_t i = 0; i < std::min(top, moved.size()); ++i) {
        const compared_candidate& candidate = *moved[i];
        const time_move& time = *candidate.time;
        const stored_result &a = pair.in_a(candidate), &b = pair.in_b(candidate);
        std::vector<cell> row{fmt::format("{:.3f}", time.ratio.times)};
        row.emplace_back(time.moved == move_kind::unclear ? "too few samples" : ratio_interval(time.ratio));
        row.emplace_back(milliseconds(median(a), smallest));
        row.emplace_back(milliseconds(median(b), smallest));
        if (kernels)
            row.emplace_back(a.kernel && b.kernel ? change(a.kernel->figures.registers, b.kernel->figures.registers)
                                                  : std::string("?"));
        row.emplace_back(names_of(a.parameters), time.moved == move_kind::slower   ? tone::bad
                                                 : time.moved == move_kind::faster ? tone::good
                                                                                   : tone::plain);
        rows.rows.push_back(std::move(row));
    }
    page.add(std::move(rows));
    if (moved.size() > top) page.line(fmt::format("  {} more: --top all", count_text(moved.size() - top)), tone::faint);
}

void add_outcomes(const compared_workload& workload, const pair_of_runs& pair, document& page)
{
    std::map<std::pair<outcome, outcome>, std::vector<const compared_candidate*>> changes;
    for (const compared_candidate& candidate : workload.candidates) {
        const outcome before = pair.in_a(candidate).measured.status, after = pair.in_b(candidate).measured.status;
        if (before != after) changes[{before, after}].push_back(&candidate);
    }
    if (changes.empty()) return;
    page.line("");
    table rows{{{"in " + pair.a_name}, {"in " + pair.b_name}, {"count", true}, {"for example"}}, {}};
    for (const auto& [kinds, which] : changes) {
        const stored_result &a = pair.in_a(*which.front()), &b = pair.in_b(*which.front());
        const std::string& reason = b.measured.reason.empty() ? a.measured.reason : b.measured.reason;
        rows.rows.push_back({std::string(words_of(kinds.first)), std::string(words_of(kinds.second)),
                             count_text(which.size()),
                             names_of(a.parameters) + (reason.empty() ? "" : ": " + escape_for_terminal(reason))});
    }
    page.add(std::move(rows));
}

void add_pair(const run_comparison& found, const pair_of_runs& pair, std::size_t top, document& page)
{
    page.heading(pair.b_name + " against " + pair.a_name);
    add_differences(found, pair, page);
    for (const compared_workload& workload : found.workloads) {
        std::string title = workload_name(workload.workload) + ": " +
                            counted(workload.candidates.size(), "candidate", "candidates") + " in both";
        if (workload.only_a > 0) title += fmt::format(", {} only in {}", count_text(workload.only_a), pair.a_name);
        if (workload.only_b > 0) title += fmt::format(", {} only in {}", count_text(workload.only_b), pair.b_name);
        page.heading(title);
        add_winners(workload, pair, page);
        add_counts(workload, page);
        add_moves(workload, pair, found.same_machine, top, page);
        add_outcomes(workload, pair, page);
    }
    for (const assignment& values : found.only_a)
        page.line(fmt::format("  only in {}: {}", pair.a_name, workload_name(values)), tone::warning);
    for (const assignment& values : found.only_b)
        page.line(fmt::format("  only in {}: {}", pair.b_name, workload_name(values)), tone::warning);
    if (found.workloads.empty()) page.line("  They have no workload in common.", tone::warning);
}

}  // namespace

std::string letter_of(std::size_t run)
{
    return run < 26 ? std::string(1, static_cast<char>('A' + run)) : fmt::format("run{}", run + 1);
}

document comparison_document(const comparison_report& report)
{
    document page;
    const std::vector<shown_run>& runs = report.found.runs;
    for (std::size_t run = 0; run < runs.size(); ++run) {
        page.heading(letter_of(run) + ": " + run_title(runs[run].run.info));
        page.line("  " + run_line(runs[run]), tone::faint);
    }
    for (std::size_t i = 0; i < report.others.size(); ++i)
        add_pair(report.others[i], {runs.front(), runs[i + 1], letter_of(0), letter_of(i + 1)}, report.found.top, page);
    add_diagnostics(report.found.diagnostics, page);
    return page;
}

}  // namespace launchbox
