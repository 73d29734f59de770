// Files of every kind, made by nvcc, nvlink and ar: their images and the places that are reported for them.
#include "deep_lines.hpp"
#include "flat_binary.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "image/names/demangle.hpp"
#include "ptxas_log.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

using strings = std::vector<std::string>;

// "sm_90 k: 4" for all kernels; "4?" if min_blocks is inferred.
std::string bounds_of(const flat_contents& contents)
{
    std::vector<kernel_info> sorted = contents.kernels;  // nvcc has no fixed order
    std::ranges::sort(sorted, {}, &kernel_info::architecture);
    std::string text;
    for (const kernel_info& kernel : sorted)
        text += (text.empty() ? "" : ", ") + kernel.architecture + " " + kernel.name + ": " +
                (kernel.bounds.min_blocks ? std::to_string(*kernel.bounds.min_blocks) : "none") +
                (kernel.bounds.min_blocks_inferred ? "?" : "");
    return text;
}

flat_contents read_made(const compiled& made, const binary_options& options = {})
{
    EXPECT_EQ(made.exit_code, 0) << made.log;
    flat_contents contents = read_flat(made.image, "made", options);
    EXPECT_EQ(diagnostics_of(contents), "");
    return contents;
}

compiled fatbin_of(const std::string& source, const strings& options)
{
    strings command{"nvcc", "-fatbin", "-w"};
    command.insert(command.end(), options.begin(), options.end());
    return compile(std::move(command), source, ".cu");
}

const std::string bound_kernel =
    "extern \"C\" __global__ void __launch_bounds__(256, 4) k(int* p) { p[threadIdx.x] = 1; }";

TEST(binary, lists_every_image_with_its_place)
{
    SKIP_WITHOUT_TOOLKIT();
    const compiled made = fatbin_of(bound_kernel, {"--compress-mode=size", "-gencode=arch=compute_75,code=sm_75",
                                                   "-gencode=arch=compute_90a,code=[sm_90a,compute_90a,lto_90a]"});
    const flat_contents contents = read_made(made);
    ASSERT_EQ(contents.images.size(), 4u);
    std::set<std::string> seen;
    for (const binary_image& image : contents.images) {
        seen.insert(image.kind + " " + image.architecture + " " + std::to_string(image.kernels));
        EXPECT_EQ(image.container, "fatbin at byte 0");
        EXPECT_GT(image.stored_bytes, 0u);
        EXPECT_LE(image.offset + image.stored_bytes, made.image.size());
        if (image.compression == "zstd" && image.kind != "LTO-IR") {  // LTO-IR is also scrambled
            EXPECT_EQ(made.image.substr(image.offset, 4), "\x28\xb5\x2f\xfd");
            EXPECT_GT(image.bytes, image.stored_bytes);
        }
    }
    EXPECT_EQ(seen,
              (std::set<std::string>{"cubin sm_75 1", "cubin sm_90a 1", "PTX compute_90a 1", "LTO-IR compute_90a 0"}));
    ASSERT_EQ(contents.kernels.size(), 2u);
    for (const kernel_info& kernel : contents.kernels) {
        EXPECT_EQ(kernel.source.file, "made");
        EXPECT_EQ(kernel.source.container, "fatbin at byte 0");
        EXPECT_TRUE(kernel.source.entry.starts_with("entry ")) << kernel.source.entry;
    }
}

TEST(binary, code_bytes_equal_those_of_readelf)
{
    SKIP_WITHOUT_TOOLKIT();
    if (find_in_path("readelf").empty()) GTEST_SKIP() << "needs readelf in PATH";
    const compiled made = compile_cuda(
        "extern \"C\" __global__ void a(int* p) { p[threadIdx.x] = 1; }\n"
        "extern \"C\" __global__ void b(double* p) { p[0] = p[1] / p[2]; }",
        "sm_90");
    const flat_contents contents = read_made(made);
    EXPECT_EQ(contents.kind, "cubin");
    const temporary_directory folder;
    write_file_atomically(folder.path() / "cubin", made.image);
    std::istringstream lines(run({"readelf", "-SW", (folder.path() / "cubin").string()}).output);
    std::map<std::string, std::int64_t> sizes;
    for (std::string line; std::getline(lines, line);) {
        const auto name = line.find(" .text.");
        if (name == std::string::npos) continue;
        std::istringstream fields(line.substr(name));
        std::string section, type, address, offset, size;
        fields >> section >> type >> address >> offset >> size;
        sizes[section] = std::stoll(size, nullptr, 16);
    }
    ASSERT_EQ(contents.kernels.size(), 2u);
    for (const kernel_info& kernel : contents.kernels)
        EXPECT_EQ(kernel.figures.code_bytes, sizes.at(".text." + kernel.name));
}

TEST(binary, features_used_by_the_code)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string source = R"cuda(
#include <cuda/barrier>
#include <mma.h>
using namespace nvcuda;
extern "C" {
__global__ void none(int* p) { p[threadIdx.x] = 1; }
__global__ void uses_wmma(half* a, half* b, float* c)
{
    wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
    wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
    wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
    wmma::fill_fragment(fc, 0.f);
    wmma::load_matrix_sync(fa, a, 16);
    wmma::load_matrix_sync(fb, b, 16);
    wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
__global__ void uses_mma(unsigned* p)
{
    unsigned c = 0, d = 0;
    asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0,%1},{%2,%3},{%4},{%0,%1};"
                 : "+r"(c), "+r"(d) : "r"(p[0]), "r"(p[1]), "r"(p[2]));
    p[threadIdx.x] = c + d;
}
__global__ void uses_wgmma(unsigned long long* p)
{
    float a = 0, b = 0, c = 0, d = 0;
    asm volatile("wgmma.fence.sync.aligned;");
    asm volatile("{.reg .pred q; setp.ne.b32 q, 1, 0;"
                 "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0,%1,%2,%3}, %4, %5, q, 1, 1, 0, 0;}"
                 : "+f"(a), "+f"(b), "+f"(c), "+f"(d) : "l"(p[0]), "l"(p[1]));
    asm volatile("wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;");
    p[threadIdx.x] = static_cast<unsigned long long>(a + b + c + d);
}
__global__ void uses_cuda_barrier(int* p)
{
    __shared__ cuda::barrier<cuda::thread_scope_block> bar;
    if (threadIdx.x == 0) init(&bar, blockDim.x);
    __syncthreads();
    bar.arrive_and_wait();
    p[threadIdx.x] = 1;
}
__global__ void uses_bulk_copy(int* p)
{
    __shared__ alignas(128) int s[256];
    __shared__ alignas(8) unsigned long long bar;
    const unsigned b = static_cast<unsigned>(__cvta_generic_to_shared(&bar));
    if (threadIdx.x == 0) {
        asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(b));
        asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], 1024;" ::"r"(b));
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(
            static_cast<unsigned>(__cvta_generic_to_shared(s))), "l"(p), "r"(b));
    }
    __syncthreads();
    asm volatile("{.reg .pred q; W: mbarrier.try_wait.parity.shared.b64 q, [%0], 0; @!q bra W;}" ::"r"(b));
    p[threadIdx.x] = s[255 - threadIdx.x];
}
__global__ void uses_shuffle(int* p) { p[threadIdx.x] = __shfl_xor_sync(~0u, p[threadIdx.x], 1); }
}
)cuda";
    const flat_contents contents = read_made(compile({"nvcc", "-cubin", "-w", "-arch=sm_90a"}, source, ".cu"));
    std::map<std::string, std::string> features;
    for (const kernel_info& kernel : contents.kernels)
        for (const std::string_view feature : kernel.analysis.features.names())
            features[kernel.name] += std::string(feature) + " ";
    EXPECT_EQ(contents.kernels.size(), 7u);
    EXPECT_EQ(features["none"], "");
    EXPECT_EQ(features["uses_wmma"], "wmma ");
    EXPECT_EQ(features["uses_mma"], "");    // not recorded, although it uses tensor cores too
    EXPECT_EQ(features["uses_wgmma"], "");  // not recorded either
    EXPECT_EQ(features["uses_cuda_barrier"], "memory_barriers ");
    EXPECT_EQ(features["uses_bulk_copy"], "memory_barriers ");
    EXPECT_EQ(features["uses_shuffle"], "warp_synchronisation ");
}

TEST(binary, setmaxnreg_is_a_feature)
{
    SKIP_WITHOUT_TOOLKIT();
    const compiled made = assemble(
        ".version 9.0\n.target sm_90a\n.address_size 64\n"
        ".visible .entry k()\n.maxntid 128\n.minnctapersm 1\n.maxnreg 128\n{\n"
        "setmaxnreg.inc.sync.aligned.u32 240;\nret;\n}\n",
        "sm_90a");
    const flat_contents contents = read_made(made);
    ASSERT_EQ(contents.kernels.size(), 1u);
    EXPECT_EQ(contents.kernels[0].analysis.features.names(), std::vector<std::string_view>{"setmaxnreg"}) << made.log;
}

TEST(binary, min_blocks_is_exact_with_its_ptx_and_inferred_without)
{
    SKIP_WITHOUT_TOOLKIT();
    const strings code{"-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_80,code=sm_90"};
    EXPECT_EQ(bounds_of(read_made(fatbin_of(bound_kernel, code))), "sm_80 k: 4?, sm_90 k: 4?");
    strings with_ptx = code;
    with_ptx.emplace_back("-gencode=arch=compute_80,code=compute_80");
    const compiled made = fatbin_of(bound_kernel, with_ptx);
    EXPECT_EQ(bounds_of(read_made(made)), "sm_80 k: 4, sm_90 k: 4");
    // Asking for some architectures selects what is shown, and changes nothing in it.
    const flat_contents some = read_made(made, {.wanted = [](std::string_view name) { return name == "sm_90"; }});
    EXPECT_EQ(bounds_of(some), "sm_90 k: 4");
    ASSERT_EQ(some.images.size(), 1u);
    EXPECT_EQ(some.images[0].architecture, "sm_90");
    const flat_contents only_ptx =
        read_made(made, {.wanted = [](std::string_view name) { return name == "compute_80"; }});
    EXPECT_EQ(bounds_of(only_ptx), "compute_80 k: 4");
}

TEST(binary, bounds_that_depend_on_the_architecture_are_only_taken_from_its_ptx)
{
    SKIP_WITHOUT_TOOLKIT();
    const std::string source =
        "#if __CUDA_ARCH__ >= 900\n#define BLOCKS 6\n#else\n#define BLOCKS 3\n#endif\n"
        "extern \"C\" __global__ void __launch_bounds__(128, BLOCKS) k(int* p) { p[0] = 1; }";
    EXPECT_EQ(bounds_of(read_made(fatbin_of(source, {"-gencode=arch=compute_80,code=[sm_80,compute_80]",
                                                     "-gencode=arch=compute_90,code=sm_90"}))),
              "sm_80 k: 3, sm_90 k: 6?");
}

// Code for a family is compiled from PTX for that family; code labelled sm_100f that comes from compute_100 is not.
TEST(binary, families_have_their_own_virtual_architecture)
{
    SKIP_WITHOUT_TOOLKIT();
    for (const auto& [from, code] : std::vector<std::pair<std::string, std::string>>{{"compute_100f", "sm_100f"},
                                                                                     {"compute_100", "sm_100f"},
                                                                                     {"compute_100a", "sm_100a"},
                                                                                     {"compute_100f", "sm_103f"}}) {
        const flat_contents contents =
            read_made(fatbin_of(bound_kernel, {"-gencode=arch=" + from + ",code=[" + code + "," + from + "]"}));
        ASSERT_EQ(contents.kernels.size(), 1u) << code;
        EXPECT_EQ(contents.kernels[0].virtual_architecture, from);
        EXPECT_EQ(contents.kernels[0].bounds.min_blocks, 4);
        EXPECT_FALSE(contents.kernels[0].bounds.min_blocks_inferred) << from << ' ' << code;
    }
}

TEST(binary, ptx_alone_gives_kernels_with_their_virtual_architecture)
{
    SKIP_WITHOUT_TOOLKIT();
    const compiled text = compile({"nvcc", "-ptx", "-arch=compute_90"}, bound_kernel, ".cu");
    const compiled packed = fatbin_of(bound_kernel, {"-gencode=arch=compute_90,code=compute_90"});
    for (const compiled* made : {&text, &packed}) {
        const flat_contents contents = read_made(*made);
        EXPECT_EQ(contents.kind, made == &text ? "PTX" : "fat binary");
        EXPECT_EQ(bounds_of(contents), "compute_90 k: 4");
        EXPECT_EQ(contents.kernels.at(0).figures.registers, std::nullopt);
        EXPECT_EQ(contents.kernels.at(0).figures.spill_store_bytes, std::nullopt);
        EXPECT_EQ(contents.kernels.at(0).figures.static_shared_bytes, std::nullopt);
        EXPECT_EQ(contents.kernels.at(0).figures.parameter_bytes, 8);
    }
    EXPECT_TRUE(looks_like_binary(text.image));
}

// A script, a log, a page: the binary data after them is found wherever it begins.
TEST(binary, images_after_text_are_found)
{
    const std::string cubin = read_input(LAUNCHBOX_SOURCE_DIR "/tests/fuzz/corpus/cubin/sm_90.cubin");
    for (const std::size_t lines : {1u, 300u, 5'000u, 50'000u}) {
        std::string text;
        for (std::size_t i = 0; i < lines; ++i) text += "a line of text\n";
        EXPECT_FALSE(looks_like_binary(text));
        EXPECT_TRUE(looks_like_binary(text + cubin));
        EXPECT_EQ(read_flat(text + cubin, "-", {}).kernels.size(), read_flat(cubin, "-", {}).kernels.size());
    }
}

TEST(binary, images_after_ptx_are_found_and_other_bytes_reported)
{
    const std::string cubin = read_input(LAUNCHBOX_SOURCE_DIR "/tests/fuzz/corpus/cubin/sm_90.cubin");
    const std::string ptx = ".version 9.0\n.target sm_90\n.address_size 64\n.visible .entry k() { ret; }\n";
    const std::size_t in_cubin = read_flat(cubin, "-", {}).kernels.size();
    EXPECT_EQ(read_flat(ptx + std::string(8, '\0'), "-", {}).kernels.size(), 1u);
    EXPECT_TRUE(read_flat(ptx + std::string(8, '\0'), "-", {}).diagnostics.empty());
    EXPECT_EQ(read_flat(ptx + std::string(8, '\0') + cubin, "-", {}).kernels.size(), 1 + in_cubin);
    const flat_contents more = read_flat(ptx + std::string(1, '\0') + ptx, "-", {});
    EXPECT_EQ(more.kernels.size(), 1u);
    ASSERT_EQ(more.diagnostics.size(), 1u);
    EXPECT_EQ(more.diagnostics[0].offset, ptx.size());
}

TEST(binary, a_second_image_in_one_entry_is_reported)
{
    const std::string cubin = read_input(LAUNCHBOX_SOURCE_DIR "/tests/fuzz/corpus/cubin/sm_90.cubin");
    EXPECT_TRUE(read_flat(make_fatbin({{.payload = cubin + std::string(16, '\0')}}), "-", {}).diagnostics.empty());
    const flat_contents both = read_flat(make_fatbin({{.payload = cubin + cubin}}), "-", {});
    ASSERT_EQ(both.diagnostics.size(), 1u);
    EXPECT_NE(both.diagnostics[0].what.find("after the cubin's end there is another image"), std::string::npos);
}

TEST(binary, images_for_other_architectures_are_counted)
{
    const std::string both = read_input(LAUNCHBOX_SOURCE_DIR "/tests/fuzz/corpus/fatbin/none.fatbin");
    const std::size_t all = read_binary(both, "-").images.size();
    EXPECT_EQ(read_binary(both, "-").not_wanted, 0u);
    const binary_contents some =
        read_binary(both, "-", {.wanted = [](std::string_view name) { return name == "sm_75"; }});
    EXPECT_EQ(some.images.size() + some.not_wanted, all);
    EXPECT_EQ(read_binary(both, "-", {.wanted = [](std::string_view) { return false; }}).not_wanted, all);
}

// 130 KB in which each line is inlined into all lines before it: as text, these would be 12 million places.
TEST(binary, lines_that_would_become_gigabytes_of_text_are_left_out_and_reported)
{
    const flat_contents deep = read_flat(cubin_of_deep_lines(1, 5'000), "-", {.lines = wanted_lines::of_all_code});
    ASSERT_EQ(deep.kernels.size(), 1u);
    EXPECT_FALSE(deep.kernels[0].analysis.lines);
    ASSERT_EQ(deep.diagnostics.size(), 1u);
    EXPECT_NE(deep.diagnostics[0].what.find("the lines of 1 of its kernels are left out"), std::string::npos);
    // Of many kernels that are each below the limit, as many are kept as are below it together.
    const flat_contents many = read_flat(cubin_of_deep_lines(20, 500), "-", {.lines = wanted_lines::of_all_code});
    std::uint64_t bytes = 0;
    for (const kernel_info& kernel : many.kernels)
        if (kernel.analysis.lines) bytes += kernel.analysis.lines->text_bytes;
    EXPECT_GT(bytes, std::uint64_t{20} << 20);
    EXPECT_LE(bytes, max_line_text_per_kernel + line_text_per_byte * (std::uint64_t{1} << 20));
    const flat_contents usual = read_flat(cubin_of_deep_lines(3, 20), "-", {.lines = wanted_lines::of_all_code});
    EXPECT_TRUE(usual.diagnostics.empty());
    for (const kernel_info& kernel : usual.kernels)
        EXPECT_TRUE(kernel.analysis.lines && !kernel.analysis.lines->uses.empty());
}

// A program of two sources, each with a static kernel and a kernel in an anonymous namespace, all with the same names.
TEST(binary, kernels_of_one_name_in_several_sources_are_distinguished)
{
    SKIP_WITHOUT_TOOLKIT();
    const auto source = [](int blocks, const std::string& user) {
        return "static __global__ void __launch_bounds__(256, " + std::to_string(blocks) +
               ") k(int* p) { p[threadIdx.x] = 1; }\nnamespace { __global__ void hidden(int* p) { p[0] = " +
               std::to_string(blocks) + "; } }\nvoid " + user + "(int* p) { k<<<1, 1>>>(p); hidden<<<1, 1>>>(p); }\n";
    };
    const temporary_directory folder;
    write_file_atomically(folder.path() / "a.cu", source(2, "use_a"));
    write_file_atomically(folder.path() / "b.cu", source(4, "use_b"));
    const auto linked = run({"nvcc", "-shared", "-Xcompiler=-fPIC", "-w",
                             "-gencode=arch=compute_90,code=[sm_90,compute_90]", "-o", "lib.so", "a.cu", "b.cu"},
                            {.directory = folder.path(), .environment = {}});
    ASSERT_EQ(linked.exit_code, 0) << linked.output;
    const flat_contents contents = read_flat(read_input((folder.path() / "lib.so").string()), "lib.so");
    EXPECT_EQ(diagnostics_of(contents), "");
    EXPECT_EQ(contents.kind, "shared library");
    std::multiset<std::string> kernels;
    std::set<std::string> containers;
    for (const kernel_info& kernel : contents.kernels) {
        kernels.insert(short_name(demangle(kernel.name)) + " " + std::to_string(kernel.bounds.min_blocks.value_or(0)) +
                       (kernel.bounds.min_blocks_inferred ? "?" : ""));
        containers.insert(kernel.source.container);
        EXPECT_NE(kernel.source.container.find("(.nv_fatbin)"), std::string::npos);
    }
    EXPECT_EQ(kernels.count("k 2"), 1u);
    EXPECT_EQ(kernels.count("k 4"), 1u);
    EXPECT_EQ(kernels.size(), 4u);
    EXPECT_EQ(containers.size(), 2u);
}

// The code that runs is nvlink's; the images that it was linked from stay in the file and are listed, but not read.
TEST(binary, a_linked_program_shows_the_code_of_nvlink)
{
    SKIP_WITHOUT_TOOLKIT();
    if (find_in_path("nvlink").empty()) GTEST_SKIP() << "needs nvlink in PATH";
    const std::string source = R"cuda(
extern "C" __global__ void __launch_bounds__(64, 8) k(int* p)
{
    __shared__ int s[64];
    s[threadIdx.x] = p[threadIdx.x];
    __syncthreads();
    p[threadIdx.x] = s[63 - threadIdx.x];
}
__device__ __noinline__ int recursive(int n) { return n < 2 ? n : recursive(n - 1) * recursive(n - 2) + n; }
extern "C" __global__ void r(int* p) { p[0] = recursive(p[1]); }
int main() { k<<<1, 1>>>(nullptr); r<<<1, 1>>>(nullptr); }
)cuda";
    const compiled made =
        compile({"nvcc", "-rdc=true", "-Xnvlink=-v", "-gencode=arch=compute_75,code=[sm_75,compute_75]",
                 "-gencode=arch=compute_90,code=sm_90"},
                source, ".cu");
    const flat_contents contents = read_made(made);
    EXPECT_EQ(contents.kind, "executable");

    std::istringstream lines(made.log);
    std::string name;
    int compared = 0;
    for (std::string line; std::getline(lines, line);) {
        const std::string properties = "Function properties for '";
        if (const auto at = line.find(properties); at != std::string::npos) {
            name = line.substr(at + properties.size());
            name.resize(name.find('\''));
        } else if (const auto used = line.find("used "); used != std::string::npos) {
            const auto target = line.find("(target: ");
            const std::string architecture = line.substr(target + 9, line.find(')', target) - target - 9);
            std::map<std::string, std::int64_t> amounts = parse_amounts(line.substr(used, target - used - 1));
            const auto info = std::ranges::find_if(contents.kernels, [&](const kernel_info& kernel) {
                return kernel.name == name && kernel.architecture == architecture;
            });
            ASSERT_NE(info, contents.kernels.end()) << name << architecture;
            // On sm_90, nvlink adds the reserved memory if there is any shared memory.
            const std::int64_t reserve = architecture == "sm_90" && amounts["smem"] > 0 ? 1024 : 0;
            EXPECT_EQ(info->figures.registers, amounts["registers"]);
            if (!nvlink_repeats_barriers() || info->figures.barriers != 0) {
                EXPECT_EQ(info->figures.barriers, amounts["barriers"]);
            }
            EXPECT_EQ(info->figures.static_shared_bytes, amounts["smem"] - reserve);
            EXPECT_EQ(info->figures.cumulative_stack_bytes,
                      name == "r" ? std::nullopt : std::optional<std::int64_t>(amounts["stack"]));
            EXPECT_EQ(info->figures.stack_unbounded, name == "r");
            for (const constant_bank& bank : info->figures.constant_banks)
                EXPECT_EQ(bank.bytes, amounts["cmem[" + std::to_string(bank.bank) + "]"]);
            EXPECT_FALSE(info->relocatable);
            ++compared;
        }
    }
    EXPECT_EQ(compared, 4);
    EXPECT_EQ(contents.kernels.size(), 4u);

    const auto is_unlinked = [](const binary_image& image) {
        return image.container.find("(__nv_relfatbin)") != std::string::npos;
    };
    EXPECT_EQ(std::ranges::count_if(contents.images, is_unlinked), 3);
    for (const binary_image& image : contents.images) {
        EXPECT_EQ(image.relocatable, is_unlinked(image));
        if (is_unlinked(image)) {
            EXPECT_EQ(image.kernels, 0u);
        }
    }
    const flat_contents both = read_made(made, {.wanted = {}, .before_linking = true});
    EXPECT_EQ(both.kernels.size(), 8u);
    for (const kernel_info& kernel : both.kernels)
        EXPECT_EQ(kernel.relocatable, kernel.source.container.find("(__nv_relfatbin)") != std::string::npos);
    EXPECT_EQ(std::ranges::count_if(both.kernels, &kernel_info::relocatable), 4);
}

// With one thread or many, with or without hashes: the same kernels in the same order.
TEST(binary, the_number_of_threads_changes_nothing)
{
    SKIP_WITHOUT_TOOLKIT();
    const compiled made =
        fatbin_of(bound_kernel, {"--compress-mode=size", "-gencode=arch=compute_75,code=[sm_75,compute_75]",
                                 "-gencode=arch=compute_80,code=sm_80", "-gencode=arch=compute_90,code=sm_90"});
    const flat_contents one = read_made(made, {.wanted = {}, .jobs = 1, .hash_code = true});
    const flat_contents many = read_made(made, {.wanted = {}, .jobs = 16, .hash_code = true});
    EXPECT_EQ(one.kernels, many.kernels);
    ASSERT_EQ(one.kernels.size(), 3u);
    for (const kernel_info& kernel : one.kernels) EXPECT_TRUE(kernel.figures.code_hash);
}

}  // namespace
}  // namespace launchbox
