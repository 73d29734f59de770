// Anybody may have edited the JSON of `capture` before `report` reads it. Whatever is read can be shown.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "capture/launches/launches_file.hpp"
#include "report/capture/launches_report.hpp"
#include "support/error.hpp"

using namespace launchbox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    observed_run read;
    try {
        read = read_launches_json({reinterpret_cast<const char*>(data), size}, "fuzz");
    } catch (const error&) {
        return 0;
    }
    (void)render_text(launches_document(read, {.all = true}), {});
    const std::string written = launches_json(read).dump();
    if (launches_json(read_launches_json(written, "again")).dump() != written) std::abort();
    return 0;
}
