// Riegeli records: for any bytes, what is unpacked stays below its limit.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "support/files/riegeli.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    constexpr std::size_t cap = std::size_t{1} << 22;
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    const launchbox::unpacked_records records = launchbox::unpack_records(bytes, cap);
    if (records.bytes.size() > size + cap) std::abort();
    if (!launchbox::holds_records(bytes) && (records.bytes != bytes || !records.damage.empty())) std::abort();
    return 0;
}
