// A baseline is any text, and a kernel's name any bytes: what was written must read back the same.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "advice/check/baseline.hpp"
#include "require.hpp"

namespace {

void require_round_trip(const std::vector<launchbox::baseline_entry>& entries)
{
    const std::string text = launchbox::baseline_text(entries);
    require(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) == entries.size() + 2);
    const launchbox::baseline_reading again = launchbox::parse_baseline(text, "again");
    require(again.errors.empty() && again.value.entries == entries);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const launchbox::baseline_reading reading = launchbox::parse_baseline(text, "fuzz");
    const auto lines = static_cast<int>(std::count(text.begin(), text.end(), '\n')) + 1;
    require(reading.errors.size() <= launchbox::max_baseline_errors);
    for (const launchbox::file_error& diagnostic : reading.errors)
        require(diagnostic.line >= 1 && diagnostic.line <= lines && !diagnostic.what.empty() &&
                !diagnostic.hint.empty());
    if (reading.errors.empty()) require_round_trip(reading.value.entries);

    const std::size_t half = size / 2;
    launchbox::baseline_entry any{.identity = std::string(text.substr(half)),
                                  .architecture = std::string(text.substr(0, std::min<std::size_t>(half, 16))),
                                  .capability = {},
                                  .registers = 1,
                                  .spill_store_bytes = {},
                                  .spill_load_bytes = {},
                                  .stack_frame_bytes = 0,
                                  .static_shared_bytes = {},
                                  .shared_spill_store_bytes = 3,
                                  .shared_spill_load_bytes = {},
                                  .cumulative_stack_bytes = {},
                                  .bounds = launchbox::heeded_bounds{256, 4},
                                  .resident = launchbox::residency{1, 2},
                                  .debug_build = true};
    require_round_trip({any});
    return 0;
}
