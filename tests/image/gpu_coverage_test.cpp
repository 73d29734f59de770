// CUDA's compatibility rules.
#include "image/gpu_coverage.hpp"

#include <gtest/gtest.h>

namespace launchbox {
namespace {

bool cubin(const char* image, const char* gpu)
{
    return cubin_runs_on(parse_compute_capability(image).value(), parse_compute_capability(gpu).value());
}

bool ptx(const char* image, const char* gpu)
{
    return ptx_runs_on(parse_compute_capability(image).value(), parse_compute_capability(gpu).value());
}

TEST(gpu_coverage, a_cubin_runs_on_the_same_major_and_later_minors)
{
    EXPECT_TRUE(cubin("sm_80", "8.0"));
    EXPECT_TRUE(cubin("sm_80", "8.9"));
    EXPECT_FALSE(cubin("sm_86", "8.0"));
    EXPECT_FALSE(cubin("sm_80", "9.0"));
    EXPECT_FALSE(cubin("sm_90", "10.0"));
    EXPECT_TRUE(cubin("sm_120", "12.1"));
}

TEST(gpu_coverage, variants_run_on_their_chip_or_their_family)
{
    EXPECT_TRUE(cubin("sm_90a", "9.0"));
    EXPECT_TRUE(cubin("sm_100a", "10.0"));
    EXPECT_FALSE(cubin("sm_100a", "10.3"));
    EXPECT_TRUE(cubin("sm_100f", "10.3"));
    EXPECT_FALSE(cubin("sm_103f", "10.0"));
    EXPECT_FALSE(cubin("sm_100f", "10.1"));  // now called 11.0
    EXPECT_FALSE(cubin("sm_100f", "12.0"));
    EXPECT_TRUE(cubin("sm_120f", "12.1"));
    EXPECT_TRUE(cubin("sm_100f", "10.7"));  // ptxas 13.5 compiles code of both families for sm_107
    EXPECT_TRUE(cubin("sm_103f", "10.7"));
    EXPECT_FALSE(cubin("sm_107f", "10.3"));
}

TEST(gpu_coverage, tegra_and_desktop_chips_do_not_share_cubins)
{
    EXPECT_TRUE(cubin("sm_87", "8.7"));
    EXPECT_FALSE(cubin("sm_80", "8.7"));
    EXPECT_FALSE(cubin("sm_87", "8.9"));
    EXPECT_TRUE(ptx("compute_80", "8.7"));
}

TEST(gpu_coverage, ptx_is_compiled_for_every_later_gpu_unless_it_is_for_one_chip)
{
    EXPECT_TRUE(ptx("compute_80", "8.0"));
    EXPECT_TRUE(ptx("compute_80", "12.1"));
    EXPECT_FALSE(ptx("compute_80", "7.5"));
    EXPECT_FALSE(ptx("compute_90a", "10.0"));
    EXPECT_TRUE(ptx("compute_90a", "9.0"));
    EXPECT_TRUE(ptx("compute_100f", "10.3"));
    EXPECT_FALSE(ptx("compute_100f", "12.0"));
    EXPECT_EQ(where_ptx_runs({9, 0, architecture_variant::accelerated}), "compiled when loaded, only on 9.0");
    EXPECT_EQ(where_ptx_runs({8, 0}), "compiled when loaded, on 8.0 and every later GPU");
}

}  // namespace
}  // namespace launchbox
