#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <ranges>

#include "image/binary.hpp"
#include "image/elf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const launchbox::binary_contents contents =
        launchbox::read_binary(bytes, "-", {.wanted = {}, .jobs = 1, .hash_code = true, .before_linking = true});
    if (contents.kind.empty() || contents.problems.size() > launchbox::max_image_problems + 1) std::abort();
    std::size_t kernels = 0;
    for (const launchbox::binary_image& image : contents.images) {
        if (image.offset > size || image.stored_bytes > size - image.offset || image.container.empty()) std::abort();
        kernels += image.kernels;
    }
    // PTX of a kernel that is compiled as well is taken out.
    if (contents.kernels.size() != contents.images.size()) std::abort();
    if (static_cast<std::size_t>(std::ranges::distance(contents.kernels | std::views::join)) > kernels) std::abort();
    for (const launchbox::kernel_info& kernel : contents.kernels | std::views::join) {
        if (kernel.name.empty() && kernel.registers) std::abort();
        for (const auto& number : {kernel.static_shared_bytes, kernel.reserved_shared_bytes, kernel.code_bytes,
                                   kernel.spill_store_bytes, kernel.spill_load_bytes})
            if (number && *number < 0) std::abort();
    }
    return 0;
}
