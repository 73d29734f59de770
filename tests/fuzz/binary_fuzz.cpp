#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "image/binary.hpp"
#include "image/container/elf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const launchbox::binary_contents contents =
        launchbox::read_binary(bytes, "-", {.wanted = {}, .jobs = 1, .hash_code = true, .before_linking = true});
    if (contents.kind.empty() || contents.diagnostics.size() > launchbox::max_image_diagnostics + 1) std::abort();
    std::size_t kernels = 0;
    for (const launchbox::binary_image& image : contents.images) {
        if (image.offset > size || image.stored_bytes > size - image.offset || image.container.empty()) std::abort();
        kernels += image.kernels;
    }
    if (contents.kernels.size() != contents.images.size()) std::abort();
    std::size_t listed = 0;
    for (const std::vector<launchbox::kernel_info>& of_image : contents.kernels)
        for (const launchbox::kernel_info& kernel : of_image) {
            ++listed;
            if (kernel.name.empty() && kernel.figures.registers) std::abort();
            for (const auto& number :
                 {kernel.figures.static_shared_bytes, kernel.figures.reserved_shared_bytes, kernel.figures.code_bytes,
                  kernel.figures.spill_store_bytes, kernel.figures.spill_load_bytes})
                if (number && *number < 0) std::abort();
        }
    // PTX of a kernel that is also present as a cubin is left out.
    if (listed > kernels) std::abort();
    return 0;
}
