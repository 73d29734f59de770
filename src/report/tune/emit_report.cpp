// SPDX-License-Identifier: Apache-2.0
#include "report/tune/emit_report.hpp"

#include <fmt/format.h>

#include <launchbox/detail/launch_box/row_rules.hpp>

#include <optional>

#include "tune/emit/row_use.hpp"

namespace launchbox {

namespace {

std::string gain_text(const gain& over)
{
    return fmt::format("{:.3f} × ({:.3f} to {:.3f})", over.times, over.low, over.high);
}

void add_gains(document& page, const emitted_table& table, const std::vector<emit_record>& records)
{
    for (const emitted_row& row : table.rows) {
        const run_info& info = records[row.record].run.info;
        const row_choice& choice = row.choice;
        const std::string where = std::string(architecture_name(row.architecture).view());
        page.line(fmt::format("{}: {}{}", row.architecture == compute_capability{} ? "processor" : where,
                              parameter_text(choice.parameters),
                              choice.over ? ", " + gain_text(*choice.over) + " over " + row.replaced : ""));
        if (choice.kept) page.line("  no gain: row kept");
        if (!choice.verified) page.line("  its outputs were not compared with a reference", tone::warning);
        page.line(fmt::format("  measured on {}, driver {}, {}, {}, launchbox {}; {}", machine_of(info.environment),
                              info.environment.driver, info.environment.toolkit, info.started, info.version,
                              records[row.record].path));
        if (!choice.rates.empty()) page.line("  throughput: " + throughput_text(choice));
        for (std::size_t i = 0; i < choice.workloads.size(); ++i)
            page.line(fmt::format("  {}: {}{}", parameter_text(choice.workloads[i].workload),
                                  gain_text(choice.workloads[i].over),
                                  i == choice.worst && choice.workloads.size() > 1 ? ", the worst workload" : ""));
    }
    for (const prediction& row : table.predicted) {
        page.line(fmt::format("{}: {}, predicted: {:.1f} % of the best expected",
                              architecture_name(row.architecture).view(), parameter_text(row.parameters),
                              row.share * 100));
        page.line(fmt::format("  from the records of {}", fmt::join(row.gpus, ", ")));
        if (!row.compiled.empty()) page.line("  compiled: " + row.compiled);
        if (!row.rejected.empty()) page.line("  better, but cannot run there: " + escape_for_terminal(row.rejected));
    }
}

}  // namespace

std::string does_not_compile(const std::string& architecture)
{
    return "does not compile: measure there, or give the baseline with --baseline-arch " + architecture;
}

document emit_document(const emitted_tables& emitted, const std::vector<emit_record>& records,
                       const std::vector<compute_capability>& architectures)
{
    document page;
    for (const emitted_table& made : emitted.tables) {
        page.heading(made.table.name + ": " + made.table.text);
        add_gains(page, made, records);
        table uses;
        uses.columns = {{"architecture"}, {"row"}, {"from"}};
        for (const compute_capability& code : architectures) {
            const header_table& rows = made.table;
            const std::optional<std::size_t> used = place_of_row(rows, code, std::nullopt);
            const std::string name(architecture_name(code).view());
            const auto row_at = [&](std::size_t place) { return row_text(rows.rows[place].values); };
            const auto origin_at = [&](std::size_t place) { return origin_of_row(rows, place, code, std::nullopt); };
            if (!used) {
                uses.rows.push_back({name, "none", {does_not_compile(name), tone::warning}});
                continue;
            }
            uses.rows.push_back({name, row_at(*used), origin_at(*used)});
            for (std::size_t place = *used + 1; place < rows.rows.size(); ++place)
                if (!rows.rows[place].gpus.empty() && detail::serves(rows.rows[place].architecture, code))
                    uses.rows.push_back({"  " + range_text(rows.rows[place].gpus), row_at(place), origin_at(place)});
        }
        if (!uses.rows.empty()) page.add(uses);
    }
    return page;
}

}  // namespace launchbox
