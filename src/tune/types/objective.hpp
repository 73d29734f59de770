// What a tuning run looks for: the quantities that are to be small or large, their weights, and what is allowed.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "support/sample_statistics.hpp"
#include "tune/types/measurement.hpp"
#include "tune/types/results.hpp"

namespace launchbox {

/// Names of quantities that launchbox measures itself. In objectives and files times are milliseconds.
inline constexpr const char *time_quantity = "time", *energy_quantity = "energy", *power_quantity = "power";

/// Of a quantity in front of people: "ms", "J", "W"; empty: a number of the user's.
std::string_view unit_of(std::string_view quantity);
/// Whether it can name a quantity: letters, digits and _.
bool is_quantity_name(std::string_view name);
/// A number above 0 that is not infinite. Ratios and logarithms of quantities are what candidates are compared by.
bool is_quantity(double value);

struct objective_term {
    std::string name;
    double weight = 1;     ///< above 0
    bool largest = false;  ///< more is better

    friend bool operator==(const objective_term&, const objective_term&) = default;
};

/// "time, energy*2, max p99 where power <= 500". The cost of a candidate is the weighted geometric mean of the terms:
/// no unit matters, and of time and energy it is the root of the energy-delay product. A term that is to be large
/// counts as 1 / value.
class objective {
public:
    objective() = default;  ///< the time
    /// Throws `error` for what is none.
    explicit objective(const std::string& text);

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const std::vector<objective_term>& terms() const { return terms_; }
    [[nodiscard]] const std::string& condition() const { return condition_; }  ///< empty: all is allowed
    /// "time", "time, energy": without the condition.
    [[nodiscard]] std::string wanted() const;
    /// The quantities that have to be known, but for the time, which always is.
    [[nodiscard]] std::vector<std::string> quantities() const;
    /// The time alone decides among those that are allowed.
    [[nodiscard]] bool is_time() const;
    /// Nothing but the time is asked for: the default.
    [[nodiscard]] bool is_plain() const { return is_time() && condition_.empty(); }
    /// Energy or power is asked for.
    [[nodiscard]] bool needs_energy() const;
    /// Terms are time and energy, both to be small, with energy among them: then a candidate that takes longer than
    /// the best uses more than the idle GPU would in that time.
    [[nodiscard]] bool is_bounded_by_idle_power() const;

    /// Of a measured candidate: low cost is good. `nullopt`: a quantity is not known.
    [[nodiscard]] std::optional<sample_summary> cost(const measurement& measured) const;
    /// Whether the condition holds; not known quantities do not fulfil it.
    [[nodiscard]] bool allows(const measurement& measured) const;
    /// The median of the cost where it is known and the candidate is allowed.
    [[nodiscard]] std::optional<double> cost_if_allowed(const measurement& measured) const;

    friend bool operator==(const objective& one, const objective& other) { return one.text_ == other.text_; }

private:
    std::string text_ = time_quantity;
    std::vector<objective_term> terms_{{.name = time_quantity}};
    std::string condition_;
    struct shared_condition;
    std::shared_ptr<shared_condition> allowed_;  // null: all is
};

/// What a run looked for. Throws `error` where that is no objective.
objective objective_of(const run_info& run);

/// One of the candidate's quantities, in the units of `unit_of`; `nullopt`: it was not measured.
std::optional<sample_summary> quantity_of(const measurement& measured, std::string_view name);

/// The numbers of those that no other one beats: at least as good in all terms, and better in one. By medians; those of
/// which a term is not known are not among them.
std::vector<std::size_t> pareto_front(const std::vector<const measurement*>& candidates, const objective& goal);

}  // namespace launchbox
