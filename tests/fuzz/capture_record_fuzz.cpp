// The record of an observed program is in a temporary folder, where anybody may have written to it.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "capture/launches/observed_run.hpp"
#include "capture/record/record_reader.hpp"
#include "report/capture/launches_report.hpp"

using namespace launchbox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const seen_process process = read_record({reinterpret_cast<const char*>(data), size});
    for (const seen_launches& launches : process.launches) {
        if (!std::isfinite(launches.total_ns) || launches.count == 0) std::abort();
        if (launches.sample_ns.size() > record::max_samples) std::abort();
        for (const float ns : launches.sample_ns)
            if (!(ns >= 0)) std::abort();
    }
    const observed_run run = observed_run_of({process});
    (void)render_text(launches_document(run, {.all = true}), {});
    (void)launches_json(run).dump();
    if (launches_table(run).rows.size() != run.launches.size()) std::abort();
    return 0;
}
