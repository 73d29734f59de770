// Debug builds, recognised by what compilers leave in their output.
#include "image/optimisation.hpp"

#include <gtest/gtest.h>

#include <map>

#include "image/binary.hpp"
#include "image/cubin.hpp"
#include "image/ptx/ptx.hpp"
#include "toolkit.hpp"

namespace launchbox {
namespace {

using enum code_optimisation;

TEST(optimisation, from_options)
{
    EXPECT_EQ(optimisation_of_options("-arch sm_90 -m 64 "), full);
    EXPECT_EQ(optimisation_of_options(""), full);
    EXPECT_EQ(optimisation_of_options("-lineinfo  -arch sm_90 -m 64 "), full);
    EXPECT_EQ(optimisation_of_options("-O 3 -arch sm_90"), full);
    EXPECT_EQ(optimisation_of_options("-O 2"), full);
    EXPECT_EQ(optimisation_of_options("-O 1 -arch sm_90"), reduced);
    EXPECT_EQ(optimisation_of_options("-O 0 -arch sm_90"), none);
    EXPECT_EQ(optimisation_of_options("-O0,-v"), none);
    EXPECT_EQ(optimisation_of_options("--opt-level=0"), none);
    EXPECT_EQ(optimisation_of_options("--opt-level 0"), none);
    EXPECT_EQ(optimisation_of_options("-O0 -O3"), full) << "the last one counts";
    EXPECT_EQ(optimisation_of_options("a.ptx -no-bb-merge  -ret-end  -g  -o a.cubin"), debug);
    EXPECT_EQ(optimisation_of_options("--device-debug"), debug);
    EXPECT_EQ(optimisation_of_options("-Ofc max -arch sm_90"), fast_compile);
    EXPECT_EQ(optimisation_of_options("-Ofc min"), full);
    EXPECT_EQ(optimisation_of_options("-o x-g.cubin -O"), full);
}

const char* const two_kernels =
    "extern \"C\" __global__ void a(float* p) { p[threadIdx.x] *= 2; }\n"
    "extern \"C\" __global__ void b(float* p) { float v[4]; for (int i = 0; i < 4; ++i) v[i] = p[i]; "
    "p[0] = v[threadIdx.x & 3]; }\n";

TEST(optimisation, from_cubins)
{
    SKIP_WITHOUT_TOOLKIT();
    if (toolkit_version() < 130) GTEST_SKIP() << "cubins tell the options of ptxas from CUDA 13.0 on";
    const std::vector<std::pair<std::vector<std::string>, code_optimisation>> builds{
        {{}, full},
        {{"-lineinfo"}, full},
        {{"-O0"}, full},  // for the host's code
        {{"-Xptxas=-O1"}, reduced},
        {{"-Xptxas=-O0"}, none},
        {{"-lineinfo", "-Xptxas", "--opt-level=0"}, none},
        {{"-G"}, debug},
        {{"-G", "-rdc=true"}, debug},
        {{"-G", "-Xptxas=-suppress-debug-info"}, debug},
        {{"-G", "-dopt=on"}, full}};
    for (const auto& [flags, how] : builds)
        for (const char* architecture : {"sm_75", "sm_120"}) {
            const compiled made = compile_cuda(two_kernels, architecture, flags);
            SCOPED_TRACE(architecture + (flags.empty() ? std::string() : " " + flags.back()) + "\n" + made.log);
            ASSERT_EQ(made.exit_code, 0);
            const cubin_contents cubin = read_cubin(made.image, "k.cubin");
            ASSERT_EQ(cubin.kernels.size(), 2u);
            for (const kernel_info& kernel : cubin.kernels) EXPECT_EQ(kernel.optimisation, how) << kernel.name;
        }
}

// nvlink links objects of both kinds into one image.
TEST(optimisation, by_kernel_in_a_linked_image)
{
    SKIP_WITHOUT_TOOLKIT();
    if (toolkit_version() < 130) GTEST_SKIP() << "cubins tell the options of ptxas from CUDA 13.0 on";
    const temporary_directory folder;
    const auto path = [&](const char* name) { return (folder.path() / name).string(); };
    const auto object = [&](const char* name, const std::vector<std::string>& flags) {
        write_file_atomically(path("k.cu"), "extern \"C\" __global__ void " + std::string(name) +
                                                "(float* p) { p[threadIdx.x] *= 2; }\n");
        std::vector<std::string> command{"nvcc", "-arch=sm_90", "-rdc=true", "-c", path("k.cu"), "-o", path(name)};
        command.insert(command.end(), flags.begin(), flags.end());
        ASSERT_EQ(run(command).exit_code, 0);
    };
    object("shipped", {});
    object("debugged", {"-G"});
    object("slow", {"-Xptxas=-O0"});
    const auto linked = [&](const std::vector<std::string>& objects) {
        std::vector<std::string> command{"nvcc", "-arch=sm_90", "-dlink", "-cubin", "-o", path("linked.cubin")};
        for (const std::string& name : objects) {
            std::filesystem::copy_file(path(name.c_str()), path((name + ".o").c_str()),
                                       std::filesystem::copy_options::overwrite_existing);
            command.push_back(path((name + ".o").c_str()));
        }
        const subprocess_result made = run(command);
        EXPECT_EQ(made.exit_code, 0) << made.output;
        std::map<std::string, code_optimisation> found;
        for (const kernel_info& kernel : read_cubin(read_input(path("linked.cubin")), "linked.cubin").kernels)
            found[kernel.name] = kernel.optimisation;
        return found;
    };
    using found = std::map<std::string, code_optimisation>;
    EXPECT_EQ(linked({"shipped", "debugged"}), (found{{"shipped", full}, {"debugged", debug}}));
    // The image does not say from which of the two objects a kernel comes.
    EXPECT_EQ(linked({"shipped", "slow"}), (found{{"shipped", unknown}, {"slow", unknown}}));
    EXPECT_EQ(linked({"slow"}), (found{{"slow", none}}));
}

TEST(optimisation, from_ptx)
{
    const auto of = [](const std::string& target) {
        return read_ptx(".version 9.0\n.target " + target + "\n.address_size 64\n.visible .entry k() { ret; }\n",
                        "k.ptx")
            .kernels.at(0)
            .optimisation;
    };
    EXPECT_EQ(of("sm_90, debug"), debug);
    EXPECT_EQ(of("sm_90,debug"), debug);
    EXPECT_EQ(of("sm_90, texmode_independent, debug"), debug);
    EXPECT_EQ(of("sm_90"), unknown) << "ptxas can be told anything";
    EXPECT_EQ(of("sm_90, texmode_independent"), unknown);
}

}  // namespace
}  // namespace launchbox
