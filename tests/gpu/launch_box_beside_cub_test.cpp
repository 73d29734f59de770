// One program, linked on the device with an object that was compiled for an older virtual architecture
// (LAUNCHBOX_CLAMPED), and without it. What the runtime then reports about the code misleads a library that chooses its
// launch by it, as CUB does, but not launch_box. CUB's behaviour is recorded; that of launch_box is tested.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

#include "launch_box_beside_cub.hpp"
#include "record.hpp"

namespace launchbox::beside_cub {
namespace {

#ifdef LAUNCHBOX_CLAMPED
constexpr bool clamped = true;
constexpr const char* link = "linked with an object of compute_80";
#else
constexpr bool clamped = false;
constexpr const char* link = "linked alone";
#endif

void keep(const std::string& library, const outcome& seen)
{
    const std::string section = library + ", " + link;
    record(section, "returned", seen.returned);
    record(section, "synchronising returned", seen.synchronised);
    record(section, "wrong results", seen.wrong);
    record(section, "results", count);
}

TEST(launch_box_beside_cub, launch_box_uses_the_right_row)
{
    int devices = 0;
    cudaDeviceProp device{};
    if (cudaGetDeviceCount(&devices) != cudaSuccess || devices == 0) GTEST_SKIP() << "no GPU here";
    ASSERT_EQ(cudaGetDeviceProperties(&device, 0), cudaSuccess);
    if (device.major != 9) GTEST_SKIP() << "the program is linked for sm_90 alone";

    const outcome ours = add_with_launch_box(), theirs = scan_with_cub();
    const versions seen = versions_here();
    keep("launch_box", ours);
    keep("cub::DeviceScan::ExclusiveSum", theirs);
    record(std::string("code, ") + link, "compiled for", seen.compiled_for);
    record(std::string("code, ") + link, "ptxVersion", seen.ptx);
    record(std::string("code, ") + link, "CUB",
           fmt::format("{}.{}.{}", seen.cub / 100000, seen.cub / 100 % 1000, seen.cub % 100));
    EXPECT_EQ(seen.compiled_for, 90);
    EXPECT_EQ(seen.ptx, clamped ? 80 : 90) << "the link is not what it is meant to be";
    EXPECT_STREQ(ours.returned, "cudaSuccess");
    EXPECT_STREQ(ours.synchronised, "cudaSuccess");
    EXPECT_EQ(ours.wrong, 0);
    if (!clamped) {
        EXPECT_STREQ(theirs.returned, "cudaSuccess");
        EXPECT_EQ(theirs.wrong, 0);
    }
}

}  // namespace
}  // namespace launchbox::beside_cub
