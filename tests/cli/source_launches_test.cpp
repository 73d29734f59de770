// Launches, macros and flags in a source, as all verbs that read sources report them.
#include "tool.hpp"

#include <filesystem>

namespace launchbox {
namespace {

namespace fs = std::filesystem;

class source_launches : public testing::Test {
protected:
    void SetUp() override { NEEDS_NVCC(); }

    std::string write(const std::string& name, const std::string& text) const
    {
        write_file_atomically(folder_.path() / name, text);
        return (folder_.path() / name).string();
    }
    static nlohmann::json inspected(const std::string& file, const std::vector<std::string>& more = {},
                                    const std::string& arch = "sm_90")
    {
        std::vector<std::string> words{"inspect", file, "--arch", arch, "--format", "json"};
        words.insert(words.end(), more.begin(), more.end());
        return launchbox_run(words).json();
    }
    // "id:file:line" of each finding of the source.
    static std::string findings(const nlohmann::json& report)
    {
        std::string all;
        for (const auto& input : report["inputs"])
            for (const auto& one : input["diagnoses"]) {
                all += (all.empty() ? "" : " ") + one["id"].get<std::string>();
                if (one["file"].is_string())
                    all += ":" + fs::path(one["file"].get<std::string>()).filename().string() + ":" +
                           std::to_string(one["line"].get<int>());
            }
        return all;
    }
    temporary_directory folder_;
};

TEST_F(source_launches, are_used_in_calculations)
{
    const std::string file = write("k.cu",
                                   "__global__ void k(float* p) { extern __shared__ float s[]; s[threadIdx.x] = *p; "
                                   "__syncthreads(); *p = s[1]; }\n"
                                   "constexpr int tile = 96;\n"
                                   "void run(float* p) { dim3 block(tile, 2); size_t bytes = 8192 * sizeof(float);\n"
                                   "k<<<100, block, bytes>>>(p); }\n");
    const nlohmann::json kernel = inspected(file)["kernels"][0];
    EXPECT_EQ(kernel["dynamic_shared_bytes"], 32768);
    EXPECT_EQ(kernel["occupancy"]["shape"]["threads"], 192);
    EXPECT_EQ(kernel["occupancy"]["at_most"], false);
    const nlohmann::json explained =
        launchbox_run({"occupancy", file, "--arch", "sm_90", "--format", "json"}).json()["results"][0];
    EXPECT_EQ(explained["shape"]["threads"], 192);
    EXPECT_EQ(explained["resident_blocks"], kernel["occupancy"]["resident_blocks"]);
    const call checked =
        launchbox_run({"check", file, "--arch", "sm_90", "--budget", "-"}, "[defaults]\nmin_blocks_per_sm = 7\n");
    EXPECT_EQ(checked.status, 1) << checked.out << checked.err;
    EXPECT_EQ(launchbox_run({"check", file, "--arch", "sm_90", "--budget", "-"}, "[defaults]\nmin_blocks_per_sm = 6\n")
                  .status,
              0);
    // The user's numbers take precedence; then the memory for the launch's own block size does not apply.
    const nlohmann::json asked = inspected(file, {"--threads", "64"})["kernels"][0];
    EXPECT_EQ(asked["occupancy"]["shape"]["threads"], 64);
    EXPECT_TRUE(asked["dynamic_shared_bytes"].is_null());
    EXPECT_EQ(inspected(file, {"-d", "4*threads"})["kernels"][0]["dynamic_shared_bytes"], 768);
}

TEST_F(source_launches, under_conditions_and_in_headers_are_the_compiled_ones)
{
    write("launch.cuh", "#pragma once\ntemplate <class F> void go(F* p) { k<F><<<1, THREADS>>>(p); }\n");
    const std::string file =
        write("k.cu",
              "#ifdef BIG\n#define THREADS 2048\n#else\n#define THREADS 256\n#endif\n"
              "template <class F> __global__ void k(F* p) { *p = 1; }\n#include \"launch.cuh\"\n"
              "void all(float* p) { go(p); }\n#if 0\nvoid none() { k<int><<<1, 4096>>>(0); }\n#endif\n");
    EXPECT_EQ(findings(inspected(file)), "");
    EXPECT_EQ(inspected(file)["kernels"][0]["occupancy"]["shape"]["threads"], 256);
    EXPECT_EQ(findings(inspected(file, {"--", "-DBIG"})), "launch_over_1024:launch.cuh:2");
}

TEST_F(source_launches, constants_by_architecture_in_an_included_file_are_found)
{
    const std::string use = "__global__ void k(float* p) { *p = 1; }\nvoid f(float* p) { k<<<1, B>>>(p); }\n";
    fs::create_directories(folder_.path() / "inc");
    write("inc/direct.h",
          "#pragma once\n#if __CUDA_ARCH__ >= 200\nconst int B = 1024;\n#else\nconst int B = 512;\n#endif\n");
    write("inc/outer.h", "#include \"direct.h\"\n");
    write("inc/guarded.h",
          "#ifndef G\n#define G\n#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ > 800\n#define B 128\n#else\n"
          "#define B 64\n#endif\n#endif\n");
    // In ways that a reader of directives does not see.
    write("inc/indirect.h",
          "#ifdef __CUDA_ARCH__\n#define ARCH __CUDA_ARCH__\n#else\n#define ARCH 0\n#endif\n"
          "enum { B = ARCH >= 900 ? 256 : 32 };\n");
    write("inc/same.h", "#if __CUDA_ARCH__ >= 200\nconst int B = 64;\n#else\nconst int B = 64;\n#endif\n");
    const auto of = [&](const std::string& header) {
        const std::string file = write("k.cu", "#include \"" + header + "\"\n" + use);
        return inspected(file, {"--", "-I" + (folder_.path() / "inc").string()});
    };
    for (const char* header : {"inc/direct.h", "outer.h", "guarded.h", "indirect.h"})
        EXPECT_EQ(findings(of(header)), "host_reads_cuda_arch:k.cu:3") << header;
    const std::string said = of("outer.h")["inputs"][0]["diagnoses"][0]["message"];
    EXPECT_NE(said.find("this launch uses B, which __CUDA_ARCH__ chooses in "), std::string::npos) << said;
    EXPECT_NE(said.find("direct.h:5: the host has no __CUDA_ARCH__ and uses 512"), std::string::npos) << said;
    EXPECT_EQ(findings(of("same.h")), "");
    // A header that only host code uses does not belong to the kernel; a launch in it is found there.
    write("inc/runs.h", "#include \"direct.h\"\ninline int blocks(int n) { return n / B; }\n");
    const std::string file = write("k.cu", "#include \"runs.h\"\n__global__ void k(float* p) { *p = 1; }\n");
    EXPECT_EQ(findings(inspected(file, {"--", "-I" + (folder_.path() / "inc").string()})),
              "host_reads_cuda_arch:runs.h:2");
}

TEST_F(source_launches, warnings_of_the_front_end_and_misspelt_macros_are_findings)
{
    write("m.h", "#ifdef __CUDA_ARCH\n#endif\n");
    const std::string file = write("k.cu",
                                   "#include \"m.h\"\n#if CUDA_ARCH >= 700\n#endif\n__global__ void k(float* p)\n{\n"
                                   "#pragma unrol 4\n    for (int i = 0; i < 8; ++i) p[i] = 1;\n    int unused;\n}\n");
    const nlohmann::json report = inspected(file, {}, "sm_80,sm_90");
    EXPECT_EQ(findings(report),
              "macro_never_defined:k.cu:2 compiler_warning:k.cu:6 compiler_warning:k.cu:8 "
              "macro_never_defined:m.h:1");
    const nlohmann::json& pragma = report["inputs"][0]["diagnoses"][1];
    EXPECT_NE(pragma["message"].get<std::string>().find("unrecognized #pragma"), std::string::npos);
    EXPECT_EQ(pragma["fix"], "did you mean #pragma unroll?");
    EXPECT_EQ(findings(inspected(file, {"--", "-DCUDA_ARCH=1", "-D__CUDA_ARCH", "-w"})), "");
    // The same results from the cache.
    EXPECT_EQ(inspected(file, {}, "sm_80,sm_90")["inputs"], report["inputs"]);
}

TEST_F(source_launches, flags_of_a_build_are_used)
{
    const std::string file =
        write("k.cu", "#include \"n.h\"\n__global__ void __launch_bounds__(N) k(float* p) { *p = 1; }\n");
    fs::create_directories(folder_.path() / "inc");
    write("inc/n.h", "#define N 192\n");
    write("flags.rsp", "-rdc=true -Iinc");
    const auto of = [&](const std::string& command) {
        write("compile_commands.json",
              nlohmann::json::array({{{"directory", folder_.path().string()}, {"file", "k.cu"}, {"command", command}}})
                  .dump());
        return inspected(file, {"-p", folder_.path().string()});
    };
    for (const char* command :
         {"nvcc -rdc=true -Iinc -c k.cu -o k.o", "nvcc -dc -I inc k.cu -o k.o", "nvcc --options-file flags.rsp -c k.cu",
          "nvcc @flags.rsp -c k.cu", "nvcc -dc -dlto -Iinc k.cu", "clang++ -fgpu-rdc -Iinc -x cuda -c k.cu"}) {
        const nlohmann::json report = of(command);
        ASSERT_EQ(report["kernels"].size(), 1u) << command << report;
        EXPECT_EQ(report["kernels"][0]["relocatable"], true) << command;
        EXPECT_EQ(report["kernels"][0]["max_threads"][0], 192) << command;
        EXPECT_EQ(findings(report).find("needs_nvlink") != std::string::npos,
                  std::string(command).find("dlto") != std::string::npos)
            << command;
    }
    EXPECT_EQ(findings(of("nvcc -Iinc -Xptxas --maxrregcount=32 -c k.cu")), "maxrregcount_ignored:k.cu:2");
    const std::string inc = "-I" + (folder_.path() / "inc").string();
    for (const char* flag : {"-dc", "-rdc=true", "-dlto"})
        EXPECT_EQ(inspected(file, {"--", flag, inc})["kernels"][0]["relocatable"], true) << flag;
    EXPECT_EQ(launchbox_run({"inspect", file, "--arch", "sm_90", "--", "@nowhere"}).status, 2);
}

}  // namespace
}  // namespace launchbox
