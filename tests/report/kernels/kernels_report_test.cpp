// `inspect` for few and for many kernels, with made-up values.
#include "report/kernels/kernels_report.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "../advice/known_kernels.hpp"
#include "report/kernels/kernel_cells.hpp"
#include "report/kernels/kernels_json.hpp"

namespace launchbox {
namespace {

inspection with(std::vector<inspected_kernel> kernels)
{
    inspection found;
    found.inputs = {{"lib.so", "shared library", kernels.size(), {}, {}}};
    found.kernels = std::move(kernels);
    return found;
}

std::string page_in_style(const inspection& found, const output_style& style)
{
    const document page = shown_as_list(found) ? kernel_list_document(found, count_findings(found.kernels), style)
                                               : kernel_tables_document(found, accounts_of(found.kernels));
    return render_text(page, style);
}

std::string page_of(const inspection& found, int width = 100)
{
    return page_in_style(found, {.width = width, .colour = false, .unicode = true});
}

std::string json_of(const inspection& found)
{
    std::ostringstream out;
    kernels_json_writer json(found, out);
    for (const inspected_kernel& kernel : found.kernels) json.add(kernel_json_text(kernel, account_of(kernel)));
    json.finish();
    return out.str();
}

std::string csv_of(const inspection& found)
{
    std::string text = kernels_csv_header();
    for (const inspected_kernel& kernel : found.kernels) text += kernel_csv_line(kernel, account_of(kernel));
    return text;
}

std::vector<inspected_kernel> many(int count)
{
    std::vector<inspected_kernel> kernels;
    for (int i = 0; i < count; ++i) kernels.push_back(known_kernel("kernel_" + std::to_string(i)));
    return kernels;
}

TEST(kernels_report, up_to_forty_kernels_have_a_table_each_and_more_are_one_list)
{
    const std::string few = page_of(with(many(40)));
    EXPECT_TRUE(has(few, "\nkernel_39\n  arch"));
    const std::string list = page_of(with(many(41)));
    EXPECT_EQ(list.find("arch"), list.rfind("arch"));
    EXPECT_TRUE(has(list, "kernel_40\n"));
    EXPECT_EQ(std::count(list.begin(), list.end(), '\n'), 42) << list;
    // Many rows of a single kernel do not count.
    std::vector<inspected_kernel> rows;
    for (int i = 0; i < 100; ++i) rows.push_back(known_kernel("k", 10 + i));
    EXPECT_TRUE(page_of(with(rows)).starts_with("k\n  arch"));
    inspection sorted = with(many(2));
    sorted.wish.sort = sort_key::registers;
    EXPECT_TRUE(page_of(sorted).starts_with("  arch"));
}

TEST(kernels_report, findings_of_a_source_are_below_its_kernels)
{
    inspection found = with(many(1));
    found.inputs.front().diagnoses = {
        {"launch_over_bound", severity::error, "k\x1b is launched", "fewer", source_location{"a\x1b.cu", 7}},
        {"maxrregcount_ignored", severity::warning, "does nothing", "remove it"}};
    const std::string page = page_of(found);
    EXPECT_TRUE(has(page,
                    "\n\n  launch_over_bound (a\\x1b.cu:7): k\\x1b is launched\n    → fewer\n"
                    "  maxrregcount_ignored: does nothing\n    → remove it\n"))
        << page;
    found.wish.sort = sort_key::registers;
    EXPECT_TRUE(has(page_of(found), "launch_over_bound (a"));
    const auto diagnoses = nlohmann::json::parse(json_of(found))["inputs"][0]["diagnoses"];
    ASSERT_EQ(diagnoses.size(), 2u);
    EXPECT_EQ(diagnoses[0]["line"], 7);
    EXPECT_EQ(diagnoses[0]["severity"], "error");
    EXPECT_TRUE(diagnoses[1]["line"].is_null() && diagnoses[1]["file"].is_null());
    EXPECT_FALSE(has(csv_of(found), "launch_over_bound"));
    EXPECT_FALSE(inputs_json(found.inputs)[0].contains("diagnoses"));  // like in summaries and differences
    found.kernels.clear();
    EXPECT_TRUE(page_of(found).starts_with("  launch_over_bound"));
}

TEST(kernels_report, each_row_of_the_list_is_one_line_for_any_name)
{
    std::vector<inspected_kernel> kernels = many(41);
    kernels[3].info.short_form = "cutlass::Kernel<" + std::string(2000, 'x') + "é\x1b[2J, last>";
    for (int width : {100, 120, 200}) {
        std::istringstream lines(page_of(with(kernels), width));
        int count = 0;
        for (std::string line; std::getline(lines, line); ++count) EXPECT_LE(display_width(line), width) << line;
        EXPECT_EQ(count, 42);
    }
    const std::string page = page_of(with(kernels), 120);
    EXPECT_TRUE(has(page, "cutlass::")) << page;
    EXPECT_TRUE(has(page, "…"));
    EXPECT_TRUE(has(page, ", last>"));
    EXPECT_FALSE(has(page, "\x1b"));
    const std::string json = json_of(with(kernels));
    EXPECT_TRUE(has(json, std::string(2000, 'x')));
    EXPECT_EQ(nlohmann::json::parse(json)["kernels"].size(), 41u);
    const std::string rows = csv_of(with(kernels));
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 42);
}

TEST(kernels_report, ptx_alone_is_not_called_missing)
{
    inspected_kernel ptx = known_kernel("k", 40, "compute_90");
    ptx.info.figures.registers = std::nullopt;
    ptx.info.figures.spill_store_bytes = ptx.info.figures.spill_load_bytes = ptx.info.figures.stack_frame_bytes =
        std::nullopt;
    ptx.info.figures.barriers = std::nullopt;
    ptx.info.figures.code_bytes = std::nullopt;
    ptx.residency = std::nullopt;
    const std::string page = page_of(with({ptx}), 160);
    EXPECT_TRUE(has(page, "–  PTX: registers are known only after it is compiled\n")) << page;
    EXPECT_FALSE(has(page, "?")) << page;
}

TEST(kernels_report, an_inferred_bound_is_marked_and_explained)
{
    inspected_kernel kernel = known_kernel("k");
    kernel.info.bounds.max_threads = {256, 1, 1};
    kernel.info.bounds.min_blocks = 3;
    EXPECT_TRUE(has(page_of(with({kernel})), "256,3"));
    EXPECT_FALSE(has(page_of(with({kernel})), "≈"));
    kernel.info.bounds.min_blocks_inferred = true;
    const std::string page = page_of(with({kernel}));
    EXPECT_TRUE(has(page, "256,≈3")) << page;
    EXPECT_TRUE(has(page, "≈: not in the input, inferred from the register cap")) << page;
    const output_style ascii{.width = 100, .colour = false, .unicode = false};
    EXPECT_TRUE(has(page_in_style(with({kernel}), ascii), "256,~3"));
}

TEST(kernels_report, equal_copies_in_several_containers_are_one_row_and_others_are_distinguished)
{
    inspected_kernel a = known_kernel("k"), b = a, c = a, relocatable = a;
    b.info.source.container = "fatbin at byte 900";
    c.info.source.container = "fatbin at byte 2000";
    c.info.figures.registers = 50;
    relocatable.info.relocatable = true;
    const std::string page = page_of(with({a, b, relocatable}), 160);
    EXPECT_TRUE(has(page, "sm_90×2 ")) << page;
    EXPECT_TRUE(has(page, "sm_90 -rdc")) << page;
    EXPECT_FALSE(has(page, "byte 900")) << page;
    const std::string other = page_of(with({a, c}));
    EXPECT_TRUE(has(other, "sm_90: fatbin at byte 64")) << other;
    EXPECT_TRUE(has(other, "sm_90: fatbin at byte 2000")) << other;
    b.info.figures.code_hash = 99;  // the same figures, but not the same code
    EXPECT_FALSE(has(page_of(with({a, b})), "×2"));
}

TEST(kernels_report, names_the_kind_of_each_input)
{
    inspection found;
    inspected_input library{"lib.so", "shared library", 0, {}, {}};
    for (const char* architecture : {"sm_80", "sm_90", "sm_80"})
        library.images.push_back({.kind = "cubin", .architecture = architecture});
    library.images.push_back({.kind = "PTX", .architecture = "compute_90"});
    found.inputs = {library};
    EXPECT_NE(page_of(found).find("lib.so: shared library; cubin sm_80, sm_90; PTX compute_90\n"), std::string::npos);
    library.images.push_back({.kind = "cubin", .architecture = "sm_80", .relocatable = true});
    found.inputs = {library, {"a.log", "compiler log", 1, {}, {}}};
    const std::string page = page_of(found, 200);
    EXPECT_NE(page.find("PTX compute_90; images before linking are not shown (--before-linking)"), std::string::npos);
    EXPECT_NE(page.find("a.log: compiler log\n"), std::string::npos);
    found.inputs = {{"a.log", "compiler log", 1, {}, {}}};
    EXPECT_EQ(page_of(found).find("a.log"), std::string::npos);
}

TEST(kernels_report, features_and_differing_toolkits_are_named)
{
    inspected_kernel a = known_kernel("k"), b = known_kernel("k", 40, "sm_120");
    EXPECT_FALSE(has(page_of(with({a, b})), "CUDA"));
    a.info.analysis.features.add(kernel_feature::setmaxnreg);
    a.info.analysis.features.add(kernel_feature::warp_synchronisation);
    b.info.toolkit_version = 128;
    const std::string page = page_of(with({a, b}));
    EXPECT_TRUE(has(page, "  uses setmaxnreg (sm_90)\n")) << page;
    EXPECT_TRUE(has(page, "  compiled by CUDA 13.0 (sm_90), 12.8 (sm_120)\n")) << page;
}

TEST(kernels_report, omissions_are_reported)
{
    inspection found = with(many(3));
    found.wish.spilling = true;
    found.wish.top = 3;
    found.selection = {.spills_unknown = 7, .not_shown = 1234};
    const std::string page = page_of(found);
    EXPECT_TRUE(has(page, "  1,234 more: --top all\n")) << page;
    EXPECT_TRUE(has(page, "  7 more may spill: the input does not contain their spills.\n")) << page;
    found.kernels.clear();
    EXPECT_TRUE(page_of(found).starts_with("No kernel is known to spill.\n"));
    const nlohmann::json selection = nlohmann::json::parse(json_of(found))["selection"];
    EXPECT_EQ(selection["spills_unknown"], 7);
    EXPECT_EQ(selection["not_shown"], 1234);
    EXPECT_EQ(selection["spilling"], true);
    EXPECT_TRUE(selection["sorted_by"].is_null());
}

TEST(kernels_report, the_list_counts_kernels_with_each_finding)
{
    std::vector<inspected_kernel> kernels = many(41);
    for (int i : {1, 5}) {
        kernels[static_cast<std::size_t>(i)].info.figures.spill_store_bytes = 8;
        kernels[static_cast<std::size_t>(i)].info.figures.spill_load_bytes = 8;
    }
    EXPECT_TRUE(has(page_of(with(kernels)), "findings: 2 spills; --kernel PATTERN")) << page_of(with(kernels));
}

TEST(kernels_report, partly_known_figures_are_marked)
{
    inspected_kernel kernel = known_kernel("k");
    kernel.info.figures.spill_store_bytes = kernel.info.figures.spill_load_bytes = std::nullopt;
    kernel.info.figures.spills_between = {.min_stores = 27669, .max_stores = 90000, .min_loads = 12, .max_loads = 30};
    kernel.info.figures.cumulative_stack_bytes = 304;
    EXPECT_EQ(spills_cell(kernel.info).text, "≥27,669/≥12");
    EXPECT_EQ(stack_text(kernel.info), "0/304");
    kernel.info.figures.spills_between->min_stores = kernel.info.figures.spills_between->min_loads = 0;
    EXPECT_EQ(spills_cell(kernel.info).text, "?");
    kernel.info.launches.uses_dynamic_shared = true;
    EXPECT_EQ(shared_text(kernel.info), "0+?");
    kernel.info.launches.dynamic_shared_bytes = 196608;
    EXPECT_EQ(shared_text(kernel.info), "0+196,608");
}

}  // namespace
}  // namespace launchbox
