// Which row a kernel uses on each GPU, with a fake runtime: several GPUs of different kinds, concurrent first launches,
// and the errors if there is no row.
#include <gtest/gtest.h>
#include <launchbox/detail/launch_box/row_choice.cuh>

#include <barrier>
#include <map>
#include <thread>
#include <vector>

#include "launch_fake_runtime.hpp"

namespace launchbox::detail {
namespace {

// Only their addresses are used; the runtime decides what they are.
char probe, kernel;
struct body {};

constexpr row_figures rows[] = {
    {.architecture = {.major = 8}, .threads = 256, .items = 11, .dynamic_shared_bytes = 100000, .tile = 2816},
    {.architecture = {.major = 9}, .threads = 512, .items = 15, .dynamic_shared_bytes = 120000, .tile = 7680},
    {.architecture = {9, 0, architecture_variant::accelerated}, .threads = 384, .items = 3, .tile = 1152},
    {.architecture = {.major = 12}, .threads = 128, .items = 8, .tile = 1024}};
constexpr std::array<compute_capability, 4> architectures{rows[0].architecture, rows[1].architecture,
                                                          rows[2].architecture, rows[3].architecture};
constexpr std::array<std::span<const gpu_range>, 4> every_gpu{};
constexpr int listed[] = {80, 86, 90, 120};

// In a table with one of the rows.
row_places place_of(std::size_t row)
{
    return {{&architectures[row], 1}, {every_gpu.data(), 1}};
}

kernel_handle handle_of_body()
{
    return {&kernel, typeid(void(int*)).name(), typeid(body).name()};
}

// Adds a GPU with the architecture that its code was compiled for, and the launch bound of the kernel in that code.
void add_gpu(int device, int major, int minor, const compute_capability& code, int bound)
{
    fake.gpus[device] = {major, minor};
    fake.codes[{&probe, device}] = {.max_threads = probe_value_of(code)};
    fake.codes[{&kernel, device}] = {.max_threads = bound};
}

// A separate cache for each test, like that of each kernel.
struct entry {
    known_rows known{};
    row_question question{handle_of_body(), &probe, rows, {architectures, every_gpu}, listed};

    std::size_t row() { return row_on(here.device); }
    std::size_t row_on(int device)
    {
        here.device = device;
        return known.on(device, [&] { return choose_row(question, device).row; });
    }
    // Passes the same to launch_checked as launch<Body>.
    void launch(int device)
    {
        const row_figures& row = rows[row_on(device)];
        void* arguments[] = {nullptr, nullptr};
        launch_checked(question.kernel, {.threads = row.threads, .dynamic_shared_bytes = row.dynamic_shared_bytes},
                       arguments);
    }
    std::string refusal(int device, launch_error_kind kind, cudaError_t code)
    {
        try {
            row_on(device);
        } catch (const launch_error& error) {
            EXPECT_EQ(error.kind, kind) << error.what();
            EXPECT_EQ(error.code, code) << error.what();
            earlier = error.earlier;
            return error.what();
        }
        return "row " + std::to_string(row_on(device));
    }
    cudaError_t earlier = cudaSuccess;  // the pending error in the last refusal
};

class launch_box_host : public testing::Test {
protected:
    void SetUp() override
    {
        fake = {}, here = {};
        fake.symbol = nullptr;
        add_gpu(0, 9, 0, {.major = 9}, 512);
        add_gpu(1, 8, 6, {.major = 8, .minor = 6}, 256);
        fake.gpus[1] = {8, 7};  // has enough shared memory for the row
        add_gpu(2, 12, 0, {.major = 12}, 128);
        add_gpu(3, 10, 0, {.major = 9}, 512);  // compiled from PTX
        add_gpu(4, 7, 5, {}, 0);
        fake.codes[{&probe, 4}].attributes_status = fake.codes[{&kernel, 4}].attributes_status =
            cudaErrorNoKernelImageForDevice;
        add_gpu(200, 9, 0, {9, 0, architecture_variant::accelerated}, 384);
    }
    void TearDown() override
    {
        EXPECT_EQ(here.mode, cudaStreamCaptureModeGlobal);  // restored for the caller
        EXPECT_EQ(fake.in_the_way, 0);
    }
    entry tested;
};

TEST_F(launch_box_host, every_gpu_uses_its_own_row_and_is_queried_once)
{
    for (int round = 0; round < 3; ++round)
        for (const auto& [device, row] : std::map<int, std::size_t>{{0, 1}, {1, 0}, {2, 3}, {3, 1}})
            EXPECT_EQ(tested.row_on(device), row) << device;
    for (int device : {0, 1, 2, 3}) {
        EXPECT_EQ((fake.asked[{&probe, device}]), 1);
        EXPECT_LE((fake.asked[{&kernel, device}]), 2);  // once more for the attribute
    }
    const int questions = fake.questions;
    tested.row_on(2);
    EXPECT_EQ(fake.questions, questions);
    EXPECT_EQ(here.last_error, cudaSuccess);
}

TEST_F(launch_box_host, code_with_a_suffix_uses_its_row)
{
    fake.codes[{&probe, 0}].max_threads = 346;
    fake.codes[{&kernel, 0}].max_threads = 384;
    EXPECT_EQ(tested.row_on(0), 2u);
}

TEST_F(launch_box_host, large_device_numbers_are_queried_each_time)
{
    for (int i = 1; i <= 3; ++i) {
        EXPECT_EQ(tested.row_on(200), 2u);
        EXPECT_EQ((fake.asked[{&probe, 200}]), i);
    }
    for (int device : {127, 128}) {
        add_gpu(device, 12, 0, {.major = 12}, 128);
        for (int i = 0; i < 2; ++i) EXPECT_EQ(tested.row_on(device), 3u);
        EXPECT_EQ((fake.asked[{&probe, device}]), device == 127 ? 1 : 2);
    }
}

TEST_F(launch_box_host, concurrent_first_launches_agree)
{
    constexpr int threads = 12;
    std::barrier start(threads);
    std::vector<std::vector<std::size_t> > seen(threads);
    {
        std::vector<std::jthread> all;
        for (int i = 0; i < threads; ++i)
            all.emplace_back([&, i] {
                const int order[] = {i % 4, (i + 1) % 4, (i + 2) % 4, (i + 3) % 4};
                std::vector<std::size_t> mine(4);
                start.arrive_and_wait();
                for (int round = 0; round < 2; ++round)
                    for (int device : order) {
                        tested.launch(device);
                        mine[static_cast<std::size_t>(device)] = tested.row();
                    }
                EXPECT_EQ(here.mode, cudaStreamCaptureModeGlobal);
                EXPECT_EQ(here.last_error, cudaSuccess);
                seen[static_cast<std::size_t>(i)] = std::move(mine);
            });
    }
    for (const std::vector<std::size_t>& rows_seen : seen) EXPECT_EQ(rows_seen, (std::vector<std::size_t>{1, 0, 3, 1}));
    EXPECT_EQ(fake.launched, threads * 8);
    EXPECT_EQ(fake.tried, threads * 8);
    EXPECT_LE((fake.asked[{&probe, 0}]), threads);
}

TEST_F(launch_box_host, the_attribute_is_set_where_it_is_needed)
{
    tested.row_on(2);  // this row has no shared memory
    EXPECT_EQ(fake.raised, 0);
    tested.row_on(0);
    EXPECT_EQ(fake.raised_to, std::vector{232448});
    tested.launch(0);
    EXPECT_EQ(fake.raised, 1);
    EXPECT_EQ(fake.tried, 1);

    // Below 48 KB it depends on static memory: the runtime says how much is left.
    row_figures small = rows[1];
    small.dynamic_shared_bytes = 20000;
    entry below{.question = {handle_of_body(), &probe, {&small, 1}, place_of(1), listed}};
    fake.codes[{&kernel, 0}] = {.max_threads = 512, .static_shared = 29152, .max_dynamic_shared = 20000};
    below.row_on(0);
    EXPECT_EQ(fake.raised, 1);
    fake.codes[{&kernel, 0}] = {.max_threads = 512, .static_shared = 29153, .max_dynamic_shared = 19999};
    entry above{.question = below.question};
    above.row_on(0);
    EXPECT_EQ(fake.raised, 2);
    EXPECT_EQ(fake.raised_to.back(), 232448 - 29153);
}

TEST_F(launch_box_host, without_a_kernel_only_the_row_is_queried)
{
    tested.question.kernel = {};
    EXPECT_EQ(tested.row_on(0), 1u);
    EXPECT_EQ((fake.asked[{&probe, 0}]), 1);
    EXPECT_EQ(fake.raised, 0);
    EXPECT_EQ(tested.refusal(4, launch_error_kind::no_code, cudaErrorNoKernelImageForDevice),
              "launchbox::row_for: the program has no code of it for this GPU, compute capability 7.5. Compile it with "
              "-gencode=arch=compute_75,code=sm_75.");
}

TEST_F(launch_box_host, a_reset_device_still_launches)
{
    tested.launch(0);
    fake.codes[{&kernel, 0}].max_dynamic_shared = 49152;  // like after cudaDeviceReset
    tested.launch(0);
    EXPECT_EQ(fake.launched, 2);
    EXPECT_EQ(fake.tried, 3);
    EXPECT_EQ(here.last_error, cudaSuccess);
}

const std::string name = typeid(body).name();
const std::string body_name = "launchbox::detail::(anonymous namespace)::body: ";

TEST_F(launch_box_host, an_architecture_missing_from_the_list)
{
    const auto refused = [&](int value) {
        fake.codes[{&probe, 0}].max_threads = value;
        return tested.refusal(0, launch_error_kind::row_mismatch, cudaErrorInvalidKernelImage);
    };
    EXPECT_EQ(refused(100), body_name +
                                "its code on device 0 (sm_90) was compiled for sm_100, but its source file for sm_80, "
                                "sm_86, sm_90, sm_120. The program mixes two builds of the file: rebuild all of it.");
    EXPECT_EQ(refused(612).substr(0, body_name.size() + 54),
              body_name + "its code on device 0 (sm_90) was compiled for sm_100f,");
    // With any value.
    for (int value : {0, 1, 255, 1024}) EXPECT_NE(refused(value).find("rebuild all of it."), std::string::npos);
    EXPECT_EQ(here.last_error, cudaSuccess);
    // Nothing was cached.
    fake.codes[{&probe, 0}].max_threads = 90;
    EXPECT_EQ(tested.row_on(0), 1u);
}

TEST_F(launch_box_host, a_launch_bound_that_does_not_match_the_row)
{
    for (int bound : {128, 511, 513, 1024}) {
        fake.codes[{&kernel, 0}].max_threads = bound;
        EXPECT_EQ(tested.refusal(0, launch_error_kind::row_mismatch, cudaErrorInvalidKernelImage),
                  body_name + "its code for sm_90 on device 0 (sm_90) is bound to " + std::to_string(bound) +
                      " threads, but the row of sm_90 has 512. Build all files that use it with the same table; a "
                      "__global__ function needs LAUNCHBOX_BOUNDS of that table.");
    }
    fake.codes[{&kernel, 0}].max_threads = 512;
    EXPECT_EQ(tested.row_on(0), 1u);
}

TEST_F(launch_box_host, more_shared_memory_than_the_gpu_has)
{
    // Code for 8.0 also runs on 8.6, which has less shared memory: 101,376 B.
    add_gpu(1, 8, 6, {.major = 8}, 256);
    EXPECT_EQ(tested.row_on(1), 0u);
    entry again;
    fake.codes[{&kernel, 1}].static_shared = 1376;
    EXPECT_EQ(again.row_on(1), 0u);
    entry more;
    fake.codes[{&kernel, 1}].static_shared = 1377;
    const std::string sentence =
        ", but a block has at most 101,376 B on device 1 (sm_86). Add a row for sm_86 that "
        "needs less, and compile for sm_86.";
    EXPECT_EQ(more.refusal(1, launch_error_kind::block, cudaErrorInvalidConfiguration),
              body_name + "the row of sm_80 needs 100,000 B of dynamic shared memory and 1,377 B static" + sentence);
    row_figures alone = rows[0];
    alone.architecture = {};
    alone.dynamic_shared_bytes = 101377;
    entry only_row{.question = {handle_of_body(), &probe, {&alone, 1}, place_of(0), listed}};
    fake.codes[{&kernel, 1}].static_shared = 0;
    EXPECT_EQ(only_row.refusal(1, launch_error_kind::block, cudaErrorInvalidConfiguration),
              body_name + "the row for every architecture needs 101,377 B of dynamic shared memory" + sentence);
}

TEST_F(launch_box_host, no_row)
{
    entry late{.question = {handle_of_body(), &probe, {rows + 3, 1}, place_of(3), listed}};
    EXPECT_EQ(
        late.refusal(0, launch_error_kind::row_mismatch, cudaErrorInvalidKernelImage),
        body_name +
            "its code on device 0 (sm_90) was compiled for sm_90, for which its table has no row. Rebuild all files "
            "that use the table.");
    EXPECT_EQ(late.row_on(2), 0u);
}

TEST_F(launch_box_host, no_code)
{
    const std::string sentence = body_name +
                                 "the program has no code of it for this GPU, compute capability 7.5. Compile it with "
                                 "-gencode=arch=compute_75,code=sm_75.";
    EXPECT_EQ(tested.refusal(4, launch_error_kind::no_code, cudaErrorNoKernelImageForDevice), sentence);
    EXPECT_EQ(here.last_error, cudaSuccess);
    fake.codes[{&probe, 4}] = {.max_threads = 80};  // another build, which only has the probe
    EXPECT_EQ(tested.refusal(4, launch_error_kind::no_code, cudaErrorNoKernelImageForDevice), sentence);
    EXPECT_EQ(here.last_error, cudaSuccess);
    // A library with the kernel's code was loaded.
    fake.gpus[4] = {8, 0};
    fake.codes[{&kernel, 4}] = {.max_threads = 256, .max_dynamic_shared = 100000};
    EXPECT_EQ(tested.row_on(4), 0u);
}

TEST_F(launch_box_host, a_function_is_named_in_errors)
{
    fake.symbol = "_Z5mergeIiEvPT_";
    tested.question.kernel = {&kernel, typeid(void(int*)).name(), nullptr};
    fake.codes[{&kernel, 0}].max_threads = 1024;
    const std::string text = tested.refusal(0, launch_error_kind::row_mismatch, cudaErrorInvalidKernelImage);
    EXPECT_TRUE(text.starts_with("merge<int>: its code for sm_90 on device 0 (sm_90) is bound to 1024")) << text;
    // Also if the query of the probe fails.
    const std::string missing = tested.refusal(4, launch_error_kind::no_code, cudaErrorNoKernelImageForDevice);
    EXPECT_TRUE(missing.starts_with("merge<int>: the program has no code of it")) << missing;
    // If the runtime does not know the name, asking for it leaves no error either.
    fake.symbol = nullptr;
    const std::string nameless = tested.refusal(0, launch_error_kind::row_mismatch, cudaErrorInvalidKernelImage);
    EXPECT_TRUE(nameless.starts_with("kernel (int*): its code for sm_90")) << nameless;
    EXPECT_EQ(here.last_error, cudaSuccess);
}

TEST_F(launch_box_host, an_earlier_error_is_neither_lost_nor_blamed_on_the_launch)
{
    fake.capturing = false;  // the call that allows queries during a capture is left out while an error is pending
    here.last_error = cudaErrorInvalidResourceHandle;
    EXPECT_EQ(tested.row_on(2), 3u);
    EXPECT_EQ(here.last_error, cudaErrorInvalidResourceHandle);

    // A refusal of ours makes no call that fails: the error stays pending.
    fake.codes[{&probe, 0}].max_threads = 100;
    EXPECT_NE(tested.refusal(0, launch_error_kind::row_mismatch, cudaErrorInvalidKernelImage).find("sm_100"),
              std::string::npos);
    EXPECT_EQ(tested.earlier, cudaSuccess);
    EXPECT_EQ(here.last_error, cudaErrorInvalidResourceHandle);
    fake.codes[{&probe, 0}].max_threads = 90;

    // A failing query has overwritten the error, so it is reported.
    EXPECT_EQ(tested.refusal(4, launch_error_kind::no_code, cudaErrorNoKernelImageForDevice),
              body_name +
                  "the program has no code of it for this GPU, compute capability 7.5. Compile it with "
                  "-gencode=arch=compute_75,code=sm_75. An earlier error was pending: cudaErrorInvalidResourceHandle: "
                  "its text.");
    EXPECT_EQ(tested.earlier, cudaErrorInvalidResourceHandle);
    EXPECT_EQ(here.last_error, cudaSuccess);

    // Setting the attribute would clear it.
    here.last_error = cudaErrorInvalidResourceHandle;
    EXPECT_EQ(tested.refusal(0, launch_error_kind::earlier_error, cudaErrorInvalidResourceHandle),
              body_name +
                  "not launched: an earlier error was pending, cudaErrorInvalidResourceHandle: its text, and opting in "
                  "to this much shared memory or this large a cluster would have lost it. Check the calls before this "
                  "launch.");
    EXPECT_EQ(fake.raised, 0);
    EXPECT_EQ(here.last_error, cudaSuccess);
    EXPECT_EQ(tested.row_on(0), 1u);
    EXPECT_EQ(fake.raised, 1);
}

TEST_F(launch_box_host, a_sticky_error_is_not_blamed_on_the_row)
{
    fake.capturing = false;
    fake.lasting = cudaErrorIllegalAddress;
    EXPECT_EQ(tested.refusal(0, launch_error_kind::earlier_error, cudaErrorIllegalAddress),
              body_name +
                  "an earlier error was pending: cudaErrorIllegalAddress: its text. Nothing can be launched until the "
                  "process ends (with CUDA_LAUNCH_BLOCKING=1 the error may be this kernel's own).");
}

}  // namespace
}  // namespace launchbox::detail
