// The GPUs as the driver reports them, compared with the table.
#include "report/occupancy/devices_report.hpp"

#include <gtest/gtest.h>

#include <launchbox/sm_limits.hpp>

namespace launchbox {
namespace {

gpu_list one_h200()
{
    gpu_list gpus;
    gpus.driver_version = "13.0";
    gpus.devices.push_back({.index = 0,
                            .name = "NVIDIA H200",
                            .capability = {9, 0},
                            .sms = 132,
                            .memory_bytes = 150'000'000'000,
                            .threads_per_sm = 2048,
                            .blocks_per_sm = 32,
                            .registers_per_sm = 65536,
                            .registers_per_block = 65536,
                            .shared_per_sm = 233'472,
                            .shared_per_block = 49'152,
                            .shared_per_block_opt_in = 232'448,
                            .reserved_shared_per_block = 1024,
                            .threads_per_block = 1024,
                            .block_dimensions = {1024, 1024, 64},
                            .grid_dimensions = {2147483647, 65535, 65535}});
    return gpus;
}

TEST(devices_report, a_gpu_that_agrees_with_the_table_has_no_differences)
{
    EXPECT_TRUE(differences_from_table(one_h200().devices[0]).empty());
}

TEST(devices_report, each_different_figure_is_named)
{
    gpu_device gpu = one_h200().devices[0];
    gpu.blocks_per_sm = 24;
    gpu.shared_per_block_opt_in = 1;
    gpu.threads_per_block = 2048;
    gpu.block_dimensions[2] = 128;
    gpu.grid_dimensions[0] = 65535;
    const std::vector<std::string> found = differences_from_table(gpu);
    ASSERT_EQ(found.size(), 5u);
    EXPECT_EQ(found[2], "GPU 0 reports 2,048 threads per block; the table of compute capability 9.0 has 1,024");
    EXPECT_EQ(found[3],
              "GPU 0 reports 65,535 blocks per grid in x; the table of compute capability 9.0 has 2,147,483,647");
    EXPECT_EQ(found[4], "GPU 0 reports 128 threads per block in z; the table of compute capability 9.0 has 64");
    EXPECT_EQ(found[0], "GPU 0 reports 24 blocks per SM; the table of compute capability 9.0 has 32");
    EXPECT_NE(found[1].find("after opting in"), std::string::npos);
    gpu.capability = {9, 9};  // nothing to compare with
    EXPECT_TRUE(differences_from_table(gpu).empty());
}

TEST(devices_report, an_unknown_gpu_is_shown_and_labelled_unknown)
{
    gpu_list gpus = one_h200();
    gpus.devices[0].capability = {10, 9};
    gpus.devices[0].name = "evil\x1b[2J";
    EXPECT_NE(gpu_rows(gpus).rows[0].back().text.find("does not know its limits"), std::string::npos);
    const std::string text = render_text(devices_document(gpus, {}), {.width = 80});
    EXPECT_EQ(text.find('\x1b'), std::string::npos);
    EXPECT_EQ(devices_json(gpus, {}).dump().find('\x1b'), std::string::npos);
}

TEST(devices_report, without_a_gpu_the_reason_is_given)
{
    const gpu_list none{{}, "", "the driver is not installed"};
    EXPECT_NE(render_text(devices_document(none, {.limits = false}), {}).find("none: the driver is not installed"),
              std::string::npos);
    const nlohmann::ordered_json json = devices_json(none, {});
    EXPECT_EQ(json["reason"], "the driver is not installed");
    EXPECT_TRUE(json["driver_version"].is_null());
    EXPECT_TRUE(json["gpus"].empty());
    EXPECT_EQ(json["compute_capabilities"].size(), sm_limits_table.size());
    EXPECT_FALSE(devices_json(none, {.limits = false}).contains("compute_capabilities"));
}

TEST(devices_report, the_table_of_limits_is_complete)
{
    const table rows = limits_rows({});
    ASSERT_EQ(rows.rows.size(), sm_limits_table.size());
    for (const auto& row : rows.rows) EXPECT_EQ(row.size(), rows.columns.size());
}

}  // namespace
}  // namespace launchbox
