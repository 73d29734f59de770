// Buffers filled on a real GPU against those filled on the host: every type, range and seed, bit by bit.
#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <string>
#include <vector>

#include "record.hpp"
#include "tune/worker/buffers.hpp"
#include "tune/worker/gpu_context.hpp"

namespace launchbox {
namespace {

class on_gpu {
public:
    on_gpu() : gpu_(0, [] {}) {}

    std::string filled(const task_argument& argument)
    {
        CUdeviceptr buffer = 0;
        const std::size_t bytes = bytes_of(argument);
        gpu_.check(gpu_.driver().allocate(&buffer, bytes + 64), "allocate");
        gpu_.check(gpu_.driver().set_bytes(buffer, 0x5a, bytes + 64, gpu_.stream()), "set");
        gpu_.fill(argument_filler(argument).generated().value(), buffer, argument.count);
        std::string content;
        gpu_.download(buffer, bytes + 64, [&](std::string_view piece) { content += piece; });
        gpu_.driver().free(buffer);
        EXPECT_EQ(content.substr(bytes), std::string(64, '\x5a')) << "written behind the end of " << argument.type;
        return content.substr(0, bytes);
    }

    double seconds_to_fill(const task_argument& argument)
    {
        CUdeviceptr buffer = 0;
        gpu_.check(gpu_.driver().allocate(&buffer, bytes_of(argument)), "allocate");
        const argument_filler filler(argument);
        gpu_.fill(filler.generated().value(), buffer, 1);  // loads the kernel
        gpu_.wait(10, "fill");
        const auto start = std::chrono::steady_clock::now();
        gpu_.fill(filler.generated().value(), buffer, argument.count);
        gpu_.wait(10, "fill");
        const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
        gpu_.driver().free(buffer);
        return seconds;
    }

private:
    gpu_context gpu_;
};

TEST(filling_gpu_test, bits_equal_those_of_the_host)
{
    int gpus = 0;
    if (cudaGetDeviceCount(&gpus) != cudaSuccess || gpus == 0) GTEST_SKIP() << "no GPU";
    on_gpu gpu;
    struct range {
        std::optional<double> low, high;
    };
    const std::vector<range> ranges{{},         {0, 1},       {-1, 1},         {0, 100},         {-100, 27},
                                    {5, {}},    {{}, 17},     {-0.25, 0.5},    {1e-7, 3e-7},     {-1e30, 1e30},
                                    {1, 1.001}, {6e4, 65504}, {1e-40, 2e-40},  {1e-310, 1e-309}, {0, 255},
                                    {-128, 0},  {0, 1e18},    {1e300, 1.1e300}};
    double elements = 0, differing = 0;
    for (const char* type : {"bool",     "signed char",    "unsigned char",
                             "short",    "unsigned short", "int",
                             "unsigned", "long long",      "unsigned long long",
                             "half",     "nv_bfloat16",    "float",
                             "double",   "__nv_fp8_e4m3",  "half2",
                             "uchar3",   "short3",         "float3",
                             "float4",   "double3",        "double4"})
        for (const fill_kind fill : {fill_kind::zeros, fill_kind::constant, fill_kind::sequence, fill_kind::random})
            for (const range& within : ranges) {
                const bool is_random = fill == fill_kind::random;
                if (!is_random && (within.low || within.high)) continue;
                for (const std::int64_t seed : {std::int64_t{1}, std::int64_t{-7}, std::int64_t{1} << 40}) {
                    if (!is_random && seed != 1) continue;
                    task_argument argument{.name = "x",
                                           .type = type,
                                           .count = is_random ? 100'003 : 300'007,
                                           .number = -1.37,
                                           .integer = -123'456'789'012,
                                           .fill = fill,
                                           .low = within.low,
                                           .high = within.high,
                                           .seed = seed};
                    std::string host;
                    try {
                        const argument_filler filler(argument);
                        host.resize(bytes_of(argument));
                        filler.fill(0, argument.count, host.data());
                    } catch (const std::exception&) {
                        continue;  // the type has no number in this range
                    }
                    const std::string made = gpu.filled(argument);
                    elements += static_cast<double>(argument.count);
                    if (made == host) continue;
                    ++differing;
                    ADD_FAILURE() << type << ", fill " << static_cast<int>(fill) << ", " << within.low.value_or(NAN)
                                  << " to " << within.high.value_or(NAN) << ", seed " << seed << ": byte "
                                  << std::mismatch(made.begin(), made.end(), host.begin()).first - made.begin();
                }
            }
    EXPECT_GT(elements, 5e7);
    record("filling", "elements", elements);
    record("filling", "buffers_that_differ_from_the_host", differing);
    for (const char* type : {"float", "int", "half", "double", "float4"})
        record("filling", (std::string("ms_of_2^28_") + type).c_str(),
               1e3 * gpu.seconds_to_fill({.name = "x", .type = type, .count = 1 << 28, .fill = fill_kind::random}));
}

}  // namespace
}  // namespace launchbox
