// launchbox occupancy: the figures of known launches in every format.
#include <launchbox/sm_limits.hpp>

#include "tool.hpp"

namespace launchbox {
namespace {

const std::vector<std::string> known_launch{"occupancy",   "--arch", "sm_90",    "--threads", "256",
                                            "--registers", "63",     "--shared", "11264"};

std::vector<std::string> with(std::vector<std::string> words, const std::vector<std::string>& more)
{
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

// The blocks of one launch on one architecture.
nlohmann::json result_of(const std::vector<std::string>& options)
{
    const call result = launchbox_run(with({"occupancy", "--format", "json"}, options));
    EXPECT_EQ(result.status, 0) << result.err;
    return result.json()["results"][0];
}

TEST(occupancy_verb, prints_the_whole_account)
{
    const call result = launchbox_run(known_launch);
    EXPECT_EQ(result.status, 0);
    EXPECT_EQ(result.err, "");
    EXPECT_TRUE(
        result.out.starts_with("sm_90 (compute capability 9.0): 256 threads, 63 registers, 11,264 B shared\n"
                               "  4 blocks per SM = 32 of 64 warps: occupancy 50 %, limited by registers\n"
                               "  next step: −15 registers → 5 blocks (62.5 %)\n"))
        << result.out;
    for (const char* words :
         {"63 × 32 = 2,016, rounded up to 2,048 a warp", "≤ 192", "≤ 48", "≤ 45,568", "≤ 57,344", "−15 needed, 1 free"})
        EXPECT_TRUE(result.shows(words)) << words;
}

TEST(occupancy_verb, json_has_the_same_figures)
{
    const call result = launchbox_run(with(known_launch, {"--format", "json"}));
    EXPECT_EQ(result.status, 0);
    EXPECT_TRUE(result.out.starts_with("{\n  \"schema\": \"launchbox.occupancy/1\"")) << result.out.substr(0, 60);
    const nlohmann::json account = result.json()["results"][0];
    EXPECT_EQ(account["architecture"], "sm_90");
    EXPECT_EQ(account["resident_blocks"], 4);
    EXPECT_EQ(account["resident_warps"], 32);
    EXPECT_EQ(account["warp_slots"], 64);
    EXPECT_EQ(account["occupancy"], 0.5);
    EXPECT_EQ(account["limiters"], nlohmann::json::array({"registers"}));
    EXPECT_EQ(account["limits"]["warps"]["blocks"], 8);
    EXPECT_EQ(account["limits"]["blocks"]["blocks"], 32);
    EXPECT_EQ(account["limits"]["registers"]["blocks"], 4);
    EXPECT_EQ(account["limits"]["shared"]["blocks"], 19);
    EXPECT_TRUE(account["limits"]["barriers"]["blocks"].is_null());
    EXPECT_EQ(account["next_step"]["resident_blocks"], 5);
    EXPECT_EQ(account["next_step"]["occupancy"], 0.625);
    EXPECT_EQ(account["next_step"]["changes"],
              nlohmann::json::parse(R"([{"resource":"registers","from":63,"to":48}])"));
    EXPECT_EQ(account["thresholds"][1],
              nlohmann::json::parse(R"({"resource":"registers","now":63,"at_most":48,"blocks":5,"satisfied":false})"));
    EXPECT_EQ(account["slack"][2]["at_most"], 57344);
    EXPECT_FALSE(account.contains("curves"));
    const nlohmann::json curves =
        launchbox_run(with(known_launch, {"--format", "json", "--curves"})).json()["results"][0]["curves"];
    EXPECT_EQ(curves["registers"].size(), 255u);
    EXPECT_EQ(curves["registers"][62], nlohmann::json::array({63, 32}));
}

// Static shared memory does not reduce what a block can have in total.
TEST(occupancy_verb, curves_reach_the_maximum_of_a_block)
{
    for (const auto& [architecture, end] :
         {std::pair{"sm_35", 49152}, {"sm_50", 49152}, {"sm_61", 49152}, {"sm_75", 65536}, {"sm_90", 232448}}) {
        const std::vector<std::string> launch{"--arch", architecture, "-t", "256", "-r", "32", "-s", "8192"};
        const nlohmann::json points = result_of(with(launch, {"--curves"}))["curves"]["shared"];
        EXPECT_EQ(points.back()[0], end) << architecture;
        for (const std::size_t i : {std::size_t{16}, points.size() - 16, points.size() - 1}) {
            const auto more = points[i][0].get<std::int64_t>() - 8192;
            EXPECT_EQ(points[i][1], result_of(with(launch, {"-d", std::to_string(more)}))["resident_warps"])
                << architecture << ' ' << points[i];
            EXPECT_GE(points[i][1], 8) << architecture << ' ' << points[i];
        }
    }
}

TEST(occupancy_verb, an_expression_is_evaluated_for_every_block_size)
{
    const std::vector<std::string> launch{"--arch", "sm_90", "-t", "128", "-r", "32", "-d", "512*threads"};
    const nlohmann::json account = result_of(with(launch, {"--curves"}));
    for (const nlohmann::json& point : account["curves"]["threads"]) {
        const std::string threads = std::to_string(point[0].get<int>());
        EXPECT_EQ(point[1],
                  result_of({"--arch", "sm_90", "-t", threads, "-r", "32", "-d", "512*" + threads})["resident_warps"])
            << threads;
    }
    // Half the block size has half the shared memory.
    const nlohmann::json& step = account["next_step"];
    ASSERT_FALSE(step.is_null());
    for (const nlohmann::json& change : step["changes"])
        if (change["resource"] == "threads") {
            const std::string threads = std::to_string(change["to"].get<int>());
            EXPECT_EQ(step["resident_blocks"], result_of({"--arch", "sm_90", "-t", threads, "-r", "32", "-d",
                                                          "512*" + threads})["resident_blocks"]);
        }
    // If the expression has no valid size, there is no point.
    const nlohmann::json some =
        result_of({"--arch", "sm_90", "-t", "96", "-d", "threads/3*4", "--curves"})["curves"]["threads"];
    EXPECT_EQ(some.size(), 10u);
    EXPECT_EQ(some[0][0], 96);
}

TEST(occupancy_verb, csv_and_markdown_have_the_same_figures)
{
    const std::vector<std::string> csv = lines_of(launchbox_run(with(known_launch, {"--format", "csv"})).out);
    ASSERT_EQ(csv.size(), 2u);
    EXPECT_EQ(csv[1],
              "sm_90,,driver,256,63,11264,0,,4,32,64,0.5,8,32,4,19,,registers,−15 registers → 5 blocks,,false\r");
    const call markdown = launchbox_run(with(known_launch, {"--format", "markdown"}));
    EXPECT_TRUE(markdown.shows("| registers | 4 | ◀ | 63 × 32 = 2,016"));
    EXPECT_TRUE(markdown.shows("| --- | --: |"));
}

// The published example of NVIDIA's spreadsheet, and measured ones.
TEST(occupancy_verb, known_launches)
{
    struct row {
        const char *architecture, *threads, *registers, *shared;
        int blocks;
    };
    for (const auto& [architecture, threads, registers, shared, blocks] :
         {row{"sm_20", "128", "63", "11264", 4}, row{"sm_35", "128", "80", "11264", 4},
          row{"2.0", "128", "48", "6144", 5}, row{"sm_35", "128", "48", "6144", 8},
          row{"sm_20", "128", "36", "6144", 7}, row{"sm_90a", "256", "32", "0", 8}, row{"90", "288", "224", "0", 0},
          row{"sm_90", "256", "224", "0", 1}, row{"compute_120", "256", "32", "0", 6}})
        EXPECT_EQ(result_of({"--arch", architecture, "--threads", threads, "--registers", registers, "--shared",
                             shared})["resident_blocks"],
                  blocks)
            << architecture << ' ' << registers;
    EXPECT_EQ(result_of({"--arch", "sm_120", "-t", "128", "-r", "32", "-b", "16"})["resident_blocks"], 1);
    EXPECT_EQ(result_of({"--arch", "sm_90", "-t", "256", "-d", "100*1024"})["resident_blocks"], 2);
    EXPECT_EQ(result_of({"--arch", "sm_90", "-t", "256", "-d", "4*threads"})["shape"]["dynamic_shared_bytes"], 1024);
    EXPECT_EQ(result_of({"--arch", "sm_90", "-t", "256", "-d", "100*1024", "--max-dynamic-shared",
                         "default"})["resident_blocks"],
              0);
    EXPECT_EQ(
        result_of({"--arch", "sm_90", "-t", "256", "-d", "100*1024", "--max-dynamic-shared", "max"})["resident_blocks"],
        2);
    EXPECT_EQ(result_of({"--arch", "sm_90", "-t", "512", "--max-threads", "256"})["resident_blocks"], 0);
    EXPECT_EQ(result_of({"--arch", "sm_37", "-t", "64", "-r", "129", "--mode", "spreadsheet"})["resident_blocks"], 12);
    EXPECT_EQ(result_of({"--arch", "sm_37", "-t", "64", "-r", "129"})["resident_blocks"], 14);
}

TEST(occupancy_verb, an_impossible_launch_is_explained_and_is_no_error)
{
    const call result = launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "288", "--registers", "224"});
    EXPECT_EQ(result.status, 0);
    EXPECT_TRUE(
        result.shows("cannot be launched: its 64,512 registers fit, but the launch check counts 9 warps as 12"));
    EXPECT_TRUE(result.shows("next step: −56 registers → 1 block"));
    const call huge = launchbox_run({"occupancy", "--arch", "all", "--threads", "1000000", "--registers", "255",
                                     "--barriers", "1000000", "--shared", "1M", "--dynamic-shared", "2^30"});
    EXPECT_EQ(huge.status, 0);
    EXPECT_FALSE(huge.shows(": -"));
}

TEST(occupancy_verb, waves_and_clusters)
{
    const nlohmann::json account =
        result_of({"--arch", "sm_90", "-t", "256", "-r", "63", "--grid", "1000", "--sms", "132", "--cluster", "4"});
    EXPECT_EQ(account["waves"]["blocks_per_wave"], 528);
    EXPECT_EQ(account["waves"]["full_waves"], 1);
    EXPECT_EQ(account["waves"]["tail_blocks"], 472);
    EXPECT_EQ(account["clusters"]["settled_by"], "cudaOccupancyMaxActiveClusters");
    EXPECT_LE(account["clusters"]["low"], account["clusters"]["estimate"]);
    EXPECT_LE(account["clusters"]["estimate"], account["clusters"]["high"]);
    // As measured on an H200: 124 clusters of 4 with 4 blocks per SM.
    EXPECT_EQ(result_of({"--arch", "sm_90", "-t", "256", "-r", "63", "--cluster", "4", "--gpcs",
                         "18,18,16,16,16,16,16,8,2,2,2,2"})["clusters"]["estimate"],
              124);
    const call text =
        launchbox_run({"occupancy", "--arch", "sm_90", "-t", "256", "-r", "63", "--grid", "1000", "--sms", "132"});
    EXPECT_TRUE(text.shows("grid of 1,000 blocks on 132 SMs: 1.89 waves of 528; the tail has 472 blocks; 94.7 %"));
}

TEST(occupancy_verb, clusters_have_the_maximum_of_the_chip)
{
    const auto with_cluster = [](const char* architecture, const char* blocks) {
        return result_of({"--arch", architecture, "-t", "256", "-r", "32", "--cluster", blocks, "--sms", "20"});
    };
    const auto has_note = [](const nlohmann::json& account, const char* words) {
        return account["notes"].dump().find(words) != std::string::npos;
    };
    const char* attribute = "cudaFuncAttributeNonPortableClusterSizeAllowed";
    for (const char* architecture : {"sm_90", "sm_100", "sm_103", "sm_120", "sm_121"}) {
        EXPECT_TRUE(has_note(with_cluster(architecture, "16"), attribute)) << architecture;
        EXPECT_FALSE(has_note(with_cluster(architecture, "8"), attribute)) << architecture;
        EXPECT_TRUE(with_cluster(architecture, "16")["obstacle"].is_null()) << architecture;
    }
    EXPECT_TRUE(has_note(with_cluster("sm_120", "16"), "not published"));
    for (const char* architecture : {"sm_101", "sm_110"}) {
        const nlohmann::json account = with_cluster(architecture, "16");
        EXPECT_NE(account["obstacle"].get<std::string>().find("has at most 8"), std::string::npos);
        EXPECT_EQ(account["resident_blocks"], 0);
        EXPECT_TRUE(account["clusters"].is_null());
        EXPECT_TRUE(with_cluster(architecture, "8")["obstacle"].is_null());
    }
    EXPECT_NE(with_cluster("sm_90", "17")["obstacle"].get<std::string>().find("has at most 16"), std::string::npos);
    EXPECT_NE(with_cluster("sm_80", "2")["obstacle"].get<std::string>().find("has no clusters"), std::string::npos);
    // An impossible launch is reported without the number of SMs.
    const call told = launchbox_run({"occupancy", "--arch", "sm_110", "--threads", "256", "--cluster", "9"});
    EXPECT_EQ(told.status, 0) << told.err;
    EXPECT_TRUE(told.shows("cannot be launched: a cluster of 9 blocks"));
}

TEST(occupancy_verb, several_architectures_are_listed_once_in_the_given_order)
{
    const nlohmann::json results =
        launchbox_run({"occupancy", "--arch", "sm_90,8.0,sm_90,90a", "-t", "64", "--format", "json"}).json()["results"];
    ASSERT_EQ(results.size(), 3u);
    EXPECT_EQ(results[0]["architecture"], "sm_90");
    EXPECT_EQ(results[1]["architecture"], "sm_80");
    EXPECT_EQ(results[2]["architecture"], "sm_90a");
    EXPECT_EQ(launchbox_run({"occupancy", "--arch", "all", "-t", "64", "--format", "json"}).json()["results"].size(),
              sm_limits_table.size());
}

TEST(occupancy_verb, takes_kernels_from_a_log)
{
    const std::string log = repository_file("tests/data/logs/basic_sm_90.log");
    const call result = launchbox_run({"occupancy", log, "--threads", "128", "--format", "json"});
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_GE(result.json()["results"].size(), 3u);
    // Without threads nothing can be calculated, which is reported for each kernel.
    const call bare = launchbox_run({"occupancy", log});
    EXPECT_EQ(bare.status, 2);
    EXPECT_EQ(bare.out, "");
    EXPECT_TRUE(bare.says("has no launch bound: add --threads 256"));
}

// The five rules of thumb for the given block size.
TEST(occupancy_verb, checks_the_rules_of_thumb)
{
    const std::vector<std::string> words{"occupancy", "--arch", "sm_90", "--threads", "250", "--registers", "40"};
    const auto with = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = words;
        all.insert(all.end(), more.begin(), more.end());
        return launchbox_run(all);
    };
    const call page = with({"--rules"});
    EXPECT_TRUE(page.shows("rules of thumb, for this launch:")) << page.out;
    EXPECT_TRUE(
        page.shows("broken whole warps: a multiple of the warp size (6 idle lanes in each block), which costs"));
    EXPECT_TRUE(page.shows("kept   enough threads: ")) << page.out;
    EXPECT_FALSE(with({}).shows("rules of thumb"));
    const nlohmann::json rules = with({"--rules", "--format", "json"}).json()["results"][0]["rules"];
    ASSERT_EQ(rules.size(), 5u);
    EXPECT_EQ(rules[0]["kept"], false);
    EXPECT_EQ(rules[3]["costs"], true);
    EXPECT_FALSE(with({"--format", "json"}).json()["results"][0].contains("rules"));
    EXPECT_TRUE(with({"--rules", "--format", "csv"}).shows("warp_multiple divides_sm registers_share"));

    const call unknown =
        launchbox_run({"occupancy", "--arch", "sm_90", "--threads", "256", "--rules", "--format", "json"});
    EXPECT_TRUE(unknown.json()["results"][0]["rules"][3]["kept"].is_null()) << "registers are not known";
    EXPECT_EQ(unknown.json()["results"][0]["rules"][4]["kept"], true);
    EXPECT_EQ(launchbox_run({"occupancy", log_90, "--rules", "--threads", "96", "--format", "json"})
                  .json()["results"][0]["rules"]
                  .size(),
              5u);
}

}  // namespace
}  // namespace launchbox
