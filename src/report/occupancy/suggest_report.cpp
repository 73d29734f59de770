// SPDX-License-Identifier: Apache-2.0
#include "report/occupancy/suggest_report.hpp"

#include <fmt/format.h>

#include "advice/model/account.hpp"
#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/occupancy/limiter_ids.hpp"
#include "report/occupancy/occupancy_report.hpp"
#include "report/occupancy/rules_report.hpp"
#include "support/text/counted.hpp"

namespace launchbox {

namespace {

// The share by which CUDA compares block sizes: lanes left idle by a partial warp do not count.
double thread_occupancy(const block_size_advice& advice, const block_size_candidate& candidate)
{
    return static_cast<double>(candidate.choice.resident_threads()) / advice.limits->threads_per_sm;
}

std::string heading_of(const block_size_advice& advice)
{
    std::string title = fmt::format("{} (compute capability {})", architecture_name(advice.architecture).view(),
                                    compute_capability_name(advice.architecture).view());
    if (!advice.gpu.empty()) title = escape_for_terminal(advice.gpu) + ", " + title;
    if (!advice.kernel.empty()) title = escape_for_terminal(advice.kernel) + ", " + title;
    title += ": " + counted(advice.resources.registers, "register", "registers");
    if (advice.resources.static_shared_bytes > 0)
        title += fmt::format(", {} B static shared", with_commas(advice.resources.static_shared_bytes));
    if (!advice.dynamic_shared.empty())
        title += fmt::format(", dynamic shared {}", escape_for_terminal(advice.dynamic_shared));
    if (!advice.dynamic_shared_known) title += ", dynamic shared ?";
    if (advice.cluster_blocks > 1) title += fmt::format(", clusters of {} blocks", advice.cluster_blocks);
    return title;
}

void add_suggestion(document& page, const block_size_advice& advice)
{
    const block_size_candidate& best = advice.candidates.front();
    page.line(fmt::format("  {} per block: {} per SM = {} of {} threads, occupancy {}, limited by {}",
                          counted(best.choice.threads, "thread", "threads"),
                          counted(best.choice.resident_blocks, "block", "blocks"),
                          with_commas(best.choice.resident_threads()), with_commas(advice.limits->threads_per_sm),
                          percent(thread_occupancy(advice, best)), limiter_names(best.result)),
              tone::strong);
    if (!advice.dynamic_shared_known)
        page.line(
            "  it uses dynamic shared memory of unknown size, which is not counted: the figures are upper limits; give "
            "the size with --dynamic-shared",
            tone::warning);
    page.line(advice.sms
                  ? fmt::format("  a grid of {} fills the GPU once",
                                counted(std::int64_t{best.choice.resident_blocks} * *advice.sms, "block", "blocks"))
                  : fmt::format("  a grid of {} × the number of SMs fills the GPU once", best.choice.resident_blocks));
}

// The suggested block size first.
table candidates_table(const block_size_advice& advice)
{
    table rows{{{"threads", true},
                {"blocks", true},
                {"resident", true},
                {"occupancy", true},
                {"shared B", true},
                {"limited by"},
                {"rules broken"}},
               {}};
    for (const block_size_candidate& candidate : advice.candidates) {
        const tone look = rows.rows.empty() ? tone::good : tone::plain;
        const std::int64_t shared = candidate.result.shared.static_bytes + candidate.result.shared.dynamic_bytes;
        rows.rows.push_back({{std::to_string(candidate.choice.threads), look},
                             {std::to_string(candidate.choice.resident_blocks), look},
                             {with_commas(candidate.choice.resident_threads()), look},
                             {percent(thread_occupancy(advice, candidate)), look},
                             {with_commas(shared), look},
                             {limiter_names(candidate.result), look},
                             {broken_rules_text(candidate.rules), look}});
    }
    return rows;
}

}  // namespace

document suggest_document(const std::vector<block_size_advice>& all)
{
    document page;
    for (const block_size_advice& advice : all) {
        page.heading(heading_of(advice));
        if (!advice.fixed.empty()) {
            page.line("  block sizes are not ranked: " + escape_for_terminal(advice.fixed));
            page.line(fmt::format("  for other sizes of such a kernel: launchbox suggest --registers {} --shared {}",
                                  advice.resources.registers, advice.resources.static_shared_bytes),
                      tone::faint);
            continue;
        }
        if (advice.candidates.empty()) {
            page.line("  no block size can be launched" + (advice.obstacle.empty() ? "" : ": " + advice.obstacle),
                      tone::bad);
            continue;
        }
        add_suggestion(page, advice);
        page.line("");
        page.add(candidates_table(advice));
        page.line("");
        add_rules(page, "the suggestion", advice.candidates.front().rules);
        if (!advice.notes.empty()) page.line("");
        for (const std::string& note : advice.notes) page.line("  note: " + note);
    }
    return page;
}

nlohmann::ordered_json suggest_json(const std::vector<block_size_advice>& all)
{
    using nlohmann::ordered_json;
    ordered_json json;
    json["schema"] = "launchbox.suggestions/2";
    json["results"] = ordered_json::array();
    for (const block_size_advice& advice : all) {
        ordered_json object;
        object["architecture"] = architecture_name(advice.architecture).view();
        object["gpu"] = text_or_null(advice.gpu);
        object["sms"] = or_null(advice.sms);
        object["kernel"] = {{"name", text_or_null(advice.kernel)},
                            {"registers", advice.resources.registers},
                            {"static_shared_bytes", advice.resources.static_shared_bytes},
                            {"barriers", advice.resources.barriers},
                            {"max_threads", advice.resources.max_threads}};
        object["dynamic_shared"] = text_or_null(advice.dynamic_shared);
        object["at_most"] = !advice.dynamic_shared_known;
        object["cluster_blocks"] = advice.cluster_blocks;
        object["obstacle"] = text_or_null(advice.obstacle);
        object["fixed"] = text_or_null(advice.fixed);
        object["notes"] = advice.notes;
        object["threads"] =
            advice.candidates.empty() ? ordered_json(nullptr) : ordered_json(advice.candidates.front().choice.threads);
        object["candidates"] = ordered_json::array();
        for (const block_size_candidate& candidate : advice.candidates) {
            object["candidates"].push_back({{"threads", candidate.choice.threads},
                                            {"dynamic_shared_bytes", candidate.choice.dynamic_shared_bytes},
                                            {"resident_blocks", candidate.choice.resident_blocks},
                                            {"resident_threads", candidate.choice.resident_threads()},
                                            {"occupancy", thread_occupancy(advice, candidate)},
                                            {"warp_occupancy", candidate.result.occupancy()},
                                            {"limiters", limiter_ids(candidate.result)},
                                            {"rules", rules_json(candidate.rules)}});
        }
        json["results"].push_back(std::move(object));
    }
    return json;
}

table suggest_table(const std::vector<block_size_advice>& all)
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    const nlohmann::ordered_json json = suggest_json(all);
    for (const nlohmann::ordered_json& result : json["results"]) {
        int rank = 0;
        for (nlohmann::ordered_json row : result["candidates"]) {
            row.update(
                {{"architecture", result["architecture"]}, {"kernel", result["kernel"]["name"]}, {"rank", ++rank}});
            row["rules_broken"] = broken_rules_json(row["rules"]);
            rows.push_back(std::move(row));
        }
    }
    return json_table({{"architecture"},
                       {"kernel"},
                       {"rank"},
                       {"threads"},
                       {"dynamic_shared_bytes"},
                       {"resident_blocks"},
                       {"resident_threads"},
                       {"occupancy"},
                       {"limiters"},
                       {"rules_broken"},
                       {"warp_occupancy"}},
                      rows);
}

}  // namespace launchbox
