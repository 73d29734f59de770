// How a GPU is named in CUDA_VISIBLE_DEVICES of another process.
#include "app/tuning/gpu_groups.hpp"

#include <gtest/gtest.h>

using namespace launchbox;

namespace {

TEST(gpu_groups, a_gpu_and_a_mig_instance_are_named_by_uuid)
{
    const gpu_device whole{.index = 1, .name = "NVIDIA H100 80GB HBM3", .uuid = "GPU-8f1c0000-1111"};
    const gpu_device part{.index = 0, .name = "NVIDIA H100 80GB HBM3 MIG 1g.10gb", .uuid = "GPU-8f1c0000-2222"};
    const gpu_device nameless{.index = 3, .name = "NVIDIA H100 80GB HBM3"};
    EXPECT_EQ(visible_names({whole, part, nameless}),
              (std::vector<std::string>{"GPU-8f1c0000-1111", "MIG-8f1c0000-2222", "3"}));
}

}  // namespace
