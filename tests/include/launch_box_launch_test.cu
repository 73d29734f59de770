// The public interface of a launch box, end to end, with a fake runtime: the arguments that each launch passes to it.
#include <gtest/gtest.h>
#include <launchbox/launch_box.cuh>

#include <cstring>
#include <limits>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "launch_box_given_row.hpp"
#include "launch_fake_runtime.hpp"

struct row {
    int threads, items, min_blocks = 0;
};
using table = launchbox::launch_box<launchbox::sm<80, row{256, 11, 3}>, launchbox::sm<90, row{512, 15, 2}> >;

struct square {
    using tuning = table;
    template <row r>
    static __device__ void run(int* data, long long count)
    {
        if (threadIdx.x < count) data[threadIdx.x] = r.items;
    }
};

// Rows of several types.
template <class Type>
struct typed_row {
    int threads, items, min_blocks = 0, steps = 1;
    using type = Type;
    constexpr int dynamic_shared_bytes() const { return threads * static_cast<int>(sizeof(Type)); }
};
struct typed {
    using tuning = launchbox::launch_box<launchbox::sm<80, typed_row<short>{128, 7, 4}>,
                                         launchbox::sm<90, typed_row<double>{256, 5, 0, 2}> >;
    template <auto r>
    static __device__ void run(int* data)
    {
        if constexpr (r.items > 0) data[0] = static_cast<int>(sizeof(typename decltype(r)::type));
    }
};

// Four size classes.
struct sized {
    using tuning = launchbox::by_size<launchbox::upto<1, launchbox::only<row{32, 1}> >,
                                      launchbox::upto<1000, launchbox::launch_box<launchbox::sm<80, row{64, 4}> > >,
                                      launchbox::upto<(std::int64_t{1} << 40), table>,
                                      launchbox::otherwise<launchbox::only<row{1024, 32}> > >;
    template <row r>
    static __device__ void run()
    {
    }
};

// The body determines shared memory and tile.
struct roomy {
    using tuning = table;
    static constexpr std::size_t dynamic_shared_bytes(row r) { return std::size_t(r.threads) * 200; }
    static constexpr int tile(row r) { return r.threads; }
    template <row r>
    static __device__ void run(int*)
    {
    }
};

// Waits in code for 9.0 or later, but not in code for 8.0.
struct waiting {
    using tuning = launchbox::launch_box<launchbox::sm<80, row{64, 4}> >;
    static constexpr bool programmatic_dependent_launch = true;
    template <row r>
    static __device__ void run()
    {
    }
};

// Rows on 9.0 for GPUs with much memory and with few SMs; measured on three GPUs.
struct fleet_table
    : launchbox::launch_box<
          launchbox::sm<80, row{32, 2}>, launchbox::sm<90, row{64, 3}>,
          launchbox::on_gpus<launchbox::sm<90, row{96, 4}>,
                             launchbox::gpu_range{.min_sms = 120, .min_memory_bytes = 110'000'000'000}>,
          launchbox::on_gpus<launchbox::sm<90, row{128, 5}>, launchbox::gpu_range{.max_sms = 100},
                             launchbox::gpu_range{.min_sms = 120, .max_memory_bytes = 50'000'000'000}> > {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA A100", 80, 108, 42'000'000'000, 0},
        {"NVIDIA H200", 90, 132, 150'000'000'000, 0},
        {"NVIDIA H100 PCIe", 90, 114, 85'000'000'000, 0},
    };
};
// GPUs that only differ in memory bandwidth: an A100 with 80 GB as a PCIe card and as an SXM module.
struct bandwidth_table
    : launchbox::launch_box<
          launchbox::sm<80, row{32, 2}>,
          launchbox::on_gpus<launchbox::sm<80, row{64, 3}>, launchbox::gpu_range{.min_memory_gb_per_second = 2000}> > {
    static constexpr launchbox::measured_gpu measured[] = {
        {"NVIDIA A100 80GB PCIe", 80, 108, 85'000'000'000, 41'943'040, 1'935},
        {"NVIDIA A100-SXM4-80GB", 80, 108, 85'000'000'000, 41'943'040, 2'039},
    };
};
struct bandwidth {
    using tuning = bandwidth_table;
    template <row r>
    static __device__ void run()
    {
    }
};
struct fleet {
    using tuning =
        launchbox::by_size<launchbox::upto<10, launchbox::only<row{256, 1}> >, launchbox::otherwise<fleet_table> >;
    static constexpr std::size_t dynamic_shared_bytes(row r) { return std::size_t(r.threads) * 500; }
    template <row r>
    static __device__ void run(int* data)
    {
        data[threadIdx.x] = r.items;
    }
};

struct base {
    int of_base = 0;
};
struct derived : base {
    int of_derived = 0;
};
struct converting {
    using tuning = launchbox::only<row{32, 1}>;
    template <row r>
    static __device__ void run(int, const base*, double, unsigned char, base)
    {
    }
};

template <class Tuning>
__global__ LAUNCHBOX_BOUNDS(Tuning) void classic(int* data)
{
    data[0] = launchbox::row_here<Tuning>().items;
}

namespace launchbox {
namespace {

template <class Body, std::size_t Class = 0>
const void* kernel_of = detail::tuned_kernel<Body, detail::this_unit, Class>::handle().function;
const void* const probe_here = reinterpret_cast<const void*>(&detail::architecture_probe<detail::this_unit>);

// The arguments that the runtime received.
struct record {
    const void* kernel = nullptr;
    dim3 grid, block;
    std::size_t shared = 0;
    cudaStream_t stream = nullptr;
    std::uint64_t seal = 0;
    std::vector<cudaLaunchAttribute> attributes;
};

class launch_box_launch : public testing::Test {
protected:
    // Answers of queries are cached for the whole process: each test uses GPUs of its own.
    static inline int devices = 0;

    void SetUp() override
    {
        fake = {}, here = {};
        fake.symbol = nullptr;
        fake.on_launch = [this](const cudaLaunchConfig_t& config, const void* kernel, void** arguments) {
            last = record{kernel,
                          config.gridDim,
                          config.blockDim,
                          config.dynamicSmemBytes,
                          config.stream,
                          {},
                          {config.attrs, config.attrs + config.numAttrs}};
            last->seal = *static_cast<std::uint64_t*>(arguments[0]);
            if (copy_arguments) copy_arguments(arguments + 1);
        };
        use_gpu(9, 0, 90);
    }

    // A GPU that was not queried yet, with code for sm_80 or sm_90.
    void use_gpu(int major, int minor, int code)
    {
        here.device = devices++;
        fake.gpus[here.device] = {major, minor};
        const int bound = code == 80 ? 256 : 512;
        set(probe_here, code);
        set(probe_with_given_row(), code);
        set(kernel_of<square>, bound);
        set(kernel_of<roomy>, bound);
        set(kernel_of<waiting>, 64);
        set(kernel_of<typed>, code == 80 ? 128 : 256);
        set(reinterpret_cast<const void*>(&classic<typed::tuning>), code == 80 ? 128 : 256);
        set(kernel_of<converting>, 32);
        set(reinterpret_cast<const void*>(&classic<table>), bound);
        set(kernel_of<sized, 0>, 32);
        set(kernel_of<sized, 1>, 64);
        set(kernel_of<sized, 2>, bound);
        set(kernel_of<sized, 3>, 1024);
        set(kernel_with_given_row(), 96);
    }
    fake_code& set(const void* kernel, int bound)
    {
        fake_code& code = fake.codes[{kernel, here.device}];
        code = {.max_threads = bound};
        return code;
    }
    fake_code& code_of(const void* kernel) { return fake.codes.at({kernel, here.device}); }

    std::optional<record> last;
    std::function<void(void**)> copy_arguments;
};

template <class Function>
std::string refusal(launch_error_kind kind, const Function& function)
{
    try {
        function();
    } catch (const launch_error& error) {
        EXPECT_EQ(error.kind, kind) << error.what();
        EXPECT_NE(error.code, cudaSuccess);
        return error.what();
    }
    return "launched";
}

TEST_F(launch_box_launch, a_single_visible_gpu_is_queried_once)
{
    int data = 0;
    const int next = std::exchange(devices, 0);
    use_gpu(9, 0, 90);  // a new device 0, the only one
    devices = next;
    fake.visible_gpus = 1;
    detail::visible_gpus = 0;
    launch<square>(nullptr, 1, &data, 1);
    fake.device_status = cudaErrorUnknown;  // returned by cudaGetDevice
    EXPECT_NO_THROW(launch<square>(nullptr, 1, &data, 1));
    detail::visible_gpus = 0;
    EXPECT_THROW(launch<square>(nullptr, 1, &data, 1), launch_error);
    detail::visible_gpus = 0;
}

TEST_F(launch_box_launch, every_kernel_and_one_probe_are_registered)
{
    int probes = 0, tuned = 0;
    for (const auto& [symbol, kernel] : registered_kernels()) {
        probes += symbol.find("probe") != std::string::npos;
        tuned += symbol.find("5tunedI") != std::string::npos;
    }
    EXPECT_EQ(probes,
              2);  // of units with and without a given row: the same lists, but different names
    // The kernels of the fleet: one for the first size class, three variants; and two variants by bandwidth.
    EXPECT_EQ(tuned, 5 + 4 + 1 + 4 + 2);
}

TEST_F(launch_box_launch, block_size_shared_memory_and_seal_come_from_the_row)
{
    int data = 0;
    const auto stream = reinterpret_cast<cudaStream_t>(0x1234);
    int* pointer = nullptr;
    long long count = 0;
    copy_arguments = [&](void** arguments) {
        pointer = *static_cast<int**>(arguments[0]), count = *static_cast<long long*>(arguments[1]);
    };
    launch<square>(stream, 1000000, &data, 1000000);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->kernel, kernel_of<square>);
    EXPECT_EQ(last->block.x * last->block.y * last->block.z, 512u);
    EXPECT_EQ(last->grid.x, 131u);  // 1,000,000 / 7,680
    EXPECT_EQ(last->shared, 0u);
    EXPECT_EQ(last->stream, stream);
    EXPECT_EQ(last->seal, (detail::sealed(row{512, 15, 2})));
    EXPECT_TRUE(last->attributes.empty());
    EXPECT_EQ(pointer, &data);
    EXPECT_EQ(count, 1000000);

    use_gpu(8, 0, 80);
    copy_arguments = nullptr;  // it has one
    launch<roomy>(nullptr, 1000, &data);
    EXPECT_EQ(last->kernel, kernel_of<roomy>);
    EXPECT_EQ(last->seal, (detail::sealed(row{256, 11, 3})));
    EXPECT_EQ(last->shared, 51200u);
    EXPECT_EQ(last->grid.x, 4u);
    EXPECT_EQ(fake.raised_to, std::vector{166912});
}

TEST_F(launch_box_launch, rows_by_type)
{
    launch<typed>(nullptr, 1281, nullptr);
    ASSERT_TRUE(last);
    EXPECT_EQ(last->block.x, 256u);
    EXPECT_EQ(last->grid.x, 2u);
    EXPECT_EQ(last->shared, 256 * sizeof(double));
    EXPECT_EQ(last->seal, detail::sealed(typed::tuning::rows[1]));
    EXPECT_EQ(row_for<typed>().items, 5);
    EXPECT_EQ(row_for<typed::tuning>(classic<typed::tuning>).threads, 256);
    EXPECT_EQ(row_for<typed::tuning>().min_blocks, 0);

    use_gpu(8, 0, 80);
    launch<typed>(nullptr, 897, nullptr);
    EXPECT_EQ(last->block.x, 128u);
    EXPECT_EQ(last->grid.x, 2u);
    EXPECT_EQ(last->shared, 128 * sizeof(short));
    EXPECT_EQ(last->seal, detail::sealed(typed::tuning::rows[0]));
    EXPECT_EQ(row_for<typed>().min_blocks, 4);
    EXPECT_NE(explain<typed>().find("128 threads, 7 items, min_blocks 4"), std::string::npos) << explain<typed>();
    // All other members of a row are compared, too.
    using other = launch_box<sm<80, typed_row<short>{128, 7, 4}>, sm<90, typed_row<double>{256, 5, 0, 3}> >;
    EXPECT_EQ(detail::sealed(other::rows[0]), detail::sealed(typed::tuning::rows[0]));
    EXPECT_NE(detail::sealed(other::rows[1]), detail::sealed(typed::tuning::rows[1]));
}

TEST_F(launch_box_launch, each_gpu_uses_the_row_for_its_properties)
{
    // The kernels of the fleet: two size classes, the second with one kernel per row on 9.0.
    const auto kernel = [](std::size_t variant) {
        return detail::tuned_kernel<fleet, detail::this_unit, 1>::handle(variant).function;
    };
    struct wanted {
        int major, minor, code;
        fake_figures figures;
        std::size_t variant;
        unsigned threads;
        std::string origin;
    };
    const wanted all[] = {
        {8, 0, 80, {108, 40'000'000, 42'400'000'000}, 0, 32, "exact: the row of sm_80; measured here"},
        {8,
         0,
         80,
         {108, 40'000'000, 84'000'000'000},
         0,
         32,
         "exact: the row of sm_80; measured on NVIDIA A100, inherited"},
        {9,
         0,
         80,
         {132, 60'000'000, 150'000'000'000},
         0,
         32,
         "exact: the row of sm_80; measured on NVIDIA A100, inherited"},
        {9,
         0,
         90,
         {132, 60'000'000, 150'100'000'000},
         1,
         96,
         "exact: the row of sm_90 for GPUs such as this one; measured here"},
        {9,
         0,
         90,
         {144, 60'000'000, 110'000'000'000},
         1,
         96,
         "exact: the row of sm_90 for GPUs such as this one; measured on NVIDIA H200, inherited"},
        {9,
         0,
         90,
         {132, 60'000'000, 109'999'999'999},
         0,
         64,
         "exact: the row of sm_90; measured on NVIDIA H100 PCIe, inherited"},
        {9,
         0,
         90,
         {119, 60'000'000, 200'000'000'000},
         0,
         64,
         "exact: the row of sm_90; measured on NVIDIA H100 PCIe, inherited"},
        {9, 0, 90, {114, 50'000'000, 85'500'000'000}, 0, 64, "exact: the row of sm_90; measured here"},
        {9,
         0,
         90,
         {100, 50'000'000, 20'000'000'000},
         2,
         128,
         "exact: the row of sm_90 for GPUs such as this one; baseline or predicted, not measured"},
        {10,
         0,
         90,
         {148, 50'000'000, 192'000'000'000},
         1,
         96,
         "exact: the row of sm_90 for GPUs such as this one; measured on NVIDIA H200, inherited"},
        {9,
         0,
         90,
         {132, 50'000'000, 20'000'000'000},
         2,
         128,
         "exact: the row of sm_90 for GPUs such as this one; baseline or predicted, not measured"}};
    for (const wanted& one : all) {
        SCOPED_TRACE(std::to_string(one.figures.sms) + " SMs, " + std::to_string(one.figures.memory_bytes));
        use_gpu(one.major, one.minor, one.code);
        fake.in_the_way = 0;
        fake.figures[here.device] = one.figures;
        set(detail::tuned_kernel<fleet, detail::this_unit, 0>::handle().function, 256);
        for (std::size_t v = 0; v < 3; ++v)
            set(kernel(v), one.code == 80 ? (v == 0 ? 32 : 1) : std::vector{64, 96, 128}[v]);
        launch<fleet>(nullptr, 1000, nullptr);
        EXPECT_EQ(last->kernel, kernel(one.variant));
        EXPECT_EQ(last->block.x, one.threads);
        EXPECT_EQ(last->shared, one.threads * 500);
        EXPECT_EQ(row_for<fleet>(1000).threads, static_cast<int>(one.threads));
        EXPECT_EQ(row_for<fleet_table>().threads, static_cast<int>(one.threads));
        EXPECT_EQ(last->seal, detail::sealed(row_for<fleet>(1000)));
        EXPECT_EQ(fake.in_the_way, 0);
        EXPECT_GT(resident_blocks<fleet>(1000), 0);
        const std::string text = explain<fleet>();
        EXPECT_NE(text.find("row       " + one.origin + '\n'), std::string::npos) << text;
        const int questions = fake.questions;
        launch<fleet>(nullptr, 1000, nullptr);
        EXPECT_EQ(fake.questions, questions);
        launch<fleet>(nullptr, 10, nullptr);
        EXPECT_EQ(last->block.x, 256u);
    }
}

TEST_F(launch_box_launch, gpus_are_distinguished_by_memory_bandwidth)
{
    struct wanted {
        int clock_khz, threads;
        const char* origin;
    };
    // The last one does not report its memory clock, as future GPUs may not.
    for (const wanted& one : {wanted{1'512'000, 32, "the row of sm_80; measured here"},
                              wanted{1'593'000, 64, "the row of sm_80 for GPUs such as this one; measured here"},
                              wanted{1'562'500, 64, "the row of sm_80 for GPUs such as this one; measured here"},
                              wanted{2'619'000, 64,
                                     "the row of sm_80 for GPUs such as this one; measured on NVIDIA A100-SXM4-80GB, "
                                     "inherited"},
                              wanted{0, 32, "the row of sm_80; measured on NVIDIA A100 80GB PCIe, inherited"}}) {
        use_gpu(8, 0, 80);
        fake.figures[here.device] = {108, 41'943'040, 85'000'000'000, one.clock_khz, 5120};
        for (std::size_t v = 0; v < 2; ++v)
            set(detail::tuned_kernel<bandwidth, detail::this_unit, 0>::handle(v).function, v == 0 ? 32 : 64);
        EXPECT_EQ(row_for<bandwidth_table>().threads, one.threads) << one.clock_khz;
        const std::string text = explain<bandwidth>();
        EXPECT_NE(text.find(one.origin), std::string::npos) << text;
    }
}

TEST_F(launch_box_launch, a_kernel_of_another_row_is_refused)
{
    fake.figures[here.device].memory_bytes = 150'000'000'000;
    const auto handle = [](std::size_t v) {
        return detail::tuned_kernel<fleet, detail::this_unit, 1>::handle(v).function;
    };
    set(handle(0), 64), set(handle(1), 64), set(handle(2), 128);
    const std::string why = refusal(launch_error_kind::row_mismatch, [] { launch<fleet>(nullptr, 1000, nullptr); });
    EXPECT_NE(why.find("is bound to 64 threads, but the row of sm_90 has 96"), std::string::npos) << why;
}

TEST_F(launch_box_launch, the_grid_covers_every_element_with_the_fewest_blocks)
{
    constexpr std::int64_t tile = 512 * 15;
    for (const std::int64_t tiles : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{65536},
                                     (std::int64_t{1} << 40) / tile, std::int64_t{2147483646}}) {
        launch<square>(nullptr, tiles * tile, nullptr, 0);
        EXPECT_EQ(last->grid.x, tiles);
        launch<square>(nullptr, tiles * tile - 1, nullptr, 0);
        EXPECT_EQ(last->grid.x, tiles);
        launch<square>(nullptr, tiles * tile + 1, nullptr, 0);
        EXPECT_EQ(last->grid.x, tiles + 1);
        EXPECT_EQ(last->grid.y * last->grid.z, 1u);
    }
    launch<square>(nullptr, 1, nullptr, 0);
    EXPECT_EQ(last->grid.x, 1u);
    launch<square>(nullptr, std::int64_t{1} << 40, nullptr, 0);
    EXPECT_EQ(last->grid.x, 143165577u);
    // The count may have any integer type.
    launch<square>(nullptr, static_cast<unsigned char>(255), nullptr, 0);
    EXPECT_EQ(last->grid.x, 1u);
    launch<square>(nullptr, 4294967295u, nullptr, 0);
    EXPECT_EQ(last->grid.x, 559241u);
    launch<square>(nullptr, std::size_t{7681}, nullptr, 0);
    EXPECT_EQ(last->grid.x, 2u);
}

TEST_F(launch_box_launch, more_tiles_than_a_grid_has_blocks)
{
    constexpr std::int64_t most = 2147483647ll * 512 * 15;
    launch<square>(nullptr, most, nullptr, 0);
    EXPECT_EQ(last->grid.x, 2147483647u);
    fake.tried = 0;
    EXPECT_EQ(
        refusal(launch_error_kind::grid, [] { launch<square>(nullptr, most + 1, nullptr, 0); }),
        "square: 16,492,674,408,961 elements are 2,147,483,648 blocks of 7,680 with the row of sm_90, but a grid has "
        "at most 2,147,483,647. Launch parts of 16,492,674,408,960 elements or fewer, or write a row with a larger "
        "tile.");
    const std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    EXPECT_EQ(refusal(launch_error_kind::grid, [&] { launch<square>(nullptr, all, nullptr, 0); }).substr(0, 42),
              "square: 9,223,372,036,854,775,807 elements");
    EXPECT_EQ(try_launch<square>(nullptr, all, nullptr, 0), cudaErrorInvalidConfiguration);
    EXPECT_EQ(fake.tried, 0);
    EXPECT_EQ(here.last_error, cudaSuccess);
}

TEST_F(launch_box_launch, zero_and_negative_counts)
{
    launch<square>(nullptr, 0, nullptr, 0);
    launch<square>(nullptr, blocks{0}, nullptr, 0);
    launch<sized>(nullptr, 0u);
    EXPECT_EQ(try_launch<square>(nullptr, 0, nullptr, 0), cudaSuccess);
    EXPECT_EQ(fake.tried, 0);
    EXPECT_EQ(
        refusal(launch_error_kind::grid, [] { launch<square>(nullptr, -5, nullptr, 0); }),
        "square: -5 elements, but there are 0 or more. Check where the number comes from: it may have overflowed.");
    EXPECT_EQ(refusal(launch_error_kind::grid, [] { launch<sized>(nullptr, std::int64_t{-1} << 63); }).substr(0, 34),
              "sized: -9,223,372,036,854,775,808 ");
    EXPECT_EQ(try_launch<square>(nullptr, -1, nullptr, 0), cudaErrorInvalidConfiguration);
    EXPECT_EQ(
        refusal(launch_error_kind::grid, [] { launch<square>(nullptr, blocks{-1}, nullptr, 0); }),
        "square: a grid of -1 blocks. Every dimension is 1 or more: where there is nothing to do, do not launch.");
    EXPECT_EQ(here.last_error, cudaSuccess);
}

TEST_F(launch_box_launch, size_classes_choose_the_kernel)
{
    const auto kernel_for = [&](std::int64_t elements) {
        launch<sized>(nullptr, elements);
        return last->kernel;
    };
    const std::int64_t large = std::int64_t{1} << 40;
    EXPECT_EQ(kernel_for(1), (kernel_of<sized, 0>));
    EXPECT_EQ(kernel_for(2), (kernel_of<sized, 1>));
    EXPECT_EQ(kernel_for(1000), (kernel_of<sized, 1>));
    EXPECT_EQ(last->grid.x, 4u);  // 256 each
    EXPECT_EQ(last->block.x, 64u);
    EXPECT_EQ(kernel_for(1001), (kernel_of<sized, 2>));
    EXPECT_EQ(kernel_for(large), (kernel_of<sized, 2>));
    EXPECT_EQ(kernel_for(large + 1), (kernel_of<sized, 3>));
    EXPECT_EQ(last->block.x, 1024u);
    EXPECT_EQ(row_for<sized>().threads, 32);
    EXPECT_EQ(row_for<sized>(-7).threads, 32);
    EXPECT_EQ(row_for<sized>(1000).threads, 64);
    EXPECT_EQ(row_for<sized>(1001).threads, 512);
    EXPECT_EQ(row_for<sized>(std::numeric_limits<std::int64_t>::max()).threads, 1024);
    EXPECT_EQ(row_for<sized::tuning>(1000).threads, 64);
    EXPECT_EQ(row_for<sized::tuning>(1001).threads, 512);
}

TEST_F(launch_box_launch, grids_and_options_are_passed_on)
{
    launch<square>(nullptr, blocks{{7, 5, 3}}, nullptr, 0);
    EXPECT_EQ(last->grid.x * 10000 + last->grid.y * 100 + last->grid.z, 70503u);
    EXPECT_EQ(last->block.x, 512u);
    const auto stream = reinterpret_cast<cudaStream_t>(0x42);
    launch<sized>({.stream = stream, .cluster = 2, .programmatic_dependent_launch = true, .cooperative = true},
                  blocks{.grid = 6, .elements = 1000});
    EXPECT_EQ(last->kernel, (kernel_of<sized, 1>));
    EXPECT_EQ(last->grid.x, 6u);
    EXPECT_EQ(last->stream, stream);
    ASSERT_EQ(last->attributes.size(), 3u);
    EXPECT_EQ(last->attributes[0].val.clusterDim.x, 2u);
    EXPECT_EQ(last->attributes[1].val.programmaticStreamSerializationAllowed, 1);
    EXPECT_EQ(last->attributes[2].val.cooperative, 1);
    launch<sized>(nullptr, blocks{.grid = 6, .elements = 0});
    EXPECT_EQ(last->kernel, (kernel_of<sized, 0>));

    EXPECT_EQ(refusal(launch_error_kind::grid, [] { launch<sized>(nullptr, blocks{6}); }),
              "sized: a grid of its own, but its table is chosen by the number of elements. Launch with "
              "blocks{grid, elements}.");
    EXPECT_EQ(try_launch<sized>(nullptr, blocks{6}), cudaErrorInvalidConfiguration);
}

TEST_F(launch_box_launch, options_that_the_row_determines_cannot_be_given)
{
    int data = 0;
    const std::string text =
        "square: grid, threads and shared memory of this launch come from its row. Leave them out of the "
        "launch_config; "
        "for a grid of your own launch with blocks{grid}.";
    EXPECT_EQ(refusal(launch_error_kind::grid, [&] { launch<square>({.grid = 2}, 1, &data, 1); }), text);
    EXPECT_EQ(refusal(launch_error_kind::block, [&] { launch<square>({.threads = 64}, 1, &data, 1); }), text);
    EXPECT_EQ(refusal(launch_error_kind::block, [&] { launch<square>({.dynamic_shared_bytes = 4}, 1, &data, 1); }),
              text);
    EXPECT_EQ(try_launch<square>({.threads = 64}, 1, &data, 1), cudaErrorInvalidConfiguration);
    EXPECT_FALSE(last);
}

TEST_F(launch_box_launch, bodies_that_wait_start_early)
{
    const auto is_early = [this] {
        return last->attributes.size() == 1 &&
               last->attributes[0].id == cudaLaunchAttributeProgrammaticStreamSerialization &&
               last->attributes[0].val.programmaticStreamSerializationAllowed == 1;
    };
    for (int i = 0; i < 2; ++i) {
        launch<waiting>(nullptr, 1000);
        EXPECT_TRUE(is_early());
        EXPECT_EQ(last->grid.x, 4u);
        EXPECT_EQ(last->block.x, 64u);
        launch<waiting>(nullptr, blocks{7});
        EXPECT_TRUE(is_early());
        EXPECT_EQ(last->grid.x, 7u);
        EXPECT_EQ(row_for<waiting>().items, 4);
    }
    launch<waiting>({.cooperative = true}, blocks{7});
    EXPECT_EQ(last->attributes.size(), 2u);
    launch<square>(nullptr, 1, nullptr, 0);
    EXPECT_TRUE(last->attributes.empty());

    // Code for 8.0 does not wait, whatever GPU it runs on.
    for (const int major : {9, 8}) {
        use_gpu(major, 0, 80);
        launch<waiting>(nullptr, 1000);
        EXPECT_TRUE(last->attributes.empty());
        launch<waiting>(nullptr, blocks{7});
        EXPECT_TRUE(last->attributes.empty());
        EXPECT_EQ(row_for<waiting>().items, 4);
    }
    // Nor with a driver that is too old for captures of such launches.
    use_gpu(9, 0, 90);
    fake.driver = 12020;
    launch<waiting>(nullptr, 1000);
    EXPECT_TRUE(last->attributes.empty());
}

struct counted {
    int* copies;
    explicit counted(int* in_copies) : copies(in_copies) {}
    counted(const counted& other) : copies(other.copies) { ++*copies; }
    operator int() const { return 3; }
};
struct moved {
    std::unique_ptr<base> owned = std::make_unique<base>();
    operator const base*() && { return owned.get(); }
};
struct throwing {
    operator int() const { throw std::string("no value"); }
};

TEST_F(launch_box_launch, arguments_convert_as_in_a_call)
{
    int first = 0;
    const base* second = nullptr;
    double third = 0;
    unsigned char fourth = 0;
    base fifth;
    copy_arguments = [&](void** arguments) {
        first = *static_cast<int*>(arguments[0]), second = *static_cast<const base**>(arguments[1]);
        third = *static_cast<double*>(arguments[2]), fourth = *static_cast<unsigned char*>(arguments[3]);
        fifth = *static_cast<base*>(arguments[4]);
    };
    derived object;
    object.of_base = 77;
    launch<converting>(nullptr, 1, short{-9}, &object, 2.5f, 'x', object);
    EXPECT_EQ(first, -9);
    EXPECT_EQ(second, &object);
    EXPECT_EQ(third, 2.5);
    EXPECT_EQ(fourth, 'x');
    EXPECT_EQ(fifth.of_base, 77);

    int copies = 0;
    const counted argument(&copies);
    moved owner;
    launch<converting>(nullptr, 1, argument, std::move(owner), 1, 2, base{});
    EXPECT_EQ(first, 3);
    EXPECT_EQ(copies, 0);
    EXPECT_EQ(second, owner.owned.get());

    // An exception in the conversion reaches the caller, and nothing is launched.
    const int launched = fake.launched;
    EXPECT_THROW(launch<converting>(nullptr, 1, throwing{}, nullptr, 0, 0, base{}), std::string);
    EXPECT_EQ(try_launch<converting>(nullptr, 1, throwing{}, nullptr, 0, 0, base{}), cudaErrorUnknown);
    EXPECT_EQ(fake.launched, launched);
}

TEST_F(launch_box_launch, only_the_first_launch_makes_queries)
{
    prepare<roomy>();
    EXPECT_EQ(fake.tried, 0);
    EXPECT_EQ(fake.raised, 1);
    EXPECT_EQ(fake.in_the_way, 0);
    const int questions = fake.questions, cleared = fake.cleared;
    launch<roomy>(nullptr, 5, nullptr);
    launch<roomy>(nullptr, 5, nullptr);
    EXPECT_EQ(fake.questions, questions);
    EXPECT_EQ(fake.cleared, cleared);
    EXPECT_EQ(fake.raised, 1);
    prepare<sized>();
    EXPECT_EQ((fake.asked[{kernel_of<sized, 0>, here.device}]), 1);
    EXPECT_EQ((fake.asked[{kernel_of<sized, 3>, here.device}]), 1);
    // Like after cudaDeviceReset.
    code_of(kernel_of<roomy>).max_dynamic_shared = 49152;
    launch<roomy>(nullptr, 5, nullptr);
    EXPECT_EQ(fake.launched, 3);
    EXPECT_EQ(fake.tried, 4);
    EXPECT_EQ(here.last_error, cudaSuccess);
}

TEST_F(launch_box_launch, without_exceptions_errors_are_returned)
{
    EXPECT_EQ(try_launch<square>(nullptr, 5, nullptr, 0), cudaSuccess);
    EXPECT_EQ(try_launch<square>({.cluster = 32}, blocks{64}, nullptr, 0), cudaErrorInvalidClusterSize);
    fake.refuse_with = cudaErrorInvalidResourceHandle;
    EXPECT_EQ(try_launch<square>(nullptr, 5, nullptr, 0), cudaErrorInvalidResourceHandle);
    use_gpu(12, 0, 100);
    EXPECT_EQ(try_launch<square>(nullptr, 5, nullptr, 0), cudaErrorInvalidKernelImage);
    set(probe_here, 90).attributes_status = cudaErrorNoKernelImageForDevice;
    EXPECT_EQ(try_launch<square>(nullptr, 5, nullptr, 0), cudaErrorNoKernelImageForDevice);
    fake.device_status = cudaErrorNoDevice;
    EXPECT_EQ(try_launch<square>(nullptr, 5, nullptr, 0), cudaErrorNoDevice);
    EXPECT_EQ(here.last_error, cudaSuccess);
    const work_size work = 5;
    static_assert(noexcept(try_launch<square>(nullptr, work, nullptr, 0)));
}

TEST_F(launch_box_launch, no_gpu)
{
    fake.device_status = cudaErrorNoDevice;
    const std::string sentence = ": this machine has no GPU to run it: cudaErrorNoDevice: its text.";
    const launch_error_kind none = launch_error_kind::no_gpu;
    EXPECT_EQ(refusal(none, [] { launch<square>(nullptr, 5, nullptr, 0); }), "square" + sentence);
    EXPECT_EQ(refusal(none, [] { prepare<sized>(); }), "sized" + sentence);
    EXPECT_EQ(refusal(none, [] { explain<square>(); }), "square" + sentence);
    EXPECT_EQ(refusal(none, [] { resident_blocks<square>(); }), "square" + sentence);
    EXPECT_EQ(refusal(none, [] { row_for<square>(); }), "square" + sentence);
    EXPECT_EQ(refusal(none, [] { row_for<table>(); }), "launchbox::row_for" + sentence);
    EXPECT_EQ(here.last_error, cudaSuccess);
}

TEST_F(launch_box_launch, rows_for_functions)
{
    EXPECT_EQ(row_for<table>(classic<table>).threads, 512);
    EXPECT_EQ(row_for<table>().threads, 512);
    EXPECT_EQ(row_for<square>().items, 15);
    code_of(reinterpret_cast<const void*>(&classic<table>)).max_threads = 1024;  // no LAUNCHBOX_BOUNDS
    EXPECT_EQ(
        refusal(launch_error_kind::row_mismatch, [] { row_for<table>(classic<table>); }),
        "kernel (int*): its code for sm_90 on device " + std::to_string(here.device) +
            " (sm_90) is bound to 1024 threads, but the row of sm_90 has 512. Build all files that use it with the "
            "same table; a __global__ function needs LAUNCHBOX_BOUNDS of that table.");
    void (*const null)(int*) = nullptr;
    EXPECT_EQ(refusal(launch_error_kind::not_a_kernel, [&] { row_for<table>(null); }),
              "kernel (int*): the pointer to the kernel is null.");
}

// The output of explain; every line fits a terminal.
template <class Function>
std::string lines(const Function& function)
{
    const std::string text = function();
    std::istringstream each(text);
    for (std::string line; std::getline(each, line);) EXPECT_LE(line.size(), 80u) << line;
    return text;
}

TEST_F(launch_box_launch, explained_on_the_architecture_of_the_row)
{
    devices = 100;  // its number is in the text
    use_gpu(9, 0, 90);
    EXPECT_EQ(lines(explain<square>), R"(square: 512 threads, 15 items, min_blocks 2
  row       exact: the row of sm_90
  code      sm_90, on device 100 (sm_90)
  uses      40 registers, no spills
  shared    0 B static, 0 B dynamic
  resident  3 blocks on an SM, 75 % occupancy
  limiters  registers
)");
    EXPECT_EQ(resident_blocks<square>(), 3);
    EXPECT_EQ(here.last_error, cudaSuccess);
    EXPECT_EQ(fake.tried, 0);
}

TEST_F(launch_box_launch, explained_for_each_size_class)
{
    devices = 101;
    use_gpu(9, 0, 90);
    EXPECT_EQ(lines(explain<sized>), R"(sized, up to 1 element: 32 threads, 1 item
  row       the one row for every architecture
  code      sm_90, on device 101 (sm_90)
  uses      40 registers, no spills
  shared    0 B static, 0 B dynamic
  resident  32 blocks on an SM, 50 % occupancy
  limiters  blocks
sized, 2 to 1,000 elements: 64 threads, 4 items
  row       inherited: the row of sm_80, since there is none for sm_90
  code      sm_90, on device 101 (sm_90)
  uses      40 registers, no spills
  shared    0 B static, 0 B dynamic
  resident  24 blocks on an SM, 75 % occupancy
  limiters  registers
sized, 1,001 to 1,099,511,627,776 elements: 512 threads, 15 items, min_blocks 2
  row       exact: the row of sm_90
  code      sm_90, on device 101 (sm_90)
  uses      40 registers, no spills
  shared    0 B static, 0 B dynamic
  resident  3 blocks on an SM, 75 % occupancy
  limiters  registers
sized, more than 1,099,511,627,776 elements: 1,024 threads, 32 items
  row       the one row for every architecture
  code      sm_90, on device 101 (sm_90)
  uses      40 registers, no spills
  shared    0 B static, 0 B dynamic
  resident  1 block on an SM, 50 % occupancy
  limiters  registers
)");
    EXPECT_EQ(resident_blocks<sized>(1000), 24);
}

TEST_F(launch_box_launch, explained_with_all_possible_problems)
{
    devices = 102;
    use_gpu(8, 6, 80);
    code_of(kernel_of<roomy>) = {
        .registers = 168, .max_threads = 256, .static_shared = 16384, .local = 1024, .binary_version = 86};
    EXPECT_EQ(lines(explain<roomy>), R"(roomy: 256 threads, 11 items, tile 256, min_blocks 3
  row       exact: the row of sm_80
  code      sm_86 (from compute_80), on device 102 (sm_86)
  uses      168 registers, 1,024 B of local memory (spills or a stack)
  shared    16,384 B static, 51,200 B dynamic
  resident  1 block on an SM, 16.7 % occupancy
  limiters  registers and shared memory
  note      min_blocks 3 is not reached: give sm_86 a row with a smaller one
)");
    // A suffix, and a GPU unknown to the model.
    use_gpu(9, 9, 90);
    set(probe_here, 346);
    EXPECT_EQ(lines(explain<converting>), R"(converting: 32 threads, 1 item
  row       the one row for every architecture
  code      sm_90a, on device 103 (sm_99)
  uses      40 registers, no spills
  shared    0 B static, 0 B dynamic
  resident  unknown: launchbox has no limits for compute capability 9.9
)");
    launch<converting>(nullptr, 1, 0, nullptr, 0, 0, base{});
    EXPECT_EQ(fake.launched, 1);
}

TEST_F(launch_box_launch, a_row_given_to_the_compiler)
{
    EXPECT_EQ(row_that_is_given(0), (given_row{96, 5, 0, 3072}));
    launch_with_given_row(481);
    EXPECT_EQ(last->block.x, 96u);
    EXPECT_EQ(last->grid.x, 2u);
    EXPECT_EQ(last->shared, 3072u);
    EXPECT_NE(explain_given_row().find("\n  row       given with LAUNCHBOX_ROW\n"), std::string::npos);
}

}  // namespace
}  // namespace launchbox
