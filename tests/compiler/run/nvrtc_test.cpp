#include "compiler/run/nvrtc.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "image/cubin.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

using namespace launchbox;
namespace fs = std::filesystem;
using words = std::vector<std::string>;

namespace {

class Nvrtc : public testing::Test {
protected:
    void SetUp() override
    {
        try {
            tools_ = find_toolchain();
        } catch (const error&) {
        }
        place_ = find_nvrtc(tools_ ? &*tools_ : nullptr);
        if (!place_) GTEST_SKIP() << "no NVRTC";
    }
    [[nodiscard]] nvrtc_output compile(const std::string& source, const std::string& expression, words flags = {}) const
    {
        return nvrtc(place_->library)
            .compile({.source = source,
                      .name = "k.cu",
                      .expression = expression,
                      .architecture = {9, 0},
                      .flags = std::move(flags),
                      .includes = place_->includes});
    }
    std::optional<toolchain> tools_;
    std::optional<nvrtc_place> place_;
};

TEST_F(Nvrtc, is_found_next_to_the_compiler_with_its_headers)
{
    if (!tools_) GTEST_SKIP() << "no nvcc";
    EXPECT_TRUE(place_->library.is_absolute());
    EXPECT_TRUE(tools_->version.starts_with(place_->version + ".")) << place_->version;
    const auto has = [&](const char* header) {
        return std::ranges::any_of(place_->includes,
                                   [&](const fs::path& folder) { return fs::exists(folder / header); });
    };
    EXPECT_TRUE(has("cuda_runtime.h"));
    EXPECT_TRUE(has("cub/cub.cuh"));
}

TEST_F(Nvrtc, uses_the_library_named_in_the_environment)
{
    const temporary_directory folder;
    const fs::path copy = folder.path() / "mine.so";
    fs::create_symlink(place_->library, copy);
    ::setenv("LAUNCHBOX_NVRTC", copy.c_str(), 1);
    EXPECT_EQ(find_nvrtc(nullptr)->library, copy);
    ::setenv("LAUNCHBOX_NVRTC", "/nowhere.so", 1);
    EXPECT_EQ(find_nvrtc(tools_ ? &*tools_ : nullptr)->library, place_->library);
    ::unsetenv("LAUNCHBOX_NVRTC");
    EXPECT_THROW(nvrtc("/nowhere.so"), error);
    EXPECT_THROW(nvrtc("libm.so.6"), error);
}

// As in Python packages, which are not in the system's search paths.
TEST_F(Nvrtc, its_dependencies_are_loaded_from_its_folder)
{
    const temporary_directory folder;
    const fs::path copy = folder.path() / "libnvrtc.so", builtins = folder.path() / "libnvrtc-builtins.so.99.0";
    fs::create_symlink(place_->library, copy);
    write_file_atomically(folder.path() / "b.cpp", "int none;\n");
    ASSERT_EQ(run({LAUNCHBOX_CXX, "-shared", "-o", builtins.string(), (folder.path() / "b.cpp").string()}).exit_code,
              0);
    EXPECT_EQ(::dlopen(builtins.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);
    const nvrtc used(copy);
    EXPECT_NE(::dlopen(builtins.c_str(), RTLD_NOW | RTLD_NOLOAD), nullptr);
}

TEST_F(Nvrtc, compiles_to_a_cubin_and_an_outline)
{
    const nvrtc_output made =
        compile("template <class T> __global__ __launch_bounds__(128, 4) void k(T* p) { *p = 1; }", "k<long long>",
                {"-O3", "-std=c++20"});
    ASSERT_TRUE(made.output.succeeded()) << made.output.log;
    EXPECT_EQ(made.kernel, "_Z1kIxEvPT_");
    EXPECT_NE(made.output.log.find("Used "), std::string::npos) << made.output.log;
    EXPECT_NE(made.output.log.find("\n    0 bytes stack frame, 0 bytes spill stores"), std::string::npos);
    EXPECT_NE(made.output.ptx_outline.find(".minnctapersm 4"), std::string::npos) << made.output.ptx_outline;
    const cubin_contents contents = read_cubin(made.output.cubin, "");
    ASSERT_EQ(contents.kernels.size(), 1u);
    EXPECT_EQ(contents.kernels[0].name, made.kernel);
    EXPECT_EQ(contents.architecture, "sm_90");
}

TEST_F(Nvrtc, reports_errors)
{
    EXPECT_NE(compile("__global__ void k() { x = 1; }", "k").output.log.find("k.cu(1): error: identifier \"x\""),
              std::string::npos);
    const nvrtc_output unknown = compile("__global__ void k() {}", "k", {"--no-such-flag"});
    EXPECT_FALSE(unknown.output.succeeded());
    EXPECT_NE(unknown.output.log.find("--no-such-flag"), std::string::npos);
    EXPECT_FALSE(compile("__global__ void k() {}", "other").output.succeeded());
}

TEST_F(Nvrtc, accepts_the_flags_of_nvcc)
{
    const temporary_directory folder;
    write_file_atomically(folder.path() / "a.h", "#define A 1\n");
    const std::string path = folder.path().string();
    const nvrtc_output made =
        compile("#include <a.h>\n__global__ void k(int* p) { *p = A + B + C; }", "k",
                {"-O3", "-I", path, "-D", "B=2", "-DC=3", "-std", "c++20", "-lineinfo", "-Xptxas", "-O2", "-Xcompiler",
                 "-fPIC", "--expt-relaxed-constexpr", "-maxrregcount", "64", "-m64", "--use_fast_math"});
    EXPECT_TRUE(made.output.succeeded()) << made.output.log;
}

std::string without_times(const std::string& log)
{
    return std::regex_replace(log, std::regex("Compile time = .*"), "");
}

// Names with internal linkage contain an id of the translation unit, which may differ between two compilations of one
// text.
std::string without_unit_id(const std::string& cubin)
{
    return std::regex_replace(cubin, std::regex("_scan_cu_[0-9a-f]{8}_"), "_scan_cu_");
}

// Headers are kept from the second job on that differs only in the kernel.
TEST_F(Nvrtc, kept_headers_do_not_change_the_output)
{
    const temporary_directory folder;
    nvrtc compiler(place_->library);
    const std::string source =
        "#include <cub/block/block_scan.cuh>\n"
        "template <int threads> __global__ void scan(int* a) {\n"
        "    using scan = cub::BlockScan<int, threads>;\n"
        "    __shared__ typename scan::TempStorage storage;\n"
        "    scan(storage).InclusiveSum(a[threadIdx.x], a[threadIdx.x]);\n}\n";
    const auto job = [&](int threads, const std::string& flag) {
        return nvrtc_job{.source = source,
                         .name = "scan.cu",
                         .expression = "scan<" + std::to_string(threads) + ">",
                         .architecture = {9, 0},
                         .flags = {flag},
                         .includes = place_->includes,
                         .precompiled_headers = folder.path()};
    };
    std::vector<bool> used;
    for (const int threads : {64, 128, 192, 256}) {
        nvrtc_job with = job(threads, "-DWHICH=1"), without = with;
        without.precompiled_headers.clear();
        const nvrtc_output made = compiler.compile(with), expected = compiler.compile(without);
        ASSERT_EQ(made.output.exit_code, 0) << made.output.log;
        EXPECT_TRUE(without_unit_id(made.output.cubin) == without_unit_id(expected.output.cubin)) << threads;
        EXPECT_EQ(without_times(made.output.log), without_times(expected.output.log));
        EXPECT_EQ(made.kernel, expected.kernel);
        used.push_back(made.used_precompiled_headers);
    }
    const bool can = ::dlsym(::dlopen(place_->library.c_str(), RTLD_NOW), "nvrtcGetPCHCreateStatus") != nullptr;
    EXPECT_EQ(used, (std::vector<bool>{false, false, can, can}));

    const nvrtc_output other = compiler.compile(job(64, "-DWHICH=2"));
    EXPECT_FALSE(other.used_precompiled_headers);
    EXPECT_EQ(other.output.log.find("warning"), std::string::npos) << other.output.log;
    nvrtc_job wrong = job(64, "-DWHICH=1");
    wrong.expression = "scan<-1>";
    const nvrtc_output failed = compiler.compile(wrong);
    EXPECT_NE(failed.output.exit_code, 0);
    EXPECT_EQ(failed.output.log.find("precompiled"), std::string::npos) << failed.output.log;
}

TEST(nvrtc_flags, are_translated_from_nvccs_spelling)
{
    EXPECT_EQ(flags_for_nvrtc({"-O3", "-Ione", "-I", "two", "-I=three", "--include-path", "four", "-isystem", "five"}),
              (words{"--include-path=one", "--include-path=two", "--include-path=three", "--include-path=four",
                     "--include-path=five"}));
    EXPECT_EQ(
        flags_for_nvrtc({"-DX=1", "-D", "Y", "-std=c++20", "--std", "c++17", "-use_fast_math", "-lineinfo"}),
        (words{"--define-macro=X=1", "--define-macro=Y", "--std=c++20", "--std=c++17", "-use_fast_math", "-lineinfo"}));
    EXPECT_EQ(flags_for_nvrtc({"-Xcompiler", "-O3", "-ccbin=gcc", "-Xptxas=-dlcm=cg", "--maxrregcount", "32"}),
              (words{"--ptxas-options=-dlcm=cg", "--maxrregcount=32"}));
    EXPECT_EQ(flags_for_nvrtc({"-I"}), words{"-I"}) << "for NVRTC to complain about";
}

TEST(nvrtc_flags, without_names_are_single_options)
{
    EXPECT_EQ(flags_without_names({"-O3", "-DA={a}", "-D", "B={b}", "-D", "C=1", "-I", "{folder}", "-DROW={{1,2}}",
                                   "-std=c++{std}", "-Xptxas", "-O{level}", "-lineinfo"}),
              (words{"-O3", "-D", "C=1", "-DROW={{1,2}}", "-lineinfo"}));
    EXPECT_EQ(flags_without_names({"{all}", "-D"}), words{"-D"});
}

// However they are included, but nothing that only looks like an include.
TEST_F(Nvrtc, lists_the_files_that_it_reads)
{
    const temporary_directory temporary;
    const fs::path folder = fs::canonical(temporary.path());
    const auto write = [&](const fs::path& name, const std::string& text) {
        fs::create_directories((folder / name).parent_path());
        write_file_atomically(folder / name, text);
        return (folder / name).string();
    };
    const std::string a = write("sub/a.hpp", "#define NEXT <b.hpp>\n%:include NEXT\n#include \"c c.hpp\"\n");
    const std::string b = write("lib/b.hpp", "#line 7 \"elsewhere\"\n"), c = write("sub/c c.hpp", "#pragma once\n");
    write("no.hpp", "");
    nvrtc_job job{.source =
                      "#inc\\\nlude \"sub/a.hpp\"\n// #include \"no.hpp\"\n#if 0\n#include \"no.hpp\"\n#endif\n"
                      "__global__ void k(int* p) { *p = N; }\n",
                  .name = "k.cu",
                  .expression = "k",
                  .architecture = {9, 0},
                  .flags = {"-I", (folder / "lib").string(), "-DN=1"},
                  .includes = {folder},
                  .lists = folder};
    words expected{a, b, c};
    std::ranges::sort(expected);
    nvrtc library(place_->library);
    const nvrtc_reading read = library.read(job, true), listed = library.read(job, false);
    ASSERT_TRUE(read.understood && listed.understood);
    EXPECT_EQ(read.files, expected);
    EXPECT_EQ(listed.files, expected);
    EXPECT_EQ(listed.text, "");
    const nvrtc_output compiled = library.compile(job);
    EXPECT_EQ(compiled.output.exit_code, 0) << compiled.output.log;
    EXPECT_EQ(compiled.files, expected);
    job.lists.clear();
    EXPECT_EQ(library.compile(job).files, std::nullopt);
    EXPECT_EQ(compiled.output.cubin, library.compile(job).output.cubin) << "telling them changes nothing";

    job.lists = folder;
    EXPECT_EQ(library.read(job, true).text, read.text);
    job.flags.back() = "-DN=2";
    EXPECT_NE(library.read(job, true).text, read.text);
    job.flags.back() = "--no-such-flag";
    EXPECT_FALSE(library.read(job, true).understood);
    job.flags.pop_back();
    job.source += "#include \"none.hpp\"\n";
    const nvrtc_reading incomplete = library.read(job, true);
    EXPECT_TRUE(incomplete.understood);
    EXPECT_EQ(incomplete.files, expected);
    EXPECT_NE(incomplete.text.find("none.hpp"), std::string::npos);
}

}  // namespace
