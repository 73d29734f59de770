// SPDX-License-Identifier: Apache-2.0
#include "report/charts/occupancy_charts.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>

#include "support/text/terminal.hpp"

namespace launchbox {

namespace {

constexpr std::size_t columns_of_map = max_threads_per_block / warp_size;

struct curve_words {
    const char *title, *axis;
};

curve_words words_of(const occupancy_curve& curve)
{
    if (curve.name == "threads") return {"Block size", "threads per block"};
    if (curve.name == "registers") return {"Registers", "registers per thread"};
    return {"Shared memory", "shared memory per block, bytes"};
}

std::string subject_of(const occupancy_question& question)
{
    const std::string architecture(architecture_name(question.architecture).view());
    return question.kernel.empty() ? architecture : escape_for_terminal(question.kernel) + " on " + architecture;
}

}  // namespace

std::vector<chart> occupancy_charts(const occupancy_account& account, const std::string& prefix)
{
    std::vector<chart> charts;
    for (const occupancy_curve& curve : account.curves) {
        const curve_words words = words_of(curve);
        chart_series line{.name = "resident warps", .look = series_look::steps, .x = {}, .y = {}};
        // Only multiples of a warp are computed as block sizes, so the steps between two points are unknown.
        if (curve.name == "threads") line.look = series_look::line;
        for (std::size_t i = 0; i < curve.points.size(); ++i) {
            line.x.push_back(static_cast<double>(curve.points[i].value));
            line.y.push_back(curve.points[i].warps);
        }
        chart_series here{.name = "here",
                          .look = series_look::dots,
                          .x = {static_cast<double>(curve.here)},
                          .y = {static_cast<double>(account.result.resident_warps)},
                          .strong = true};
        here.labels.push_back(fmt::format("{}: {} of {} warps", with_commas(curve.here), account.result.resident_warps,
                                          account.result.warp_slots));
        xy_chart drawn{{.title = words.axis, .from_zero = true}, {.title = "resident warps", .from_zero = true}};
        drawn.series = {std::move(line), std::move(here)};
        drawn.marks.push_back({static_cast<double>(account.result.warp_slots), "warp slots", true});
        charts.push_back({prefix + curve.name, fmt::format("{}: {}", words.title, subject_of(account.question)),
                          fmt::format("Resident warps by {}, everything else unchanged; here {} of {}.", words.axis,
                                      account.result.resident_warps, account.result.warp_slots),
                          std::move(drawn)});
    }
    return charts;
}

chart occupancy_map(const std::vector<occupancy_account>& accounts)
{
    heat_chart drawn{"threads per block", "architecture", "occupancy, %", {}, {}, {}, {}, false};
    for (std::size_t i = 1; i <= columns_of_map; ++i)
        drawn.columns.push_back(with_commas(static_cast<std::int64_t>(i * warp_size)));
    for (const occupancy_account& account : accounts) {
        const occupancy_question& question = account.question;
        for (const occupancy_curve& curve : account.curves) {
            if (curve.name != "threads") continue;
            // A block size without a point, because dynamic shared memory has no size for it, is an empty cell.
            std::vector<std::optional<double>> row(columns_of_map);
            std::vector<std::string> texts(columns_of_map);
            for (const auto& point : curve.points) {
                const auto column = static_cast<std::size_t>(point.value / warp_size - 1);
                const double percent = 100.0 * point.warps / account.result.warp_slots;
                row[column] = percent;
                texts[column] = fmt::format("{:.0f}", std::floor(percent + 0.5));  // 62.5 is 63, as in the calculator
                if (point.value == curve.here) drawn.marked.assign(1, {drawn.rows.size(), column});
            }
            drawn.rows.push_back(subject_of(question));
            drawn.values.push_back(std::move(row));
            drawn.texts.push_back(std::move(texts));
        }
    }
    if (accounts.size() > 1) drawn.marked.clear();
    return {"architectures", "Occupancy by architecture and block size",
            "Percent of the warp slots, everything else unchanged.", std::move(drawn)};
}

}  // namespace launchbox
