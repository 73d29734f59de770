// A T1 problem is any text: there is an error of ours, or a spec that can be read (with a program where it has no
// kernel), whose baseline is a candidate.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "support/error.hpp"
#include "tune/space/search_space.hpp"
#include "tune/t1/t1_spec.hpp"

namespace {

void require(bool holds)
{
    if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    launchbox::t1_translation made;
    try {
        made = launchbox::translate_t1("fuzz.json", {reinterpret_cast<const char*>(data), size});
    } catch (const launchbox::error& failure) {
        require(!std::string(failure.what()).empty());
        return 0;
    }
    for (const launchbox::t1_note& each : made.notes) require(!each.place.empty() && !each.what.empty());
    const launchbox::tune_spec spec =
        launchbox::parse_tune_spec("fuzz.toml", made.spec + (made.has_kernel ? "" : "\n[program]\nrun = [\"true\"]\n"));
    double points = static_cast<double>(spec.constraints.size() + 1);
    for (const launchbox::tuning_parameter& each : spec.parameters) points *= static_cast<double>(each.values.size());
    if (points > 20'000) return 0;
    try {
        const launchbox::search_space space(spec, {});
        require(!spec.baseline || space.find(*spec.baseline).has_value());
    } catch (const launchbox::error&) {
        // A division by zero, say, which is the problem's.
    }
    return 0;
}
