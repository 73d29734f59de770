#include "report/occupancy_report.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/chart.hpp"
#include "report/count_text.hpp"
#include "report/json.hpp"

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
    // What rounding wastes: the step that takes most of it speaks for the limit.
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
    if (!q.kernel.empty()) text = escape_for_terminal(q.kernel) + ", " + text;
    text += fmt::format(": {} threads", with_commas(q.shape.threads));
    if (q.registers_known) text += fmt::format(", {} registers", with_commas(q.resources.registers));
    text += fmt::format(", {} B shared", with_commas(q.resources.static_shared_bytes + q.shape.dynamic_shared_bytes));
    if (q.resources.barriers > 0)
        text += fmt::format(", {} barrier{}", with_commas(q.resources.barriers), q.resources.barriers == 1 ? "" : "s");
    if (q.settings.mode == model_mode::spreadsheet) text += " [as the spreadsheet says]";
    return text;
}

void add_account(document& page, const occupancy_account& account, const output_style& style)
{
    const occupancy_result& result = account.result;
    page.heading(headline(account));
    if (!account.obstacle.empty()) {
        page.line("  cannot be launched: " + account.obstacle, tone::bad);
    } else {
        page.line(fmt::format("  {} block{} per SM = {} of {} warps: occupancy {}, limited by {}",
                              result.resident_blocks, result.resident_blocks == 1 ? "" : "s", result.resident_warps,
                              result.warp_slots, percent(result.occupancy()), limiter_names(result)),
                  tone::strong);
    }
    if (account.next)
        page.line(fmt::format("  next step: {} ({})", account.next->text, percent(account.next->occupancy)),
                  tone::good);
    page.line("");
    page.add(limits_table(account));
    page.line("");
    if (!account.thresholds.empty() || !account.slack.empty()) page.add(thresholds_table(account));
    if (account.waves) {
        const wave_account& w = *account.waves;
        page.line("");
        page.line(fmt::format("  grid of {} blocks on {} SMs: {:.2f} waves of {}; {}; {} of the block slots used",
                              with_commas(w.grid), *account.question.sms, w.waves, with_commas(w.blocks_per_wave),
                              w.tail_blocks == 0 ? std::string("no tail")
                                                 : fmt::format("the tail has {} blocks", with_commas(w.tail_blocks)),
                              percent(w.efficiency)));
    }
    if (!account.notes.empty()) page.line("");
    for (const std::string& note : account.notes) page.line("  note: " + note);
    for (const occupancy_curve& curve : account.curves) {
        page.line("");
        page.verbatim(render_chart(curve, result.warp_slots, style));
    }
}

}  // namespace

std::string percent(double fraction)
{
    const double tenths = std::round(fraction * 1000) / 10;
    return tenths == std::floor(tenths) ? fmt::format("{:.0f} %", tenths) : fmt::format("{:.1f} %", tenths);
}

document occupancy_document(const std::vector<occupancy_account>& accounts, const output_style& style)
{
    document page;
    for (const occupancy_account& account : accounts) add_account(page, account, style);
    return page;
}

nlohmann::ordered_json occupancy_json(const std::vector<occupancy_account>& accounts)
{
    nlohmann::ordered_json json;
    json["schema"] = "launchbox.occupancy/1";
    json["results"] = nlohmann::ordered_json::array();
    for (const occupancy_account& account : accounts) json["results"].push_back(account_json(account));
    return json;
}

nlohmann::ordered_json account_json(const occupancy_account& account)
{
    using nlohmann::ordered_json;
    const occupancy_question& q = account.question;
    const occupancy_result& result = account.result;

    ordered_json json;
    json["architecture"] = architecture_name(q.architecture).view();
    json["mode"] = q.settings.mode == model_mode::driver ? "driver" : "spreadsheet";
    json["kernel"] = {
        {"name", q.kernel.empty() ? ordered_json(nullptr) : ordered_json(json_text(q.kernel))},
        {"registers", q.registers_known ? ordered_json(q.resources.registers) : ordered_json(nullptr)},
        {"static_shared_bytes", q.shared_known ? ordered_json(q.resources.static_shared_bytes) : ordered_json(nullptr)},
        {"local_bytes", q.resources.local_bytes},
        {"barriers", q.barriers_known ? ordered_json(q.resources.barriers) : ordered_json(nullptr)},
        {"max_threads", q.resources.max_threads}};
    json["shape"] = {{"threads", q.shape.threads},
                     {"dynamic_shared_bytes", q.shape.dynamic_shared_bytes},
                     {"cluster_blocks", q.shape.cluster_blocks}};
    json["resident_blocks"] = result.resident_blocks;
    json["resident_warps"] = result.resident_warps;
    json["warp_slots"] = result.warp_slots;
    json["occupancy"] = result.occupancy();
    json["obstacle"] = account.obstacle.empty() ? ordered_json(nullptr) : ordered_json(account.obstacle);

    json["limits"] = ordered_json::object();
    json["limiters"] = ordered_json::array();
    for (const limit_account& limit : account.limits) {
        ordered_json steps = ordered_json::array();
        for (const account_step& step : limit.steps)
            steps.push_back({{"name", step.name}, {"value", step.value}, {"lost", step.lost}, {"text", step.how}});
        json["limits"][limit.name] = {{"blocks", or_null(limit.blocks)}, {"steps", std::move(steps)}};
        if (limit.limiting) json["limiters"].push_back(limit.name);
    }
    if (!json["limits"].contains("clusters"))
        json["limits"]["clusters"] = {{"blocks", nullptr}, {"steps", ordered_json::array()}};

    const auto allowances = [&](const std::vector<allowance_account>& list) {
        ordered_json array = ordered_json::array();
        for (const allowance_account& each : list)
            array.push_back({{"resource", each.name},
                             {"now", each.now},
                             {"at_most", or_null(each.at_most)},
                             {"blocks", each.blocks},
                             {"satisfied", each.satisfied()}});
        return array;
    };
    json["thresholds"] = allowances(account.thresholds);
    json["slack"] = allowances(account.slack);
    json["next_step"] = nullptr;
    if (account.next) {
        ordered_json changes = ordered_json::array();
        for (const resource_change& change : account.next->changes)
            changes.push_back({{"resource", change.name}, {"from", change.from}, {"to", change.to}});
        json["next_step"] = {{"text", account.next->text},
                             {"changes", std::move(changes)},
                             {"resident_blocks", account.next->blocks},
                             {"occupancy", account.next->occupancy}};
    }
    json["waves"] = nullptr;
    if (account.waves)
        json["waves"] = {{"grid", account.waves->grid},
                         {"blocks_per_wave", account.waves->blocks_per_wave},
                         {"waves", account.waves->waves},
                         {"full_waves", account.waves->full_waves},
                         {"tail_blocks", account.waves->tail_blocks},
                         {"efficiency", account.waves->efficiency}};
    json["clusters"] = nullptr;
    if (account.clusters)
        json["clusters"] = {{"cluster_blocks", account.clusters->cluster_blocks},
                            {"estimate", or_null(account.clusters->clusters.expected)},
                            {"low", account.clusters->clusters.low},
                            {"high", account.clusters->clusters.high},
                            {"gpcs_known", account.clusters->gpcs_known},
                            {"settled_by", "cudaOccupancyMaxActiveClusters"}};
    json["notes"] = account.notes;
    if (!account.curves.empty()) {
        json["curves"] = ordered_json::object();
        for (const occupancy_curve& curve : account.curves) {
            ordered_json points = ordered_json::array();
            for (const auto& point : curve.points) points.push_back({point.value, point.warps});
            json["curves"][curve.name] = std::move(points);
        }
    }
    return json;
}

table occupancy_table(const std::vector<occupancy_account>& accounts)
{
    table rows;
    for (const char* title : {"architecture",
                              "kernel",
                              "mode",
                              "threads",
                              "registers",
                              "static_shared_bytes",
                              "dynamic_shared_bytes",
                              "barriers",
                              "resident_blocks",
                              "resident_warps",
                              "warp_slots",
                              "occupancy",
                              "limit_warps",
                              "limit_blocks",
                              "limit_registers",
                              "limit_shared",
                              "limit_barriers",
                              "limiters",
                              "next_step",
                              "obstacle"})
        rows.columns.push_back({title});
    for (const occupancy_account& account : accounts) {
        const occupancy_question& q = account.question;
        const occupancy_result& result = account.result;
        std::vector<cell> row{std::string(architecture_name(q.architecture).view()),
                              escape_for_terminal(q.kernel),
                              q.settings.mode == model_mode::driver ? "driver" : "spreadsheet",
                              std::to_string(q.shape.threads),
                              q.registers_known ? std::to_string(q.resources.registers) : "",
                              q.shared_known ? std::to_string(q.resources.static_shared_bytes) : "",
                              std::to_string(q.shape.dynamic_shared_bytes),
                              q.barriers_known ? std::to_string(q.resources.barriers) : "",
                              std::to_string(result.resident_blocks),
                              std::to_string(result.resident_warps),
                              std::to_string(result.warp_slots),
                              fmt::format("{:.6g}", result.occupancy())};
        for (std::size_t i = 0; i < 5; ++i)
            row.emplace_back(account.limits[i].blocks ? std::to_string(*account.limits[i].blocks) : "");
        std::string limiters;
        for (const limit_account& limit : account.limits)
            if (limit.limiting) limiters += (limiters.empty() ? "" : " ") + limit.name;
        row.emplace_back(limiters);
        row.emplace_back(account.next ? account.next->text : "");
        row.emplace_back(account.obstacle);
        rows.rows.push_back(std::move(row));
    }
    return rows;
}

}  // namespace launchbox
