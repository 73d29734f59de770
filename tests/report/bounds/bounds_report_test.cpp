#include "report/bounds/bounds_report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "trial_kernels.hpp"

namespace launchbox {
namespace {

launch_attribute bound(int threads, int blocks = 0)
{
    return {.threads = threads, .min_blocks = blocks};
}

bounds_answer merge_on(const std::string& architecture, const launch_attribute& written = bound(256, 1))
{
    return answer_bounds(trials_of(architecture, written, {256},
                                   {{{}, {80, 0, 4000}},
                                    {bound(256), {80, 0, 4000}},
                                    {bound(256, 1), {188, 0, 4008}},
                                    {bound(256, 2), {116, 0, 4000}},
                                    {bound(256, 4), {64, 30, 5000}},
                                    {{.max_registers = 64}, {64, 40, 5200}}}));
}

std::string page_of(bounds_report report, int width)
{
    report.overview = overview_of(report.answers);
    const output_style style{.width = width};
    return render_text(bounds_document(report, style), style);
}

int widest(const std::string& text)
{
    std::istringstream lines(text);
    int most = 0;
    for (std::string line; std::getline(lines, line);) most = std::max(most, display_width(line));
    return most;
}

TEST(BoundsReport, OneKernel)
{
    EXPECT_EQ(page_of({.inputs = {}, .answers = {merge_on("sm_100")}}, 100),
              R"(merge, sm_100: __launch_bounds__(256, 1)
 256 threads per block
         bound           regs  spills   code  blocks  occup.  limited by
  write  (256)+1      *    80     0/0  4,000       3  37.5 %  registers
  now    (256,1)          188     0/0  4,008       1  12.5 %  registers
         (256,2)          116     0/0  4,000       2    25 %  registers
         (256,4)      *    64   30/30  5,000       4    50 %  registers
         maxnreg(64)       64   40/40  5,200       4    50 %  registers
  the same code as (256): none
  most registers for n blocks: 1: 255, 2: 128, 3: 80, 4: 64, 5: 48, 6: 40, 8: 32; warps allow no
    more
  write __launch_bounds__(256): 3 instead of 1 block
  the bound in the source costs blocks: __launch_bounds__(256, 1) raises registers from 80 to 188
    and loses 2 of 3 resident blocks
  a real trade-off against __launch_bounds__(256, 4) (4 blocks, 60 B of spills): more warps are not
    always faster, use --measure

  *: no other row is better in warps, spills and code together
)");
}

TEST(BoundsReport, SeveralArchitecturesEndInOneAttribute)
{
    const std::string page = page_of({.inputs = {}, .answers = {merge_on("sm_90", {}), merge_on("sm_75", {})}}, 100);
    EXPECT_NE(page.find("merge, sm_90, sm_75 together, 256 threads: no attribute"), std::string::npos) << page;

    bounds_answer other =
        answer_bounds(trials_of("sm_120", {}, {256}, {{{}, {80, 0, 100}}, {bound(256, 4), {64, 0, 100}}}));
    const std::string differing = page_of({.inputs = {}, .answers = {merge_on("sm_90", {}), other}}, 80);
    EXPECT_NE(differing.find("    #if __CUDA_ARCH__ >= 1200\n    #define MERGE_BOUNDS __launch_bounds__(256, 4)\n"),
              std::string::npos)
        << differing;
    EXPECT_NE(differing.find("    // sm<120, row{.threads = 256, .min_blocks = 4}>\n"), std::string::npos);
}

TEST(BoundsReport, ManyAnswersBeginWithASummary)
{
    bounds_report report{.inputs = {}, .answers = {}};
    for (const char* architecture : {"sm_75", "sm_90", "sm_100", "sm_120"})
        report.answers.push_back(merge_on(architecture));
    bounds_answer unknown = merge_on("sm_90");
    unknown.name = unknown.short_form = "long_" + std::string(200, 'x') + "<int>";
    unknown.not_swept = "it is compiled \x1b[31mwith -dlto";
    unknown.block_sizes.clear();
    unknown.best.reset();
    report.answers.push_back(unknown);
    const std::string page = page_of(report, 100);
    EXPECT_TRUE(
        page.starts_with("5 kernels × architectures\n"
                         "  kernel                          arch    now      write  threads  gain\n"
                         "  merge                           sm_75   (256,1)  (256)      256  3 instead of 1 "
                         "block\n"))
        << page;
    EXPECT_EQ(page.find("maxnreg(64)       64"), std::string::npos) << "beaten rows are left out";
    EXPECT_NE(page.find("not known: it is compiled \\x1b[31mwith -dlto"), std::string::npos) << page;
    EXPECT_EQ(page.find('\x1b'), std::string::npos);
}

TEST(BoundsReport, FitsThePage)
{
    bounds_report report{.inputs = {}, .answers = {}};
    for (const char* architecture : {"sm_75", "sm_90", "sm_100"}) {
        report.answers.push_back(merge_on(architecture));
        report.answers.back().short_form = "cub::detail::merge<policy, float const *, long>";
    }
    for (const int width : {80, 100}) EXPECT_LE(widest(page_of(report, width)), width) << page_of(report, width);
    bounds_answer& timed = report.answers.front();
    for (bounds_row& row : timed.block_sizes[0].rows)
        row.measured = bounds_measurement{.time = {.count = 9, .median = 123456.7, .low = 123000, .high = 124000}};
    timed.block_sizes[0].rows.back().measured->failure = "exit status 1";
    conclude(timed);
    report.answers.push_back(merge_on("sm_120"));
    for (const int width : {80, 100}) EXPECT_LE(widest(page_of(report, width)), width) << page_of(report, width);
    EXPECT_NE(page_of(report, 80).find("123.5 us ±0.4 %"), std::string::npos);
    EXPECT_NE(page_of(report, 80).find("failed"), std::string::npos);
    EXPECT_NE(page_of(report, 80).find("no measurable difference"), std::string::npos);
}

TEST(BoundsReport, ADroppedBoundIsNotKept)
{
    const bounds_answer answer = answer_bounds(
        trials_of("sm_90", bound(1024, 4), {1024}, {{{}, {70}}, {bound(1024), {32}}, {bound(1024, 4), {32}}}));
    const std::string page = page_of({.inputs = {}, .answers = {answer}}, 100);
    EXPECT_NE(page.find("  write  (1024)+1  *"), std::string::npos) << page;
    EXPECT_EQ(page.find("keep"), std::string::npos) << page;
    EXPECT_NE(page.find("the same code as (1024): (1024,4)"), std::string::npos) << page;
}

TEST(BoundsReport, UnlaunchableKernels)
{
    const bounds_answer answer = answer_bounds(trials_of("sm_90", {}, {1024}, {{{}, {128, 0, 1000}}}));
    const std::string page = page_of({.inputs = {}, .answers = {answer}}, 100);
    EXPECT_NE(page.find("–       –  not launchable: "), std::string::npos) << page;
    EXPECT_NE(page.find("1024 threads cannot be launched with any bound that was tried"), std::string::npos) << page;
}

TEST(BoundsReport, JsonHasTheSameContent)
{
    bounds_answer answer = merge_on("sm_100");
    answer.block_sizes[0].rows[0].measured =
        bounds_measurement{.time = {.count = 9, .median = 1000, .low = 900, .high = 1100}};
    answer.block_sizes[0].rows[1].measured = bounds_measurement{.failure = "exit status 1"};
    answer.block_sizes[0].rows[3].kernel.figures.spill_load_bytes = 31;
    answer.errors = {"__launch_bounds__(256, 3): error"};
    conclude(answer);
    bounds_report report{.inputs = {{.file = "a.cu", .kind = "CUDA source", .kernels = 1, .errors = {}, .images = {}}},
                         .answers = {answer, merge_on("sm_120")}};
    report.overview = overview_of(report.answers);
    const auto json = bounds_json(report);
    EXPECT_EQ(json.begin().key(), "schema");
    EXPECT_EQ(json["schema"], "launchbox.bounds/1");
    ASSERT_EQ(json["kernels"].size(), 2u);
    const auto& kernel = json["kernels"][0];
    EXPECT_EQ(kernel["written"], "__launch_bounds__(256, 1)");
    EXPECT_EQ(kernel["threads"], nlohmann::ordered_json::array({256}));
    ASSERT_EQ(kernel["rows"].size(), 5u);
    const auto& first = kernel["rows"][0];
    EXPECT_EQ(first["attribute"], "");
    EXPECT_EQ(first["also"], nlohmann::ordered_json::array({"__launch_bounds__(256)"}));
    EXPECT_EQ(first["resident_blocks"], 3);
    EXPECT_EQ(first["occupancy"], 0.375);
    EXPECT_EQ(first["limiters"], nlohmann::ordered_json::array({"registers"}));
    EXPECT_EQ(first["pareto"], true);
    EXPECT_EQ(first["time_ns"]["high"], 1100.0);
    EXPECT_TRUE(first["failure"].is_null());
    EXPECT_EQ(kernel["rows"][1]["failure"], "exit status 1");
    EXPECT_TRUE(kernel["rows"][1]["time_ns"].is_null());
    EXPECT_EQ(kernel["rows"][1]["as_written"], true);
    EXPECT_EQ(kernel["rows"][3]["spill_store_bytes"], 30);
    EXPECT_EQ(kernel["rows"][3]["spill_load_bytes"], 31);
    EXPECT_EQ(json["conflicts"], nlohmann::ordered_json::array());
    EXPECT_EQ(kernel["thresholds"].size(), 8u);
    EXPECT_EQ(kernel["thresholds"][1]["registers"], 128);
    EXPECT_EQ(kernel["recommendation"]["attribute"], "__launch_bounds__(256)");
    EXPECT_EQ(kernel["recommendation"]["verdict"], "write");
    EXPECT_EQ(kernel["errors"], nlohmann::ordered_json::array({"__launch_bounds__(256, 3): error"}));
    EXPECT_TRUE(kernel["not_swept"].is_null());
    EXPECT_EQ(kernel["portable"]["attribute"], "__launch_bounds__(256)");

    const table rows = bounds_table(report);
    ASSERT_EQ(rows.rows.size(), 10u);
    for (const auto& row : rows.rows) EXPECT_EQ(row.size(), rows.columns.size());
    const auto field = [&](std::size_t row, const std::string& title) {
        for (std::size_t i = 0; i < rows.columns.size(); ++i)
            if (rows.columns[i].title == title) return rows.rows[row][i].text;
        return std::string("no such column");
    };
    EXPECT_EQ(field(1, "attribute"), "__launch_bounds__(256, 1)");
    EXPECT_EQ(field(0, "also"), "__launch_bounds__(256)");
    EXPECT_EQ(field(3, "spill_store_bytes"), "30");
    EXPECT_EQ(field(3, "spill_load_bytes"), "31");
    EXPECT_EQ(field(0, "time_median_ns"), "1000");
    EXPECT_EQ(field(1, "time_median_ns"), "");
    EXPECT_EQ(field(1, "failure"), "exit status 1");
    EXPECT_EQ(field(0, "recommended"), "true");
}

TEST(BoundsReport, UnknownIsNull)
{
    kernel_trials trials = trials_of("sm_90", {}, {256}, {{{}, {}}});
    for (kernel_info* kernel : {&trials.written, &trials.trials[0].kernel}) {
        kernel->figures.registers.reset();
        kernel->figures.spill_load_bytes.reset();
        kernel->figures.code_bytes.reset();
    }
    bounds_report report{.inputs = {}, .answers = {answer_bounds(trials)}};
    report.overview = overview_of(report.answers);
    const auto json = bounds_json(report);
    const auto& row = json["kernels"][0]["rows"][0];
    for (const char* name : {"registers", "spill_load_bytes", "code_bytes", "resident_blocks", "occupancy"})
        EXPECT_TRUE(row[name].is_null()) << name;
    EXPECT_TRUE(json["kernels"][0]["recommendation"].is_null());
    EXPECT_EQ(json["kernels"][0]["recommendations"][0]["verdict"], "unknown");
    EXPECT_TRUE(json["kernels"][0]["recommendations"][0]["attribute"].is_null());
    EXPECT_NE(page_of(report, 100).find('?'), std::string::npos);
}

}  // namespace
}  // namespace launchbox
