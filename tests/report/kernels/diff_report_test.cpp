// `inspect --diff`, with made-up values.
#include "report/kernels/diff_report.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <sstream>

#include "../advice/known_kernels.hpp"

namespace launchbox {
namespace {

std::string page_of(const kernel_diff& diff, std::optional<std::size_t> top = std::nullopt)
{
    const output_style style{.width = 100, .colour = false, .unicode = true};
    return render_text(diff_document(diff, top, style), style);
}

struct two_builds {
    std::vector<inspected_kernel> before{known_kernel("a", 40), known_kernel("b", 40), known_kernel("c", 40),
                                         known_kernel("d", 40), known_kernel("gone", 40)};
    std::vector<inspected_kernel> after{known_kernel("a", 64), known_kernel("b", 48), known_kernel("c", 32),
                                        known_kernel("d", 40), known_kernel("new", 40)};
    kernel_diff diff = compare_kernels(before, after);
};

TEST(diff_report, worse_then_better_then_new_and_gone_with_the_columns_that_differ)
{
    const two_builds builds;
    EXPECT_EQ(page_of(builds.diff),
              "4 kernels compared: 2 worse, 1 better, 0 changed otherwise, 1 unchanged; 1 new, 1 gone\n"
              "\n"
              "Worse: 2\n"
              "  arch      regs       resident           occ.  kernel\n"
              "  sm_90  40 → 64  6x256 → 4x256    75 % → 50 %  a\n"
              "  sm_90  40 → 48  6x256 → 5x256  75 % → 62.5 %  b\n"
              "\n"
              "Better: 1\n"
              "  arch      regs       resident          occ.  kernel\n"
              "  sm_90  40 → 32  6x256 → 8x256  75 % → 100 %  c\n"
              "\n"
              "New: 1\n"
              "  arch   regs  spills  stack  shared  bar  resident  occ.   code  kernel\n"
              "  sm_90    40     0/0      0       0    1     6x256  75 %  1,000  new\n"
              "\n"
              "Gone: 1\n"
              "  arch   regs  spills  stack  shared  bar  resident  occ.   code  kernel\n"
              "  sm_90    40     0/0      0       0    1     6x256  75 %  1,000  gone\n");
}

TEST(diff_report, top_limits_each_part_and_says_so)
{
    const two_builds builds;
    const std::string page = page_of(builds.diff, 1);
    EXPECT_TRUE(has(page, "Worse: 2\n")) << page;
    EXPECT_FALSE(has(page, "40 → 48")) << page;
    EXPECT_TRUE(has(page, "  1 more: --top all\n")) << page;
}

TEST(diff_report, says_if_nothing_can_be_compared)
{
    const std::vector<inspected_kernel> before{known_kernel("a", 40, "sm_80")}, after{known_kernel("a")};
    EXPECT_TRUE(
        has(page_of(compare_kernels(before, after)), "No kernel is on both sides for the same architecture.\n"));
    EXPECT_FALSE(has(page_of(compare_kernels(after, after)), "No kernel"));
}

TEST(diff_report, json_and_csv_have_both_sides)
{
    const two_builds builds;
    std::ostringstream out, csv;
    const std::vector<inspected_input> inputs{{"old.so", "shared library", 5, {}, {}}};
    write_diff_json({inputs, inputs}, builds.diff, 1, out);
    const nlohmann::json json = nlohmann::json::parse(out.str());
    EXPECT_TRUE(out.str().starts_with("{\n  \"schema\": \"launchbox.diff/1\""));
    EXPECT_EQ(json["before"][0]["file"], "old.so");
    EXPECT_EQ(json["counts"]["worse"], 2);
    EXPECT_EQ(json["not_shown"], 1);
    ASSERT_EQ(json["changes"].size(), 2u);
    EXPECT_EQ(json["changes"][0]["verdict"], "worse");
    EXPECT_EQ(json["changes"][0]["decided_by"], "occupancy");
    EXPECT_EQ(json["changes"][0]["before"]["registers"], 40);
    EXPECT_EQ(json["changes"][0]["after"]["registers"], 64);
    EXPECT_EQ(json["changes"][0]["after"]["resident_blocks"], 4);
    EXPECT_EQ(json["appeared"][0]["figures"]["registers"], 40);
    EXPECT_EQ(json["vanished"][0]["short_name"], "gone");
    write_diff_csv(builds.diff, std::nullopt, csv);
    const std::string rows = csv.str();
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 6);
    EXPECT_TRUE(has(rows, "\r\nworse,occupancy,1,a,a(),sm_90,256,256,6,4,")) << rows;
    EXPECT_TRUE(has(rows, "\r\nnew,,1,new,new(),sm_90,,256,")) << rows;
}

}  // namespace
}  // namespace launchbox
