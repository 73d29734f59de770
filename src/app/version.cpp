// SPDX-License-Identifier: Apache-2.0
#include "app/version.hpp"

#include "compiler/run/toolchain.hpp"
#include "gpu/driver.hpp"
#include "support/error.hpp"

namespace launchbox {

std::string version_text(const std::string& version)
{
    std::string text = "launchbox " + version + "\n";
    try {
        const toolchain tools = find_toolchain();
        text += "nvcc " + tools.version + " (" + tools.nvcc.string() + ", found by " + tools.found_by + ")\n";
        if (const std::string ptxas = ptxas_version(tools); !ptxas.empty()) text += "ptxas " + ptxas + "\n";
    } catch (const error& failure) {
        text += std::string("nvcc: ") + failure.what() + "\n";
    }
    const gpu_list gpus = find_gpus();
    text += gpus.driver_version.empty() ? "driver: " + gpus.reason : "driver for CUDA " + gpus.driver_version;
    return text;
}

}  // namespace launchbox
