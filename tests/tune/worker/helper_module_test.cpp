// The worker's own kernels are PTX for any driver since CUDA 10.0; here ptxas compiles it instead.
#include "tune/worker/helper_module.hpp"

#include <gtest/gtest.h>

#include "compiler/run/toolchain.hpp"
#include "support/error.hpp"
#include "support/files/files.hpp"
#include "support/process/subprocess.hpp"

namespace launchbox {
namespace {

TEST(HelperModule, is_ptx_that_compiles_for_the_oldest_and_newest_gpus)
{
    toolchain tools;
    try {
        tools = find_toolchain();
    } catch (const error& none) {
        GTEST_SKIP() << none.what();
    }
    const temporary_directory folder;
    write_file_atomically(folder.path() / "helpers.ptx", helper_module_ptx());
    for (const char* architecture : {"sm_75", "sm_90", "sm_120"}) {
        const subprocess_result ran = run(
            {tools.nvcc.string(), "-cubin", std::string("-arch=") + architecture, "helpers.ptx", "-o", "helpers.cubin"},
            {.directory = folder.path().string(), .environment = tools.environment});
        EXPECT_EQ(ran.exit_code, 0) << architecture << ": " << ran.output;
    }
}

}  // namespace
}  // namespace launchbox
