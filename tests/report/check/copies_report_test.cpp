// Reports of several kernels with one name: the order does not matter, and none is skipped.
#include <gtest/gtest.h>

#include <algorithm>

#include "../advice/known_kernels.hpp"
#include "report/charts/kernel_charts.hpp"
#include "report/kernels/compilers_report.hpp"
#include "report/kernels/kernels_json.hpp"
#include "report/kernels/summary_report.hpp"

namespace launchbox {
namespace {

inspected_kernel copy(int registers, std::optional<std::int64_t> spills, int resident_warps)
{
    inspected_kernel kernel = known_kernel("k");
    kernel.info.figures.registers = registers;
    kernel.info.figures.spill_store_bytes = spills;
    kernel.residency->result.resident_warps = resident_warps;
    return kernel;
}

bool by_registers(const inspected_kernel& a, const inspected_kernel& b)
{
    return a.info.figures.registers < b.info.figures.registers;
}

TEST(copies_report, each_of_several_compilers_has_its_row)
{
    std::vector<inspected_kernel> copies{copy(40, 0, 48), copy(50, 0, 40), copy(60, 8, 32)};
    const std::vector<compiler_result> once{{"12.9", {}, copies, {}}, {"13.0", {}, copies, {}}};
    const std::string json = compilers_json(once).dump();
    EXPECT_EQ(compilers_json(once)["kernels"].size(), 3u);
    do {
        const std::vector<compiler_result> again{{"12.9", {}, copies, {}}, {"13.0", {}, once[0].kernels, {}}};
        const nlohmann::ordered_json object = compilers_json(again);
        for (const auto& kernel : object["kernels"]) EXPECT_FALSE(kernel["differs"]) << kernel;
        EXPECT_EQ(object.dump(), json);
    } while (std::next_permutation(copies.begin(), copies.end(), by_registers));
    // A regression of one copy with one compiler is not hidden by another copy.
    std::vector<inspected_kernel> worse = copies;
    worse.front().info.figures.registers = 255;
    const nlohmann::ordered_json differing =
        compilers_json({{"12.9", {}, copies, {}}, {"13.0", {}, worse, {}}})["kernels"];
    EXPECT_GT(
        std::ranges::count_if(differing, [](const auto& kernel) { return kernel["differs"].template get<bool>(); }), 0);
}

// The text of the only cell in a chart.
std::string cell_of(const std::vector<inspected_kernel>& kernels, const std::string& id)
{
    for (const chart_group& group : kernel_charts(kernels))
        for (const chart& one : group.charts)
            if (one.id == id) return std::get<heat_chart>(one.content).texts.at(0).at(0);
    return "no chart";
}

TEST(copies_report, charts_show_the_worst_and_mark_where_it_may_be_worse)
{
    std::vector<inspected_kernel> copies{copy(40, 4, 48), copy(50, 8, 16), copy(60, 0, 32)};
    do {
        EXPECT_EQ(cell_of(copies, "kernels-registers"), "60");
        EXPECT_EQ(cell_of(copies, "kernels-spills"), "8");
        EXPECT_EQ(cell_of(copies, "kernels-occupancy"), "25");
        std::vector<inspected_kernel> unknown = copies;
        unknown[0].info.figures.spill_store_bytes.reset();
        unknown[0].residency.reset();
        EXPECT_TRUE(cell_of(unknown, "kernels-spills").starts_with("≥"));
        EXPECT_TRUE(cell_of(unknown, "kernels-occupancy").starts_with("≤"));
        unknown = copies;
        unknown[1].residency->at_most = true;
        EXPECT_EQ(cell_of(unknown, "kernels-occupancy"), "≤25");
    } while (std::next_permutation(copies.begin(), copies.end(), by_registers));
}

}  // namespace
}  // namespace launchbox
