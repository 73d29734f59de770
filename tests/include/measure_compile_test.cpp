// measure.cuh compiles alone and for old and new architectures, links from two files, exports no function that calls
// the runtime, and refuses invalid uses in one sentence.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

constexpr const char* other_unit = R"(
#include <launchbox/measure.cuh>
#include <launchbox/measure.cuh>
#include <launchbox/launch.cuh>
__global__ void other(int* data) { *data = 1; }
struct keeps {  // a class of the user's, of our types: no warning
    launchbox::measurement_result result;
    launchbox::measurement_options options;
    launchbox::print_options printing;
};
struct named_callable {
    int* data;
    void operator()(cudaStream_t stream) const { launchbox::launch(other, {.threads = 32, .stream = stream}, data); }
};
double measure_other(int* data, keeps& kept)
{
    const named_callable constant{data};
    kept.result = launchbox::measure(constant, {.l2 = launchbox::l2_state::hot, .launches = 20});
    kept.options.prepare = [=](cudaStream_t stream) { cudaMemsetAsync(data, 0, 4, stream); };
    kept.result = launchbox::measure(named_callable{data}, kept.options);
    return kept.result.gigabytes_per_second();
}
)";

constexpr const char* program = R"(
#include <launchbox/measure.cuh>
__global__ void kernel(int* data) { *data = 1; }
int main()
{
    int* data = nullptr;
    cudaMalloc(&data, 4);
    const auto m = launchbox::measure([&](cudaStream_t stream) { kernel<<<1, 1, 0, stream>>>(data); }, {.bytes = 4});
    launchbox::print_measurement(m, {.checksum = 5});
    return m.measured() ? 0 : 1;
}
)";

class measure_compile : public testing::Test {
protected:
    void SetUp() override
    {
        if (*LAUNCHBOX_NVCC == '\0') GTEST_SKIP() << "needs nvcc";
    }

    std::string written(const char* name, const std::string& text) const
    {
        std::string path = (folder.path() / name).string();
        write_file_atomically(path, text);
        return path;
    }

    static subprocess_result nvcc(const std::vector<std::string>& rest, const char* standard = "-std=c++20",
                                  const char* host = "-Xcompiler=-fPIC,-Wall,-Wextra,-Wconversion,-Werror")
    {
        std::vector<std::string> command{LAUNCHBOX_NVCC,
                                         "-ccbin",
                                         LAUNCHBOX_CXX,
                                         standard,
                                         host,
                                         "-Werror=cross-execution-space-call",
                                         "-Werror=all-warnings",
                                         "-I" LAUNCHBOX_SOURCE_DIR "/include"};
        command.insert(command.end(), rest.begin(), rest.end());
        return run(command);
    }

    static int count(const std::string& text, const std::string& wanted)
    {
        int found = 0;
        for (std::size_t at = text.find(wanted); at != std::string::npos; at = text.find(wanted, at + 1)) ++found;
        return found;
    }

    temporary_directory folder;
};

TEST_F(measure_compile, alone_for_old_and_new_architectures)
{
    const std::string source = written("alone.cu", "#include <launchbox/measure.cuh>\n");
    const subprocess_result result =
        nvcc({"-gencode=arch=compute_75,code=sm_75", "-gencode=arch=compute_90,code=sm_90",
              "-gencode=arch=compute_120,code=sm_120", "-c", source, "-o", (folder.path() / "alone.o").string()});
    EXPECT_EQ(result.exit_code, 0) << result.output;
    EXPECT_EQ(result.output, "");
}

TEST_F(measure_compile, two_files_link_and_the_program_prints_its_result)
{
    const std::string linked = (folder.path() / "program").string();
    const subprocess_result built =
        nvcc({"-gencode=arch=compute_90,code=[sm_90,compute_90]", "-O3", written("program.cu", program),
              written("other.cu", other_unit), "-o", linked});
    ASSERT_EQ(built.exit_code, 0) << built.output;
    // With or without a GPU it prints a line and does not crash.
    const subprocess_result ran = run({linked});
    const char* begin = ran.exit_code == 0 ? "{\"launchbox\":\"measurement/1\",\"time_ms\":["
                                           : "{\"launchbox\":\"measurement/1\",\"failure\":\"";
    EXPECT_EQ(ran.output.rfind(begin, 0), 0u) << ran.output;
    EXPECT_EQ(count(ran.output, "\n"), 1) << ran.output;
}

// If two shared libraries each have a CUDA runtime, the dynamic linker would use one library's functions for both.
TEST_F(measure_compile, functions_that_call_the_runtime_are_not_exported)
{
    const std::string shared = (folder.path() / "library.so").string();
    const subprocess_result built =
        nvcc({"-arch=sm_90", "-O0", "-shared", written("other.cu", other_unit), "-o", shared});
    ASSERT_EQ(built.exit_code, 0) << built.output;
    const subprocess_result all = run({"nm", "-C", "--defined-only", shared});
    const subprocess_result exported = run({"nm", "-DC", "--defined-only", shared});
    ASSERT_EQ(all.exit_code, 0) << all.output;
    ASSERT_EQ(exported.exit_code, 0) << exported.output;
    for (const char* name :
         {"launchbox::measure<named_callable", "launchbox::detail::measure_call(", "launchbox::detail::measure_set(",
          "launchbox::detail::hold_stream(", "launchbox::detail::launch_hold(", "launchbox::detail::l2_flush::enqueue(",
          "launchbox::detail::timing_event::record(", "launchbox::detail::shared_flags::shared_flags(",
          "launchbox::detail::require("}) {
        EXPECT_NE(all.output.find(name), std::string::npos) << name << '\n' << all.output;
        EXPECT_EQ(exported.output.find(name), std::string::npos) << name;
    }
}

// Each object file launches a hold compiled for its own architectures.
TEST_F(measure_compile, each_file_has_its_own_hold)
{
    const std::string object = (folder.path() / "other.o").string();
    ASSERT_EQ(nvcc({"-arch=sm_90", "-O0", "-c", written("other.cu", other_unit), "-o", object}).exit_code, 0);
    const subprocess_result symbols = run({"nm", "-C", "--defined-only", object});
    for (const char* name : {" t launchbox::detail::hold_stream(", " t launchbox::detail::launch_hold(",
                             " t launchbox::detail::take_sample(", " t launchbox::detail::measure_call("})
        EXPECT_NE(symbols.output.find(name), std::string::npos) << name << '\n' << symbols.output;
}

TEST_F(measure_compile, an_invalid_use_is_one_sentence)
{
    const std::string object = (folder.path() / "unit.o").string();
    const std::string include = "#include <launchbox/measure.cuh>\n";
    const subprocess_result plain = run({LAUNCHBOX_CXX, "-std=c++20", "-I" LAUNCHBOX_SOURCE_DIR "/include", "-isystem",
                                         LAUNCHBOX_CUDA_INCLUDE, "-c", written("unit.cpp", include), "-o", object});
    EXPECT_NE(plain.exit_code, 0);
    EXPECT_EQ(count(plain.output, "error: "), 1) << plain.output;
    EXPECT_GE(count(plain.output, "launchbox/measure.cuh holds a kernel: compile this file with nvcc, as a .cu"), 1)
        << plain.output;

    const subprocess_result older =
        nvcc({"-arch=sm_90", "-c", written("unit.cu", include), "-o", object}, "-std=c++17");
    EXPECT_NE(older.exit_code, 0);
    EXPECT_GE(count(older.output, "launchbox/measure.cuh needs C++20: compile with -std=c++20"), 1) << older.output;
    EXPECT_EQ(count(older.output, "error: "), count(older.output, "error: #error")) << older.output;

    const subprocess_result wrong =
        nvcc({"-arch=sm_90", "-c",
              written("wrong.cu", include + "void use() { (void)launchbox::measure([](int*, float) {}); }\n"), "-o",
              object});
    EXPECT_NE(wrong.exit_code, 0);
    EXPECT_GE(count(wrong.output, "launchbox::measure: the callable takes the stream"), 1) << wrong.output;
}

}  // namespace
}  // namespace launchbox
