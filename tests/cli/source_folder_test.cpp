// A folder of CUDA sources as input of the verbs that read sources.
#include <sys/stat.h>

#include <filesystem>
#include <set>

#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;

class source_folder : public testing::Test {
protected:
    source_folder()
    {
        write("scale.cu",
              "__global__ void __launch_bounds__(1024) scale(float* p) { p[blockIdx.x * blockDim.x + threadIdx.x] *= "
              "2; }\n");
        write("below/copy.cu",
              "template <int N> __global__ void copy(int* p) { *p = N; }\ntemplate __global__ void copy<3>(int*);\n");
        write("main.cu", "int main() {}\n");  // has no kernel, which is no error
        write("header.cuh", "__global__ void in_header() {}\n");
        write("header.h", "__global__ void in_other_header() {}\n");
        write("host.cpp", "int f();\n");
        write(".hidden/old.cu", "__global__ void hidden() {}\n");
        write(".#scale.cu", "not C++");
    }

    void write(const std::string& name, const std::string& text) const
    {
        fs::create_directories((folder_.path() / name).parent_path());
        write_file_atomically(folder_.path() / name, text);
    }

    [[nodiscard]] call verb(const std::string& name, const std::vector<std::string>& more = {}) const
    {
        std::vector<std::string> words{name, folder(), "--arch", "sm_90"};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(words);
    }

    [[nodiscard]] std::string folder() const { return folder_.path().string(); }

    temporary_directory folder_;
};

constexpr const char* which = ": read as CUDA sources: below/copy.cu, main.cu, scale.cu\n";

TEST_F(source_folder, is_compiled_and_its_files_are_listed)
{
    NEEDS_NVCC();
    const call inspected = verb("inspect", {"--format", "json"});
    EXPECT_EQ(inspected.status, 0) << inspected.err;
    EXPECT_TRUE(inspected.says(folder() + which)) << inspected.err;
    std::vector<std::string> kernels;
    const nlohmann::json found = inspected.json();
    for (const nlohmann::json& kernel : found["kernels"]) kernels.push_back(kernel["demangled"]);
    EXPECT_EQ(kernels, (std::vector<std::string>{"void copy<3>(int*)", "scale(float*)"}));
    const call variants = verb("inspect", {"--flags", "-O1", "--format", "json"});
    EXPECT_EQ(variants.status, 0) << variants.err;
    EXPECT_EQ(variants.json()["kernels"].size(), 2u);
    for (const char* name : {"occupancy", "suggest"}) {
        const call result = verb(name, {"--format", "csv", "-k", "scale"});
        EXPECT_EQ(result.status, 0) << result.err;
        EXPECT_TRUE(result.says(which)) << result.err;
        EXPECT_TRUE(result.shows("scale")) << result.out;
    }
    write("budget.toml", "[[rule]]\nmax_registers = 255\n");
    const call checked = verb("check", {"--budget", (folder_.path() / "budget.toml").string()});
    EXPECT_EQ(checked.status, 0) << checked.out << checked.err;
    EXPECT_TRUE(checked.shows("2 kernels")) << checked.out;
    EXPECT_TRUE(checked.says(which)) << checked.err;
}

// One source that does not compile does not affect the others.
TEST_F(source_folder, is_swept_for_bounds)
{
    NEEDS_NVCC();
    write("wrong.cu", "__global__ void wrong() { undefined_name; }\n");
    const call inspected = verb("inspect", {"--format", "json"});
    EXPECT_EQ(inspected.status, 2);
    EXPECT_TRUE(inspected.says("undefined_name")) << inspected.err;
    EXPECT_EQ(inspected.json()["kernels"].size(), 2u);
    const call result = verb("bounds", {"--format", "json", "-k", "scale"});
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.says("undefined_name")) << result.err;
    EXPECT_TRUE(result.says(": read as CUDA sources: below/copy.cu, main.cu, scale.cu, wrong.cu")) << result.err;
    const nlohmann::json found = result.json();
    ASSERT_EQ(found["inputs"].size(), 2u);
    EXPECT_EQ(found["inputs"][0]["file"], (folder_.path() / "scale.cu").string());
    EXPECT_EQ(found["kernels"].size(), 1u);
}

// Kernels are numbered within each source, and several sources may have kernels of the same name: they are not
// confused.
TEST_F(source_folder, kernels_of_several_sources_are_distinguished)
{
    NEEDS_NVCC();
    write("a/same.cu", "extern \"C\" __global__ void __launch_bounds__(64) same(float* p) { *p = 1; }\n");
    write("b/same.cu", "extern \"C\" __global__ void __launch_bounds__(512) same(float* p) { *p = 2; }\n");
    const call advised = verb("advise", {"--format", "json"});
    EXPECT_EQ(advised.status, 0) << advised.err;
    std::multiset<std::string> kernels;
    const nlohmann::json found = advised.json();
    for (const nlohmann::json& kernel : found["kernels"]) {
        kernels.insert(kernel["short_name"]);
        EXPECT_EQ(kernel["architectures"].size(), 1u) << kernel["short_name"];
    }
    EXPECT_EQ(kernels, (std::multiset<std::string>{"copy<3>", "same", "same", "scale"}));
}

// Every verb names the files in the folder that it skips.
TEST_F(source_folder, skipped_files_are_named)
{
    NEEDS_NVCC();
    fs::create_symlink("nowhere", folder_.path() / ".#copy.cu");  // an editor's lock file
    fs::create_directory_symlink("/etc", folder_.path() / "elsewhere");
    ASSERT_EQ(::mkfifo((folder_.path() / "pipe").c_str(), 0600), 0);
    for (const char* name : {"inspect", "advise"}) {
        const call made = verb(name);
        EXPECT_EQ(made.status, 0) << name << made.err;
        EXPECT_TRUE(made.says("'pipe' is not a file, and is not read")) << name << made.err;
        EXPECT_TRUE(made.says("'elsewhere' is a link to a folder elsewhere")) << name << made.err;
    }
    fs::create_symlink("nowhere.cu", folder_.path() / "gone.cu");
    for (const char* name : {"bounds"}) {
        const call made = verb(name);
        EXPECT_EQ(made.status, 2) << name << made.err;
        EXPECT_TRUE(made.says("'gone.cu'")) << name << made.err;
        EXPECT_TRUE(made.shows("scale")) << name << made.out;
    }
}

TEST_F(source_folder, bounds_refuses_options_that_need_one_source)
{
    NEEDS_NVCC();
    const call misspelt = verb("bounds", {"-k", "scael"});
    EXPECT_EQ(misspelt.status, 2);
    EXPECT_TRUE(misspelt.says("did you mean scale?")) << misspelt.err;
    expect_refused(verb("bounds", {"--apply"}), "--apply needs one source");
    expect_refused(verb("bounds", {"--revert"}), "is a folder");
    expect_refused(verb("bounds", {"--measure", "./x"}), "--measure needs one source");
    const temporary_directory empty;
    expect_refused(launchbox_run({"bounds", empty.path().string(), "--arch", "sm_90"}), "has no CUDA source (.cu)");
}

TEST_F(source_folder, without_a_kernel_is_refused)
{
    NEEDS_NVCC();
    fs::remove(folder_.path() / "scale.cu");
    fs::remove(folder_.path() / "below/copy.cu");
    for (const char* name : {"inspect", "bounds"}) {
        const call result = verb(name);
        EXPECT_EQ(result.status, 2);
        EXPECT_TRUE(result.says("no instantiated __global__ function")) << result.err;
    }
}

// In a build tree that also has sources, only the compiled files are read.
TEST_F(source_folder, with_compiled_code_only_that_is_read)
{
    write("kernel.ptx",
          ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry built()\n.maxntid 64, 1, 1\n{\n\tret;\n}\n");
    const call result = launchbox_run({"inspect", folder(), "--format", "json"});
    EXPECT_EQ(result.status, 0) << result.err;
    ASSERT_EQ(result.json()["kernels"].size(), 1u);
    EXPECT_EQ(result.json()["kernels"][0]["name"], "built");
    EXPECT_TRUE(result.says("it contains compiled code, and 3 CUDA sources (.cu) are not read: name them"))
        << result.err;
}

TEST_F(source_folder, with_headers_only_has_no_code)
{
    for (const char* name : {"scale.cu", "below/copy.cu", "main.cu"}) fs::remove(folder_.path() / name);
    const call result = verb("inspect");
    EXPECT_EQ(result.status, 2);
    EXPECT_TRUE(result.says("it contains no CUDA code")) << result.err;
}

}  // namespace
}  // namespace launchbox
