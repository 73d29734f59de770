// A budget is any text. An error has a place in it; a valid budget can be used to check kernels.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "advice/check/budget_file.hpp"
#include "require.hpp"

namespace {

launchbox::checked_kernel kernel(const char* name, const char* architecture)
{
    launchbox::checked_kernel result;
    result.info.name = result.info.demangled = result.info.short_form = name;
    result.info.architecture = architecture;
    result.info.figures.registers = 64;
    result.info.figures.spill_store_bytes = result.info.figures.spill_load_bytes = 8;
    result.info.figures.stack_frame_bytes = 16;
    result.info.figures.static_shared_bytes = 1024;
    result.info.bounds.max_threads = {256, 1, 1};
    return result;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const launchbox::budget_reading reading = launchbox::parse_budget(text, "fuzz");
    const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    int last = 0;
    for (const launchbox::file_error& diagnostic : reading.errors) {
        require(diagnostic.line >= std::max(1, last) && diagnostic.line <= lines && diagnostic.column >= 0);
        require(!diagnostic.what.empty() && !diagnostic.hint.empty());
        last = diagnostic.line;
    }
    if (!reading.errors.empty()) return 0;
    launchbox::check_result result;
    for (const char* architecture : {"sm_80", "sm_90a", "", "sm_999"})
        result.kernels.push_back(kernel("merge<int, 256>", architecture));
    result.kernels.push_back(
        kernel("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "sm_90"));
    launchbox::check_budget(reading.value, result);
    require(result.findings.size() <= result.checks);
    for (const launchbox::check_finding& finding : result.findings) {
        require(finding.kernel < result.kernels.size() && !finding.message.empty());
        require(finding.set_by.line >= 1 && finding.set_by.line <= lines);
    }
    return 0;
}
