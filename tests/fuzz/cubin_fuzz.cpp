#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "image/cubin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const launchbox::cubin_contents cubin = launchbox::read_cubin({reinterpret_cast<const char*>(data), size}, "-");
    for (const launchbox::kernel_info& kernel : cubin.kernels) {
        if (kernel.name.empty() || kernel.name.size() > size) std::abort();
        for (const auto& bytes : {kernel.static_shared_bytes, kernel.reserved_shared_bytes, kernel.code_bytes,
                                  kernel.spill_store_bytes, kernel.spill_load_bytes})
            if (bytes && *bytes < 0) std::abort();
    }
    return 0;
}
