// The worker on a real GPU, with kernels that fail in every way: the failures are distinguished, and none affects
// another kernel.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>

#include "record.hpp"
#include "support/files/files.hpp"
#include "tune/worker/buffers.hpp"
#include "tune/worker/gpu_worker.hpp"
#include "tune/worker/npy.hpp"

namespace launchbox {
namespace {

constexpr int count = 1'000'003;

class gpu_worker_gpu_test : public testing::Test {
protected:
    void SetUp() override
    {
        int major = 0, minor = 0;
        if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0) != cudaSuccess ||
            cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0) != cudaSuccess)
            GTEST_SKIP() << "no GPU";
        if (major != 9 || minor != 0) GTEST_SKIP() << "the kernels are for sm_90";
        std::string bytes(std::size_t{4} * count, '\0');
        argument_filler(input()).fill(0, count, bytes.data());
        for (std::size_t i = 0; i < count; ++i) {
            std::uint32_t value = 0;
            std::memcpy(&value, bytes.data() + 4 * i, 4);
            value = 2 * value + 1;
            std::memcpy(bytes.data() + 4 * i, &value, 4);
        }
        right_sum_ = checksum_text(checksum(bytes));
        write_file_atomically(path("expected.npy"), npy_header(element_type_of("int"), count) + bytes);
    }

    [[nodiscard]] std::string path(const std::string& name) const { return (folder_.path() / name).string(); }

    static task_argument input()
    {
        return {.name = "in", .type = "int", .count = count, .fill = fill_kind::random, .seed = 42};
    }
    [[nodiscard]] gpu_task task(const std::string& kernel) const
    {
        gpu_task task;
        task.cubin_file = LAUNCHBOX_WORKER_CUBIN;
        task.kernel = kernel;
        task.threads = {256, 1, 1};
        task.blocks = {(count + 255) / 256, 1, 1};
        task.workload = "n";
        task.arguments = {input(),
                          {.name = "out", .type = "int", .count = count, .role = argument_role::output},
                          {.name = "n", .type = "int", .scalar = true, .integer = count}};
        task.expected = {{"out", path("expected.npy")}};
        task.launch_seconds = 2;
        task.samples = 20;
        return task;
    }
    measurement measured(const gpu_task& task, const std::string& name)
    {
        measurement found = worker_.measure(task);
        record("gpu_worker", name + ".outcome", std::string(name_of(found.status)));
        record("gpu_worker", name + ".reason", found.reason);
        record("gpu_worker", name + ".seconds", found.seconds);
        return found;
    }
    /// Runs the correct kernel, to show that nothing before affected it.
    void expect_right(const std::string& after)
    {
        const measurement found = worker_.measure(task("right"));
        EXPECT_EQ(found.status, outcome::measured) << after << ": " << found.reason;
        EXPECT_TRUE(found.verified);
        EXPECT_EQ(found.checksum, right_sum_);
        EXPECT_EQ(found.samples_ns.size(), 20u);
    }
    static double median(std::vector<double> values)
    {
        if (values.empty()) return 0;
        std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
        return values[values.size() / 2];
    }

    temporary_directory folder_;
    std::string right_sum_;
    gpu_worker worker_{{.device = 0, .worker_program = LAUNCHBOX_WORKER}};
};

TEST_F(gpu_worker_gpu_test, variables_can_be_set_like_arguments)
{
    gpu_task with = task("adds_differences");
    with.variables = {{.name = "table", .type = "int", .count = 1000, .fill = fill_kind::random, .seed = 9},
                      {.name = "expected_number", .type = "int", .scalar = true, .integer = 77}};
    with.arguments.push_back(with.variables[0]);
    EXPECT_EQ(measured(with, "variables").status, outcome::measured);
    with.variables[0].seed = 8;
    EXPECT_EQ(measured(with, "other_variables").status, outcome::wrong_result);
    with.variables[0].count = 1001;
    EXPECT_EQ(measured(with, "large_variable").reason, "the variable 'table' has 4000 bytes, but its data has 4004");
    expect_right("variables");
}

TEST_F(gpu_worker_gpu_test, every_failure_is_distinguished_and_affects_no_other)
{
    expect_right("the start");
    const struct {
        const char* kernel;
        outcome status;
        const char* reason;
    } cases[] = {
        {"just_behind", outcome::illegal_access, "wrote 8 bytes after the end of 'out'"},
        {"far_away", outcome::illegal_access, "CUDA_ERROR_ILLEGAL_ADDRESS"},
        {"misaligned", outcome::illegal_access, "CUDA_ERROR_MISALIGNED_ADDRESS"},
        {"into_input", outcome::illegal_access, "changed its input 'in'"},
        {"endless", outcome::hang, "not finished after 2 s"},
        {"traps", outcome::trap, "CUDA_ERROR_LAUNCH_FAILED"},
        {"asserts", outcome::trap, "CUDA_ERROR_ASSERT"},
        {"races", outcome::wrong_result, "out["},
        {"no_such_kernel", outcome::launch_error, "CUDA_ERROR_NOT_FOUND"},
    };
    int expected_starts = 1;
    for (const auto& tried : cases) {
        const measurement found = measured(task(tried.kernel), tried.kernel);
        EXPECT_EQ(found.status, tried.status) << tried.kernel << ": " << found.reason;
        EXPECT_NE(found.reason.find(tried.reason), std::string::npos) << tried.kernel << ": " << found.reason;
        expected_starts += found.sticky ? 1 : 0;
        expect_right(tried.kernel);
    }
    EXPECT_EQ(worker_.starts(), expected_starts);
    record("gpu_worker", "starts", worker_.starts());
}

TEST_F(gpu_worker_gpu_test, limits_of_the_gpu)
{
    gpu_task large = task("with_shared_memory");
    large.dynamic_shared_bytes = 300 << 10;
    const measurement refused = measured(large, "shared_300_kib");
    EXPECT_EQ(refused.status, outcome::launch_error) << refused.reason;
    large.dynamic_shared_bytes = 200 << 10;
    EXPECT_EQ(measured(large, "shared_200_kib").status, outcome::measured);

    gpu_task many = task("right");
    many.threads = {2048, 1, 1};
    EXPECT_EQ(measured(many, "threads_2048").status, outcome::launch_error);

    gpu_task full = task("right");
    full.workload = "full";
    full.arguments[1].count = std::int64_t{1} << 38;
    full.expected.clear();
    EXPECT_EQ(measured(full, "out_of_memory").status, outcome::out_of_memory);
    expect_right("out of memory");
    EXPECT_EQ(worker_.starts(), 1);
}

TEST_F(gpu_worker_gpu_test, clusters_and_printing_and_arrays_changed_in_place)
{
    gpu_task clustered = task("right");
    clustered.blocks[0] = (clustered.blocks[0] + 15) / 16 * 16;
    for (const int blocks : {4, 16}) {
        clustered.cluster = {blocks, 1, 1};
        const measurement found = measured(clustered, fmt::format("cluster_{}", blocks));
        EXPECT_EQ(found.status, outcome::measured) << found.reason;
    }
    EXPECT_EQ(measured(task("prints"), "prints").status, outcome::measured);

    gpu_task in_place = task("in_place");
    in_place.workload = "in place";
    in_place.arguments[1].role = argument_role::in_out;
    in_place.arguments[1].fill = fill_kind::sequence;
    in_place.expected.clear();
    in_place.makes_reference = true;
    in_place.save_outputs = {{"out", path("saved.npy")}};
    in_place.measure.rotate_inputs = true;
    for (const bool cold : {true, false}) {
        in_place.measure.cold = cold;
        const measurement found = measured(in_place, cold ? "in_place_cold" : "in_place_hot");
        EXPECT_EQ(found.status, outcome::measured) << found.reason;
        measured(task("prints"), "prints_again");  // before this task starts, the worker has written the file
        const std::string saved = read_input(path("saved.npy"));
        EXPECT_EQ(found.checksum, checksum_text(checksum(read_npy(saved, "saved").data)));
    }
}

// Whole words, every remainder, and more elements than the grid has threads.
TEST_F(gpu_worker_gpu_test, the_checksum_equals_that_of_the_host)
{
    for (const std::int64_t bytes : {1, 7, 8, 9, 63, 4096, 100'003, 5'000'001, 40'000'003}) {
        gpu_task copy = task("right_bytes");
        copy.workload = std::to_string(bytes);
        for (int i : {0, 1}) {
            copy.arguments[static_cast<std::size_t>(i)].type = "unsigned char";
            copy.arguments[static_cast<std::size_t>(i)].count = bytes;
        }
        copy.arguments[2].integer = bytes;
        copy.blocks = {(bytes + 255) / 256, 1, 1};
        copy.expected.clear();
        std::string content(static_cast<std::size_t>(bytes), '\0');
        argument_filler(copy.arguments[0]).fill(0, bytes, content.data());
        const measurement found = worker_.measure(copy);
        EXPECT_EQ(found.status, outcome::measured) << found.reason;
        EXPECT_EQ(found.checksum, checksum_text(checksum(content))) << bytes;
    }
}

TEST_F(gpu_worker_gpu_test, times)
{
    gpu_task known = task("one_millisecond");
    known.blocks = {1, 1, 1};
    known.expected.clear();
    const measurement waited = measured(known, "one_millisecond");
    ASSERT_EQ(waited.samples_ns.size(), 20u) << waited.reason;
    EXPECT_GT(median(waited.samples_ns), 999'000);
    record("gpu_worker", "one_millisecond.median_ns", median(waited.samples_ns));
    const auto [least, most] = std::minmax_element(waited.samples_ns.begin(), waited.samples_ns.end());
    record("gpu_worker", "one_millisecond.spread", (*most - *least) / *least);

    for (const bool cold : {true, false}) {
        gpu_task copy = task("right");
        copy.measure.cold = cold;
        const measurement found = measured(copy, cold ? "right_cold" : "right_hot");
        EXPECT_EQ(found.status, outcome::measured) << found.reason;
        record("gpu_worker", cold ? "right_cold.median_ns" : "right_hot.median_ns", median(found.samples_ns));
        if (found.device) record("gpu_worker", "sm_clock_mhz", found.device->sm_clock_mhz.value_or(0));
    }
    // The cost of a task besides its launches: 20 samples of a few microseconds each.
    record("gpu_worker", "seconds_of_a_task", worker_.measure(task("right")).seconds);
}

}  // namespace
}  // namespace launchbox
