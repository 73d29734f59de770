#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "image/container/archive.hpp"
#include "image/container/elf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    std::vector<launchbox::image_diagnostic> diagnostics;
    const auto members = launchbox::read_archive(bytes, diagnostics);
    if (diagnostics.size() > launchbox::max_image_diagnostics + 1) std::abort();
    std::uint64_t end = 8;
    for (const launchbox::archive_member& each : members) {
        if (each.offset < end + 60 || each.offset > size || each.bytes.size() > size - each.offset) std::abort();
        if (each.bytes.data() != bytes.data() + each.offset || each.name.size() > 1 + size) std::abort();
        end = each.offset + each.bytes.size();
    }
    return 0;
}
