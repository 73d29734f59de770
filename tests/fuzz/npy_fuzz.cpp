// Arrays may come from anywhere. Whatever is read lies within the input and has the size that it states.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "support/error.hpp"
#include "tune/worker/npy.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    try {
        const launchbox::npy_array array = launchbox::read_npy(bytes, "input");
        if (array.count < 0 || array.element_bytes < 1) std::abort();
        if (array.data.size() != static_cast<std::size_t>(array.count) * static_cast<std::size_t>(array.element_bytes))
            std::abort();
        if (array.data.data() + array.data.size() != bytes.data() + bytes.size()) std::abort();
    } catch (const launchbox::error&) {
    }
    return 0;
}
