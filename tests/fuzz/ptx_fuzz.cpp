#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "image/ptx.hpp"
#include "image/ptx_modules.hpp"
#include "support/error.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const launchbox::ptx_contents ptx = launchbox::read_ptx({reinterpret_cast<const char*>(data), size}, "-");
    for (const launchbox::kernel_info& kernel : ptx.kernels)
        if (kernel.name.size() > size || (kernel.parameter_bytes && *kernel.parameter_bytes < 0)) std::abort();
    if (ptx.kernels.empty() || !ptx.diagnostics.empty()) return 0;  // what is damaged, two readers may see differently
    // A limit that was written is read again, and nothing else has changed.
    const launchbox::kernel_info& first = ptx.kernels.front();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    std::string limited;
    try {
        limited = launchbox::with_max_registers(text, first.name, 40);
    } catch (const launchbox::error&) {  // what is an entry to one reader is cut short to the other
        return 0;
    }
    const launchbox::ptx_contents again = launchbox::read_ptx(limited, "-");
    if (again.kernels.size() != ptx.kernels.size()) std::abort();
    // Of damaged text both may see several of one name.
    if (std::ranges::none_of(again.kernels, [&](const launchbox::kernel_info& kernel) {
            return kernel.name == first.name && kernel.requested_max_registers == 40;
        }))
        std::abort();
    return 0;
}
