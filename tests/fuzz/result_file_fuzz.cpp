// Recorded results may come from anybody. Whatever is read can be ranked, shown and stored.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string_view>

#include "report/tune/results_report.hpp"
#include "support/error.hpp"
#include "tune/exchange/result_file.hpp"
#include "tune/store/result_json.hpp"

using namespace launchbox;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    result_file read;
    try {
        read = read_results_json({reinterpret_cast<const char*>(data), size}, "fuzz");
    } catch (const error&) {
        return 0;
    }
    results_report report;
    report.with_samples = true;
    std::size_t results = 0;
    for (recorded_run& run : read.runs) {
        for (const stored_result& each : run.results)
            if (!why_invalid(each).empty()) std::abort();
        for (const race_result_info& each : run.races)
            if (!why_invalid(each).empty()) std::abort();
        results += run.results.size();
        std::vector<ranking> rankings = rank(run.results, run.races, run.info.baseline);
        for (const ranking& each : rankings)
            for (const ranked_candidate& candidate : each.candidates)
                if (!std::isfinite(candidate.time.median) || !std::isfinite(candidate.time.spread())) std::abort();
        report.runs.push_back({"fuzz", std::move(run), std::move(rankings)});
    }
    (void)render_text(results_document(report), {});
    (void)render_text(results_log_document(report), {});
    if (results_table(report).rows.size() != results) std::abort();
    std::ostringstream out;
    write_results_json(report, out);
    const result_file again = read_results_json(out.str(), "fuzz");
    std::size_t again_results = 0;
    for (const recorded_run& each : again.runs) again_results += each.results.size();
    if (again.runs.size() != report.runs.size() || again_results != results) std::abort();
    return 0;
}
