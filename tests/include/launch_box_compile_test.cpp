// What nvcc makes of launch_box.cuh, read from the images: bounds, numbers of kernels, sizes, machine code, names.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <iterator>
#include <numeric>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "launch_box/workshop.hpp"
#include "support/subprocess.hpp"

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

struct expected_row {
    int threads, items, min_blocks, register_cap;
};

// The rows of bodies.cuh. The cap is by hand: 65,536 registers / (threads * min_blocks), rounded down to 8.
constexpr expected_row row_75{512, 3, 2, 64}, row_80{384, 5, 3, 56}, row_90{256, 7, 5, 48}, row_90a{320, 9, 6, 32},
    row_100{128, 11, 12, 40}, row_100f{192, 13, 4, 80}, row_120{160, 15, 4, 96};

void expect_row(const image& found, const expected_row& row, int witness)
{
    SCOPED_TRACE(found.kind + " " + found.architecture);
    EXPECT_EQ(found.kernels.size(), 4u);  // staged, plain, classic, witness
    for (const char* name : {"staged", "plain", "classic"}) {
        const kernel_info& kernel = found[name];
        EXPECT_EQ(kernel.max_threads, (std::array{row.threads, 1, 1})) << name;
        EXPECT_EQ(kernel.min_blocks, row.min_blocks) << name;
        if (found.kind != "cubin") continue;
        EXPECT_EQ(kernel.register_cap, row.register_cap) << name;
        // The only trace of `items`.
        EXPECT_EQ(kernel.static_shared_bytes, name == std::string("plain") ? 0 : row.threads * row.items * 4) << name;
    }
    EXPECT_EQ(found["witness"].max_threads, (std::array{witness, 1, 1}));
}

// The images of all that is used, for these -gencode options.
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

TEST(launch_box_compile, an_architecture_without_a_row_has_the_one_before)
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
    expect_row(of(images, "sm_103a"), row_100f, 359);  // 103 + 256: a chip's own code is the family's, too
}

TEST(launch_box_compile, ptx_says_the_row_as_written)
{
    SKIP_WITHOUT_NVCC();
    const std::vector<image> images = images_for({code("80", "compute_80"), code("90a", "compute_90a")});
    EXPECT_EQ(images.size(), 2u);
    for (const image& one : images) EXPECT_EQ(one.kind, "PTX");
    expect_row(of(images, "compute_80"), row_80, 80);
    expect_row(of(images, "compute_90a"), row_90a, 346);
}

TEST(launch_box_compile, the_row_is_that_of_the_virtual_architecture)
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
        const bool older = one["witness"].virtual_architecture == "compute_80";
        EXPECT_TRUE(older || one["witness"].virtual_architecture == "compute_90");
        expect_row(one, older ? row_80 : row_90, older ? 80 : 90);
    }
    EXPECT_NE(both[0]["witness"].virtual_architecture, both[1]["witness"].virtual_architecture);
}

const char* const sort_with_launch_box =
    "#include \"block_sort.cuh\"\n"
    "template <class Key> struct sort {\n"
    "    using tuning = table;\n"
    "    static constexpr int dynamic_shared_bytes(row r) { return r.threads * r.items * int{sizeof(Key)}; }\n"
    "    template <row r> static __device__ void run(Key* data) { sort_tile<r>(data); }\n"
    "};\n"
    "void use(unsigned* a, unsigned long long* b, int count)\n"
    "{\n"
    "    launchbox::launch<sort<unsigned>>(nullptr, count, a);\n"
    "    launchbox::launch<sort<unsigned long long>>(nullptr, count, b);\n"
    "}\n";

const char* const sort_with_a_switch =
    "#include \"block_sort.cuh\"\n"
    "template <row r, class Key>\n"
    "__global__ void __launch_bounds__(r.threads, r.min_blocks) sort(Key* data) { sort_tile<r>(data); }\n"
    "template <row r, class Key> void launch_one(Key* data, int count)\n"
    "{\n"
    "    const int tile = r.threads * r.items, bytes = tile * int{sizeof(Key)};\n"
    "    cudaFuncSetAttribute(sort<r, Key>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);\n"
    "    sort<r, Key><<<(count + tile - 1) / tile, r.threads, bytes>>>(data);\n"
    "}\n"
    "template <class Key> void launch(Key* data, int count, int architecture)\n"
    "{\n"
    "    switch (architecture) {\n"
    "    case 75: return launch_one<rows[0]>(data, count);\n"
    "    case 80: return launch_one<rows[1]>(data, count);\n"
    "    case 90: return launch_one<rows[2]>(data, count);\n"
    "    case 100: return launch_one<rows[3]>(data, count);\n"
    "    default: return launch_one<rows[4]>(data, count);\n"
    "    }\n"
    "}\n"
    "void use(unsigned* a, unsigned long long* b, int count, int architecture)\n"
    "{\n"
    "    launch(a, count, architecture);\n"
    "    launch(b, count, architecture);\n"
    "}\n";

struct built_size {
    std::size_t object_bytes = 0;
    std::int64_t text_bytes = 0;
};

built_size size_of(const std::string& source, std::size_t kernels_per_image)
{
    const workshop shop;
    shop.write("unit.cu", source);
    shop.nvcc({code("75", "sm_75"), code("80", "sm_80"), code("90", "sm_90"), code("100", "sm_100"),
               code("120", "sm_120"), "-c", "unit.cu", "-o", "unit.o"});
    built_size size{.object_bytes = shop.bytes("unit.o").size()};
    const std::vector<image> images = shop.images("unit.o");
    EXPECT_EQ(images.size(), 5u);
    for (const image& one : images) {
        EXPECT_EQ(one.kernels.size(), kernels_per_image) << one.architecture;
        for (const auto& [name, kernel] : one.kernels) size.text_bytes += kernel.code_bytes.value_or(0);
    }
    return size;
}

TEST(launch_box_compile, less_than_half_the_code_of_a_switch_over_the_rows)
{
    SKIP_WITHOUT_NVCC();
    const built_size box = size_of(sort_with_launch_box, 3), by_switch = size_of(sort_with_a_switch, 10);
    EXPECT_GT(by_switch.text_bytes, 2 * box.text_bytes);
    EXPECT_GT(by_switch.object_bytes, box.object_bytes);
    const double text = static_cast<double>(by_switch.text_bytes) / static_cast<double>(box.text_bytes);
    const double object = static_cast<double>(by_switch.object_bytes) / static_cast<double>(box.object_bytes);
    RecordProperty("text_ratio", std::to_string(text));
    RecordProperty("object_ratio", std::to_string(object));
    std::cout << "text " << box.text_bytes << " B, with a switch " << by_switch.text_bytes << " B: " << text
              << " x\nobject " << box.object_bytes << " B, with a switch " << by_switch.object_bytes << " B: " << object
              << " x\n";
}

// Two objects for one chip, whose code was compiled for different virtual architectures.
void compile_both(const workshop& shop)
{
    shop.write("a.cu",
               "#include \"bodies.cuh\"\nvoid use_b(int*, int);\n"
               "int main() { launchbox::launch<plain>(nullptr, 1, nullptr, 1); use_b(nullptr, 1); }\n");
    shop.write("b.cu",
               "#include \"bodies.cuh\"\n"
               "void use_b(int* data, int count) { launchbox::launch<staged>(nullptr, count, data, count); }\n");
}

TEST(launch_box_compile, a_device_link_stamps_the_image_with_the_oldest_and_the_witnesses_keep_to_the_truth)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    compile_both(shop);
    shop.nvcc({"-rdc=true", code("90", "sm_90"), "-c", "a.cu", "-o", "a.o"});
    shop.nvcc({"-rdc=true", code("80", "sm_90"), "-c", "b.cu", "-o", "b.o"});
    shop.nvcc({"-arch=sm_90", "-cudart=static", "a.o", "b.o", "-o", "program"});

    std::vector<image> linked = shop.images("program");
    std::erase_if(linked, [](const image& one) { return one.relocatable || one.kernels.empty(); });
    ASSERT_EQ(linked.size(), 1u);
    const image& program = linked.front();
    EXPECT_EQ(program.architecture, "sm_90");
    EXPECT_EQ(program.kernels.size(), 4u);  // plain, staged, and a witness for each
    EXPECT_EQ(program["plain"].max_threads, (std::array{row_90.threads, 1, 1}));
    EXPECT_EQ(program["plain"].register_cap, row_90.register_cap);
    EXPECT_EQ(program["staged"].max_threads, (std::array{row_80.threads, 1, 1}));
    EXPECT_EQ(program["staged"].register_cap, row_80.register_cap);
    EXPECT_EQ(program["staged"].static_shared_bytes, row_80.threads * row_80.items * 4);
    std::multiset<std::string> witnesses;
    for (const auto& [name, kernel] : program.kernels) {
        // What the runtime calls ptxVersion: wrong for what a.cu has compiled.
        EXPECT_EQ(kernel.virtual_architecture, "compute_80") << name;
        if (name == "witness") witnesses.insert(demangle(kernel.name) + " " + std::to_string((*kernel.max_threads)[0]));
    }
    EXPECT_EQ(witnesses,
              (std::multiset<std::string>{"void launchbox::detail::witness<launchbox::detail::unit_for<800>>() 80",
                                          "void launchbox::detail::witness<launchbox::detail::unit_for<900>>() 90"}));
}

TEST(launch_box_compile, link_time_optimisation_keeps_the_bounds)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    const std::string nvcc = shop.nvcc_with_nvvm();
    if (nvcc.empty()) GTEST_SKIP() << "no libnvvm.so beside nvcc";
    compile_both(shop);
    for (const char* unit : {"a.cu", "b.cu"}) shop.nvcc({"-rdc=true", code("90", "lto_90"), "-c", unit}, nvcc);
    shop.nvcc({"-dlto", "-arch=sm_90", "-cudart=static", "a.o", "b.o", "-o", "program"}, nvcc);

    std::vector<image> linked = shop.images("program");
    std::erase_if(linked, [](const image& one) { return one.kind != "cubin" || one.kernels.empty(); });
    ASSERT_EQ(linked.size(), 1u);
    const image& program = linked.front();
    EXPECT_EQ(program.kernels.size(), 3u);
    for (const char* name : {"plain", "staged"}) {
        EXPECT_EQ(program[name].max_threads, (std::array{row_90.threads, 1, 1})) << name;
        EXPECT_EQ(program[name].register_cap, row_90.register_cap) << name;
    }
    EXPECT_EQ(program["witness"].max_threads, (std::array{90, 1, 1}));
}

// Symbols that the linker merges, or finds in other objects, with their letters of nm: "W launchbox::...".
std::multiset<std::string> shared_symbols(const workshop& shop, const std::string& file)
{
    std::multiset<std::string> symbols;
    std::istringstream lines(run({"nm", "-C", "--defined-only", shop.path(file)}).output);
    for (std::string line; std::getline(lines, line);)
        if (line.size() > 19 && std::string("WVu").find(line[17]) != std::string::npos) symbols.insert(line.substr(17));
    return symbols;
}

// Those of launch_box for a body.
std::multiset<std::string> symbols_of_bodies(const std::multiset<std::string>& all)
{
    std::multiset<std::string> found;
    for (const std::string& symbol : all) {
        const auto has = [&](const char* part) { return symbol.find(part) != std::string::npos; };
        if (has("launchbox::") && (has("<plain") || has("<staged") || has("witness<"))) found.insert(symbol);
    }
    return found;
}

std::multiset<std::string> in_both(const std::multiset<std::string>& a, const std::multiset<std::string>& b)
{
    std::multiset<std::string> both;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(both, both.end()));
    return both;
}

std::ptrdiff_t count_with(const std::multiset<std::string>& symbols, const std::string& start, const std::string& end)
{
    return std::count_if(symbols.begin(), symbols.end(),
                         [&](const std::string& symbol) { return symbol.starts_with(start) && symbol.ends_with(end); });
}

const char* const pointers_of_plain = "u launchbox::detail::tuned_entry<plain, ";

// Two files with one header between them, as whole programs.
void compile_two_units(const workshop& shop, const std::vector<std::string>& first,
                       const std::vector<std::string>& second)
{
    shop.write("a.cu",
               "#include \"bodies.cuh\"\nvoid use_b(int*, int);\n"
               "int main() { launch_both(nullptr, 1); use_b(nullptr, 1); }\n");
    shop.write("b.cu", "#include \"bodies.cuh\"\nvoid use_b(int* data, int count) { launch_both(data, count); }\n");
    const auto compile = [&](std::vector<std::string> options, const std::string& unit) {
        options.insert(options.end(), {"-c", unit});
        shop.nvcc(options);
    };
    compile(first, "a.cu");
    compile(second, "b.cu");
    shop.nvcc({"-cudart=static", "a.o", "b.o", "-o", "program"});
}

TEST(launch_box_compile, units_with_different_lists_share_nothing_of_a_body)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    compile_two_units(shop, {code("80", "sm_80")}, {code("80", "sm_80"), code("90", "sm_90")});
    const auto a = shared_symbols(shop, "a.o"), b = shared_symbols(shop, "b.o"), both = in_both(a, b);
    const auto bodies_a = symbols_of_bodies(a), bodies_b = symbols_of_bodies(b);
    EXPECT_GT(bodies_a.size(), 20u);
    EXPECT_EQ(bodies_a.size(), bodies_b.size());
    EXPECT_EQ(symbols_of_bodies(both), std::multiset<std::string>{});
    for (const std::string& symbol : bodies_a) EXPECT_NE(symbol.find("unit_for<800>"), std::string::npos) << symbol;
    for (const std::string& symbol : bodies_b)
        EXPECT_NE(symbol.find("unit_for<800, 900>"), std::string::npos) << symbol;
    // What does not depend on the list is there once, or programs would grow.
    EXPECT_EQ(count_with(both, "W launchbox::detail::choose_row(", ""), 1);

    const auto program = shared_symbols(shop, "program");
    EXPECT_EQ(count_with(program, pointers_of_plain, "::pointers"), 2);
    EXPECT_EQ(count_with(program, pointers_of_plain, "::known"), 2);
}

TEST(launch_box_compile, units_with_the_same_list_share_a_body)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    const std::vector<std::string> list{code("80", "sm_80"), code("90", "sm_90")};
    compile_two_units(shop, list, list);
    const auto a = symbols_of_bodies(shared_symbols(shop, "a.o")), b = symbols_of_bodies(shared_symbols(shop, "b.o"));
    EXPECT_GT(a.size(), 20u);
    EXPECT_EQ(a, b);

    const auto program = shared_symbols(shop, "program");
    EXPECT_EQ(count_with(program, pointers_of_plain, "::pointers"), 1);
    EXPECT_EQ(count_with(program, pointers_of_plain, "::known"), 1);
}

// The kernel of a body beside the same written by hand, with and without the guard.
const char* const by_hand =
    "#include <launchbox/launch_box.cuh>\n"
    "struct row { int threads, items, min_blocks = 0; };\n"
    "template <int threads, int items> __device__ void scale(float* data, float by, int count)\n"
    "{\n"
    "    const int first = static_cast<int>(blockIdx.x) * threads * items + static_cast<int>(threadIdx.x);\n"
    "    for (int i = 0; i < items; ++i)\n"
    "        if (const int at = first + i * threads; at < count) data[at] = data[at] * by + 1;\n"
    "}\n"
    "struct body {\n"
    "    using tuning = launchbox::launch_box<launchbox::sm<80, row{256, 11, 2}>>;\n"
    "    template <row r> static __device__ void run(float* data, float by, int count)\n"
    "    {\n"
    "        scale<r.threads, r.items>(data, by, count);\n"
    "    }\n"
    "};\n"
    "struct words { unsigned of[3]; };\n"
    "__global__ void __launch_bounds__(256, 2) guarded(words wanted, float* data, float by, int count)\n"
    "{\n"
    "    if (!(wanted.of[0] == 256 & wanted.of[1] == 11 & wanted.of[2] == 2)) __trap();\n"
    "    scale<256, 11>(data, by, count);\n"
    "}\n"
    "__global__ void __launch_bounds__(256, 2) unguarded(row, float* data, float by, int count)\n"
    "{\n"
    "    scale<256, 11>(data, by, count);\n"
    "}\n"
    "void use(float* data, int count) { launchbox::launch<body>(nullptr, count, data, 2, count); }\n";

TEST(launch_box_compile, the_machine_code_is_that_of_a_kernel_by_hand)
{
    SKIP_WITHOUT_NVCC();
    const workshop shop;
    shop.write("unit.cu", by_hand);
    shop.nvcc(
        {code("80", "sm_80"), code("90", "sm_90"), code("120", "sm_120"), "-fatbin", "unit.cu", "-o", "unit.fatbin"});
    const std::vector<image> images = shop.images("unit.fatbin");
    EXPECT_EQ(images.size(), 3u);
    for (const image& one : images) {
        SCOPED_TRACE(one.architecture);
        const kernel_info &tuned = one["body"], &guarded = one["guarded"], &unguarded = one["unguarded"];
        ASSERT_TRUE(tuned.code_hash && tuned.code_bytes && unguarded.code_bytes);
        EXPECT_EQ(tuned.code_hash, guarded.code_hash);
        EXPECT_EQ(tuned.code_bytes, guarded.code_bytes);
        EXPECT_EQ(tuned.registers, guarded.registers);
        EXPECT_EQ(tuned.parameter_bytes, guarded.parameter_bytes);
        EXPECT_NE(tuned.code_hash, unguarded.code_hash);
        EXPECT_LE(*tuned.code_bytes - *unguarded.code_bytes, 128);
        std::cout << one.architecture << ": " << *tuned.code_bytes << " B, without the guard " << *unguarded.code_bytes
                  << " B, registers " << tuned.registers.value_or(0) << " and " << unguarded.registers.value_or(0)
                  << "\n";
    }
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
            EXPECT_EQ(one[name].max_threads, (std::array{192, 1, 1})) << one.architecture << name;
        EXPECT_EQ(one["staged"].static_shared_bytes, 192 * 5 * 4);
    }
    EXPECT_EQ(of(images, "sm_80")["witness"].max_threads, (std::array{80, 1, 1}));
    EXPECT_EQ(of(images, "sm_90a")["witness"].max_threads, (std::array{346, 1, 1}));
    const std::vector<image> ptx = images_for({row, code("90", "compute_90")});
    for (const char* name : {"staged", "plain", "classic"}) EXPECT_EQ(of(ptx, "compute_90")[name].min_blocks, 1);
}

TEST(launch_box_compile, only_is_one_row_for_every_architecture)
{
    SKIP_WITHOUT_NVCC();
    const std::vector<image> images =
        images_for({"-DTABLE=launchbox::only<row{96\\, 7\\, 8}>", code("75", "sm_75"), code("90a", "sm_90a")});
    EXPECT_EQ(images.size(), 2u);
    for (const image& one : images) {
        EXPECT_EQ(one["staged"].max_threads, (std::array{96, 1, 1})) << one.architecture;
        EXPECT_EQ(one["plain"].register_cap, 80) << one.architecture;  // 65,536 / (96 * 8) = 85.3
        EXPECT_EQ(one["staged"].static_shared_bytes, 96 * 7 * 4) << one.architecture;
    }
    EXPECT_EQ(of(images, "sm_75")["classic"].max_threads, (std::array{row_75.threads, 1, 1}));
}

TEST(launch_box_compile, each_size_class_is_a_kernel_with_its_row)
{
    SKIP_WITHOUT_NVCC();
    const std::vector<image> images = images_for({"-DTABLE=by_three_sizes", code("80", "sm_80"), code("90", "sm_90")});
    EXPECT_EQ(images.size(), 2u);
    const auto threads = [&](const char* architecture, const char* name) {
        return of(images, architecture)[name].max_threads.value_or(std::array{0, 0, 0})[0];
    };
    for (const image& one : images) EXPECT_EQ(one.kernels.size(), 8u);  // 2 bodies * 3 classes, classic, witness
    for (const std::string body : {"staged", "plain"}) {
        EXPECT_EQ(threads("sm_80", body.c_str()), 32);
        EXPECT_EQ(threads("sm_90", body.c_str()), 32);
        EXPECT_EQ(threads("sm_80", (body + " 1").c_str()), 64);
        EXPECT_EQ(threads("sm_90", (body + " 1").c_str()), 96);
        EXPECT_EQ(threads("sm_80", (body + " 2").c_str()), row_80.threads);
        EXPECT_EQ(threads("sm_90", (body + " 2").c_str()), row_90.threads);
    }
    EXPECT_EQ(of(images, "sm_80")["staged 1"].static_shared_bytes, 64 * 3 * 4);
    EXPECT_EQ(of(images, "sm_90")["staged 1"].static_shared_bytes, 96 * 5 * 4);
}

TEST(launch_box_compile, the_table_is_that_of_the_sizes_of_key_and_value)
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
        EXPECT_EQ(kernel.max_threads, (std::array{threads, 1, 1})) << architecture << " " << body;
        EXPECT_EQ(kernel.static_shared_bytes, threads * items * 4) << architecture << " " << body;
    };
    for (const image& one : images) EXPECT_EQ(one.kernels.size(), 6u);
    expect("sm_80", "keys_4", 128, 16);  // measured for these sizes: even stays even
    expect("sm_90", "keys_4", 160, 18);
    expect("sm_80", "keys_8", 192, 7);
    expect("sm_90", "keys_8", 192, 7);
    expect("sm_80", "keys_2", 128, 31);  // 16 items of 4 bytes are 32 of 2, and odd
    expect("sm_90", "keys_2", 160, 35);
    expect("sm_80", "pairs_4_4", 224, 9);
    expect("sm_80", "pairs_4_8", 224, 5);  // 9 of 8 bytes are 6 of 12, and odd
}

}  // namespace
}  // namespace launchbox
