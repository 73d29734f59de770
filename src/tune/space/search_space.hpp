// All candidates that satisfy the constraints.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tune/space/search_space_scan.hpp"
#include "tune/spec/limit_values.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

/// Candidates are numbered from 0 in the order of the file, the first parameter slowest. An immutable value.
class search_space {
public:
    /// Constraints are tried as soon as the parameters that they name are known. Constraints that name a workload's
    /// value are left to `workload_constraints`. Throws `error` for an invalid expression, one that names something
    /// unknown or fails; for sm.* and device.* without `limits`; and for a space with more than `most` candidates, or
    /// so many points that the search would take minutes. An empty space is not an error here.
    search_space(const tune_spec& spec, const limit_values& limits, std::size_t max_candidates = 20'000'000,
                 const std::function<void(double part_done)>& progress = {});

    /// A space of listed candidates, as in a record: without expressions. Candidates that lack a parameter, have a
    /// value that its parameter does not list, or repeat another are left out.
    search_space(const std::vector<tuning_parameter>& parameters, const std::vector<assignment>& candidates);

    [[nodiscard]] double raw_size() const { return raw_size_; }  ///< points without constraints
    [[nodiscard]] std::size_t size() const;
    [[nodiscard]] assignment at(std::size_t index) const;

    /// The parameters in the file's order, with their values, including a conditional parameter's `otherwise`.
    [[nodiscard]] std::size_t parameters() const { return levels_.size(); }
    [[nodiscard]] const std::vector<parameter_value>& values_of(std::size_t parameter) const
    {
        return levels_[parameter].values;
    }
    /// For each parameter the number of the candidate's value in `values_of`.
    [[nodiscard]] std::vector<std::uint32_t> coordinates(std::size_t index) const;

    /// Its number; `nullopt` if it is not a candidate. The order of the values does not matter.
    [[nodiscard]] std::optional<std::size_t> find(const assignment& candidate) const;

    /// The candidates that differ in one parameter, rising.
    [[nodiscard]] std::vector<std::size_t> neighbours(std::size_t index) const;

    /// The first constraint that a point breaks ("threads * items <= 16384"), or another reason why it is not a
    /// candidate; empty for a candidate.
    [[nodiscard]] std::string why_not(const assignment& point) const;

    /// Constraints that need a workload, and whether a candidate satisfies them: the first that it breaks, or empty.
    [[nodiscard]] const std::vector<std::string>& workload_constraints() const { return workload_constraints_; }
    [[nodiscard]] std::string why_not(const assignment& candidate, const workload& workload) const;
    /// Throws `error` if such a constraint cannot be evaluated for a candidate on one of these workloads. Tries all
    /// candidates, or an evenly spread million of them.
    void check_workload_constraints(const std::vector<workload>& workloads) const;

    /// For each constraint, the number of points (or prefixes) that it rejected first; to explain an empty space.
    [[nodiscard]] const std::vector<std::pair<std::string, std::uint64_t>>& rejections() const { return rejections_; }

private:
    void add_level(const tuning_parameter& parameter);
    [[nodiscard]] std::vector<std::size_t> counts_of_values() const;

    double raw_size_ = 0;
    std::vector<std::string> workload_constraints_;
    std::vector<std::pair<std::string, std::uint64_t>> rejections_;
    struct judge;  // of single points
    [[nodiscard]] std::optional<std::vector<std::uint64_t>> packed(const assignment& candidate) const;
    [[nodiscard]] std::size_t place_of(const std::vector<std::uint64_t>& candidate) const;

    std::vector<scan_level>
        levels_;  // the parameters in the file's order, `otherwise` the last value if it is not listed
    std::vector<std::map<std::string, std::uint32_t>> numbers_;  // of the values, by their text
    packed_layout layout_;
    std::vector<std::uint64_t> candidates_;
    std::shared_ptr<judge> judge_;
};

}  // namespace launchbox
