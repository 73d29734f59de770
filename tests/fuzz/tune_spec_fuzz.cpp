// A spec is any text: the result is one of our errors with a place, or a usable spec. A small space of it is complete.
#include <cstddef>
#include <cstdint>
#include <string>

#include "require.hpp"
#include "support/error.hpp"
#include "tune/space/search_space.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    try {
        const launchbox::tune_spec spec =
            launchbox::parse_tune_spec("fuzz.toml", {reinterpret_cast<const char*>(data), size});
        require(!spec.name.empty() && !spec.parameters.empty() && !spec.workloads.empty());
        require(spec.kernel.has_value() != spec.program.has_value());
        double points = static_cast<double>(spec.constraints.size() + 1);
        for (const launchbox::tuning_parameter& each : spec.parameters) {
            require(!each.values.empty());
            points *= static_cast<double>(each.values.size() + 1);
        }
        if (points > 20'000) return 0;
        launchbox::gpu_device gpu;
        gpu.name = "a GPU";
        const launchbox::search_space space(
            spec, launchbox::limits_for_expressions(*launchbox::find_sm_limits({9, 0}), &gpu));
        for (std::size_t i = 0; i < space.size(); i += 1 + space.size() / 50) {
            const launchbox::assignment candidate = space.at(i);
            require(space.find(candidate) == i);
            require(space.why_not(candidate).empty());
            for (const std::size_t other : space.neighbours(i)) require(other < space.size() && other != i);
        }
    } catch (const launchbox::error& failure) {
        require(!std::string(failure.what()).empty());
    }
    return 0;
}
