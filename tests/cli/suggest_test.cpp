// launchbox suggest and launchbox devices.
#include <launchbox/sm_limits.hpp>

#include "tool.hpp"

namespace launchbox {
namespace {

nlohmann::json suggested(const std::vector<std::string>& options)
{
    std::vector<std::string> words{"suggest", "--format", "json"};
    words.insert(words.end(), options.begin(), options.end());
    const call result = launchbox_run(words);
    EXPECT_EQ(result.status, 0) << result.err;
    EXPECT_EQ(result.json()["schema"], "launchbox.suggestions/2");
    return result.json()["results"][0];
}

// Compares with cudaOccupancyMaxPotentialBlockSize.
TEST(suggest_verb, agrees_with_the_runtime)
{
    struct row {
        const char *architecture, *registers;
        int threads;
    };
    for (const auto& [architecture, registers, threads] :
         {row{"sm_90", "32", 1024}, row{"sm_90", "40", 768}, row{"sm_90", "100", 512}, row{"sm_90", "168", 384},
          row{"sm_90", "255", 256}, row{"sm_120", "32", 768}})
        EXPECT_EQ(suggested({"--arch", architecture, "--registers", registers, "--ties", "largest"})["threads"],
                  threads)
            << registers;
}

TEST(suggest_verb, only_suggests_sizes_with_possible_clusters)
{
    const nlohmann::json sixteen = suggested({"--arch", "sm_90", "--registers", "32", "--cluster", "16"});
    EXPECT_EQ(sixteen["threads"], 256);
    EXPECT_EQ(sixteen["cluster_blocks"], 16);
    ASSERT_EQ(sixteen["notes"].size(), 2u);
    EXPECT_NE(sixteen["notes"][0].get<std::string>().find("cudaFuncAttributeNonPortableClusterSizeAllowed"),
              std::string::npos);
    const nlohmann::json thor = suggested({"--arch", "sm_110", "--registers", "32", "--cluster", "16"});
    EXPECT_TRUE(thor["threads"].is_null());
    EXPECT_EQ(thor["obstacle"], "a cluster of 16 blocks: compute capability 11.0 has at most 8");
    const call told = launchbox_run({"suggest", "--arch", "sm_110", "--registers", "32", "--cluster", "16"});
    EXPECT_TRUE(told.shows("no block size can be launched: a cluster of 16 blocks")) << told.out;
}

TEST(suggest_verb, takes_the_clusters_of_a_kernel_from_the_compiler)
{
    NEEDS_NVCC();
    const temporary_directory folder;
    const std::string kernel = folder.path() / "cluster.cu";
    write_file_atomically(kernel, "__global__ void __cluster_dims__(16) k(int* p) { *p = 1; }\n");
    EXPECT_EQ(suggested({kernel, "--arch", "sm_90"})["cluster_blocks"], 16);
    EXPECT_TRUE(suggested({kernel, "--arch", "sm_110"})["threads"].is_null());
}

TEST(suggest_verb, lists_runners_up_and_rules)
{
    const nlohmann::json advice = suggested({"--arch", "sm_90", "--registers", "40", "--dynamic-shared", "4*threads"});
    EXPECT_EQ(advice["threads"], 256);
    EXPECT_EQ(advice["dynamic_shared"], "4*threads");
    ASSERT_EQ(advice["candidates"].size(), 6u);
    std::vector<int> order;
    for (const nlohmann::json& candidate : advice["candidates"]) order.push_back(candidate["threads"]);
    EXPECT_EQ(order, (std::vector{256, 128, 192, 96, 384, 512}));
    const nlohmann::json largest =
        suggested({"--arch", "sm_90", "--registers", "40", "--dynamic-shared", "4*threads", "--ties", "largest"});
    const nlohmann::json& best = largest["candidates"][0];
    EXPECT_EQ(best["threads"], 768);
    EXPECT_EQ(best["dynamic_shared_bytes"], 3072);
    EXPECT_EQ(best["resident_blocks"], 2);
    EXPECT_EQ(best["resident_threads"], 1536);
    EXPECT_EQ(best["occupancy"], 0.75);
    ASSERT_EQ(best["rules"].size(), 5u);
    EXPECT_EQ(best["rules"][2]["id"], "divides_sm");
    EXPECT_EQ(best["rules"][2]["kept"], false);
    EXPECT_EQ(best["rules"][2]["costs"], true);
    for (std::size_t i = 1; i < 6; ++i)
        EXPECT_LE(advice["candidates"][i]["resident_threads"], advice["candidates"][i - 1]["resident_threads"]);
    const call text = launchbox_run({"suggest", "--arch", "sm_90", "--registers", "40", "--dynamic-shared", "4*threads",
                                     "--sms", "132", "--ties", "largest"});
    EXPECT_TRUE(text.shows("768 threads per block: 2 blocks per SM = 1,536 of 2,048 threads, occupancy 75 %"));
    EXPECT_TRUE(text.shows("a grid of 264 blocks fills the GPU once"));
    EXPECT_TRUE(text.shows("divides the SM (costs)"));
    EXPECT_TRUE(text.shows("broken divides the SM: "));
    EXPECT_EQ(text.out.find('_'), text.out.find("sm_90") + 2) << "ids are for programs\n" << text.out;
    EXPECT_EQ(text.out.find('_', text.out.find("sm_90") + 3), std::string::npos) << text.out;
}

TEST(suggest_verb, respects_limits_and_multiples_and_breaks_ties)
{
    EXPECT_EQ(suggested({"--arch", "sm_90", "-r", "32"})["threads"], 256);
    EXPECT_EQ(suggested({"--arch", "sm_90", "-r", "32", "--ties", "balanced"})["threads"], 256);
    EXPECT_EQ(suggested({"--arch", "sm_90", "-r", "32", "--ties", "largest"})["threads"], 1024);
    EXPECT_EQ(suggested({"--arch", "sm_90", "-r", "32", "--ties", "smallest"})["threads"], 64);
    EXPECT_EQ(suggested({"--arch", "sm_90", "-r", "32", "--limit", "500"})["threads"], 256);
    EXPECT_EQ(suggested({"--arch", "sm_90", "-r", "32", "--multiple", "96"})["threads"], 288);
    EXPECT_EQ(suggested({"--arch", "sm_90", "-r", "32", "--max-threads", "100", "--top", "1"})["candidates"].size(),
              1u);
    for (const char* none : {"0", "1024", "4096", "2147483647"})
        EXPECT_EQ(suggested({"--arch", "sm_90", "-r", "32", "--limit", none, "--ties", "largest"})["threads"], 1024)
            << none;
    expect_refused(launchbox_run({"suggest", "--arch", "sm_90", "-r", "32", "--limit", "-1"}), "--limit");
    const nlohmann::json all = suggested({"--arch", "sm_90", "-r", "32", "--multiple", "96", "--top", "99"});
    for (const nlohmann::json& entry : all["candidates"]) EXPECT_EQ(entry["threads"].get<int>() % 96, 0);
}

// cudaOccupancyMaxPotentialBlockSize compares resident threads: the idle lanes of a partial warp do not count.
TEST(suggest_verb, prints_the_value_that_it_ranks_by)
{
    const std::vector<std::string> options{"--arch", "sm_61", "-r", "32", "--limit", "40"};
    const nlohmann::json best = suggested(options)["candidates"][0];
    EXPECT_EQ(best["threads"], 40);
    EXPECT_EQ(best["resident_threads"], 1280);
    EXPECT_EQ(best["occupancy"], 0.625);
    EXPECT_EQ(best["warp_occupancy"], 1);
    const call text = launchbox_run({"suggest", "--arch", "sm_61", "-r", "32", "--limit", "40"});
    EXPECT_TRUE(text.shows("1,280 of 2,048 threads, occupancy 62.5 %")) << text.out;
    EXPECT_FALSE(text.shows("100 %")) << text.out;
    const call csv = launchbox_run({"suggest", "--arch", "sm_61", "-r", "32", "--limit", "40", "--format", "csv"});
    EXPECT_TRUE(csv.shows(",0.625,")) << csv.out;
    double last = 1;
    const nlohmann::json many = suggested({"--arch", "sm_61", "-r", "50", "--limit", "1000", "--top", "99"});
    for (const nlohmann::json& candidate : many.at("candidates")) {
        EXPECT_LE(candidate.at("occupancy").get<double>(), last);
        last = candidate.at("occupancy");
    }
}

TEST(suggest_verb, says_if_nothing_can_be_launched)
{
    const nlohmann::json none = suggested({"--arch", "sm_90", "-r", "32", "-s", "1M"});
    EXPECT_TRUE(none["threads"].is_null());
    EXPECT_TRUE(none["candidates"].empty());
    EXPECT_TRUE(
        launchbox_run({"suggest", "--arch", "sm_90", "-r", "32", "-s", "1M"}).shows("no block size can be launched"));
}

TEST(suggest_verb, takes_kernels_from_a_log_and_names_those_without_figures)
{
    const call good = launchbox_run({"suggest", "tests/data/logs/basic_sm_90.log", "--format", "json"});
    EXPECT_EQ(good.status, 0) << good.err;
    EXPECT_FALSE(good.json()["results"][0]["kernel"]["name"].is_null());
    const std::string log =
        "ptxas info    : Compiling entry function 'lonely' for 'sm_90'\n"
        "ptxas info    : Used lots of registers\n";
    const call unknown = launchbox_run({"suggest", "-"}, log);
    EXPECT_EQ(unknown.status, 2);
    EXPECT_EQ(unknown.out, "");
    EXPECT_TRUE(unknown.says("lonely")) << unknown.err;
}

TEST(devices_verb, lists_every_compute_capability)
{
    const call table = launchbox_run({"devices"});
    EXPECT_EQ(table.status, 0);
    for (const char* name : {"sm_20", "sm_75", "sm_90", "sm_121"}) EXPECT_TRUE(table.shows(name));
    const nlohmann::json json = launchbox_run({"devices", "--format", "json"}).json();
    EXPECT_EQ(json["schema"], "launchbox.devices/1");
    EXPECT_EQ(json["compute_capabilities"].size(), sm_limits_table.size());
    EXPECT_EQ(lines_of(launchbox_run({"devices", "--format", "csv"}).out).size(), 1 + sm_limits_table.size());
    for (const nlohmann::json& entry : json["compute_capabilities"])
        if (entry["architecture"] == "sm_90") {
            EXPECT_EQ(entry["compute_capability"], "9.0");
            EXPECT_EQ(entry["threads_per_sm"], 2048);
            EXPECT_EQ(entry["shared_per_block_opt_in"], 232448);
            EXPECT_EQ(entry["barriers_per_sm"], 64);
            EXPECT_EQ(entry["non_portable_cluster"], 16);
            EXPECT_EQ(entry["threads_per_block"], 1024);
            EXPECT_EQ(entry["block_dimensions"], (std::vector<int>{1024, 1024, 64}));
            EXPECT_EQ(entry["grid_dimensions"], (std::vector<int>{2147483647, 65535, 65535}));
        } else if (entry["architecture"] == "sm_21") {
            EXPECT_EQ(entry["grid_dimensions"], (std::vector<int>{65535, 65535, 65535}));
        }
}

TEST(devices_verb, shows_one_chip_in_full)
{
    const call one = launchbox_run({"devices", "--arch", "sm_50"});
    EXPECT_EQ(one.status, 0) << one.err;
    for (const char* words : {"sm_50 (compute capability 5.0)", "register unit", "shared memory unit", "GTX 750 Ti (5)",
                              "in 4 sub-partitions", "no clusters"})
        EXPECT_TRUE(one.shows(words)) << words << " in " << one.out;
    EXPECT_FALSE(one.shows("sm_52"));
    const call two = launchbox_run({"devices", "--arch", "GTX 970,sm_103"});
    EXPECT_TRUE(two.shows("GTX 970, sm_52 (compute capability 5.2): 13 SMs")) << two.out;
    EXPECT_TRUE(two.shows("published")) << two.out;

    const nlohmann::json json = launchbox_run({"devices", "--arch", "sm_50,T4,5.0", "--format", "json"}).json();
    ASSERT_EQ(json["compute_capabilities"].size(), 2u);
    EXPECT_EQ(json["compute_capabilities"][0]["register_unit"], 256);
    EXPECT_EQ(json["compute_capabilities"][0]["gpus"][0], (nlohmann::json{{"name", "GTX 750"}, {"sms", 4}}));
    EXPECT_EQ(lines_of(launchbox_run({"devices", "--arch", "sm_50,T4", "--format", "csv"}).out).size(), 3u);
    expect_refused(launchbox_run({"devices", "--arch", "sm_50", "--here"}), "leave one of them out");
    expect_refused(launchbox_run({"devices", "--arch", "sm_51"}), "unknown architecture 'sm_51'");
}

#ifdef LAUNCHBOX_FAKE_DRIVER
// Clocks, memory and bus, for a GPU whose driver reports them and one whose driver does not.
TEST(devices_verb, shows_clocks_memory_and_bus_of_a_gpu)
{
    const temporary_directory folder;
    const std::string plan = (folder.path() / "plan.json").string();
    write_file_atomically(plan, R"({"devices": [{"name": "H200", "memory_bytes": 150000000000, "l2_bytes": 62914560},
        {"name": "Silent", "sm_clock_khz": 0, "memory_clock_khz": 0, "memory_bus_bits": 0, "ecc": 0, "l2_bytes": 0}],
        "nvml": [{"free_bytes": 139200000000}]})");
    const auto ask = [&](const std::vector<std::string>& more, const std::string& file) {
        std::vector<std::string> words{"devices", "--here"};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(words, {}, {"LD_LIBRARY_PATH=" LAUNCHBOX_FAKE_DRIVER, "FAKE_GPU_PLAN=" + file});
    };
    const call table = ask({}, plan);
    EXPECT_EQ(table.status, 0) << table.err;
    EXPECT_TRUE(
        table.shows("GPU 0: 1,980 MHz; memory 3,201 MHz × 6,144 bits = 4,917 GB/s, ECC on, 139.2 GB free; L2 60.0 MB;"))
        << table.out;
    EXPECT_TRUE(table.shows("GPU 1: ? MHz; memory ? MHz × ? bits = ? GB/s, ECC off, 139.2 GB free; L2 ? MB;"))
        << table.out;
    const nlohmann::json gpus = ask({"--format", "json"}, plan).json()["gpus"];
    EXPECT_EQ(gpus[0]["ecc"], true);
    EXPECT_EQ(gpus[0]["hardware"], (nlohmann::json{{"sm_clock_mhz", 1980},
                                                   {"memory_clock_mhz", 3201},
                                                   {"memory_bus_bits", 6144},
                                                   {"l2_bytes", 62914560},
                                                   {"free_memory_bytes", 139200000000},
                                                   {"memory_gb_per_second", 4916.736},
                                                   {"pci_bus", "0000:00:00.0"}}));
    EXPECT_TRUE(gpus[1]["hardware"]["memory_gb_per_second"].is_null());
    const std::vector<std::string> csv = lines_of(ask({"--format", "csv"}, plan).out);
    ASSERT_EQ(csv.size(), 3u);
    EXPECT_NE(csv[1].find(",1980,3201,6144,62914560,139200000000,4916.74,yes,0000:00:00.0,yes"), std::string::npos)
        << csv[1];
    EXPECT_NE(csv[2].find(",unknown,unknown,unknown,unknown,139200000000,unknown,no,"), std::string::npos) << csv[2];

    write_file_atomically(plan, R"({"devices": [{"name": "H200"}]})");  // without NVML
    EXPECT_TRUE(ask({}, plan).shows("ECC on, ? GB free"));
}
#endif

TEST(devices_verb, with_here_a_machine_without_a_gpu_exits_with_3)
{
    const nlohmann::json json = launchbox_run({"devices", "--format", "json"}).json();
    const call here = launchbox_run({"devices", "--here"});
    if (json["gpus"].empty()) {
        expect_refused(here, "no GPU on this machine", 3);
        EXPECT_FALSE(json["reason"].is_null());
    } else {
        EXPECT_EQ(here.status, 0);
        EXPECT_TRUE(json["reason"].is_null());
    }
}

// A figure that needs a GPU is asked for, not guessed.
TEST(devices_verb, without_a_gpu_an_architecture_must_be_named)
{
    if (!launchbox_run({"devices", "--format", "json"}).json()["gpus"].empty()) GTEST_SKIP() << "there is a GPU here";
    for (const std::vector<std::string>& words :
         {std::vector<std::string>{"occupancy", "--threads", "256"}, {"suggest", "--registers", "40"}})
        expect_refused(launchbox_run(words), "no architecture was given");
}

}  // namespace
}  // namespace launchbox
