// SPDX-License-Identifier: Apache-2.0
#include "tune/types/measurement.hpp"

#include <algorithm>

namespace launchbox {

namespace {

struct outcome_words {
    outcome status;
    std::string_view name, words;
};

constexpr std::array<outcome_words, 12> outcomes{{
    {outcome::measured, "measured", "measured"},
    {outcome::rejected, "rejected", "rejected"},
    {outcome::compile_error, "compile_error", "compile error"},
    {outcome::compile_timeout, "compile_timeout", "compile timeout"},
    {outcome::launch_error, "launch_error", "launch error"},
    {outcome::illegal_access, "illegal_access", "illegal access"},
    {outcome::hang, "hang", "hang"},
    {outcome::trap, "trap", "trap"},
    {outcome::wrong_result, "wrong_result", "wrong result"},
    {outcome::out_of_memory, "out_of_memory", "out of memory"},
    {outcome::worker_died, "worker_died", "worker died"},
    {outcome::device_lost, "device_lost", "device lost"},
}};

}  // namespace

std::string_view words_of(outcome what)
{
    for (const outcome_words& outcome : outcomes)
        if (outcome.status == what) return outcome.words;
    return {};
}

std::string_view name_of(outcome what)
{
    for (const outcome_words& outcome : outcomes)
        if (outcome.status == what) return outcome.name;
    return {};
}

std::optional<outcome> outcome_named(std::string_view name)
{
    for (const outcome_words& outcome : outcomes)
        if (outcome.name == name) return outcome.status;
    return std::nullopt;
}

outcome outcome_said(std::string_view name)
{
    const outcome said = outcome_named(name).value_or(outcome::launch_error);
    const bool may_be_said = said != outcome::measured && said != outcome::worker_died && said != outcome::device_lost;
    return may_be_said ? said : outcome::launch_error;
}

phase_seconds& phase_seconds::operator+=(const phase_seconds& other)
{
    for (const auto& kind : phase_kinds) this->*kind.member += other.*kind.member;
    return *this;
}

void add_samples(measured_quantities& to, const measured_quantities& more)
{
    for (const measured_quantity& quantity : more) {
        auto known = std::ranges::find(to, quantity.name, &measured_quantity::name);
        if (known == to.end()) known = to.insert(to.end(), {quantity.name, {}});
        known->samples.insert(known->samples.end(), quantity.samples.begin(), quantity.samples.end());
    }
}

}  // namespace launchbox
