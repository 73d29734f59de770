// An objective is any text. A valid one means the same when it is read again, and can judge any measurement.
#include "tune/types/objective.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "require.hpp"
#include "support/error.hpp"

namespace {

launchbox::measurement some_measurement()
{
    return {.status = launchbox::outcome::measured,
            .samples_ns = {1e6, 1.1e6, 1.2e6},
            .quantities = {{"energy", {0.2, 0.21}}, {"power", {200, 210}}, {"p99_ms", {3.5}}}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string text(reinterpret_cast<const char*>(data), size);
    try {
        const launchbox::objective goal(text);
        require(!goal.terms().empty() && !goal.wanted().empty());
        for (const launchbox::objective_term& term : goal.terms())
            require(launchbox::is_quantity_name(term.name) && term.weight > 0 && std::isfinite(term.weight));
        const launchbox::objective again(goal.text());
        require(again == goal && again.terms() == goal.terms() && again.condition() == goal.condition());
        const launchbox::measurement measured = some_measurement();
        if (const auto cost = goal.cost(measured)) require(cost->low <= cost->median && cost->median <= cost->high);
        require(goal.allows(measured) || !goal.condition().empty());
        require(launchbox::pareto_front({&measured}, goal).size() <= 1);
    } catch (const launchbox::error& failure) {
        require(!std::string(failure.what()).empty());
    }
    return 0;
}
