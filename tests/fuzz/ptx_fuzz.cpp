#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "image/ptx.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const launchbox::ptx_contents ptx = launchbox::read_ptx({reinterpret_cast<const char*>(data), size}, "-");
    for (const launchbox::kernel_info& kernel : ptx.kernels)
        if (kernel.name.size() > size || (kernel.parameter_bytes && *kernel.parameter_bytes < 0)) std::abort();
    return 0;
}
