// The explanation of a refused launch, as a function of attributes, GPU and configuration. tests/gpu has the tests on a
// GPU.
#include <gtest/gtest.h>
#include <launchbox/detail/launch/kernel_name.hpp>
#include <launchbox/detail/launch/launch_explanation.hpp>

namespace launchbox {
namespace {

// A kernel with 40 registers and no launch bound on an H200, launched correctly.
launch_facts good_launch()
{
    return {.kernel = "merge<int>",
            .gpu = {9, 0},
            .sms = 132,
            .registers = 40,
            .max_threads = 1024,
            .binary_version = 90,
            .ptx_version = 90,
            .grid = 100,
            .threads = 256,
            .cluster = 1};
}

template <class Change>
launch_explanation explained(Change change)
{
    launch_facts facts = good_launch();
    change(facts);
    return explain(facts);
}

TEST(launch_explanation, a_good_launch_has_none)
{
    const launch_explanation why = explain(good_launch());
    EXPECT_EQ(why.text, "");
    EXPECT_EQ(why.kind, launch_error_kind::none);
}

TEST(launch_explanation, launch_bound)
{
    const launch_explanation why = explained([](launch_facts& f) { f.max_threads = 256, f.threads = 512; });
    EXPECT_EQ(why.text,
              "merge<int>: 512 threads, but it was compiled for sm_90 with __launch_bounds__(256). Launch with 256 "
              "threads or fewer, or raise the bound (then at most 128 registers).");
    EXPECT_EQ(why.kind, launch_error_kind::block);
    EXPECT_EQ(why.obstacle, launch_obstacle::over_launch_bound);
    EXPECT_EQ(explained([](launch_facts& f) { f.max_threads = 256; }).text, "");
}

TEST(launch_explanation, the_architecture_is_that_of_the_code)
{
    const launch_explanation why = explained([](launch_facts& f) {
        f.max_threads = 256, f.threads = {32, 16}, f.ptx_version = 80;
    });
    EXPECT_EQ(why.text,
              "merge<int>: 32 x 16 = 512 threads, but it was compiled for sm_90 (from compute_80) with "
              "__launch_bounds__(256). Launch with 256 threads or fewer, or raise the bound (then at most 128 "
              "registers).");
}

TEST(launch_explanation, more_than_1024_threads)
{
    launch_explanation why = explained([](launch_facts& f) { f.threads = 2048; });
    EXPECT_EQ(why.text,
              "merge<int>: 2,048 threads, but a block has at most 1,024. Launch with 1,024 threads or fewer.");
    EXPECT_EQ(why.obstacle, launch_obstacle::over_1024_threads);
    // The kernel cannot have 1,024 threads either.
    why = explained([](launch_facts& f) { f.threads = {1, 2048}, f.max_threads = 640; });
    EXPECT_EQ(
        why.text,
        "merge<int>: 1 x 2,048 = 2,048 threads, but a block has at most 1,024. Launch with 640 threads or fewer.");
    // Beyond the range of int.
    why = explained([](launch_facts& f) { f.threads = {INT64_MAX, INT64_MAX, INT64_MAX}; });
    EXPECT_EQ(why.obstacle, launch_obstacle::over_1024_threads);
}

TEST(launch_explanation, threads_in_z)
{
    EXPECT_EQ(explained([](launch_facts& f) {
                  f.threads = {1, 1, 128};
              }).text,
              "merge<int>: 128 threads in z, but a block has at most 64 there (1,024 in x and y). Put the longest "
              "dimension into x.");
    EXPECT_EQ(explained([](launch_facts& f) { f.threads = {4, 4, 64}; }).text, "");
}

TEST(launch_explanation, registers)
{
    // The attributes on an H200 of a kernel with 255 registers: at most 256 threads.
    const auto big = [](launch_facts& f) { f.registers = 255, f.max_threads = 256, f.threads = 512; };
    launch_explanation why = explained(big);
    EXPECT_EQ(why.text,
              "merge<int>: 512 threads with 255 registers each take 131,072 registers, but a block has at most 65,536 "
              "on sm_90. Launch with 256 threads or fewer, or compile it with __launch_bounds__(512) (then at most 128 "
              "registers).");
    EXPECT_EQ(why.obstacle, launch_obstacle::registers_per_block);

    // 9 warps with 7,168 registers each would fit into 65,536, but the launch check counts 12 warps. Observed on an
    // H200.
    why = explained([](launch_facts& f) { f.registers = 224, f.max_threads = 256, f.threads = 288; });
    EXPECT_EQ(why.text,
              "merge<int>: 288 threads with 224 registers each are 9 warps, which the launch counts as 12 (a multiple "
              "of 4): 86,016 registers, but a block has at most 65,536 on sm_90. Launch with 256 threads or fewer, or "
              "compile it with __launch_bounds__(288) (then at most 168 registers).");
    EXPECT_EQ(why.obstacle, launch_obstacle::register_rounding);
}

// 256 is both the maximum for 255 registers and a possible launch bound: the runtime's error decides.
TEST(launch_explanation, bound_and_registers_at_the_same_number_of_threads)
{
    const auto big = [](launch_facts& f) { f.registers = 255, f.max_threads = 256, f.threads = 512; };
    const auto refused = [&](launch_facts& f) {
        big(f);
        f.error_name = "cudaErrorInvalidValue", f.error_text = "invalid argument", f.invalid_value = true;
    };
    EXPECT_EQ(explained(big).obstacle, launch_obstacle::registers_per_block);
    EXPECT_EQ(explained(refused).obstacle, launch_obstacle::over_launch_bound);
}

TEST(launch_explanation, shared_memory)
{
    launch_explanation why =
        explained([](launch_facts& f) { f.dynamic_shared_bytes = 300000, f.static_shared_bytes = 1000; });
    EXPECT_EQ(why.text,
              "merge<int>: 300,000 B of dynamic shared memory and 1,000 B static, but a block has at most 232,448 B on "
              "sm_90: 68,552 B too many. Launch with 231,448 B of dynamic shared memory or less.");
    EXPECT_EQ(why.kind, launch_error_kind::block);
    EXPECT_TRUE(why.obstacle == launch_obstacle::dynamic_shared_limit ||
                why.obstacle == launch_obstacle::shared_per_block);
    // The limit is exact, even above 48 KB.
    EXPECT_EQ(explained([](launch_facts& f) { f.dynamic_shared_bytes = 231448, f.static_shared_bytes = 1000; }).text,
              "");
    why = explained([](launch_facts& f) { f.dynamic_shared_bytes = 231449, f.static_shared_bytes = 1000; });
    EXPECT_NE(why.text.find(": 1 B too many."), std::string::npos) << why.text;
    // Before 7.0 no attribute raises the limit.
    why = explained([](launch_facts& f) { f.gpu = {6, 1}, f.binary_version = 61, f.dynamic_shared_bytes = 50000; });
    EXPECT_NE(why.text.find("at most 49,152 B on sm_61: 848 B too many"), std::string::npos) << why.text;
}

TEST(launch_explanation, zero_and_negative_values)
{
    launch_explanation why = explained([](launch_facts& f) { f.grid = 0; });
    EXPECT_EQ(why.text,
              "merge<int>: a grid of 0 blocks. Every dimension is 1 or more: where there is nothing to do, do not "
              "launch.");
    EXPECT_EQ(why.kind, launch_error_kind::grid);
    EXPECT_EQ(explained([](launch_facts& f) {
                  f.threads = {32, 0};
              }).text,
              "merge<int>: a block of 32 x 0 threads. Every dimension is 1 or more.");
    // The product of two negative dimensions is positive.
    EXPECT_EQ(explained([](launch_facts& f) { f.threads = {-8, -8}; }).obstacle, launch_obstacle::negative_input);
    why = explained([](launch_facts& f) { f.dynamic_shared_bytes = -4; });
    EXPECT_EQ(why.text, "merge<int>: -4 B of dynamic shared memory. It is 0 or more.");
    EXPECT_EQ(why.obstacle, launch_obstacle::negative_input);
    EXPECT_EQ(explained([](launch_facts& f) { f.cluster = 0; }).kind, launch_error_kind::cluster);
}

TEST(launch_explanation, grid)
{
    const std::string rest =
        ", but it has at most 2,147,483,647 in x and 65,535 in y and z. Put the longest dimension into x, or let each "
        "block do more.";
    EXPECT_EQ(explained([](launch_facts& f) { f.grid = std::uint64_t{1} << 32; }).text,
              "merge<int>: a grid of 4,294,967,296 blocks" + rest);
    EXPECT_EQ(explained([](launch_facts& f) {
                  f.grid = {1, 65536};
              }).text,
              "merge<int>: a grid of 1 x 65,536 blocks" + rest);
    EXPECT_EQ(explained([](launch_facts& f) {
                  f.grid = {1, 1, 65536};
              }).text,
              "merge<int>: a grid of 1 x 1 x 65,536 blocks" + rest);
    EXPECT_EQ(explained([](launch_facts& f) { f.grid = {2147483647, 65535, 65535}; }).text, "");
}

TEST(launch_explanation, clusters)
{
    EXPECT_EQ(explained([](launch_facts& f) { f.cluster = 8, f.grid = 100; }).text,
              "merge<int>: a cluster of 8 blocks does not divide a grid of 100 blocks. Round the grid up to whole "
              "clusters in every dimension.");
    EXPECT_EQ(explained([](launch_facts& f) { f.cluster = {1, 2}, f.grid = {4, 3}; }).kind, launch_error_kind::cluster);
    EXPECT_EQ(explained([](launch_facts& f) {
                  f.cluster = {1, 1, 2}, f.grid = {4, 4, 3};
              }).kind,
              launch_error_kind::cluster);
    EXPECT_EQ(explained([](launch_facts& f) { f.cluster = 4, f.largest_cluster = 8; }).text, "");
    EXPECT_EQ(explained([](launch_facts& f) { f.cluster = 32, f.grid = 64, f.largest_cluster = 16; }).text,
              "merge<int>: a cluster of 32 blocks, but with this kernel and block at most 16 fit together on this GPU. "
              "Use a smaller cluster.");
    EXPECT_EQ(explained([](launch_facts& f) {
                  f.gpu = {8, 6}, f.cluster = 2;
              }).text,
              "merge<int>: a cluster of 2 blocks, but there are no clusters on sm_86, only from sm_90 on.");
    // If the runtime was not asked, the table decides.
    const launch_explanation thor = explained([](launch_facts& f) { f.gpu = {11, 0}, f.cluster = 16, f.grid = 64; });
    EXPECT_EQ(thor.text,
              "merge<int>: a cluster of 16 blocks, but a cluster has at most 8 on sm_110. Use a smaller cluster.");
    EXPECT_EQ(thor.kind, launch_error_kind::cluster);
    EXPECT_EQ(explained([](launch_facts& f) { f.gpu = {12, 0}, f.cluster = 16, f.grid = 64; }).text, "");
    EXPECT_EQ(explained([](launch_facts& f) { f.required_cluster = 4, f.cluster = 2; }).text,
              "merge<int>: a cluster of 2 blocks, but it was compiled with 4 blocks (__cluster_dims__). Leave the "
              "cluster out of the launch.");
    EXPECT_EQ(explained([](launch_facts& f) { f.required_cluster = 3; }).text,
              "merge<int>: a cluster of 3 blocks does not divide a grid of 100 blocks. Round the grid up to whole "
              "clusters in every dimension.");
    EXPECT_EQ(explained([](launch_facts& f) { f.required_cluster = 4; }).text, "");
}

TEST(launch_explanation, cooperative)
{
    // 40 registers: 6 blocks of 256 threads per SM.
    EXPECT_EQ(explained([](launch_facts& f) {
                  f.cooperative = true, f.grid = {100, 10};
              }).text,
              "merge<int>: a cooperative launch of 1,000 blocks, but 792 are resident at once (6 on each of 132 SMs). "
              "Launch with 792 blocks or fewer.");
    EXPECT_EQ(explained([](launch_facts& f) { f.cooperative = true, f.grid = 792; }).text, "");
    EXPECT_EQ(explained([](launch_facts& f) { f.cooperative = true, f.grid = 793; }).kind,
              launch_error_kind::cooperative);
    EXPECT_EQ(explained([](launch_facts& f) {
                  f.cooperative = true, f.grid = {2147483647, 65535, 65535};
              }).kind,
              launch_error_kind::cooperative);
}

TEST(launch_explanation, unexplained_errors_are_the_runtimes)
{
    const launch_explanation why = explained([](launch_facts& f) {
        f.error_name = "cudaErrorInvalidResourceHandle", f.error_text = "invalid resource handle";
    });
    EXPECT_EQ(why.text, "merge<int>: cudaErrorInvalidResourceHandle: invalid resource handle.");
    EXPECT_EQ(why.kind, launch_error_kind::runtime);
}

TEST(launch_explanation, a_gpu_missing_from_the_table)
{
    const auto newer = [](launch_facts& f) { f.gpu = {99, 0}, f.max_threads = 256; };
    EXPECT_EQ(explained(newer).text, "");
    EXPECT_EQ(explained([&](launch_facts& f) { newer(f), f.threads = 512; }).text,
              "merge<int>: 512 threads, but with its launch bound and its 40 registers it can have at most 256 on this "
              "GPU. Launch with 256 threads or fewer.");
}

TEST(launch_extent, converts_from_all_common_types)
{
    struct dim {
        unsigned x = 1, y = 1, z = 1;
    };
    EXPECT_EQ(launch_extent(dim{2, 3, 4}), launch_extent(2, 3, 4));
    EXPECT_EQ(launch_extent(std::size_t{5}), launch_extent(5, 1, 1));
    EXPECT_EQ(launch_extent(~std::uint64_t{0}).x, INT64_MAX);
    EXPECT_EQ(launch_extent(-1).x, -1);
    EXPECT_EQ(launch_extent(2, 3, 4).count(), 24);
    EXPECT_GT(launch_extent(INT64_MAX, INT64_MAX, INT64_MAX).count(), 1 << 20);
    EXPECT_EQ(byte_count(~std::uint64_t{0}).bytes, INT64_MAX);
}

TEST(kernel_name, is_short)
{
    using detail::short_kernel_name;
    EXPECT_EQ(short_kernel_name("void merge<int>(int const*, int)"), "merge<int>");
    EXPECT_EQ(short_kernel_name("square(int*, int)"), "square");
    EXPECT_EQ(short_kernel_name("square"), "square");
    EXPECT_EQ(short_kernel_name("void a::b<void (*)(int, int)>::c<(bool)1, a::d<int> >(int (*)(int))"),
              "a::b<void (*)(int, int)>::c<(bool)1, a::d<int> >");
    EXPECT_EQ(short_kernel_name("(anonymous namespace)::square(int*)"), "(anonymous namespace)::square");
    EXPECT_EQ(short_kernel_name("void (anonymous namespace)::square<3>(int*)"), "(anonymous namespace)::square<3>");
    EXPECT_EQ(short_kernel_name(""), "");
    EXPECT_EQ(short_kernel_name(")))((("), ")))(((");
    EXPECT_EQ(detail::demangled("_Z5mergeIiEvPKT_i"), "void merge<int>(int const*, int)");
    EXPECT_EQ(detail::demangled("square"), "square");
}

}  // namespace
}  // namespace launchbox
