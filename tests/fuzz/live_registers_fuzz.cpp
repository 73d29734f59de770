// Output of a disassembler about live registers and code: any text is read in order, every register number is valid,
// and every instruction is counted once.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "image/code/disassembly.hpp"
#include "image/code/live_registers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    launchbox::life_range_reader reader([](const launchbox::live_instruction& one) {
        for (const int live : one.live)
            if (live < 0 || live > 256) std::abort();
        for (const auto& [number, is_written] : one.general)
            if (number < 0 || number > 255) std::abort();
    });
    launchbox::disassembly_reader code([](const launchbox::disassembled_code& one) {
        const launchbox::code_traffic traffic = launchbox::traffic_of(one, [](std::uint64_t) { return 0u; });
        std::size_t counted = 0, accesses = 0;
        for (const std::uint32_t count : traffic.mix) counted += count;
        for (const launchbox::memory_use& use : traffic.uses) {
            accesses += use.instructions;
            if (use.loop_depth < 0 || use.loop_depth > traffic.loops || use.bytes < 0 || use.bytes > 32) std::abort();
        }
        const auto memory = static_cast<std::size_t>(launchbox::instruction_class::memory);
        if (counted != traffic.instructions || accesses != traffic.mix[memory]) std::abort();
    });
    for (std::string_view rest(reinterpret_cast<const char*>(data), size); !rest.empty();) {
        const std::size_t end = std::min(rest.find('\n'), rest.size());
        reader.line(rest.substr(0, end));
        code.line(rest.substr(0, end));
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    code.finish();
    return 0;
}
