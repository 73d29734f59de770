// Files of other tuners may come from anybody and be cut off anywhere. Whatever is read can be stored, and an export
// reads back the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <set>
#include <sstream>
#include <string>
#include <string_view>

#include "support/error.hpp"
#include "support/files/gzip.hpp"
#include "tune/exchange/foreign_results.hpp"
#include "tune/exchange/result_export.hpp"
#include "tune/store/result_json.hpp"

using namespace launchbox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view bytes(reinterpret_cast<const char*>(data), size);
    std::optional<result_file> read;
    try {
        read = is_gzip(bytes) ? read_foreign_results(gunzip(bytes, std::size_t{1} << 20).text, "fuzz")
                              : read_foreign_results(bytes, "fuzz");
    } catch (const error&) {
        return 0;
    }
    if (!read) return 0;
    for (const recorded_run& run : read->runs) {
        std::set<std::string> candidates;
        for (const stored_result& each : run.results) {
            if (!why_invalid(each).empty()) std::abort();
            if (!candidates.insert(parameter_text(each.parameters)).second) std::abort();
        }
        for (const exported_part& part : parts_of(run))
            for (const auto write : {write_kernel_tuner_cache, write_t4_results}) {
                std::ostringstream out;
                try {
                    write(part, out);
                    (void)read_foreign_results(out.str(), "fuzz");
                } catch (const error&) {  // a parameter with a reserved name; times that become 0
                }
            }
    }
    return 0;
}
