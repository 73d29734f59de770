// What a disassembler prints of live registers: any text is read in order, and no register is one that cannot be.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "image/live_registers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    launchbox::life_range_reader reader([](const launchbox::live_instruction& one) {
        for (const int live : one.live)
            if (live < 0 || live > 256) std::abort();
        for (const auto& [number, is_written] : one.general)
            if (number < 0 || number > 255) std::abort();
    });
    for (std::string_view rest(reinterpret_cast<const char*>(data), size); !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        reader.line(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return 0;
}
