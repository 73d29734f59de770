// launch.cuh compiles alone, with g++ and with nvcc; invalid uses are refused in one sentence.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

constexpr const char* kernel = "__global__ void scale(float* data, float by, int count) {}\n";
constexpr const char* host_kernel = "void scale(float* data, float by, int count);\n";

class launch_compile : public testing::Test {
protected:
    subprocess_result compile(bool with_nvcc, const std::string& standard, const std::string& text) const
    {
        const std::filesystem::path source = folder.path() / (with_nvcc ? "unit.cu" : "unit.cpp");
        const std::string object = (folder.path() / "unit.o").string();
        write_file_atomically(source, "#include <launchbox/launch.cuh>\n#include <launchbox/launch.cuh>\n" + text);
        const std::string include = "-I" LAUNCHBOX_SOURCE_DIR "/include";
        if (with_nvcc)
            return run({LAUNCHBOX_NVCC, "-ccbin", LAUNCHBOX_CXX, "-arch=sm_90", "-O3", standard, "-Werror=all-warnings",
                        "-Xcompiler=-Wall,-Wextra,-Wconversion,-Werror", "-Werror=cross-execution-space-call", include,
                        "-c", source.string(), "-o", object});
        return run({LAUNCHBOX_CXX, "-O2", standard, "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror",
                    "-Wno-unused-parameter", include, "-isystem", LAUNCHBOX_CUDA_INCLUDE, "-c", source.string(), "-o",
                    object});
    }

    static int count(const std::string& text, const std::string& wanted)
    {
        int found = 0;
        for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++found;
        return found;
    }

    // Expects one error that contains `sentence`.
    void refused(bool with_nvcc, const std::string& launch, const std::string& sentence) const
    {
        const std::string text =
            (with_nvcc ? kernel : host_kernel) + ("void use(float* data, const char* text) {\n" + launch + "\n}\n");
        const subprocess_result result = compile(with_nvcc, "-std=c++20", text);
        EXPECT_NE(result.exit_code, 0) << launch;
        EXPECT_GE(count(result.output, sentence), 1) << result.output;
        EXPECT_EQ(count(result.output, "error: "), 1) << result.output;
    }

    temporary_directory folder;
};

bool has_nvcc()
{
    return *LAUNCHBOX_NVCC != '\0';
}

constexpr const char* good =
    "void use(float* data, cudaStream_t s) {\n"
    "    launchbox::launch(scale, {.grid = 3, .threads = 512, .dynamic_shared_bytes = 100, .stream = s}, data, 3, "
    "7u);\n"
    "    (void)launchbox::explain_launch(scale, {.threads = 32});\n"
    "    (void)launchbox::suggest_block_size(scale, [](int threads) { return threads * 4; });\n"
    "}\n";

TEST_F(launch_compile, alone_with_the_host_compiler)
{
    EXPECT_EQ(compile(false, "-std=c++20", "").output, "");
    EXPECT_EQ(compile(false, "-std=c++23", std::string(host_kernel) + good).output, "");
}

TEST_F(launch_compile, alone_with_nvcc)
{
    if (!has_nvcc()) GTEST_SKIP() << "no nvcc here";
    const subprocess_result alone = compile(true, "-std=c++20", "");
    EXPECT_EQ(alone.exit_code, 0) << alone.output;
    const std::string templates =
        "template <class T> __global__ void merge(const T*, int) {}\n"
        "void use_merge() { launchbox::launch(merge<int>, {.threads = 256}, nullptr, 1); }\n";
    const subprocess_result used = compile(true, "-std=c++20", kernel + (good + templates));
    EXPECT_EQ(used.exit_code, 0) << used.output;
}

TEST_F(launch_compile, an_older_standard_is_one_error)
{
    for (const bool with_nvcc : {false, true}) {
        if (with_nvcc && !has_nvcc()) GTEST_SKIP() << "no nvcc here";
        const subprocess_result result = compile(with_nvcc, "-std=c++17", "");
        EXPECT_NE(result.exit_code, 0);
        EXPECT_GE(count(result.output, "#error \"launchbox/launch.cuh needs C++20: compile with -std=c++20\""), 1)
            << result.output;
        EXPECT_EQ(count(result.output, "error: "), count(result.output, "error: #error")) << result.output;
    }
}

TEST_F(launch_compile, a_wrong_number_of_arguments_is_one_sentence)
{
    for (const bool with_nvcc : {false, true}) {
        if (with_nvcc && !has_nvcc()) GTEST_SKIP() << "no nvcc here";
        const char* sentence = "launchbox::launch: the kernel takes another number of arguments";
        refused(with_nvcc, "launchbox::launch(scale, {.threads = 32}, data, 1.f);", sentence);
        refused(with_nvcc, "launchbox::launch(scale, {.threads = 32}, data, 1.f, 1, 1);", sentence);
    }
}

TEST_F(launch_compile, a_wrong_type_is_one_sentence_with_its_position)
{
    for (const bool with_nvcc : {false, true}) {
        if (with_nvcc && !has_nvcc()) GTEST_SKIP() << "no nvcc here";
        refused(with_nvcc, "launchbox::launch(scale, {.threads = 32}, data, 1.f, text);",
                "launchbox::launch: an argument does not convert to the kernel's parameter");
        const subprocess_result result =
            compile(with_nvcc, "-std=c++20",
                    (with_nvcc ? kernel : host_kernel) +
                        std::string("void use(const float* data) {\n"
                                    "launchbox::launch(scale, {.threads = 32}, data, 1.f, 1); }\n"));
        EXPECT_GE(count(result.output, "launch_argument<"), 1) << result.output;
        EXPECT_GE(count(result.output, "const float"), 1) << result.output;
    }
}

}  // namespace
}  // namespace launchbox
