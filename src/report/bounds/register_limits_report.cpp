// SPDX-License-Identifier: Apache-2.0
#include "report/bounds/register_limits_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "report/core/json.hpp"
#include "report/core/json_table.hpp"
#include "report/occupancy/occupancy_report.hpp"
#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

std::string chip_name(const register_limits& one)
{
    const std::string architecture(architecture_name(one.architecture).view());
    return one.gpu.empty() ? architecture : fmt::format("{} ({})", escape_for_terminal(one.gpu), architecture);
}

std::string range_text(int first, int last)
{
    return first == last ? std::to_string(first) : fmt::format("{} to {}", first, last);
}

// One row per chip: the effect of the bound asked about.
void add_bound(document& page, const std::vector<register_limits>& all, int threads, std::size_t place)
{
    table rows{{{"chip"}, {"registers", true}, {"occupancy", true}, {"legal min_blocks", true}, {"ptxas"}}, {}};
    int min_blocks = 0;
    for (const register_limits& chip : all) {
        if (chip.threads != threads) continue;
        const bound_limit& bound = chip.bounds[place];
        min_blocks = bound.min_blocks;
        const std::string ignored = why_ignored(*chip.limits, threads, bound);
        const tone look = bound.registers ? tone::plain : tone::warning;
        rows.rows.push_back({{chip_name(chip)},
                             {bound.registers ? std::to_string(*bound.registers) : "–", look},
                             {bound.registers ? percent(bound.occupancy) : "–", look},
                             {range_text(1, chip.max_min_blocks)},
                             {ignored.empty() ? "keeps it" : "ignores min_blocks: " + ignored, look}});
    }
    page.heading(fmt::format("__launch_bounds__({}, {}): most registers per thread", threads, min_blocks));
    page.add(rows);
}

bool same_answers(const register_limits& one, const register_limits& other)
{
    return one.threads == other.threads &&
           std::ranges::equal(one.bounds, other.bounds, [](const bound_limit& a, const bound_limit& b) {
               return a.registers == b.registers && a.occupancy == b.occupancy;
           });
}

// All bounds of a group of equal chips; those with the same limit share a row.
void add_all_bounds(document& page, const std::vector<register_limits>& alike)
{
    const register_limits& first = alike.front();
    std::string names;
    for (const register_limits& chip : alike) names += (names.empty() ? "" : ", ") + chip_name(chip);
    page.heading(
        fmt::format("__launch_bounds__({}, min_blocks) on {}: registers per thread at most", first.threads, names));
    table rows{{{"min_blocks", true}, {"registers", true}, {"occupancy", true}}, {}};
    const std::vector<bound_limit>& bounds = first.bounds;
    for (std::size_t begin = 0, end = 0; begin < bounds.size(); begin = end) {
        while (end < bounds.size() && bounds[end].registers == bounds[begin].registers) ++end;
        const bound_limit& last = bounds[end - 1];
        rows.rows.push_back({{range_text(bounds[begin].min_blocks, last.min_blocks)},
                             {std::to_string(last.registers.value_or(0))},
                             {percent(last.occupancy)}});
    }
    page.add(rows);
    page.line(fmt::format("  ptxas ignores a min_blocks above {}", first.max_min_blocks));
}

const char* verdict_id(launch_bounds_verdict verdict)
{
    switch (verdict) {
        case launch_bounds_verdict::honoured:
            return "honoured";
        case launch_bounds_verdict::threads_not_positive:
            return "threads_not_positive";
        case launch_bounds_verdict::too_many_threads:
            return "too_many_threads";
        case launch_bounds_verdict::too_many_blocks:
            return "too_many_blocks";
        case launch_bounds_verdict::too_many_warps_per_sm:
            return "too_many_warps_per_sm";
    }
    return "";
}

}  // namespace

document register_limits_document(const std::vector<register_limits>& all, bool each_chip)
{
    document page;
    std::vector<register_limits> rest = all;
    while (!rest.empty()) {
        const register_limits first = rest.front();
        const auto together = [&](const register_limits& other) {
            return each_chip ? other.threads == first.threads : same_answers(other, first);
        };
        std::vector<register_limits> group;
        std::ranges::copy_if(rest, std::back_inserter(group), together);
        std::erase_if(rest, together);
        if (!each_chip)
            add_all_bounds(page, group);
        else
            for (std::size_t i = 0; i < first.bounds.size(); ++i) add_bound(page, group, first.threads, i);
    }
    return page;
}

nlohmann::ordered_json register_limits_json(const std::vector<register_limits>& all)
{
    using nlohmann::ordered_json;
    ordered_json json;
    json["schema"] = "launchbox.register_limits/1";
    const auto bound_json = [](const bound_limit& bound) -> ordered_json {
        return {{"min_blocks", bound.min_blocks},
                {"verdict", verdict_id(bound.verdict)},
                {"register_limit", or_null(bound.registers)},
                {"occupancy", bound.registers ? ordered_json(bound.occupancy) : ordered_json(nullptr)}};
    };
    json["results"] = list_json(all, [&](const register_limits& chip) -> ordered_json {
        return {{"architecture", architecture_name(chip.architecture).view()},
                {"gpu", text_or_null(chip.gpu)},
                {"threads", chip.threads},
                {"max_min_blocks", chip.max_min_blocks},
                {"bounds", list_json(chip.bounds, bound_json)}};
    });
    return json;
}

table register_limits_table(const std::vector<register_limits>& all)
{
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    const nlohmann::ordered_json json = register_limits_json(all);
    for (const nlohmann::ordered_json& chip : json["results"])
        for (nlohmann::ordered_json row : chip["bounds"]) {
            for (const char* name : {"architecture", "gpu", "threads", "max_min_blocks"}) row[name] = chip[name];
            rows.push_back(std::move(row));
        }
    return json_table({{"architecture"},
                       {"gpu"},
                       {"threads"},
                       {"min_blocks"},
                       {"register_limit"},
                       {"verdict"},
                       {"max_min_blocks"},
                       {"occupancy"}},
                      rows);
}

}  // namespace launchbox
