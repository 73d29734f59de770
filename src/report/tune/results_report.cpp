// SPDX-License-Identifier: Apache-2.0
#include "report/tune/results_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "report/kernels/kernel_cells.hpp"
#include "report/tune/emit_report.hpp"
#include "report/tune/overall_report.hpp"
#include "report/tune/run_cells.hpp"
#include "support/text/counted.hpp"
#include "support/text/rounded_number.hpp"
#include "tune/run/device_comparison.hpp"

namespace launchbox {

namespace {

void add_run(document& page, const shown_run& shown, const results_report& found, cell_signs& signs);
void add_devices(document& page, const std::vector<device_record>& devices);
void add_ranking(document& page, const shown_run& shown, const ranking& workload, std::size_t top, cell_signs& signs);
void add_failures(document& page, const shown_run& shown, const ranking& workload, bool all);
void add_used(document& page, const used_rows& rows);
}  // namespace

document results_document(const results_report& found)
{
    document page;
    cell_signs signs;
    for (const shown_run& run : found.runs) add_run(page, run, found, signs);
    for (const used_rows& rows : found.rows) add_used(page, rows);
    if (signs.unknown || signs.inferred) page.line("");
    signs.explain(page);
    add_diagnostics(found.diagnostics, page);
    return page;
}

document workload_document(const shown_run& shown, const ranking& workload, std::size_t top, bool all_failures)
{
    document page;
    cell_signs signs;
    add_ranking(page, shown, workload, top, signs);
    add_failures(page, shown, workload, all_failures);
    signs.explain(page);
    return page;
}

namespace {

// " is the fastest", " has the least energy", " is the best by time, energy".
std::string best_text(const objective& goal)
{
    const std::string among = goal.condition().empty() ? "" : " of those with " + escape_for_terminal(goal.condition());
    if (goal.is_time()) return " is the fastest" + among;
    if (goal.terms().size() > 1) return " is the best by " + goal.wanted() + among;
    const objective_term& term = goal.terms().front();
    return fmt::format(" has the {} {}", term.largest ? "largest" : "least", term.name) + among;
}

std::string no_candidate_text(const std::vector<stored_result>& results, const ranking& workload)
{
    // A quantity that no candidate has is probably a typo.
    for (const std::string& name : workload.goal.quantities())
        if (std::ranges::none_of(workload.candidates, [&](const ranked_candidate& candidate) {
                return quantity_of(results[candidate.result].measured, name).has_value();
            }))
            return "There is no winner: no candidate has " + escape_for_terminal(name) + ", which the objective names.";
    const bool any_allowed = std::ranges::any_of(workload.candidates, &ranked_candidate::allowed);
    if (!any_allowed)
        return "There is no winner: no candidate has " + escape_for_terminal(workload.goal.condition()) + ".";
    return fmt::format("There is no winner: no candidate was measured completely and verified{}.",
                       workload.goal.is_time() ? "" : ", with all that the objective names");
}

}  // namespace

std::string verdict_text(const std::vector<stored_result>& results, const ranking& workload)
{
    if (workload.noise) {
        // The fastest that may win: it would have won if the samples had been conclusive.
        const auto fastest = std::ranges::min_element(workload.candidates, {}, [](const ranked_candidate& candidate) {
            return std::pair(!candidate.may_win, candidate.settled.median);
        });
        return no_winner_text(
            *workload.noise, names_of(results[fastest->result].parameters),
            workload.baseline ? names_of(results[workload.candidates[*workload.baseline].result].parameters) : "");
    }
    if (!workload.decided)
        return workload.candidates.empty() ? "Nothing was measured." : no_candidate_text(results, workload);
    std::string outdated = outdated_race_text(results, workload);
    if (!outdated.empty()) outdated = " The samples decide: " + outdated + "; the next tune repeats the race.";
    const verdict& decided = *workload.decided;
    const ranked_candidate& winner = workload.candidates[decided.winner];
    const std::string name = names_of(results[winner.result].parameters);
    const std::string equal = equality_text(decided.equal_within);
    const bool is_time = workload.goal.is_time();
    if (winner.is_baseline)  // among equals, it stays
        return (decided.equal ? fmt::format("The baseline, {}, stays; against the {}: {}.", name,
                                            is_time ? "fastest" : "best", equal)
                              : fmt::format("The baseline, {},{}.", name, best_text(workload.goal))) +
               outdated;
    std::string text = name + (decided.tie.why ? " is used" : best_text(workload.goal));
    const std::optional<gain>& over = decided.over_baseline ? decided.over_baseline : winner.over_baseline;
    if (over) {
        const bool tells = over->low > 1 || over->high < 1;
        const std::string times = tells ? in_three_digits(over->times) +
                                              (is_time ? " × as fast as the baseline" : " × as good as the baseline")
                                        : "no measurable gain over the baseline";
        text += fmt::format(", {} ({} to {}{}{})", times, in_three_digits(over->low), in_three_digits(over->high),
                            tells ? "" : " ×", decided.over_baseline ? ", in the final race" : "");
    }
    if (decided.tie.why)
        text += fmt::format("; {} ({})", tie_text(decided.tie), equal);
    else if (decided.equal)
        text += "; against the next: " + equal;
    return text + "." + outdated;
}

document results_log_document(const results_report& found)
{
    document page;
    std::set<std::string> told;
    for (const shown_run& shown : found.runs)
        for (const stored_result& result : shown.run.results) {
            std::string text;
            if (result.kernel) {
                const kernel_info& kernel = *result.kernel;
                const auto add = [&](const char* name, const auto& value, const char* unit) {
                    text += fmt::format("  {}: {}{}\n", name, value ? with_commas(*value) : "?", value ? unit : "");
                };
                text += "  kernel: " + escape_for_terminal(kernel.name) + "\n";
                add("registers", kernel.figures.registers, " a thread");
                add("spill stores", kernel.figures.spill_store_bytes, " B a thread");
                add("spill loads", kernel.figures.spill_load_bytes, " B a thread");
                if (shared_spill_bytes(kernel).value_or(0) > 0) {
                    add("spill stores to shared memory", kernel.figures.shared_spill_store_bytes, " B a thread");
                    add("spill loads from shared memory", kernel.figures.shared_spill_load_bytes, " B a thread");
                }
                add("stack frame", kernel.figures.stack_frame_bytes, " B a thread");
                add("static shared memory", kernel.figures.static_shared_bytes, " B a block");
                add("barriers", kernel.figures.barriers, "");
                text += "  launch bounds: " + bounds_text(kernel) + "\n";
                add("register cap", kernel.bounds.register_cap, "");
                add("code", kernel.figures.code_bytes, " B");
            }
            std::string log;
            for (const char letter : result.log) log += letter == '\t' ? std::string(4, ' ') : std::string(1, letter);
            while (!log.empty() && (log.back() == '\n' || log.back() == '\r')) log.pop_back();
            for (std::size_t start = 0; start < log.size();) {
                const std::size_t end = std::min(log.find('\n', start), log.size());
                text += "  | " + escape_for_terminal(log.substr(start, end - start)) + "\n";
                start = end + 1;
            }
            if (text.empty()) text = "  There is no compiler output.\n";
            // The same code may be compiled for every workload.
            const std::string key =
                fmt::format("{}\n{}\n{}", shown.file, shown.run.number, names_of(result.parameters));
            if (!told.insert(key + text).second) continue;
            page.heading(fmt::format("{} of {}, run {}: {}", names_of(result.parameters),
                                     escape_for_terminal(shown.run.info.name), shown.run.number,
                                     words_of(result.measured.status)));
            if (!result.measured.reason.empty()) page.line("  " + escape_for_terminal(result.measured.reason));
            page.verbatim(text);
        }
    return page;
}

namespace {

void add_used(document& page, const used_rows& rows)
{
    page.heading("rows in the header of launchbox emit: " +
                 escape_for_terminal(rows.refusal.empty() ? rows.table : rows.tunable));
    if (!rows.refusal.empty()) {
        page.line("  none: " + escape_for_terminal(rows.refusal), tone::warning);
        return;
    }
    table uses;
    uses.columns = {{"on"}, {"candidate"}, {"from"}};
    for (const used_row& use : rows.uses) {
        const std::string code(architecture_name(use.architecture).view());
        const std::string on = use.gpu.empty() ? code : escape_for_terminal(use.gpu);
        if (use.parameters)
            uses.rows.push_back({on, names_of(*use.parameters), escape_for_terminal(use.origin)});
        else
            uses.rows.push_back({on, "none", {does_not_compile(code), tone::warning}});
    }
    page.add(uses);
}

void add_run(document& page, const shown_run& shown, const results_report& found, cell_signs& signs)
{
    page.heading(run_title(shown.run.info));
    page.line("  " + run_line(shown), tone::faint);
    if (!objective_of(shown.run.info).is_plain())
        page.line("  objective: " + escape_for_terminal(shown.run.info.objective), tone::faint);
    add_devices(page, shown.run.devices);
    if (shown.rankings.empty()) page.line("  No results.");
    for (const ranking& workload_ranking : shown.rankings) {
        add_ranking(page, shown, workload_ranking, found.top, signs);
        add_failures(page, shown, workload_ranking, found.all_failures);
    }
    if (shown.rankings.size() > 1) add_overall(shown, found.top, page);
}

// For a run on several GPUs: what a reader of its times must know about them.
void add_devices(document& page, const std::vector<device_record>& devices)
{
    if (const auto comparison = compare_devices(devices)) {
        page.line(fmt::format("  {} GPUs, which differ by {:.1f} %", comparison->compared, 100 * comparison->spread),
                  tone::faint);
        for (const slow_device& slow : comparison->slow)
            page.line(fmt::format("  {} is {:.1f} % slower than the others", escape_for_terminal(slow.name),
                                  100 * slow.behind));
    }
    for (const device_record& device : devices)
        if (!device.lost.empty())
            page.line("  " + escape_for_terminal(device.name) + " was lost: " + escape_for_terminal(device.lost));
}

struct shown_columns {
    parameter_columns parameters;
    bool kernel = false, speed_up = false;
    std::vector<std::string> quantities = {};
};

// How many parameter columns are as wide as this rate.
std::size_t columns_taken_by(const work_kind& kind)
{
    return std::string_view(kind.unit).size() > 8 ? 2 : 1;
}

shown_columns columns_of(const std::vector<stored_result>& results, const ranking& workload)
{
    std::vector<const assignment*> candidates;
    bool kernel = false;
    for (const ranked_candidate& candidate : workload.candidates) {
        kernel |= results[candidate.result].kernel.has_value();
        candidates.push_back(&results[candidate.result].parameters);
    }
    std::size_t taken = 0;
    for (const work_kind& kind : work_kinds)
        if (workload.work.*kind.amount) taken += columns_taken_by(kind);
    std::vector<std::string> quantities = workload.goal.quantities();
    const auto wants = [&](const char* name) { return std::ranges::find(quantities, name) != quantities.end(); };
    if (wants(energy_quantity) && !wants(power_quantity)) quantities.emplace_back(power_quantity);
    taken += 2 * quantities.size();
    // Without the three columns of a kernel there is room for three others.
    if (!kernel) taken -= std::min<std::size_t>(taken, 3);
    return {columns_of(candidates, max_parameter_columns - std::min(max_parameter_columns, taken)), kernel,
            workload.baseline.has_value(), std::move(quantities)};
}

std::string note_of(const std::vector<stored_result>& results, const ranking& workload, std::size_t place)
{
    const ranked_candidate& candidate = workload.candidates[place];
    const measurement& measured = results[candidate.result].measured;
    std::string note;
    const auto add = [&](const std::string& text) { note += (note.empty() ? "" : ", ") + text; };
    const bool wins = workload.decided && workload.decided->winner == place;
    if (candidate.is_baseline) add("baseline");
    if (wins) add(workload.decided->raced ? "winner of the race" : "winner");
    if (!wins && candidate.raced) add("raced");
    if (!wins && candidate.equals_best) add(equality_text(candidate.equal_within));
    if (candidate.same_as) add(fmt::format("same code as #{}", *candidate.same_as + 1));
    const auto twins = std::count_if(workload.candidates.begin(), workload.candidates.end(),
                                     [&](const ranked_candidate& other) { return other.same_as == place; });
    if (twins > 0) add(fmt::format("{} more with this code", twins));
    if (measured.stopped_early) add("stopped early");
    if (candidate.on_front) add("front");
    if (!candidate.allowed)
        add("not allowed");
    else if (!measured.stopped_early && !workload.goal.is_time() && !candidate.cost)
        add("not all quantities known");
    if (!measured.verified && !candidate.is_baseline) add("unverified");
    if (measured.dropped > 0)
        add(fmt::format("{} dropped: throttled",
                        counted(static_cast<std::size_t>(measured.dropped), "sample", "samples")));
    return note;
}

// "2.10 G elements/J" for the winner.
std::string per_joule_text(const stored_result& result)
{
    const std::optional<sample_summary> energy = quantity_of(result.measured, energy_quantity);
    const std::string rates = energy ? rates_per_joule_text(per_joule(result.work, energy->median)) : std::string();
    return rates.empty() ? rates : "With it: " + rates + ".";
}

// Removes a column that is the same in every row and returns its text, " spills=0/0"; empty if the rows differ.
std::string without_equal_cells(const char* title, table& rows)
{
    // The last column of that name: a parameter may have the same name.
    const auto found = std::find_if(rows.columns.rbegin(), rows.columns.rend(),
                                    [&](const table::column& one) { return one.title == title; });
    const auto column = rows.columns.rend() - found - 1;
    const auto text_in = [&](const std::vector<cell>& row) -> const std::string& {
        return row[static_cast<std::size_t>(column)].text;
    };
    const std::string same = text_in(rows.rows.front());
    if (!std::ranges::all_of(rows.rows, [&](const std::vector<cell>& row) { return text_in(row) == same; })) return {};
    rows.columns.erase(rows.columns.begin() + column);
    for (std::vector<cell>& row : rows.rows) row.erase(row.begin() + column);
    return fmt::format(" {}={}", title, same);
}

void add_ranking(document& page, const shown_run& shown, const ranking& workload, std::size_t top, cell_signs& signs)
{
    const std::vector<stored_result>& results = shown.run.results;
    std::size_t failed = 0;
    for (const failure_count& failure : workload.failures) failed += failure.results.size();
    std::string title = workload_name(workload.workload) + ": " +
                        counted(workload.candidates.size(), "candidate", "candidates") + " measured";
    if (workload.shared > 0) title += fmt::format(", {} of them as the same code", workload.shared);
    if (failed > 0) title += fmt::format(", {} not", with_commas(static_cast<std::int64_t>(failed)));
    page.heading(title);
    if (workload.candidates.empty()) {
        page.line("  " + verdict_text(results, workload), tone::warning);
        return;
    }
    const shown_columns columns = columns_of(results, workload);
    table rows{{{"#", true}}, {}};
    add_columns(columns.parameters, rows);
    for (const char* name : {"ms", "± %"}) rows.columns.push_back({name, true});
    for (const std::string& name : columns.quantities) {
        rows.columns.push_back({unit_of(name).empty() ? name : std::string(unit_of(name)), true});
        if (name != power_quantity) rows.columns.push_back({"± %", true});
    }
    if (columns.speed_up) rows.columns.push_back({workload.goal.is_time() ? "speed-up" : "gain", true});
    const double smallest = workload.candidates.front().time.median;
    const work_amounts largest = per_second(workload.work, smallest);
    for (const work_kind& kind : work_kinds)
        if (workload.work.*kind.amount) rows.columns.push_back({kind.unit, true});
    if (columns.kernel)
        for (const char* name : {"regs", "spills", "shared"}) rows.columns.push_back({name, true});
    add_last_column(columns.parameters, "note", rows);

    std::size_t distinct = 0;
    auto fewest = workload.candidates.front().time.count, most = fewest;
    for (std::size_t place = 0; place < workload.candidates.size(); ++place) {
        const ranked_candidate& candidate = workload.candidates[place];
        const bool wins = workload.decided && workload.decided->winner == place;
        // Candidates with another's code add nothing, unless all are asked for.
        const bool shown_anyway =
            wins || candidate.is_baseline || candidate.on_front || top == static_cast<std::size_t>(-1);
        if (!shown_anyway && (candidate.same_as || distinct >= top)) continue;
        if (!candidate.same_as) ++distinct;
        const stored_result& result = results[candidate.result];
        std::vector<cell> row{std::to_string(place + 1)};
        add_cells(columns.parameters, result.parameters, row);
        row.emplace_back(milliseconds(candidate.time.median, smallest));
        row.emplace_back(fmt::format("{:.1f}", candidate.time.spread() * 100));
        fewest = std::min(fewest, candidate.time.count);
        most = std::max(most, candidate.time.count);
        for (const std::string& name : columns.quantities) {
            const std::optional<sample_summary> known = quantity_of(result.measured, name);
            row.emplace_back(known ? quantity_text(known->median) : "–");
            if (name != power_quantity) row.emplace_back(known ? fmt::format("{:.1f}", known->spread() * 100) : "–");
        }
        if (columns.speed_up)
            row.emplace_back(candidate.over_baseline ? fmt::format("{:.2f}", candidate.over_baseline->times) : "–");
        const work_amounts rates = per_second(workload.work, candidate.time.median);
        for (const work_kind& kind : work_kinds)
            if (workload.work.*kind.amount)
                row.emplace_back(rates.*kind.amount
                                     ? rate_text(kind, *(rates.*kind.amount), (largest.*kind.amount).value_or(0))
                                     : "–");
        if (columns.kernel) {
            const kernel_info unknown, &kernel = result.kernel ? *result.kernel : unknown;
            row.emplace_back(known_or_sign(kernel.figures.registers, kernel));
            row.push_back(spills_cell(kernel));
            row.emplace_back(known_or_sign(kernel.figures.static_shared_bytes, kernel));
        }
        add_last_cell(columns.parameters, result.parameters,
                      {note_of(results, workload, place), wins ? tone::good : tone::plain}, row);
        rows.rows.push_back(std::move(row));
    }
    signs.note(rows);
    const std::size_t hidden = workload.candidates.size() - rows.rows.size();
    std::string all =
        escape_for_terminal(columns.parameters.constant) + (columns.parameters.constant.empty() ? "" : " ");
    all += fmt::format("samples={}{}", fewest, most > fewest ? fmt::format(" to {}", most) : "");
    if (columns.kernel)
        for (const char* name : {"spills", "shared"}) all += without_equal_cells(name, rows);
    page.add(std::move(rows));
    page.line("  all: " + all, tone::faint);
    if (hidden > 0)
        page.line(fmt::format("  {} more: --top all", with_commas(static_cast<std::int64_t>(hidden))), tone::faint);
    page.line("  " + verdict_text(results, workload), tone::good);
    if (workload.decided)
        if (const std::string text = per_joule_text(results[workload.candidates[workload.decided->winner].result]);
            !text.empty())
            page.line("  " + text);
    const auto on_front = std::ranges::count_if(workload.candidates, &ranked_candidate::on_front);
    if (on_front > 0)
        page.line(
            fmt::format("  Pareto front: {}, marked front: no other is at least as good in {} and better in one "
                        "of them.",
                        counted(static_cast<std::size_t>(on_front), "candidate", "candidates"),
                        workload.goal.terms().size() == 2 ? "both" : "all"));
}

void add_failures(document& page, const shown_run& shown, const ranking& workload, bool all)
{
    if (workload.failures.empty()) return;
    page.line("");
    table rows{{{"not measured"}, {"count", true}, {all ? "reason" : "for example"}}, {}};
    if (all) rows.columns = {{"not measured"}, {"candidate"}, {"reason"}};
    for (const failure_count& kind : workload.failures)
        for (std::size_t i : kind.results) {
            const stored_result& result = shown.run.results[i];
            const std::string name = names_of(result.parameters);
            const std::string reason = escape_for_terminal(result.measured.reason);
            const std::string words(words_of(kind.status));
            if (all) {
                rows.rows.push_back({words, name, reason});
                continue;
            }
            rows.rows.push_back({words, with_commas(static_cast<std::int64_t>(kind.results.size())),
                                 name + (reason.empty() ? "" : ": " + reason)});
            break;
        }
    page.add(std::move(rows));
}

}  // namespace

}  // namespace launchbox
