// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_driver.hpp"

#include <dlfcn.h>

namespace launchbox {

namespace {

cuda_driver load()
{
    void* const library = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    cuda_driver driver{.library = loaded_library(library)};
    if (library == nullptr)
        driver.missing = "the CUDA driver (libcuda.so.1) is not installed";
    else if (const std::string& name = driver.library.missing(); !name.empty())
        driver.missing = "libcuda.so.1 is not a CUDA driver that launchbox knows: it has no " + name;
    if (driver.free_address == nullptr || driver.granularity == nullptr || driver.create_memory == nullptr ||
        driver.release_memory == nullptr || driver.map == nullptr || driver.unmap == nullptr ||
        driver.set_access == nullptr)
        driver.reserve_address = nullptr;
    return driver;
}

}  // namespace

const cuda_driver& loaded_cuda_driver()
{
    static const cuda_driver driver = load();
    return driver;
}

}  // namespace launchbox
