// Percentages, and that all formats of an account have the same figures.
#include "report/occupancy/occupancy_report.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

occupancy_account sample_account()
{
    occupancy_question q;
    q.limits = &sm_90;
    q.architecture = {9, 0};
    q.kernel = "merge<int, 256>";
    q.resources = {.registers = 63, .static_shared_bytes = 11264, .barriers = 1};
    q.shape.threads = 256;
    q.grid = 1000;
    q.sms = 132;
    q.curves = true;
    return explain(q);
}

TEST(percent, has_a_decimal_if_it_is_significant)
{
    EXPECT_EQ(percent(0), "0 %");
    EXPECT_EQ(percent(0.5), "50 %");
    EXPECT_EQ(percent(0.625), "62.5 %");
    EXPECT_EQ(percent(2.0 / 3), "66.7 %");
    EXPECT_EQ(percent(1), "100 %");
    EXPECT_EQ(percent(0.9999), "100 %");
    EXPECT_EQ(percent(0.0004), "0 %");
    EXPECT_EQ(percent(0.0006), "0.1 %");
}

// "1 warps", "1 blocks": must not occur with few threads, blocks, SMs and clusters.
TEST(occupancy_report, one_is_singular)
{
    for (const sm_limits& limits : sm_limits_table)
        for (const int threads : {1, 31, 32, 33, 64, 1024, 1025})
            for (const int registers : {1, 32, 255})
                for (const bool spreadsheet : {false, true}) {
                    if (spreadsheet && !limits.spreadsheet) continue;
                    occupancy_question q;
                    q.limits = &limits;
                    q.architecture = limits.capability;
                    q.resources = {
                        .registers = registers, .static_shared_bytes = 40'000, .barriers = 1, .max_threads = 1};
                    if (threads > 1) q.resources.max_threads = 1024;
                    q.shape = {.threads = threads, .cluster_blocks = threads == 31 ? 2 : 1};
                    q.settings.non_portable_clusters = true;
                    if (spreadsheet) q.settings.mode = model_mode::spreadsheet;
                    q.grid = threads == 33 ? 1 : 2;
                    q.sms = 1;
                    const std::string text = render_markdown(occupancy_document({explain(q)}));
                    for (const char* word :
                         {"warps", "blocks", "threads", "registers", "SMs", "barriers", "clusters"}) {
                        const std::string wrong = std::string(" 1 ") + word;
                        EXPECT_EQ(text.find(wrong), std::string::npos) << wrong << " in\n" << text;
                    }
                }
}

TEST(occupancy_report, json_has_the_promised_names_and_figures)
{
    const nlohmann::ordered_json json = occupancy_json({sample_account()});
    EXPECT_EQ(json.begin().key(), "schema");
    EXPECT_EQ(json["schema"], "launchbox.occupancy/1");
    const auto& result = json["results"][0];
    for (const char* name : {"architecture", "kernel", "shape", "resident_blocks", "resident_warps", "occupancy",
                             "limits", "limiters", "thresholds", "slack", "curves"})
        EXPECT_TRUE(result.contains(name)) << name;
    for (const char* name : {"warps", "blocks", "registers", "shared", "barriers", "clusters"}) {
        ASSERT_TRUE(result["limits"].contains(name)) << name;
        EXPECT_TRUE(result["limits"][name].contains("blocks"));
        EXPECT_TRUE(result["limits"][name]["steps"].is_array());
    }
    EXPECT_EQ(result["resident_blocks"], 4);
    EXPECT_EQ(result["occupancy"], 0.5);
    EXPECT_EQ(result["limiters"], nlohmann::ordered_json::array({"registers"}));
    EXPECT_EQ(result["next_step"]["changes"][0]["to"], 48);
    EXPECT_EQ(result["waves"]["tail_blocks"], 472);
    EXPECT_EQ(result["curves"]["threads"].size(), 32u);
    EXPECT_EQ(result["curves"]["registers"][62][1], 32);  // 63 registers: 32 warps
}

TEST(occupancy_report, unknown_is_null_and_never_zero)
{
    occupancy_question q = sample_account().question;
    q.registers_known = q.barriers_known = false;
    q.resources.registers = q.resources.barriers = 0;
    const occupancy_account account = explain(q);
    const nlohmann::ordered_json json = account_json(account);
    EXPECT_TRUE(json["kernel"]["registers"].is_null());
    EXPECT_TRUE(json["kernel"]["barriers"].is_null());
    EXPECT_TRUE(json["limits"]["registers"]["blocks"].is_null());
    const table rows = occupancy_table({account});
    EXPECT_EQ(rows.rows[0][4].text, "");
    EXPECT_EQ(render_text(occupancy_document({account}), {}).find(" registers,"), std::string::npos);
}

TEST(occupancy_report, a_row_of_the_table_has_all_its_columns)
{
    const table rows = occupancy_table({sample_account(), sample_account()});
    ASSERT_EQ(rows.rows.size(), 2u);
    for (const auto& row : rows.rows) EXPECT_EQ(row.size(), rows.columns.size());
}

TEST(occupancy_report, the_page_fits_any_width)
{
    for (int width : {60, 80, 100, 200}) {
        const std::string text = render_text(occupancy_document({sample_account()}), {.width = width});
        std::size_t start = 0;
        while (start < text.size()) {
            const std::size_t end = text.find('\n', start);
            EXPECT_LE(display_width(text.substr(start, end - start)), width);
            start = end + 1;
        }
    }
}

// A name from a binary with everything that could harm a reader.
TEST(occupancy_report, hostile_names_are_escaped_in_every_format)
{
    occupancy_question q = sample_account().question;
    q.kernel = "k\x1b[31m\"|<b>\xff\n,";
    const occupancy_account account = explain(q);
    const std::string forms[] = {render_text(occupancy_document({account}), {}),
                                 render_markdown(occupancy_document({account})), occupancy_json({account}).dump(),
                                 render_csv(occupancy_table({account}))};
    for (const std::string& form : forms) {
        EXPECT_EQ(form.find('\x1b'), std::string::npos);
        EXPECT_EQ(form.find('\xff'), std::string::npos);
    }
}

}  // namespace
}  // namespace launchbox
