// --arch asks for code of each kernel: missing code is named, and code of another architecture that runs there is
// labelled as such.
#include <filesystem>
#include <set>

#include "support/process/subprocess.hpp"
#include "tool.hpp"

namespace launchbox {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A folder with nvcc's output for two files that were compiled for different architectures, like parts of a library.
class asked_architectures : public testing::Test {
protected:
    static void SetUpTestSuite()
    {
        if (!has_nvcc()) return;
        folder_ = new temporary_directory;
        write("two.cu",
              "extern \"C\" __global__ void __launch_bounds__(128) one(float* p) { p[threadIdx.x] *= 2; }\n"
              "extern \"C\" __global__ void two(float* p) { p[threadIdx.x] += 2; }\n");
        write("three.cu",
              "extern \"C\" __global__ void __launch_bounds__(1024) three(float* p) { p[threadIdx.x] = 2; }\n");
        make({"-c", "-gencode", "arch=compute_75,code=sm_75", "-gencode", "arch=compute_80,code=sm_80", "two.cu", "-o",
              "two.o"});
        make({"-c", "-gencode", "arch=compute_80,code=sm_80", "three.cu", "-o", "three.o"});
        make({"-lib", "two.o", "three.o", "-o", "lib.a"});
        make({"-fatbin", "-gencode", "arch=compute_80,code=[sm_80,compute_80]", "three.cu", "-o", "with_ptx.fatbin"});
        fs::create_directory(folder_->path() / "objects");
        for (const char* name : {"two.o", "three.o"})
            fs::copy_file(folder_->path() / name, folder_->path() / "objects" / name);
    }
    static void TearDownTestSuite()
    {
        delete folder_;
        folder_ = nullptr;
    }
    static std::string path(const std::string& name) { return (folder_->path() / name).string(); }
    static void write(const std::string& name, const std::string& text)
    {
        write_file_atomically(folder_->path() / name, text);
    }
    static void make(std::vector<std::string> options)
    {
        for (std::string& option : options)
            if (option.find('.') != std::string::npos) option = path(option);
        options.insert(options.begin(), "nvcc");
        const subprocess_result made = run(options);
        ASSERT_EQ(made.exit_code, 0) << made.output;
    }

    // "one sm_80 sm_86": the kernel, its code's architecture, and the GPU that runs it.
    static std::multiset<std::string> shown(const json& report)
    {
        std::multiset<std::string> found;
        for (const json& kernel : report["kernels"]) {
            std::string text = kernel["name"].get<std::string>() + " " + kernel["architecture"].get<std::string>();
            if (!kernel["runs_on"].is_null()) text += " " + kernel["runs_on"].get<std::string>();
            found.insert(text);
        }
        return found;
    }
    static std::multiset<std::string> missing(const json& report)
    {
        std::multiset<std::string> found;
        for (const json& input : report["inputs"])
            for (const json& kernel : input["missing"]) {
                std::string text = kernel["name"].get<std::string>() + " " + kernel["architecture"].get<std::string>();
                for (const json& there : kernel["there"]) text += " " + there.get<std::string>();
                found.insert(text);
            }
        return found;
    }
    static call inspect(const std::string& file, const std::string& architectures, const char* format = "json")
    {
        return launchbox_run({"inspect", path(file), "--arch", architectures, "--format", format}, {}, {"COLUMNS=200"});
    }
    using lines = std::multiset<std::string>;

private:
    static inline temporary_directory* folder_ = nullptr;
};

TEST_F(asked_architectures, missing_code_is_named)
{
    NEEDS_NVCC();
    for (const char* file : {"lib.a", "objects"}) {
        SCOPED_TRACE(file);
        const call found = inspect(file, "sm_75");
        EXPECT_EQ(found.status, 0) << found.err;
        EXPECT_EQ(shown(found.json()), (lines{"one sm_75", "two sm_75"}));
        EXPECT_EQ(missing(found.json()), (lines{"three sm_75 sm_80"}));
        EXPECT_TRUE(inspect(file, "sm_75", "table").shows("no code that runs on sm_75: three (sm_80)"));
    }
    const call both = inspect("lib.a", "sm_75,sm_80");
    EXPECT_EQ(shown(both.json()), (lines{"one sm_75", "two sm_75", "one sm_80", "two sm_80", "three sm_80"}));
    EXPECT_EQ(missing(both.json()), (lines{"three sm_75 sm_80"}));
    EXPECT_EQ(missing(inspect("lib.a", "sm_80").json()), lines{});
    EXPECT_EQ(missing(inspect("lib.a", "all").json()), lines{});
}

TEST_F(asked_architectures, code_for_an_older_architecture_is_labelled_as_that)
{
    NEEDS_NVCC();
    const call found = inspect("lib.a", "sm_86");
    EXPECT_EQ(found.status, 0) << found.err;
    EXPECT_EQ(shown(found.json()), (lines{"one sm_80 sm_86", "two sm_80 sm_86", "three sm_80 sm_86"}));
    EXPECT_EQ(missing(found.json()), lines{});
    EXPECT_TRUE(inspect("lib.a", "sm_86", "table").shows("sm_80→sm_86"));
    // Resident blocks are those of the GPU that runs it: 1,536 threads on 8.6, 2,048 on 8.0.
    const json older = found.json();
    for (const json& kernel : older["kernels"])
        if (kernel["name"] == "three") {
            EXPECT_EQ(kernel["occupancy"]["resident_blocks"], 1);
        }
    const json own = inspect("lib.a", "sm_80").json();
    for (const json& kernel : own["kernels"])
        if (kernel["name"] == "three") {
            EXPECT_EQ(kernel["occupancy"]["resident_blocks"], 2);
        }
    // Code of the same architecture is preferred; a GPU between two architectures runs the later one.
    EXPECT_EQ(
        shown(inspect("lib.a", "sm_80,sm_89").json()),
        (lines{"one sm_80", "two sm_80", "three sm_80", "one sm_80 sm_89", "two sm_80 sm_89", "three sm_80 sm_89"}));
    // Tegra chips only run their own code.
    EXPECT_EQ(inspect("lib.a", "sm_87").status, 2);
}

TEST_F(asked_architectures, ptx_that_the_driver_can_compile_counts)
{
    NEEDS_NVCC();
    EXPECT_EQ(shown(inspect("with_ptx.fatbin", "sm_80").json()), (lines{"three sm_80"}));
    EXPECT_EQ(shown(inspect("with_ptx.fatbin", "sm_86").json()), (lines{"three sm_80 sm_86"}));
    EXPECT_EQ(shown(inspect("with_ptx.fatbin", "sm_90").json()), (lines{"three compute_80 sm_90"}));
    EXPECT_EQ(inspect("with_ptx.fatbin", "sm_75").status, 2) << "no PTX is compiled for an older GPU";
}

TEST_F(asked_architectures, check_fails_if_a_kernel_is_missing)
{
    NEEDS_NVCC();
    write("budget.toml", "[defaults]\nmax_spill_bytes = 0\n");
    const auto check = [&](const std::string& file, const std::string& architectures, const char* format = "table") {
        return launchbox_run(
            {"check", path(file), "--arch", architectures, "--budget", path("budget.toml"), "--format", format}, {},
            {"COLUMNS=300"});
    };
    for (const char* file : {"lib.a", "objects"}) {
        const call found = check(file, "sm_75");
        EXPECT_EQ(found.status, 1) << found.out;
        EXPECT_TRUE(found.shows("three: no code for sm_75")) << found.out;
        EXPECT_FALSE(found.shows("all checks passed")) << found.out;
    }
    const json unchecked = check("lib.a", "sm_75", "json").json()["unchecked"];
    ASSERT_EQ(unchecked.size(), 1u);
    EXPECT_EQ(unchecked[0]["kernels"], json({"three"}));
    EXPECT_EQ(unchecked[0]["architecture"], "sm_75");
    for (const char* format : {"sarif", "junit", "github", "markdown"})
        EXPECT_TRUE(check("lib.a", "sm_75", format).shows("three: no code for")) << format;

    EXPECT_EQ(check("lib.a", "sm_80").status, 0);
    const call older = check("lib.a", "sm_86");
    EXPECT_EQ(older.status, 0) << older.out;
    EXPECT_TRUE(older.shows("code for an older architecture that runs there")) << older.out;
    EXPECT_TRUE(older.shows("three sm_80→sm_86")) << older.out;
    EXPECT_EQ(check("lib.a", "sm_86", "json").json()["older_code"].size(), 3u);
    // 1,024 threads: two blocks on 8.0, one on 8.6.
    write("budget.toml", "[[rule]]\nkernel = 'three'\nmin_blocks_per_sm = 2\n");
    EXPECT_EQ(check("lib.a", "sm_80").status, 0);
    EXPECT_EQ(check("lib.a", "sm_86").status, 1);
    EXPECT_EQ(check("with_ptx.fatbin", "sm_90").status, 1) << "PTX cannot be checked";
    // The pattern matches only a kernel of another architecture.
    const call one =
        launchbox_run({"check", path("lib.a"), "--arch", "sm_75", "-k", "three", "--budget", path("budget.toml")});
    EXPECT_EQ(one.status, 1) << one.out << one.err;
    EXPECT_TRUE(one.shows("three: no code for sm_75")) << one.out;
}

TEST_F(asked_architectures, other_verbs_say_it_too)
{
    NEEDS_NVCC();
    for (const char* verb : {"occupancy", "suggest"}) {
        EXPECT_TRUE(
            launchbox_run({verb, path("lib.a"), "--arch", "sm_75"}).says("no code that runs on sm_75: three (sm_80)"))
            << verb;
        const call older = launchbox_run({verb, path("lib.a"), "--arch", "sm_86", "-k", "three", "--format", "json"});
        EXPECT_TRUE(older.shows("\"sm_86\"")) << older.out;
    }
}

// A kernel under a condition on __CUDA_ARCH__ exists only where the condition holds, whatever else is compiled.
TEST_F(asked_architectures, in_a_source)
{
    NEEDS_NVCC();
    write("conditional.cu",
          "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800\n"
          "extern \"C\" __global__ void late(float* p) { p[0] = 1; }\n#endif\n"
          "extern \"C\" __global__ void any(float* p) { p[0] = 2; }\n");
    const call found = inspect("conditional.cu", "sm_75,sm_80");
    EXPECT_EQ(shown(found.json()), (lines{"any sm_75", "any sm_80", "late sm_80"}));
    EXPECT_EQ(missing(found.json()), (lines{"late sm_75 sm_80"}));
}

TEST_F(asked_architectures, in_a_log)
{
    const auto block = [](const std::string& kernel, const std::string& architecture) {
        return "ptxas info    : Compiling entry function '" + kernel + "' for '" + architecture +
               "'\nptxas info    : Function properties for " + kernel +
               "\n    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\nptxas info    : Used 8 "
               "registers, "
               "used 0 barriers\n";
    };
    const call found = launchbox_run({"inspect", "-", "--arch", "sm_75", "--format", "json"},
                                     block("one", "sm_75") + block("one", "sm_80") + block("three", "sm_80"));
    EXPECT_EQ(shown(found.json()), (lines{"one sm_75"}));
    EXPECT_EQ(missing(found.json()), (lines{"three sm_75 sm_80"}));
}

// Each shows the same figures as the file alone.
TEST_F(asked_architectures, the_same_file_twice_is_two_inputs)
{
    NEEDS_NVCC();
    const std::string file = path("two.o");
    const auto sizes = [](const std::vector<std::string>& files) {
        std::vector<std::string> arguments{"inspect", "--size", "--format", "json"};
        arguments.insert(arguments.end(), files.begin(), files.end());
        return launchbox_run(arguments).json()["files"];
    };
    const json alone = sizes({file}), twice = sizes({file, file});
    ASSERT_EQ(alone.size(), 1u);
    ASSERT_EQ(twice.size(), 2u);
    EXPECT_EQ(twice[0], alone[0]);
    EXPECT_EQ(twice[1], alone[0]);
}

TEST(architecture_names, a_wrong_one_is_reported_once_for_any_number_of_files)
{
    const std::string log_80 = repository_file("tests/data/logs/basic_sm_80.log");
    for (const std::vector<std::string>& call :
         std::vector<std::vector<std::string>>{{"inspect", log_90, log_80, "--arch", "nonsense"},
                                               {"occupancy", log_90, log_80, "--arch", "sm_90,nonsense"},
                                               {"suggest", log_90, log_80, "--arch", "nonsense,sm_90"},
                                               {"inspect", log_90, log_80, "--arch", "all,nonsense"},
                                               {"tune", "tests/data/tune/candidates.toml", "--arch", "nonsense"}}) {
        SCOPED_TRACE(testing::PrintToString(call));
        const launchbox::call result = launchbox_run(call);
        expect_refused(result, "'nonsense' is not an architecture");
    }
}

}  // namespace
}  // namespace launchbox
