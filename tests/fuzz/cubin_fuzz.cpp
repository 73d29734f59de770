#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "image/cubin.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const launchbox::cubin_contents cubin = launchbox::read_cubin({reinterpret_cast<const char*>(data), size}, "-");
    for (const launchbox::kernel_info& kernel : cubin.kernels) {
        if (kernel.name.empty() || kernel.name.size() > size) std::abort();
        for (const auto& bytes :
             {kernel.figures.static_shared_bytes, kernel.figures.reserved_shared_bytes, kernel.figures.code_bytes,
              kernel.figures.spill_store_bytes, kernel.figures.spill_load_bytes})
            if (bytes && *bytes < 0) std::abort();
    }
    // With line information the figures are the same, and each place is inlined into an earlier one.
    const launchbox::cubin_contents again = launchbox::read_cubin({reinterpret_cast<const char*>(data), size}, "-",
                                                                  {.lines = launchbox::wanted_lines::of_all_code});
    if (again.kernels.size() != cubin.kernels.size()) std::abort();
    for (const launchbox::kernel_info& kernel : again.kernels) {
        if (!kernel.analysis.lines) continue;
        std::int64_t stores = 0;
        for (const launchbox::line_use& use : kernel.analysis.lines->uses) {
            stores += use.spill_store_bytes;
            if (use.place == launchbox::no_line) continue;
            const launchbox::line_places& all = *kernel.analysis.lines->places;
            if (use.place >= all.places.size()) std::abort();
            const launchbox::line_place& place = all.places[use.place];
            if (place.inlined_into > use.place || place.file >= all.files.size() ||
                place.function >= all.functions.size())
                std::abort();
        }
        if (kernel.figures.spill_store_bytes && stores != *kernel.figures.spill_store_bytes) std::abort();
    }
    return 0;
}
