#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "image/ptx/ptx.hpp"
#include "image/ptx/ptx_modules.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const launchbox::ptx_contents ptx = launchbox::read_ptx({reinterpret_cast<const char*>(data), size}, "-");
    for (const launchbox::kernel_info& kernel : ptx.kernels)
        if (kernel.name.size() > size || (kernel.figures.parameter_bytes && *kernel.figures.parameter_bytes < 0))
            std::abort();
    if (ptx.kernels.size() != ptx.directives.size()) std::abort();
    if (ptx.kernels.empty() || !ptx.diagnostics.empty()) return 0;  // refused
    // A limit that was written reads back the same, and nothing else has changed.
    const launchbox::kernel_info& first = ptx.kernels.front();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const launchbox::ptx_contents again = launchbox::read_ptx(launchbox::with_max_registers(text, first.name, 40), "-");
    if (!again.diagnostics.empty() || again.kernels.size() != ptx.kernels.size()) std::abort();
    if (again.kernels.front().name != first.name || again.kernels.front().bounds.requested_max_registers != 40)
        std::abort();
    return 0;
}
