// SPDX-License-Identifier: Apache-2.0
#include "report/occupancy/occupancy_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/kernels/kernel_cells.hpp"
#include "report/occupancy/rules_report.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

std::string blocks_text(const std::optional<int>& blocks)
{
    return blocks ? with_commas(*blocks) : "no limit";
}

const char* title_of(const std::string& name)
{
    if (name == "shared") return "shared memory";
    if (name == "virtual_resources") return "virtual";
    return name.c_str();
}

std::string lost_text(const limit_account& limit)
{
    // Waste by rounding: only the step that wastes the most is shown per limit.
    std::string text;
    for (const account_step& step : limit.steps) {
        if (step.lost <= 0 || step.name == "launch_check") continue;
        const auto counted = [&](const char* one, const char* many) {
            return with_commas(step.lost) + ' ' + (step.lost == 1 ? one : many);
        };
        const std::string amount = step.name == "registers_per_warp" ? counted("register a warp", "registers a warp")
                                   : step.name == "warps_per_block" ? counted("idle lane a block", "idle lanes a block")
                                   : step.name == "allocated"       ? with_commas(step.lost) + " B a block"
                                   : step.name == "warps_per_sm" ? counted("register of the SM", "registers of the SM")
                                   : limit.name == "shared"      ? with_commas(step.lost) + " B of the SM"
                                   : limit.name == "warps"       ? counted("warp slot", "warp slots")
                                   : limit.name == "registers"   ? "registers for " + counted("warp", "warps")
                                                                 : counted("barrier", "barriers");
        text += (text.empty() ? "" : ", ") + amount;
    }
    return text;
}

table limits_table(const occupancy_account& account)
{
    table limits{{{"limit"}, {"blocks", true}, {"", false}, {"how"}}, {}};
    for (const limit_account& limit : account.limits) {
        std::string how;
        for (const account_step& step : limit.steps) how += (how.empty() ? "" : "; ") + step.how;
        if (const std::string lost = lost_text(limit); !lost.empty()) how += " (unused: " + lost + ")";
        const tone look = limit.limiting ? tone::warning : tone::plain;
        limits.rows.push_back(
            {{title_of(limit.name), look},
             {limit.name == "clusters" && !limit.blocks ? "unknown" : blocks_text(limit.blocks), look},
             {limit.limiting ? "◀" : "", look},
             {how.empty() ? "not used" : how}});
    }
    return limits;
}

std::string change_of(std::int64_t now, std::int64_t then)
{
    if (then == now) return "±0";
    return (then > now ? "+" : "−") + with_commas(std::abs(then - now));
}

table thresholds_table(const occupancy_account& account)
{
    const int blocks = account.result.resident_blocks;
    table rows{{{"resource"}, {"now", true}}, {}};
    const bool more = !account.thresholds.empty();
    if (more) rows.columns.push_back({fmt::format("for {} block{}", blocks + 1, blocks == 0 ? "" : "s"), true});
    if (!account.slack.empty()) rows.columns.push_back({fmt::format("keeps {}", blocks), true});
    if (rows.columns.size() > 2) rows.columns.push_back({""});
    const std::size_t count = std::max(account.thresholds.size(), account.slack.size());
    for (std::size_t i = 0; i < count; ++i) {
        const allowance_account& any = more ? account.thresholds[i] : account.slack[i];
        std::vector<cell> row{title_of(any.name), with_commas(any.now)};
        std::string remark;
        if (more) {
            const allowance_account& need = account.thresholds[i];
            row.emplace_back(need.at_most ? "≤ " + with_commas(*need.at_most) : "cannot",
                             need.satisfied() ? tone::plain : tone::warning);
            if (need.at_most && !need.satisfied()) remark = change_of(need.now, *need.at_most) + " needed";
        }
        if (!account.slack.empty()) {
            const allowance_account& keeps = account.slack[i];
            row.emplace_back(keeps.at_most ? "≤ " + with_commas(*keeps.at_most) : "–");
            if (keeps.at_most)
                remark +=
                    (remark.empty() ? "" : ", ") + fmt::format("{} free", with_commas(*keeps.at_most - keeps.now));
        }
        row.emplace_back(remark);
        rows.rows.push_back(std::move(row));
    }
    return rows;
}

std::string headline(const occupancy_account& account)
{
    const occupancy_question& q = account.question;
    std::string text = fmt::format("{} (compute capability {})", architecture_name(q.architecture).view(),
                                   compute_capability_name(q.limits->capability).view());
    if (!q.gpu.empty()) text = escape_for_terminal(q.gpu) + ", " + text;
    if (!q.kernel.empty()) text = escape_for_terminal(q.kernel) + ", " + text;
    text += ": " + counted(q.shape.threads, "thread", "threads");
    if (q.registers_known) text += ", " + counted(q.resources.registers, "register", "registers");
    text += fmt::format(", {}{} B shared", with_commas(q.resources.static_shared_bytes + q.shape.dynamic_shared_bytes),
                        q.at_most() ? "+?" : "");
    if (q.resources.barriers > 0) text += ", " + counted(q.resources.barriers, "barrier", "barriers");
    if (q.settings.mode == model_mode::spreadsheet) text += " [as in the spreadsheet]";
    return text;
}

void add_account(document& page, const occupancy_account& account)
{
    const occupancy_result& result = account.result;
    page.heading(headline(account));
    if (!account.obstacle.empty()) {
        page.line("  cannot be launched: " + account.obstacle, tone::bad);
    } else {
        page.line(fmt::format("  {}{} per SM = {} of {} warps: occupancy {}, limited by {}",
                              account.question.at_most() ? "at most " : "",
                              counted(result.resident_blocks, "block", "blocks"), result.resident_warps,
                              result.warp_slots, occupancy_text(result.occupancy(), account.question.at_most()),
                              account.question.at_most() ? "?" : limiter_names(result)),
                  tone::strong);
    }
    if (account.next)
        page.line(fmt::format("  next step: {} ({})", account.next->text, percent(account.next->occupancy)),
                  tone::good);
    page.line("");
    page.add(limits_table(account));
    page.line("");
    if (!account.thresholds.empty() || !account.slack.empty()) page.add(thresholds_table(account));
    if (!account.grid_obstacle.empty()) {
        page.line("");
        page.line("  the grid cannot be launched: " + account.grid_obstacle, tone::bad);
    }
    if (account.waves) {
        const wave_account& w = *account.waves;
        page.line("");
        page.line(
            fmt::format("  grid of {} on {}: {:.2f} waves of {}; {}; {} of the block slots used",
                        counted(w.grid, "block", "blocks"), counted(*account.question.sms, "SM", "SMs"), w.waves,
                        with_commas(w.blocks_per_wave),
                        w.tail_blocks == 0 ? "no tail" : "the tail has " + counted(w.tail_blocks, "block", "blocks"),
                        percent(w.efficiency)));
    }
    if (!account.rules.empty()) {
        page.line("");
        add_rules(page, "this launch", account.rules);
    }
    if (!account.notes.empty()) page.line("");
    for (const std::string& note : account.notes) page.line("  note: " + note);
}

}  // namespace

std::string percent(double fraction)
{
    const double tenths = std::round(fraction * 1000) / 10;
    return tenths == std::floor(tenths) ? fmt::format("{:.0f} %", tenths) : fmt::format("{:.1f} %", tenths);
}

document occupancy_document(const std::vector<occupancy_account>& accounts)
{
    document page;
    for (const occupancy_account& account : accounts) add_account(page, account);
    return page;
}

}  // namespace launchbox
