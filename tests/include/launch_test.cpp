// launch.cuh in a plain .cpp: the kernels here are host functions that no runtime knows, so every launch is refused,
// and the tests check how.
#include <gtest/gtest.h>
#include <launchbox/launch.cuh>

#include <memory>
#include <vector>

namespace launchbox {
namespace {

struct point {
    float x = 0, y = 0;
};

void nothing() {}
void fill(float*, float, int) {}
void move_point(point) {}
void never_throws(int) noexcept {}

// With a GPU, the runtime would treat an unknown pointer as a cudaKernel_t and dereference it.
bool has_gpu()
{
    int count = 0;
    const bool has = cudaGetDeviceCount(&count) == cudaSuccess && count > 0;
    cudaGetLastError();
    return has;
}

// Whether the launch was refused, as expected.
template <class... Parameters, class... Arguments>
bool is_refused(void (*kernel)(Parameters...), const launch_config& config, Arguments&&... arguments)
{
    try {
        launch(kernel, config, std::forward<Arguments>(arguments)...);
    } catch (const launch_error& refused) {
        return refused.code != cudaSuccess && refused.kind != launch_error_kind::none && *refused.what() != '\0';
    }
    return false;
}

TEST(launch, accepts_configurations_and_arguments_in_all_common_forms)
{
    if (has_gpu()) GTEST_SKIP() << "tests/gpu launches real kernels";
    const int blocks = 3;
    const std::size_t size = 7;
    const long long bytes = 1000;
    const short half = 2;
    EXPECT_TRUE(is_refused(nothing, {.threads = 32}));
    EXPECT_TRUE(is_refused(nothing, {.grid = blocks, .threads = size}));
    EXPECT_TRUE(is_refused(nothing, {.grid = dim3(2, 2), .threads = {8, 8, 2}, .dynamic_shared_bytes = bytes}));
    EXPECT_TRUE(
        is_refused(nothing, {.grid = {size, half}, .threads = 32u, .dynamic_shared_bytes = size * sizeof(float)}));
    EXPECT_TRUE(is_refused(nothing, {.grid = 8,
                                     .threads = 32,
                                     .dynamic_shared_bytes = 100000,
                                     .stream = cudaStreamLegacy,
                                     .cluster = {4, 2},
                                     .programmatic_dependent_launch = true,
                                     .cooperative = true}));
    // Converted as in a call: an array, a null pointer, an int to a float, a short to an int.
    float array[4] = {};
    EXPECT_TRUE(is_refused(fill, {.threads = 32}, array, 3, half));
    EXPECT_TRUE(is_refused(fill, {.threads = 32}, nullptr, 1.0, 'c'));
    EXPECT_TRUE(is_refused(move_point, {.threads = 32}, point{.x = 1, .y = 2}));
    EXPECT_TRUE(is_refused(never_throws, {.threads = 32}, 1));
}

TEST(launch, numbers_beyond_any_grid_are_not_truncated)
{
    EXPECT_EQ(detail::dim3_of({std::int64_t{1} << 32, 1, 1}).x, ~0u);
    EXPECT_EQ(detail::dim3_of({(std::int64_t{1} << 32) + 1, -1, 7}).x, ~0u);
    EXPECT_EQ(detail::dim3_of({1, -1, 7}).y, 0u);
    EXPECT_EQ(detail::dim3_of({1, -1, 7}).z, 7u);
}

TEST(launch, the_runtime_gets_the_configuration)
{
    const cudaStream_t stream = cudaStreamPerThread;
    const detail::runtime_config plain(
        {.grid = {2, 3, 4}, .threads = {5, 6, 7}, .dynamic_shared_bytes = 8, .stream = stream});
    EXPECT_EQ(plain.native.gridDim.x, 2u);
    EXPECT_EQ(plain.native.gridDim.y, 3u);
    EXPECT_EQ(plain.native.gridDim.z, 4u);
    EXPECT_EQ(plain.native.blockDim.x, 5u);
    EXPECT_EQ(plain.native.blockDim.y, 6u);
    EXPECT_EQ(plain.native.blockDim.z, 7u);
    EXPECT_EQ(plain.native.dynamicSmemBytes, 8u);
    EXPECT_EQ(detail::runtime_config({.dynamic_shared_bytes = std::int64_t{1} << 32}).native.dynamicSmemBytes,
              0xFFFFFFFFu);
    EXPECT_EQ(detail::runtime_config({.dynamic_shared_bytes = -4}).native.dynamicSmemBytes, 0xFFFFFFFFu);
    EXPECT_EQ(plain.native.stream, stream);
    EXPECT_EQ(plain.native.numAttrs, 0u);

    const detail::runtime_config all(
        {.threads = 1, .cluster = {4, 2}, .programmatic_dependent_launch = true, .cooperative = true});
    ASSERT_EQ(all.native.numAttrs, 3u);
    EXPECT_EQ(all.native.attrs[0].id, cudaLaunchAttributeClusterDimension);
    EXPECT_EQ(all.native.attrs[0].val.clusterDim.x, 4u);
    EXPECT_EQ(all.native.attrs[0].val.clusterDim.y, 2u);
    EXPECT_EQ(all.native.attrs[0].val.clusterDim.z, 1u);
    EXPECT_EQ(all.native.attrs[1].id, cudaLaunchAttributeProgrammaticStreamSerialization);
    EXPECT_EQ(all.native.attrs[1].val.programmaticStreamSerializationAllowed, 1);
    EXPECT_EQ(all.native.attrs[2].id, cudaLaunchAttributeCooperative);
    EXPECT_EQ(all.native.attrs[2].val.cooperative, 1);
}

TEST(launch, set_attributes_are_remembered_by_kernel_device_and_permission)
{
    const auto memory = std::make_unique<detail::opt_in_memory>();
    EXPECT_FALSE(memory->contains(1 << 8));
    memory->insert(1 << 8);
    EXPECT_TRUE(memory->contains(1 << 8));
    EXPECT_FALSE(memory->contains(1 << 8 | 1));
    // A value that was not inserted is never found, however many there are.
    for (std::uint64_t key = 3; key < 200000; key += 2) memory->insert(key);
    for (std::uint64_t key = 2; key < 200000; key += 2) ASSERT_FALSE(memory->contains(key) && key != 1 << 8) << key;
}

TEST(launch, queries_without_a_gpu_have_no_answer)
{
    if (has_gpu()) GTEST_SKIP() << "tests/gpu asks about real kernels";
    const auto why = [](auto ask) -> std::string {
        try {
            ask();
        } catch (const launch_error& error) {
            return error.what();
        }
        return "";
    };
    for (const std::string& text :
         {why([] { kernel_resources_of(fill); }), why([] { resident_blocks(fill, {.threads = 32}); }),
          why([] { occupancy_of(fill, {.threads = 32}); }), why([] { available_dynamic_shared(fill, 32, 1); }),
          why([] { suggest_block_size(fill); }), why([] { suggest_block_size(fill, [](int n) { return 4 * n; }); }),
          why([] { suggest_block_size(fill, 1000, {.multiple = 64}); }), explain_launch(fill, {.threads = 32})})
        EXPECT_TRUE(text.starts_with("kernel (float*, float, int): this machine has no GPU to run it: cudaError"))
            << text;
    const std::string null = explain_launch(static_cast<void (*)(int)>(nullptr), {.threads = 32});
    EXPECT_EQ(null, "kernel (int): the pointer to the kernel is null.");
}

}  // namespace
}  // namespace launchbox
