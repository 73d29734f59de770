// nvcc's output for the runtime's functions in device code, as docs/coming_from_the_spreadsheet.md describes it.
#include <gtest/gtest.h>

#include <string>

#include "toolkit.hpp"

namespace launchbox {
namespace {

std::string ptx_of_a_kernel_that_asks(const std::string& call, const std::string& rdc)
{
    const std::string source =
        "__global__ void work() {}\n"
        "__global__ void ask(int* out, cudaFuncAttributes* attributes)\n"
        "{\n    out[0] = " +
        call + ";\n}\n";
    const compiled made = compile({"nvcc", "-ptx", "-arch=sm_90", "-rdc=" + rdc}, source, ".cu");
    EXPECT_EQ(made.exit_code, 0) << call << '\n' << made.log;
    const std::size_t begin = made.image.find(".entry _Z3ask");
    return begin == std::string::npos ? "" : made.image.substr(begin);
}

TEST(DeviceRuntimeFacts, WithoutDeviceLinkingTheQueriesAreStubs)
{
    SKIP_WITHOUT_TOOLKIT();
    for (const char* const call :
         {"cudaFuncGetAttributes(attributes, (const void*)work)",
          "cudaOccupancyMaxActiveBlocksPerMultiprocessor(out + 1, (const void*)work, 256, 0)",
          "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(out + 1, (const void*)work, 256, 0, 1)",
          "cudaDeviceGetAttribute(out + 1, cudaDevAttrMaxThreadsPerBlock, 0)"}) {
        SCOPED_TRACE(call);
        const std::string alone = ptx_of_a_kernel_that_asks(call, "false");
        EXPECT_NE(alone.find(", 999;"), std::string::npos) << alone;  // cudaErrorUnknown
        EXPECT_EQ(alone.find("call"), std::string::npos) << alone;
        const std::string linked = ptx_of_a_kernel_that_asks(call, "true");
        EXPECT_EQ(linked.find(", 999;"), std::string::npos) << linked;
        EXPECT_NE(linked.find("call.uni"), std::string::npos) << linked;
    }
}

}  // namespace
}  // namespace launchbox
