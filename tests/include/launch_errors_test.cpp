// The calls around a launch, with a fake runtime: setting attributes, second tries, and which errors are left.
#include <gtest/gtest.h>
#include <launchbox/launch.cuh>

#include "launch_fake_runtime.hpp"

namespace launchbox {
namespace {

// Each test uses another kernel, because set attributes are remembered for the whole process.
template <int>
void kernel(int*, float)
{
}

class launch_errors : public testing::Test {
protected:
    void SetUp() override { fake = {}, here = {}; }
};

template <int ID>
std::string refusal(const launch_config& config)
{
    try {
        launch(kernel<ID>, config, nullptr, 2);
    } catch (const launch_error& error) {
        EXPECT_NE(error.code, cudaSuccess);
        return error.what();
    }
    return "launched";
}

TEST_F(launch_errors, a_good_launch_makes_no_query)
{
    launch(kernel<0>, {.grid = 3, .threads = 64, .dynamic_shared_bytes = 1000}, nullptr, 2);
    EXPECT_EQ(fake.launched, 1);
    EXPECT_EQ(fake.tried, 1);
    EXPECT_EQ(fake.questions, 0);
    EXPECT_EQ(fake.cleared, 0);
    EXPECT_EQ(fake.arguments.size(), 2u);
}

TEST_F(launch_errors, the_attribute_for_dynamic_shared_memory_is_set_once)
{
    const launch_config config{.threads = 64, .dynamic_shared_bytes = 100000};
    for (int i = 0; i < 5; ++i) launch(kernel<1>, config, nullptr, 2);
    EXPECT_EQ(fake.launched, 5);
    EXPECT_EQ(fake.tried, 5);
    EXPECT_EQ(fake.raised, 1);
    EXPECT_EQ(fake.raised_to, std::vector{sm_90.shared_per_block_opt_in});
    // Another device or kernel needs its own attribute.
    fake.max_dynamic_shared = 49152, here.device = 1;
    launch(kernel<1>, config, nullptr, 2);
    EXPECT_EQ(fake.raised, 2);
    fake.max_dynamic_shared = 49152;
    launch(kernel<2>, config, nullptr, 2);
    EXPECT_EQ(fake.raised, 3);
    EXPECT_EQ(fake.tried, fake.launched);
    EXPECT_EQ(here.mode, cudaStreamCaptureModeGlobal);  // restored for the caller
}

TEST_F(launch_errors, a_limit_is_never_lowered)
{
    fake.max_dynamic_shared = 300000;  // for example a later GPU
    launch(kernel<3>, {.threads = 64, .dynamic_shared_bytes = 250000}, nullptr, 2);
    EXPECT_EQ(fake.raised, 0);
    EXPECT_EQ(fake.launched, 1);
}

TEST_F(launch_errors, after_a_reset_the_attribute_is_set_again)
{
    const launch_config config{.threads = 64, .dynamic_shared_bytes = 100000};
    launch(kernel<4>, config, nullptr, 2);
    fake.max_dynamic_shared = 49152;
    launch(kernel<4>, config, nullptr, 2);
    EXPECT_EQ(fake.launched, 2);
    EXPECT_EQ(fake.tried, 3);
    EXPECT_EQ(here.last_error, cudaSuccess);  // the first try's error is cleared
}

TEST_F(launch_errors, static_and_dynamic_shared_memory_together)
{
    fake.static_shared = 40000, fake.max_dynamic_shared = 9152;
    launch(kernel<5>, {.threads = 64, .dynamic_shared_bytes = 20000}, nullptr, 2);
    EXPECT_EQ(fake.launched, 1);
    EXPECT_EQ(fake.tried, 2);
    EXPECT_EQ(fake.raised_to, std::vector{sm_90.shared_per_block_opt_in - 40000});
    EXPECT_EQ(here.last_error, cudaSuccess);
}

TEST_F(launch_errors, a_pending_error_survives_successful_calls)
{
    fake.capturing = false;  // the call that allows queries during a capture is left out while an error is pending
    fake.static_shared = 40000, fake.max_dynamic_shared = 9152;
    launch(kernel<6>, {.threads = 64, .dynamic_shared_bytes = 100000}, nullptr, 2);  // sets the attribute
    here.last_error = cudaErrorInvalidDevice;
    launch(kernel<6>, {.threads = 64, .dynamic_shared_bytes = 20000}, nullptr, 2);
    launch(kernel<6>, {.threads = 64, .dynamic_shared_bytes = 100000}, nullptr, 2);
    launch(kernel<6>, {.threads = 64}, nullptr, 2);
    EXPECT_EQ(explain_launch(kernel<6>, {.threads = 64}), "");
    EXPECT_EQ(fake.launched, 4);
    EXPECT_EQ(fake.tried, 4);
    EXPECT_EQ(here.last_error, cudaErrorInvalidDevice);
}

// Setting the attribute would clear it.
TEST_F(launch_errors, a_pending_error_is_reported_before_setting_the_attribute)
{
    fake.static_shared = 40000, fake.max_dynamic_shared = 9152;
    for (const std::int64_t bytes : {100000, 20000}) {
        here.last_error = cudaErrorInvalidResourceHandle;
        const std::string text = refusal<9>({.threads = 64, .dynamic_shared_bytes = bytes});
        EXPECT_NE(
            text.find(
                ": not launched: an earlier error was pending, cudaErrorInvalidResourceHandle: its text, and opting"),
            std::string::npos)
            << text;
        EXPECT_EQ(fake.raised, 0) << bytes;
        EXPECT_EQ(fake.launched, 0) << bytes;
        EXPECT_EQ(here.last_error, cudaSuccess) << "it was told";
    }
    launch(kernel<9>, {.threads = 64, .dynamic_shared_bytes = 20000}, nullptr, 2);
    EXPECT_EQ(fake.launched, 1);
}

TEST_F(launch_errors, a_refused_launch_leaves_no_error_and_reports_what_was_pending)
{
    fake.max_threads = 256;
    const std::string sentence =
        "merge<int>: 512 threads, but it was compiled for sm_90 with __launch_bounds__(256). Launch with 256 threads "
        "or "
        "fewer, or raise the bound (then at most 128 registers).";
    EXPECT_EQ(explain_launch(kernel<7>, {.threads = 512}), sentence);
    EXPECT_EQ(fake.tried, 0);
    EXPECT_EQ(refusal<7>({.threads = 512}), sentence);
    EXPECT_EQ(here.last_error, cudaSuccess);
    EXPECT_EQ(fake.tried, 1);
    EXPECT_EQ(fake.cleared, 3);  // that of the query, that of the launch, and what its queries left

    here.last_error = cudaErrorInvalidResourceHandle;
    EXPECT_EQ(refusal<7>({.threads = 512}),
              sentence + " An earlier error was pending: cudaErrorInvalidResourceHandle: its text.");
    EXPECT_EQ(here.last_error, cudaSuccess);
}

TEST_F(launch_errors, a_sticky_error_is_not_blamed_on_this_launch)
{
    fake.lasting = cudaErrorIllegalAddress;
    fake.max_threads = 256;
    try {
        launch(kernel<8>, {.threads = 512, .dynamic_shared_bytes = 100}, nullptr, 2);
        FAIL() << "launched";
    } catch (const launch_error& error) {
        EXPECT_EQ(error.kind, launch_error_kind::earlier_error);
        EXPECT_EQ(error.code, cudaErrorIllegalAddress);
        EXPECT_EQ(
            std::string(error.what()),
            "kernel (int*, float): an earlier error was pending: cudaErrorIllegalAddress: its text. Nothing can be "
            "launched until the process ends (with CUDA_LAUNCH_BLOCKING=1 the error may be this kernel's own).");
        EXPECT_EQ(explain_launch(kernel<8>, {.threads = 512}), error.what());
    }
}

TEST_F(launch_errors, errors_that_the_model_does_not_explain)
{
    fake.refuse_with = cudaErrorInvalidResourceHandle;
    EXPECT_EQ(refusal<9>({.threads = 32}), "merge<int>: cudaErrorInvalidResourceHandle: its text.");
}

TEST_F(launch_errors, no_code)
{
    fake.attributes_status = fake.refuse_with = cudaErrorNoKernelImageForDevice;
    const std::string sentence =
        "merge<int>: the program has no code of it for this GPU, compute capability 9.0. Compile it with "
        "-gencode=arch=compute_90,code=sm_90.";
    EXPECT_EQ(refusal<10>({.threads = 32}), sentence);
    EXPECT_EQ(explain_launch(kernel<10>, {.threads = 32}), sentence);
    EXPECT_EQ(here.last_error, cudaSuccess);
    EXPECT_THROW(suggest_block_size(kernel<10>), launch_error);
    EXPECT_EQ(here.last_error, cudaSuccess);
}

TEST_F(launch_errors, the_attribute_for_large_clusters_is_set)
{
    for (int i = 0; i < 3; ++i) launch(kernel<11>, {.grid = 32, .threads = 32, .cluster = 16}, nullptr, 2);
    EXPECT_EQ(fake.launched, 3);
    EXPECT_EQ(fake.tried, 3);
    EXPECT_EQ(fake.allowed, 1);
    EXPECT_EQ(
        refusal<11>({.grid = 64, .threads = 32, .cluster = 32}),
        "merge<int>: a cluster of 32 blocks, but with this kernel and block at most 16 fit together on this GPU. Use "
        "a smaller cluster.");
}

TEST_F(launch_errors, a_gpu_missing_from_the_table_launches)
{
    fake.major = 99;
    launch(kernel<12>, {.threads = 512}, nullptr, 2);
    EXPECT_EQ(fake.launched, 1);
    try {
        resident_blocks(kernel<12>, {.threads = 512});
        FAIL() << "has an answer";
    } catch (const launch_error& error) {
        EXPECT_EQ(error.kind, launch_error_kind::unknown_gpu);
        EXPECT_EQ(std::string(error.what()),
                  "merge<int>: launchbox has no limits for compute capability 99.0. Launching works; for occupancy and "
                  "block sizes a newer launchbox is needed.");
    }
}

TEST_F(launch_errors, barriers_are_derived_from_the_runtimes_answers)
{
    EXPECT_EQ(kernel_resources_of(kernel<13>).barriers, 0);
    fake.runtime_blocks = 21;  // 64 barriers per SM / 3
    EXPECT_EQ(kernel_resources_of(kernel<13>).barriers, 3);
    EXPECT_EQ(resident_blocks(kernel<13>, {.threads = 32}), 21);
    fake.runtime_blocks = 4;  // 13 to 16 barriers
    EXPECT_EQ(resident_blocks(kernel<13>, {.threads = 64}), 4);
    EXPECT_TRUE(occupancy_of(kernel<13>, {.threads = 64}).limiters.contains(resource::barriers));
}

TEST_F(launch_errors, block_size_with_a_grid_that_fills_the_gpu)
{
    const block_size_suggestion best = suggest_block_size(kernel<14>, [](int threads) { return threads * 4; });
    const block_size_choice model =
        suggest_block_size(sm_90, kernel_resources{.registers = 40}, [](int threads) { return threads * 4; });
    EXPECT_EQ(best.threads, model.threads);
    EXPECT_EQ(best.resident_blocks, model.resident_blocks);
    EXPECT_EQ(best.grid, model.resident_blocks * 132);
    EXPECT_EQ(best.dynamic_shared_bytes, 4 * model.threads);
    EXPECT_EQ(best.occupancy, 0.75);  // 1,536 of 2,048 threads
    EXPECT_TRUE(best.limiters.contains(resource::registers));
    // Above 48 KB, since a launch sets the attribute.
    EXPECT_EQ(suggest_block_size(kernel<14>, 100000).resident_blocks, 2);
    EXPECT_EQ(available_dynamic_shared(kernel<14>, 128, 2), 115712);
}

// Without a driver, the first query of a launch leaves an error; no earlier call is blamed for it.
TEST_F(launch_errors, a_missing_driver_is_not_reported_as_an_earlier_error)
{
    for (const cudaError_t none : {cudaErrorInsufficientDriver, cudaErrorNoDevice})
        for (const std::int64_t bytes : {0, 20000, 100000}) {
            fake.lasting = none;
            here.last_error = none;
            try {
                launch(kernel<10>, {.threads = 64, .dynamic_shared_bytes = bytes}, nullptr, 2);
                FAIL() << "launched";
            } catch (const launch_error& error) {
                EXPECT_EQ(error.kind, launch_error_kind::no_gpu) << error.what();
                EXPECT_EQ(error.code, none);
                EXPECT_EQ(error.earlier, cudaSuccess);
                EXPECT_NE(std::string(error.what()).find("this machine has no GPU to run it"), std::string::npos);
                EXPECT_EQ(std::string(error.what()).find("earlier"), std::string::npos) << error.what();
            }
        }
}

}  // namespace
}  // namespace launchbox
