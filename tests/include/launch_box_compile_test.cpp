// nvcc's output for launch_box.cuh: each image has only the row of the architecture that it was compiled for.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "launch_box/expected_rows.hpp"
#include "launch_box/workshop.hpp"

namespace launchbox {
namespace {

const char* const use_all =
    "#include \"bodies.cuh\"\n"
    "void use(int* data, int count)\n"
    "{\n"
    "    launch_both(data, count);\n"
    "    const row r = launchbox::row_for<table>(classic<table>);\n"
    "    classic<table><<<1, r.threads>>>(data, count);\n"
    "}\n";

void expect_row(const image& found, const expected_row& row, int probe)
{
    SCOPED_TRACE(found.kind + " " + found.architecture);
    EXPECT_EQ(found.kernels.size(), 4u);  // staged, plain, classic, probe
    for (const char* name : {"staged", "plain", "classic"}) {
        const kernel_info& kernel = found[name];
        EXPECT_EQ(kernel.bounds.max_threads, (std::array{row.threads, 1, 1})) << name;
        EXPECT_EQ(kernel.bounds.min_blocks, row.min_blocks) << name;
        if (found.kind != "cubin") continue;
        EXPECT_EQ(kernel.bounds.register_cap, row.register_cap) << name;
        // Only the shared memory shows `items`.
        EXPECT_EQ(kernel.figures.static_shared_bytes, name == std::string("plain") ? 0 : row.threads * row.items * 4)
            << name;
    }
    EXPECT_EQ(found["probe"].bounds.max_threads, (std::array{probe, 1, 1}));
}

// The images with everything that is used, for these -gencode options.
std::vector<image> images_for(std::vector<std::string> options)
{
    const workshop shop;
    shop.write("unit.cu", use_all);
    options.insert(options.end(), {"-fatbin", "unit.cu", "-o", "unit.fatbin"});
    shop.nvcc(options);
    return shop.images("unit.fatbin");
}

const image& of(const std::vector<image>& images, const std::string& architecture)
{
    static const image none;
    const auto found =
        std::find_if(images.begin(), images.end(), [&](const image& one) { return one.architecture == architecture; });
    if (found == images.end()) ADD_FAILURE() << "no image for " << architecture;
    return found == images.end() ? none : *found;
}

TEST(launch_box_compile, each_of_five_images_has_its_row)
{
    SKIP_WITHOUT_NVCC();
    const std::vector<image> images = images_for(
        {code("75", "sm_75"), code("80", "sm_80"), code("90", "sm_90"), code("100", "sm_100"), code("120", "sm_120")});
    EXPECT_EQ(images.size(), 5u);
    expect_row(of(images, "sm_75"), row_75, 75);
    expect_row(of(images, "sm_80"), row_80, 80);
    expect_row(of(images, "sm_90"), row_90, 90);
    expect_row(of(images, "sm_100"), row_100, 100);
    expect_row(of(images, "sm_120"), row_120, 120);
}

TEST(launch_box_compile, an_architecture_without_a_row_uses_the_previous_one)
{
    SKIP_WITHOUT_NVCC();
    const std::vector<image> images = images_for({code("89", "sm_89"), code("110", "sm_110")});
    EXPECT_EQ(images.size(), 2u);
    expect_row(of(images, "sm_89"), row_80, 89);
    expect_row(of(images, "sm_110"), row_100, 110);
}

TEST(launch_box_compile, a_suffix_has_its_own_row)
{
    SKIP_WITHOUT_NVCC();
    const std::vector<image> alone = images_for({code("90a", "sm_90a")});
    EXPECT_EQ(alone.size(), 1u);
    expect_row(of(alone, "sm_90a"), row_90a, 346);
    const std::vector<image> both = images_for({code("90", "sm_90"), code("90a", "sm_90a")});
    EXPECT_EQ(both.size(), 2u);
    expect_row(of(both, "sm_90"), row_90, 90);
    expect_row(of(both, "sm_90a"), row_90a, 346);
}

TEST(launch_box_compile, a_family_has_its_row_on_each_of_its_chips)
{
    SKIP_WITHOUT_NVCC();
    const std::vector<image> images =
        images_for({code("100f", "sm_100"), code("100f", "sm_103"), code("103a", "sm_103a")});
    EXPECT_EQ(images.size(), 3u);
    expect_row(of(images, "sm_100f"), row_100f, 612);
    expect_row(of(images, "sm_103f"), row_100f, 612);
    expect_row(of(images, "sm_103a"), row_100f, 359);  // 103 + 256: code of one chip is the family's, too
}

TEST(launch_box_compile, ptx_has_the_row_unchanged)
{
    SKIP_WITHOUT_NVCC();
    const std::vector<image> images = images_for({code("80", "compute_80"), code("90a", "compute_90a")});
    EXPECT_EQ(images.size(), 2u);
    for (const image& one : images) EXPECT_EQ(one.kind, "PTX");
    expect_row(of(images, "compute_80"), row_80, 80);
    expect_row(of(images, "compute_90a"), row_90a, 346);
}

TEST(launch_box_compile, the_virtual_architecture_decides_the_row)
{
    SKIP_WITHOUT_NVCC();
    const std::vector<image> alone = images_for({code("80", "sm_90")});
    EXPECT_EQ(alone.size(), 1u);
    expect_row(of(alone, "sm_90"), row_80, 80);

    // Two images for the same chip in one file.
    const std::vector<image> both = images_for({code("80", "sm_90"), code("90", "sm_90")});
    ASSERT_EQ(both.size(), 2u);
    for (const image& one : both) {
        EXPECT_EQ(one.architecture, "sm_90");
        const bool older = one["probe"].virtual_architecture == "compute_80";
        EXPECT_TRUE(older || one["probe"].virtual_architecture == "compute_90");
        expect_row(one, older ? row_80 : row_90, older ? 80 : 90);
    }
    EXPECT_NE(both[0]["probe"].virtual_architecture, both[1]["probe"].virtual_architecture);
}

TEST(launch_box_compile, a_given_row_replaces_every_table)
{
    SKIP_WITHOUT_NVCC();
    const std::string row = "-DLAUNCHBOX_ROW={192\\,5\\,1}";  // nvcc cuts -D at commas
    const std::vector<image> images = images_for({row, code("80", "sm_80"), code("90a", "sm_90a")});
    EXPECT_EQ(images.size(), 2u);
    for (const image& one : images) {
        EXPECT_EQ(one.kernels.size(), 4u);
        for (const char* name : {"staged", "plain", "classic"})
            EXPECT_EQ(one[name].bounds.max_threads, (std::array{192, 1, 1})) << one.architecture << name;
        EXPECT_EQ(one["staged"].figures.static_shared_bytes, 192 * 5 * 4);
    }
    EXPECT_EQ(of(images, "sm_80")["probe"].bounds.max_threads, (std::array{80, 1, 1}));
    EXPECT_EQ(of(images, "sm_90a")["probe"].bounds.max_threads, (std::array{346, 1, 1}));
    const std::vector<image> ptx = images_for({row, code("90", "compute_90")});
    for (const char* name : {"staged", "plain", "classic"}) EXPECT_EQ(of(ptx, "compute_90")[name].bounds.min_blocks, 1);
}

TEST(launch_box_compile, only_is_one_row_for_every_architecture)
{
    SKIP_WITHOUT_NVCC();
    const std::vector<image> images =
        images_for({"-DTABLE=launchbox::only<row{96\\, 7\\, 8}>", code("75", "sm_75"), code("90a", "sm_90a")});
    EXPECT_EQ(images.size(), 2u);
    for (const image& one : images) {
        EXPECT_EQ(one["staged"].bounds.max_threads, (std::array{96, 1, 1})) << one.architecture;
        EXPECT_EQ(one["plain"].bounds.register_cap, 80) << one.architecture;  // 65,536 / (96 * 8) = 85.3
        EXPECT_EQ(one["staged"].figures.static_shared_bytes, 96 * 7 * 4) << one.architecture;
    }
    EXPECT_EQ(of(images, "sm_75")["classic"].bounds.max_threads, (std::array{row_75.threads, 1, 1}));
}

TEST(launch_box_compile, types_may_have_different_rows_on_each_architecture)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    shop.write("unit.cu", R"cuda(
#include <launchbox/launch_box.cuh>
template <class Type> struct params { int threads, items, min_blocks = 0; using type = Type; };
using table = launchbox::launch_box<launchbox::sm<80, params<short>{128, 7, 4}>, launchbox::sm<90, params<double>{256, 5}>>;
template <auto p> __device__ void reverse(int* data)
{
    using type = typename decltype(p)::type;
    __shared__ type tile[p.threads * p.items];
    tile[threadIdx.x] = static_cast<type>(data[threadIdx.x]);
    __syncthreads();
    data[threadIdx.x] = static_cast<int>(tile[p.threads - 1 - threadIdx.x]);
}
struct body {
    using tuning = table;
    template <auto p> static __device__ void run(int* data) { reverse<p>(data); }
};
template <class Tuning> __global__ LAUNCHBOX_BOUNDS(Tuning) void classic(int* data)
{
    constexpr auto p = launchbox::row_here<Tuning>();
    reverse<p>(data);
}
void use(int* data)
{
    launchbox::launch<body>(nullptr, 1, data);
    classic<table><<<1, launchbox::row_for<table>(classic<table>).threads>>>(data);
    using strict = launchbox::strict<table>;
    classic<strict><<<1, launchbox::row_for<strict>(classic<strict>).threads>>>(data);
}
)cuda");
    shop.nvcc({code("80", "sm_80"), code("90", "sm_90"), "-fatbin", "unit.cu", "-o", "unit.fatbin"});
    const std::vector<image> images = shop.images("unit.fatbin");
    ASSERT_EQ(images.size(), 2u);
    for (const char* name : {"body", "classic"}) {
        EXPECT_EQ(of(images, "sm_80")[name].bounds.max_threads, (std::array{128, 1, 1})) << name;
        EXPECT_EQ(of(images, "sm_80")[name].bounds.register_cap, 128) << name;  // 65,536 / (128 * 4)
        EXPECT_EQ(of(images, "sm_80")[name].figures.static_shared_bytes, 128 * 7 * 2) << name;
        EXPECT_EQ(of(images, "sm_90")[name].bounds.max_threads, (std::array{256, 1, 1})) << name;
        EXPECT_EQ(of(images, "sm_90")[name].figures.static_shared_bytes, 256 * 5 * 8) << name;
    }
}

TEST(launch_box_compile, each_size_class_is_a_kernel_with_its_row)
{
    SKIP_WITHOUT_NVCC();
    const std::vector<image> images = images_for({"-DTABLE=by_three_sizes", code("80", "sm_80"), code("90", "sm_90")});
    EXPECT_EQ(images.size(), 2u);
    const auto threads = [&](const char* architecture, const char* name) {
        return of(images, architecture)[name].bounds.max_threads.value_or(std::array{0, 0, 0})[0];
    };
    for (const image& one : images) EXPECT_EQ(one.kernels.size(), 8u);  // 2 bodies * 3 classes, classic, probe
    for (const std::string body : {"staged", "plain"}) {
        EXPECT_EQ(threads("sm_80", body.c_str()), 32);
        EXPECT_EQ(threads("sm_90", body.c_str()), 32);
        EXPECT_EQ(threads("sm_80", (body + " 1").c_str()), 64);
        EXPECT_EQ(threads("sm_90", (body + " 1").c_str()), 96);
        EXPECT_EQ(threads("sm_80", (body + " 2").c_str()), row_80.threads);
        EXPECT_EQ(threads("sm_90", (body + " 2").c_str()), row_90.threads);
    }
    EXPECT_EQ(of(images, "sm_80")["staged 1"].figures.static_shared_bytes, 64 * 3 * 4);
    EXPECT_EQ(of(images, "sm_90")["staged 1"].figures.static_shared_bytes, 96 * 5 * 4);
}

TEST(launch_box_compile, the_sizes_of_key_and_value_select_the_table)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    shop.write("unit.cu", R"cuda(
#include <launchbox/launch_box.cuh>
struct row { int threads, items, min_blocks = 0; };
using launchbox::element_bytes, launchbox::launch_box, launchbox::sm;
template <class Key, class Value = void>
using sort_table = launchbox::by_type<Key, Value,
    element_bytes<4, 0, launch_box<sm<80, row{128, 16}>, sm<90, row{160, 18}>>>,
    element_bytes<8, 0, launch_box<sm<80, row{192, 7}>>>,
    element_bytes<4, 4, launch_box<sm<80, row{224, 9}>>>>;
template <class Table> struct body {
    using tuning = Table;
    template <row r> static __device__ void run(int* data)
    {
        __shared__ int stage[r.threads * r.items];
        stage[threadIdx.x] = data[threadIdx.x];
        __syncthreads();
        data[threadIdx.x] = stage[r.threads - 1 - threadIdx.x];
    }
};
struct keys_4 : body<sort_table<float>> {};
struct keys_8 : body<sort_table<long long>> {};
struct keys_2 : body<sort_table<short>> {};
struct pairs_4_4 : body<sort_table<int, float>> {};
struct pairs_4_8 : body<sort_table<int, double>> {};
void use(int* data)
{
    launchbox::launch<keys_4>(nullptr, 1, data);
    launchbox::launch<keys_8>(nullptr, 1, data);
    launchbox::launch<keys_2>(nullptr, 1, data);
    launchbox::launch<pairs_4_4>(nullptr, 1, data);
    launchbox::launch<pairs_4_8>(nullptr, 1, data);
}
)cuda");
    shop.nvcc({code("80", "sm_80"), code("90", "sm_90"), "-fatbin", "unit.cu", "-o", "unit.fatbin"});
    const std::vector<image> images = shop.images("unit.fatbin");
    const auto expect = [&](const char* architecture, const char* body, int threads, int items) {
        const kernel_info& kernel = of(images, architecture)[body];
        EXPECT_EQ(kernel.bounds.max_threads, (std::array{threads, 1, 1})) << architecture << " " << body;
        EXPECT_EQ(kernel.figures.static_shared_bytes, threads * items * 4) << architecture << " " << body;
    };
    for (const image& one : images) EXPECT_EQ(one.kernels.size(), 6u);
    expect("sm_80", "keys_4", 128, 16);  // measured for these sizes: even numbers are kept
    expect("sm_90", "keys_4", 160, 18);
    expect("sm_80", "keys_8", 192, 7);
    expect("sm_90", "keys_8", 192, 7);
    expect("sm_80", "keys_2", 128, 31);  // 16 items of 4 bytes are 32 of 2, made odd
    expect("sm_90", "keys_2", 160, 35);
    expect("sm_80", "pairs_4_4", 224, 9);
    expect("sm_80", "pairs_4_8", 224, 5);  // 9 items of 8 bytes are 6 of 12, made odd
}

}  // namespace
}  // namespace launchbox
