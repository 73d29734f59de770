// Every library of the CUDA toolkits on this machine: each kernel in it is read, and its figures are plausible.
// LAUNCHBOX_EXHAUSTIVE=1: also those above 64 MiB.
#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <set>

#include "cuda_libraries.hpp"
#include "image/binary.hpp"
#include "image/code/spills.hpp"
#include "scale.hpp"
#include "support/files/mapped_file.hpp"

namespace launchbox {
namespace {

struct library_counts {
    std::size_t containers = 0, cubins = 0, ptx = 0, lto_ir = 0, others = 0;
    std::size_t kernels = 0;         // in cubins: kernel × architecture
    std::size_t kernels_as_ptx = 0;  // only present as PTX
    std::size_t unique_names = 0;
    std::size_t without_registers = 0;  // among those in cubins
};

library_counts count(const binary_contents& contents);
void print(const std::string& name, std::uintmax_t bytes, const library_counts& counts);
void expect_plausible(const kernel_info& kernel);
void expect_lines_add_up(const kernel_info& kernel);

// The kernels in cubins, including those only for the device linker, counted by a reader that shares no code with ours.
// A library of another size is another version.
struct known_library {
    const char* stem;
    std::uintmax_t bytes;
    std::size_t kernels;
};
constexpr known_library known_libraries[] = {
    {"libcublasLt", 541'595'600, 45'327},  {"libcudnn_engines_precompiled", 245'391'920, 56'336},
    {"libcusparse", 162'565'256, 40'400},  {"libcusolver", 141'152'872, 26'480},
    {"libcudnn_adv", 109'169'104, 28'126}, {"libcusolverMg", 103'956'840, 14'078},
    {"libcurand", 132'698'328, 2'664},     {"libcublas", 54'177'976, 23'178},
    {"libcudnn_ops", 39'855'888, 13'698},  {"libnccl", 217'995'896, 830},
    {"libcufft", 286'542'352, 3'124},
};

TEST(libraries, are_read_without_an_error)
{
    const std::vector<std::string> libraries = shared_libraries_in(cuda_library_folders());
    std::size_t with_kernels = 0, kernels = 0, compared = 0, left_out = 0;
    std::set<std::string> names;
    for (const std::string& path : libraries) {
        SCOPED_TRACE(path);
        if (!is_exhaustive() && std::filesystem::file_size(path) > (64u << 20)) {
            ++left_out;
            continue;
        }
        const mapped_file file(path);
        ASSERT_TRUE(looks_like_binary(file.bytes()));
        const binary_contents contents = read_binary(
            file.bytes(), path,
            {.wanted = {}, .jobs = 0, .hash_code = false, .lines = wanted_lines::of_spills, .before_linking = true});
        EXPECT_EQ(contents.kind, "shared library");
        for (const image_diagnostic& diagnostic : contents.diagnostics)
            ADD_FAILURE() << "byte " << diagnostic.offset << ": " << diagnostic.what;
        if (contents.images.empty()) continue;

        const library_counts counts = count(contents);
        const std::string file_name = std::filesystem::path(path).filename().string();
        print(file_name, file.bytes().size(), counts);
        EXPECT_EQ(counts.others, 0u) << "an image of a kind that is not known";
        for (const std::vector<kernel_info>& of_image : contents.kernels)
            for (const kernel_info& kernel : of_image) {
                if (testing::Test::HasFailure()) break;  // one of 50,000 failures is enough
                expect_plausible(kernel);
                names.insert(kernel.name);
            }
        ++with_kernels;
        kernels += counts.kernels;
        for (const known_library& known : known_libraries)
            if (file_name.substr(0, file_name.find(".so")) == known.stem && file.bytes().size() == known.bytes) {
                EXPECT_EQ(counts.kernels, known.kernels);
                ++compared;
            }
    }
    if (with_kernels == 0) GTEST_SKIP() << "no CUDA library with kernels beside an nvcc in PATH or in /usr/local/cuda*";
    std::printf("%zu libraries, %zu kernels x architectures, %zu unique names; %zu counts compared; %zu left out\n",
                with_kernels, kernels, names.size(), compared, left_out);
}

library_counts count(const binary_contents& contents)
{
    library_counts counts;
    std::set<std::string_view> containers, names;
    std::size_t images_with_kernels = 0;
    for (const binary_image& image : contents.images) {
        containers.insert(image.container);
        if (image.kind == "cubin")
            ++counts.cubins;
        else if (image.kind == "PTX")
            ++counts.ptx;
        else if (image.kind == "LTO-IR")
            ++counts.lto_ir;
        else
            ++counts.others;
        images_with_kernels += image.kernels;
    }
    std::size_t kernels = 0;
    for (const std::vector<kernel_info>& of_image : contents.kernels) {
        kernels += of_image.size();
        for (const kernel_info& kernel : of_image) {
            names.insert(kernel.name);
            if (kernel.architecture.starts_with("compute_")) {
                ++counts.kernels_as_ptx;
            } else {
                ++counts.kernels;
                if (!kernel.figures.registers) ++counts.without_registers;
            }
        }
    }
    EXPECT_GE(images_with_kernels, kernels);  // kernels in PTX next to a cubin are merged with its kernels
    counts.containers = containers.size();
    counts.unique_names = names.size();
    return counts;
}

void print(const std::string& name, std::uintmax_t bytes, const library_counts& counts)
{
    std::printf(
        "%-42s %11ju bytes  %6zu containers  %5zu cubins  %5zu PTX  %6zu LTO-IR  %6zu kernels x architectures"
        "  %6zu only as PTX  %6zu unique names  %zu without registers\n",
        name.c_str(), bytes, counts.containers, counts.cubins, counts.ptx, counts.lto_ir, counts.kernels,
        counts.kernels_as_ptx, counts.unique_names, counts.without_registers);
}

void expect_plausible(const kernel_info& kernel)
{
    SCOPED_TRACE(kernel.name + " for " + kernel.architecture + " in " + kernel.source.container + ", " +
                 kernel.source.entry);
    EXPECT_FALSE(kernel.name.empty());
    EXPECT_FALSE(kernel.source.container.empty());
    if (kernel.architecture.starts_with("compute_")) {
        EXPECT_FALSE(kernel.figures.registers);
        return;
    }
    ASSERT_TRUE(kernel.architecture.starts_with("sm_"));
    ASSERT_TRUE(kernel.figures.registers);
    EXPECT_GE(*kernel.figures.registers, 1);
    EXPECT_LE(*kernel.figures.registers, 255);
    ASSERT_TRUE(kernel.figures.code_bytes);
    EXPECT_GT(*kernel.figures.code_bytes, 0);
    EXPECT_EQ(*kernel.figures.code_bytes % 16, 0);
    ASSERT_TRUE(kernel.figures.static_shared_bytes);
    EXPECT_GE(*kernel.figures.static_shared_bytes, 0);
    EXPECT_LE(*kernel.figures.static_shared_bytes, 227 * 1024);
    EXPECT_LE(kernel.bounds.register_cap.value_or(0), 255);
    EXPECT_LE(kernel.figures.barriers.value_or(0), 16);
    for (const auto& bytes :
         {kernel.figures.spill_store_bytes, kernel.figures.spill_load_bytes, kernel.figures.stack_frame_bytes,
          kernel.figures.reserved_shared_bytes, kernel.figures.parameter_bytes})
        EXPECT_GE(bytes.value_or(0), 0);
    expect_lines_add_up(kernel);
}

// The spills of a kernel's lines sum to those of the kernel.
void expect_lines_add_up(const kernel_info& kernel)
{
    const std::optional<spill_range> spills = spill_range_of(kernel);
    if (!kernel.analysis.lines || !spills) return;
    spill_counts sum;
    for (const line_use& use : kernel.analysis.lines->uses) {
        sum.stores += use.spill_store_bytes;
        sum.loads += use.spill_load_bytes;
    }
    EXPECT_EQ(sum, (spill_counts{spills->min_stores, spills->min_loads})) << kernel.name;
}

}  // namespace
}  // namespace launchbox
