// The objective of a tuning run: the quantities to minimise or maximise, their weights, and the condition.
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

/// Names of quantities that launchbox measures itself. In objectives and files, times are in milliseconds.
inline constexpr const char *time_quantity = "time", *energy_quantity = "energy", *power_quantity = "power";

/// The unit of a quantity as shown: "ms", "J", "W"; empty for a number of the user's.
std::string_view unit_of(std::string_view quantity);
/// Whether it can name a quantity: letters, digits and _.
bool is_quantity_name(std::string_view name);
/// Whether it is above 0 and finite: candidates are compared by ratios and logarithms of quantities.
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
    /// Throws `error` for an invalid objective.
    explicit objective(const std::string& text);

    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const std::vector<objective_term>& terms() const { return terms_; }
    [[nodiscard]] const std::string& condition() const { return condition_; }  ///< empty: all is allowed
    /// "time", "time, energy": without the condition.
    [[nodiscard]] std::string wanted() const;
    /// The quantities that must be measured, except the time, which always is.
    [[nodiscard]] std::vector<std::string> quantities() const;
    /// Whether only the time decides among allowed candidates.
    [[nodiscard]] bool is_time() const;
    /// Whether the objective is the default: the time, without a condition.
    [[nodiscard]] bool is_plain() const { return is_time() && condition_.empty(); }
    /// Whether energy or power is needed.
    [[nodiscard]] bool needs_energy() const;
    /// Whether the terms are time and energy, both minimised, and include energy: then a candidate that takes longer
    /// than the best uses more than the idle GPU would in that time.
    [[nodiscard]] bool is_bounded_by_idle_power() const;

    /// The cost of a measured candidate; lower is better. `nullopt`: a quantity is not known.
    [[nodiscard]] std::optional<sample_summary> cost(const measurement& measured) const;
    /// Whether the condition holds; unknown quantities do not fulfil it.
    [[nodiscard]] bool allows(const measurement& measured) const;
    /// The median of the cost, if it is known and the candidate is allowed.
    [[nodiscard]] std::optional<double> cost_if_allowed(const measurement& measured) const;

    friend bool operator==(const objective& one, const objective& other) { return one.text_ == other.text_; }

private:
    std::string text_ = time_quantity;
    std::vector<objective_term> terms_{{.name = time_quantity}};
    std::string condition_;
    struct shared_condition;
    std::shared_ptr<shared_condition> allowed_;  // null: all is
};

/// The objective of a run. Throws `error` if it is invalid.
objective objective_of(const run_info& run);

/// One of the candidate's quantities, in the units of `unit_of`; `nullopt`: it was not measured.
std::optional<sample_summary> quantity_of(const measurement& measured, std::string_view name);

/// The indices of the Pareto-optimal candidates: no other is at least as good in all terms and better in one. By
/// medians; candidates with an unknown term are left out.
std::vector<std::size_t> pareto_front(const std::vector<const measurement*>& candidates, const objective& goal);

}  // namespace launchbox
