// Any machine code: every instruction has an answer, every register number is valid, everything that is read or written
// is counted, and a branch out of the code makes the result uncertain. First byte: the architecture; second byte: how
// many entries of a branch target table, which are also labels, come first.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "image/code/live_code.hpp"
#include "image/container/elf.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace launchbox;
    if (size < 2) return 0;
    constexpr std::array architectures{75, 80, 89, 90, 100, 110, 120, 121};
    const int sm = architectures[data[0] % architectures.size()];
    std::string_view rest(reinterpret_cast<const char*>(data) + 2, size - 2);
    code_marks marks;
    for (int i = 0; i < data[1] % 4 && rest.size() >= 8; ++i) {
        marks.branches[read_number<std::uint32_t>(rest, 0)].push_back(read_number<std::uint32_t>(rest, 4));
        marks.labels.push_back(read_number<std::uint32_t>(rest, 4));
        marks.registers = read_number<std::uint32_t>(rest, 0) % 256;
        rest.remove_prefix(8);
    }
    const live_code found = find_live_registers(rest, sm, marks);
    if (found.live.size() != rest.size() / 16 || found.writes.size() != found.live.size()) std::abort();
    for (std::size_t i = 0; i < found.live.size(); ++i) {
        const register_set& live = found.live[i];
        register_set with_writes = live;
        with_writes |= found.writes[i];
        if (with_writes != live) std::abort();
        if (live.general_count() > 255 || live.uniform_count() > 127 || live.predicate_count() > 7 ||
            live.uniform_predicate_count() > 7 || (live.general[3] >> 63) != 0)
            std::abort();
    }
    return 0;
}
