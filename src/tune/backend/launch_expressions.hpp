// The expressions of a [kernel]: parsed once, and evaluated for each candidate on each workload.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tune/space/search_space.hpp"
#include "tune/spec/limit_values.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

/// How a candidate is launched on one workload: the values of the spec's expressions, unchecked. A value outside the
/// range of int becomes the nearest int.
struct evaluated_launch {
    std::array<int, 3> threads{1, 1, 1};
    std::array<std::int64_t, 3> blocks{1, 1, 1};
    std::array<int, 3> cluster{1, 1, 1};
    std::int64_t dynamic_shared_bytes = 0;
    std::optional<std::int64_t> carveout_percent = {};     ///< -1: none is asked for; empty: the spec does not say
    std::optional<std::int64_t> static_shared_bytes = {};  ///< the spec's estimate

    friend bool operator==(const evaluated_launch&, const evaluated_launch&) = default;
};

/// May be used by many threads at once. Every error is an `error` with the expression's place in the spec.
class launch_expressions {
public:
    /// `limits`: the values of sm.* and device.*. Throws if an expression names another value of the GPU. `spec` must
    /// outlive it.
    launch_expressions(const tune_spec& spec, limit_values limits);
    ~launch_expressions();
    launch_expressions(const launch_expressions&) = delete;
    launch_expressions& operator=(const launch_expressions&) = delete;

    /// `values`: those of candidate and workload. Throws if an expression cannot be evaluated: a division by zero, a
    /// size that is not a whole number, arithmetic on a word, a count below 0. As sizes, true and false are 1 and 0.
    [[nodiscard]] evaluated_launch launch(const assignment& values) const;
    [[nodiscard]] std::vector<task_argument> arguments(const assignment& values) const;
    [[nodiscard]] std::vector<task_argument> variables(const assignment& values) const;

    /// Throws if an expression cannot be evaluated for some combination of candidate and workload that the constraints
    /// admit. Tries each expression with all combinations of the values it names, unless there are millions.
    void check(const search_space& space) const;

private:
    struct one;
    enum class use { size, count, value };
    /// The key of an expression of one of `list`, which is a list of the spec.
    [[nodiscard]] std::string of_argument(const std::vector<kernel_argument>& list, const kernel_argument& argument,
                                          const char* what) const;
    [[nodiscard]] std::vector<task_argument> evaluated(const std::vector<kernel_argument>& list,
                                                       const assignment& values) const;
    void add(const std::string& key, const std::string& text, use what);
    [[nodiscard]] std::int64_t size_of(const std::string& key, const assignment& values) const;
    [[nodiscard]] parameter_value value_of(const one& expression, const assignment& values) const;
    void try_all(const one& expression, const search_space& space) const;

    const tune_spec& spec_;
    const limit_values limits_;
    std::map<std::string, std::unique_ptr<one>> expressions_;  // "threads[0]", "arguments[2].count"
};

}  // namespace launchbox
