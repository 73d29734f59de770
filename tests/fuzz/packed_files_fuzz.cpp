// Packed files: for any bytes, the unpacked size stays below its limit and nothing nested three deep is opened.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/files/packed_files.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const launchbox::packed_limits limits{.max_member = 1 << 20, .max_ratio = 20, .free_bytes = 1 << 20};
    std::uint64_t unpacked = 0;
    launchbox::packed_reader reader;
    reader.wanted = [](std::string_view name, std::string_view, bool) { return !name.ends_with(".py"); };
    reader.use = [&](const std::string& name, std::string_view content) {
        if (name.starts_with('/')) std::abort();
        unpacked += content.size();
        if (content.size() > limits.max_member + 65536) std::abort();
        return true;
    };
    (void)launchbox::looks_packed(bytes);
    (void)launchbox::read_packed(bytes, reader, limits);
    if (unpacked > limits.free_bytes + limits.max_ratio * size) std::abort();
    return 0;
}
