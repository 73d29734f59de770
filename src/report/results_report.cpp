#include "report/results_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "report/kernel_cells.hpp"

namespace launchbox {

namespace {

constexpr double ns_per_ms = 1e6;
// So many parameters leave no room for those that are the same everywhere.
constexpr std::size_t most_constant_columns = 4;

void add_run(document& page, const shown_run& shown, const results_report& found, cell_signs& signs);
void add_ranking(document& page, const shown_run& shown, const ranking& workload, std::size_t top, cell_signs& signs);
void add_failures(document& page, const shown_run& shown, const ranking& workload, bool all);
std::string names_of(const assignment& values);
std::string counted(std::size_t count, const char* one, const char* more);

std::string percent(double part)
{
    return fmt::format("{:.{}f} %", part * 100, part < 0.1 ? 1 : 0);
}

}  // namespace

document results_document(const results_report& found)
{
    document page;
    cell_signs signs;
    for (const shown_run& each : found.runs) add_run(page, each, found, signs);
    if (signs.unknown || signs.inferred) page.line("");
    signs.explain(page);
    if (!found.problems.empty()) {
        page.line("");
        for (std::size_t i = 0; i < std::min<std::size_t>(found.problems.size(), 3); ++i)
            page.line("  note: " + escape_for_terminal(found.problems[i]), tone::warning);
        if (found.problems.size() > 3)
            page.line(fmt::format("  and {} more such notes: --format json", found.problems.size() - 3), tone::warning);
    }
    return page;
}

std::string verdict_text(const std::vector<stored_result>& results, const ranking& workload)
{
    if (!workload.decided)
        return workload.candidates.empty() ? "Nothing was measured."
                                           : "Nothing wins: no candidate was measured to the end and found right.";
    const verdict& decided = *workload.decided;
    const ranked_candidate& winner = workload.candidates[decided.winner];
    const std::string name = names_of(results[winner.result].parameters);
    const std::string equal = percent(decided.equal_within);
    if (winner.is_baseline)
        return decided.equal
                   ? fmt::format("The baseline, {}, stays: the fastest is equal to it within {}.", name, equal)
                   : fmt::format("The baseline, {}, is the fastest.", name);
    std::string text = name + " is the fastest";
    const std::optional<gain>& over = decided.over_baseline ? decided.over_baseline : winner.over_baseline;
    if (over)
        text += fmt::format(", {:.3g} × as fast as the baseline ({:.3g} to {:.3g}{})", over->times, over->low,
                            over->high, decided.over_baseline ? ", in the final race" : "");
    if (decided.equal) text += fmt::format("; the next is equal to it within {}", equal);
    return text + ".";
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
                add("registers", kernel.registers, " a thread");
                add("spill stores", kernel.spill_store_bytes, " B a thread");
                add("spill loads", kernel.spill_load_bytes, " B a thread");
                add("stack frame", kernel.stack_frame_bytes, " B a thread");
                add("static shared memory", kernel.static_shared_bytes, " B a block");
                add("barriers", kernel.barriers, "");
                text += "  launch bounds: " + bounds_text(kernel) + "\n";
                add("register cap", kernel.register_cap, "");
                add("code", kernel.code_bytes, " B");
            }
            std::string log;
            for (const char each : result.log) log += each == '\t' ? std::string(4, ' ') : std::string(1, each);
            while (!log.empty() && (log.back() == '\n' || log.back() == '\r')) log.pop_back();
            for (std::size_t start = 0; start < log.size();) {
                const std::size_t end = std::min(log.find('\n', start), log.size());
                text += "  | " + escape_for_terminal(log.substr(start, end - start)) + "\n";
                start = end + 1;
            }
            if (text.empty()) text = "  The compiler said nothing that was kept.\n";
            // The same code was compiled for every workload.
            const std::string key =
                fmt::format("{}\n{}\n{}", shown.file, shown.run.number, names_of(result.parameters));
            if (!told.insert(key + text).second) continue;
            page.heading(fmt::format("{} of {}, run {}: {}", names_of(result.parameters),
                                     escape_for_terminal(shown.run.info.name), shown.run.number,
                                     words_of(result.measured.what)));
            if (!result.measured.reason.empty()) page.line("  " + escape_for_terminal(result.measured.reason));
            page.verbatim(text);
        }
    return page;
}

namespace {

std::string names_of(const assignment& values)
{
    return escape_for_terminal(text_of(values));
}

// Numbers of four digits and more with commas, as everywhere.
std::string workload_name(const assignment& values)
{
    std::string text;
    for (const auto& [name, value] : values.values) {
        const auto* whole = std::get_if<std::int64_t>(&value);
        text += (text.empty() ? "" : ", ") + name + " = " + (whole != nullptr ? with_commas(*whole) : text_of(value));
    }
    return text.empty() ? "the workload" : escape_for_terminal(text);
}

std::string counted(std::size_t count, const char* one, const char* more)
{
    return with_commas(static_cast<std::int64_t>(count)) + " " + (count == 1 ? one : more);
}

void add_run(document& page, const shown_run& shown, const results_report& found, cell_signs& signs)
{
    const run_info& info = shown.run.info;
    const environment_info& where = info.environment;
    const std::string machine = !where.gpu.empty() ? where.gpu : where.processor;
    page.heading(escape_for_terminal(info.name + (machine.empty() ? "" : " on " + machine)));
    std::string line;
    const auto add = [&](const std::string& text) { line += (line.empty() || text.empty() ? "" : ", ") + text; };
    add(where.architecture);
    if (where.sms > 0) add(counted(static_cast<std::size_t>(where.sms), "SM", "SMs"));
    if (!where.driver.empty()) add("driver " + where.driver);
    add(where.toolkit);
    add(info.started.substr(0, info.started.find('T')));
    add(fmt::format("run {} of {}", shown.run.number, shown.file));
    page.line("  " + escape_for_terminal(line), tone::faint);
    if (shown.rankings.empty()) page.line("  No results.");
    for (const ranking& each : shown.rankings) {
        add_ranking(page, shown, each, found.top, signs);
        add_failures(page, shown, each, found.all_failures);
    }
}

struct shown_columns {
    std::vector<std::string> parameters;
    std::string constant;  // the values that are the same everywhere, where there is no room for them
    bool kernel = false, speed_up = false;
};

shown_columns columns_of(const std::vector<stored_result>& results, const ranking& workload)
{
    shown_columns columns;
    columns.speed_up = workload.baseline.has_value();
    std::vector<std::pair<std::string, std::set<std::string>>> values;
    for (const ranked_candidate& each : workload.candidates) {
        const stored_result& result = results[each.result];
        columns.kernel |= result.kernel.has_value();
        for (const auto& [name, value] : result.parameters.values) {
            auto found = std::find_if(values.begin(), values.end(),
                                      [&, &wanted = name](const auto& known) { return known.first == wanted; });
            if (found == values.end()) found = values.insert(values.end(), {name, {}});
            found->second.insert(text_of(value));
        }
    }
    for (const auto& [name, different] : values) {
        if (values.size() > most_constant_columns && different.size() == 1 && workload.candidates.size() > 1)
            columns.constant += (columns.constant.empty() ? "" : " ") + name + "=" + *different.begin();
        else
            columns.parameters.push_back(name);
    }
    return columns;
}

std::string note_of(const std::vector<stored_result>& results, const ranking& workload, std::size_t place)
{
    const ranked_candidate& each = workload.candidates[place];
    const measurement& measured = results[each.result].measured;
    std::string note;
    const auto add = [&](const std::string& text) { note += (note.empty() ? "" : ", ") + text; };
    const bool wins = workload.decided && workload.decided->winner == place;
    if (each.is_baseline) add("baseline");
    if (wins) add(workload.decided->raced ? "winner of the race" : "winner");
    if (!wins && each.raced) add("raced");
    if (!wins && each.equals_best) add("equal within " + percent(each.equal_within));
    if (each.same_as) add(fmt::format("same code as #{}", *each.same_as + 1));
    const auto twins = std::count_if(workload.candidates.begin(), workload.candidates.end(),
                                     [&](const ranked_candidate& other) { return other.same_as == place; });
    if (twins > 0) add(fmt::format("{} more with this code", twins));
    if (measured.stopped_early) add("stopped early");
    if (!measured.verified && !each.is_baseline) add("unverified");
    if (measured.dropped > 0)
        add(fmt::format("{} dropped: throttled",
                        counted(static_cast<std::size_t>(measured.dropped), "sample", "samples")));
    return note;
}

void add_ranking(document& page, const shown_run& shown, const ranking& workload, std::size_t top, cell_signs& signs)
{
    const std::vector<stored_result>& results = shown.run.results;
    std::size_t failed = 0;
    for (const failure_count& each : workload.failures) failed += each.results.size();
    std::string title = workload_name(workload.problem) + ": " +
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
    for (const std::string& name : columns.parameters) rows.columns.push_back({escape_for_terminal(name), true});
    for (const char* name : {"ms", "± %", "samples"}) rows.columns.push_back({name, true});
    if (columns.speed_up) rows.columns.push_back({"speed-up", true});
    if (columns.kernel)
        for (const char* name : {"regs", "spills", "shared"}) rows.columns.push_back({name, true});
    rows.columns.push_back({"note"});

    const double best_ms = std::max(workload.candidates.front().time.median / ns_per_ms, 1e-9);
    const int decimals = std::clamp(3 - static_cast<int>(std::floor(std::log10(best_ms))), 0, 6);  // four digits
    std::size_t distinct = 0;
    for (std::size_t place = 0; place < workload.candidates.size(); ++place) {
        const ranked_candidate& each = workload.candidates[place];
        const bool wins = workload.decided && workload.decided->winner == place;
        // Those with another's code say nothing new, unless all are asked for.
        const bool shown_anyway = wins || each.is_baseline || top == static_cast<std::size_t>(-1);
        if (!shown_anyway && (each.same_as || distinct >= top)) continue;
        if (!each.same_as) ++distinct;
        const stored_result& result = results[each.result];
        std::vector<cell> row{std::to_string(place + 1)};
        for (const std::string& name : columns.parameters) {
            const parameter_value* value = result.parameters.find(name);
            row.emplace_back(value == nullptr ? "–" : escape_for_terminal(text_of(*value)));
        }
        row.emplace_back(fmt::format("{:.{}f}", each.time.median / ns_per_ms, decimals));
        row.emplace_back(fmt::format("{:.1f}", each.time.spread() * 100));
        row.emplace_back(std::to_string(each.time.count));
        if (columns.speed_up)
            row.emplace_back(each.over_baseline ? fmt::format("{:.2f}", each.over_baseline->times) : "–");
        if (columns.kernel) {
            const kernel_info unknown, &kernel = result.kernel ? *result.kernel : unknown;
            row.emplace_back(known_or_sign(kernel.registers, kernel));
            row.push_back(spills_cell(kernel));
            row.emplace_back(known_or_sign(kernel.static_shared_bytes, kernel));
        }
        row.emplace_back(note_of(results, workload, place), wins ? tone::good : tone::plain);
        rows.rows.push_back(std::move(row));
    }
    signs.note(rows);
    const std::size_t hidden = workload.candidates.size() - rows.rows.size();
    page.add(std::move(rows));
    if (!columns.constant.empty()) page.line("  all: " + escape_for_terminal(columns.constant), tone::faint);
    if (hidden > 0)
        page.line(fmt::format("  {} more: --top all", with_commas(static_cast<std::int64_t>(hidden))), tone::faint);
    page.line("  " + verdict_text(results, workload), tone::good);
}

void add_failures(document& page, const shown_run& shown, const ranking& workload, bool all)
{
    if (workload.failures.empty()) return;
    page.line("");
    table rows{{{"not measured"}, {"count", true}, {all ? "reason" : "for example"}}, {}};
    if (all) rows.columns = {{"not measured"}, {"candidate"}, {"reason"}};
    for (const failure_count& kind : workload.failures)
        for (std::size_t i : kind.results) {
            const stored_result& each = shown.run.results[i];
            const std::string name = names_of(each.parameters);
            const std::string reason = escape_for_terminal(each.measured.reason);
            const std::string words(words_of(kind.what));
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
