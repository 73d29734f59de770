// The ranking of candidates that were built: their order, the reasons of failures, and JSON and CSV.
#include "report/tune/build_report.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

built_candidate candidate(std::int64_t tile, int registers, std::int64_t spilled, double occupancy)
{
    built_candidate one;
    one.parameters.values = {{"tile", tile}};
    one.workload.values = {{"n", std::int64_t{100}}};
    one.build.kernel.emplace();
    one.build.kernel->figures.registers = registers;
    one.build.kernel->figures.spill_store_bytes = one.build.kernel->figures.spill_load_bytes = spilled;
    one.build.kernel->figures.static_shared_bytes = 4 * tile;
    one.launch = built_launch{.threads = 128, .dynamic_shared_bytes = 8, .resident_blocks = 4, .occupancy = occupancy};
    return one;
}

std::string text_of(const build_report& report)
{
    return render_text(build_document({report}), {});
}

// The tiles in the table, from top to bottom.
std::string order_in(const std::string& text)
{
    std::string order;
    for (std::size_t at = 0; at < text.size();) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string line = text.substr(at, end - at);
        int place = 0, tile = 0;
        if (std::sscanf(line.c_str(), " %d %d", &place, &tile) == 2)
            order += (order.empty() ? "" : " ") + std::to_string(tile);
        at = end + 1;
    }
    return order;
}

TEST(build_report, spills_then_occupancy_then_registers)
{
    build_report report{.name = "k", .architecture = "sm_90", .candidates = {}};
    report.candidates = {candidate(1, 32, 8, 1), candidate(2, 64, 0, 0.5), candidate(4, 48, 0, 0.5),
                         candidate(3, 64, 0, 0.5), candidate(5, 128, 0, 1)};
    report.candidates[0].is_baseline = true;
    const std::string text = text_of(report);
    EXPECT_EQ(order_in(text), "5 4 2 3 1") << text;
    EXPECT_NE(text.find("5 candidates built"), std::string::npos) << text;
    EXPECT_NE(text.find("8/8"), std::string::npos) << text;
    EXPECT_NE(text.find("baseline"), std::string::npos) << text;
    EXPECT_EQ(text.find("not built"), std::string::npos) << text;
    const auto json = build_json({report});
    EXPECT_EQ(json["candidates"][0]["launch"]["occupancy"], 1.0);
    EXPECT_EQ(json["candidates"][0]["baseline"], true);
    EXPECT_EQ(render_csv(build_table({report})).substr(0, 200).find("tunable,architecture,parameters"), 0u);
}

TEST(build_report, failed_builds_have_a_reason_and_equal_workloads_share_a_table)
{
    build_report report{.name = "k", .architecture = "sm_90", .candidates = {}};
    report.candidates = {candidate(1, 32, 0, 1), candidate(1, 32, 0, 1), candidate(2, 32, 0, 1)};
    report.candidates[1].workload.values = {{"n", std::int64_t{200}}};
    report.candidates[2].build.status = build_status::rejected;
    report.candidates[2].launch.reset();
    report.candidates[2].build.reason = "2,048 threads";
    std::string text = text_of(report);
    EXPECT_EQ(order_in(text), "1") << text;
    EXPECT_NE(text.find("n = 100 and 1 other workload"), std::string::npos) << text;
    EXPECT_NE(text.find("tile=2 n=100: 2,048 threads"), std::string::npos) << text;
    report.candidates[1].build.kernel->figures.registers = 40;
    text = text_of(report);
    EXPECT_NE(text.find("n = 200: 1 candidate built"), std::string::npos) << text;
}

TEST(build_report, long_tables_end_with_the_number_of_omitted_rows_and_include_the_baseline)
{
    build_report report{.name = "k", .architecture = "sm_90", .candidates = {}};
    for (int i = 1; i <= 60; ++i) report.candidates.push_back(candidate(i, i, 0, 1));
    report.candidates[49].is_baseline = true;
    report.candidates[1].build.kernel->figures.static_shared_bytes = 0;
    report.candidates[1].launch->dynamic_shared_bytes = 0;
    const std::string text = text_of(report);
    EXPECT_NE(text.find("39 more: --format csv or json lists them"), std::string::npos) << text;
    EXPECT_TRUE(order_in(text).ends_with(" 19 20 50")) << text;
    EXPECT_NE(text.find("no shared memory: check its results"), std::string::npos) << text;
}

TEST(build_report, programs_have_no_figures_and_are_only_counted)
{
    build_report report{.name = "p", .architecture = "", .candidates = {}};
    report.candidates.resize(2);
    report.candidates[1].build.status = build_status::compile_error;
    report.candidates[1].build.reason = "ld failed";
    const std::string text = text_of(report);
    EXPECT_NE(text.find("outcome"), std::string::npos) << text;
    EXPECT_NE(text.find("built "), std::string::npos) << text;
    EXPECT_EQ(text.find("Ranked"), std::string::npos) << text;
    EXPECT_TRUE(build_json({report})["candidates"][0]["launch"].is_null());
}

}  // namespace
}  // namespace launchbox
