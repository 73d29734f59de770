// launchbox bounds without a source: the registers that a launch bound allows on each chip.
#include <launchbox/launch_bounds.hpp>

#include "tool.hpp"

namespace launchbox {
namespace {

nlohmann::json limits(const std::vector<std::string>& options)
{
    std::vector<std::string> words{"bounds", "--format", "json"};
    words.insert(words.end(), options.begin(), options.end());
    const call result = launchbox_run(words);
    EXPECT_EQ(result.status, 0) << result.err;
    return result.json()["results"];
}

TEST(figure_bounds, each_chip_has_its_register_limit_for_the_bound)
{
    const nlohmann::json all = limits({"--arch", "all", "--threads", "128", "--min-blocks", "7"});
    ASSERT_EQ(all.size(), std::size(sm_limits_table));
    for (std::size_t i = 0; i < all.size(); ++i) {
        const sm_limits& chip = sm_limits_table[i];
        EXPECT_EQ(all[i]["max_min_blocks"], max_legal_min_blocks(chip, 128));
        ASSERT_EQ(all[i]["bounds"].size(), 1u);
        EXPECT_EQ(all[i]["bounds"][0]["register_limit"], register_cap(chip, 128, 7).value());
    }
    const call page = launchbox_run({"bounds", "--arch", "RTX 5090,sm_90", "--threads", "256", "--min-blocks", "7"});
    EXPECT_TRUE(page.shows("__launch_bounds__(256, 7): most registers per thread")) << page.out;
    EXPECT_TRUE(page.shows("ignores min_blocks: 7 × 8 = 56 warps")) << page.out;
    EXPECT_TRUE(page.shows("1 to 6")) << page.out;
    EXPECT_TRUE(page.shows("keeps it")) << page.out;
}

TEST(figure_bounds, without_min_blocks_all_legal_values_are_listed)
{
    for (const char* threads : {"32", "65", "256", "1024"}) {
        const nlohmann::json found = limits({"--arch", "sm_90", "--threads", threads})[0];
        const int legal = max_legal_min_blocks(sm_90, std::stoi(threads));
        ASSERT_EQ(found["bounds"].size(), static_cast<std::size_t>(legal));
        for (int blocks = 1; blocks <= legal; ++blocks) {
            const nlohmann::json& bound = found["bounds"][static_cast<std::size_t>(blocks - 1)];
            EXPECT_EQ(bound["min_blocks"], blocks);
            EXPECT_EQ(bound["register_limit"], register_cap(sm_90, std::stoi(threads), blocks).value());
        }
    }
    const call page = launchbox_run({"bounds", "--arch", "sm_90,sm_80,sm_120", "--threads", "128"});
    EXPECT_TRUE(page.shows("__launch_bounds__(128, min_blocks) on sm_90, sm_80: ")) << page.out;
    EXPECT_TRUE(page.shows("11 to 12         40       75 %")) << page.out;
    EXPECT_TRUE(page.shows("ptxas ignores a min_blocks above 12")) << page.out;
}

TEST(figure_bounds, several_sizes_and_counts_are_all_answered)
{
    const nlohmann::json all = limits({"--arch", "H100,sm_75", "--threads", "512,64", "--min-blocks", "2,1,1000000"});
    ASSERT_EQ(all.size(), 4u);
    EXPECT_EQ(all[0]["gpu"], "H100");
    EXPECT_EQ(all[0]["threads"], 64);
    for (const nlohmann::json& chip : all) {
        ASSERT_EQ(chip["bounds"].size(), 3u);
        EXPECT_EQ(chip["bounds"][2]["verdict"], "too_many_blocks");
        EXPECT_TRUE(chip["bounds"][2]["register_limit"].is_null());
    }
    const call csv = launchbox_run(
        {"bounds", "--arch", "H100,sm_75", "--threads", "512,64", "--min-blocks", "2,1", "--format", "csv"});
    EXPECT_EQ(lines_of(csv.out).size(), 9u);
    EXPECT_EQ(launchbox_run({"bounds", "--arch", "all", "--threads", "65", "--format", "markdown"}).status, 0);
}

TEST(figure_bounds, options_that_need_a_source_say_so)
{
    expect_refused(launchbox_run({"bounds"}), "bounds needs a source or --threads");
    expect_refused(launchbox_run({"bounds", "--arch", "sm_90"}), "bounds needs a source or --threads");
    for (const std::vector<std::string>& words : {std::vector<std::string>{"--kernel", "k"},
                                                  {"--apply"},
                                                  {"--revert"},
                                                  {"--measure", "./x"},
                                                  {"--nvcc", "13.0"},
                                                  {"--dynamic-shared", "48K"},
                                                  {"-j", "2"},
                                                  {"--no-cache"}}) {
        std::vector<std::string> line{"bounds", "--arch", "sm_90", "--threads", "128"};
        line.insert(line.end(), words.begin(), words.end());
        expect_refused(launchbox_run(line), "needs a source");
    }
    expect_refused(launchbox_run({"bounds", "--arch", "sm_90", "--threads", "128", "--", "-O3"}), "need a source");
    expect_refused(launchbox_run({"bounds", "k.cu", "--arch", "sm_90", "--min-blocks", "4"}), "leave out --min-blocks");
    for (const char* number : {"0", "-1", "1000001", "x", "2,", ",", "2.5"})
        expect_refused(
            launchbox_run({"bounds", "--arch", "sm_90", "--threads", "128", std::string("--min-blocks=") + number}),
            "--min-blocks");
    expect_refused(launchbox_run({"bounds", "--arch", "sm_90", "--threads", "1025"}), "is not a block size");
    expect_refused(launchbox_run({"bounds", "--arch", "sm_91", "--threads", "128"}), "unknown architecture");
}

}  // namespace
}  // namespace launchbox
