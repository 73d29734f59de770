#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "image/container/decompress.hpp"
#include "image/container/elf.hpp"
#include "image/container/fatbin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    std::vector<launchbox::image_diagnostic> diagnostics;
    const auto contents = launchbox::read_fatbin(bytes, diagnostics);
    if (diagnostics.size() > launchbox::max_image_diagnostics + 1) std::abort();
    if (!contents) return launchbox::is_fatbin(bytes) || diagnostics.empty() ? std::abort(), 0 : 0;
    if (contents->size > size || contents->size > contents->claimed || contents->claimed > size) std::abort();

    static launchbox::decompressor unpack;
    std::uint64_t end = 16;
    for (const launchbox::fatbin_entry& entry : contents->entries) {
        if (entry.offset != end || entry.payload_offset < end + 64 || entry.payload_offset > size) std::abort();
        if (entry.payload.size() > size - entry.payload_offset) std::abort();
        end = entry.payload_offset + launchbox::read_number<std::uint64_t>(bytes, entry.offset + 8);
        if (end > size) std::abort();
        // Larger images only cost time here.
        if (entry.decompressed_bytes > (std::uint64_t{1} << 24)) continue;
        std::string diagnostic;
        const auto image = unpack.decompress(entry.payload, entry.compression, entry.decompressed_bytes, diagnostic);
        if (image.has_value() != diagnostic.empty()) std::abort();
        if (image && image->size() != entry.decompressed_bytes &&
            entry.compression != launchbox::fatbin_compression::stored)
            std::abort();
    }
    return 0;
}
