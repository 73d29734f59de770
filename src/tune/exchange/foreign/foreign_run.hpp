// Builds one run from another tuner's record; unusable parts are counted and named.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tune/exchange/foreign/own_facts.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// For formats whose times are in milliseconds.
inline constexpr double ns_per_millisecond = 1e6;

/// Counts omitted or doubtful data: one sentence per kind, however many candidates are affected.
class foreign_diagnostics {
public:
    explicit foreign_diagnostics(std::string file) : file_(std::move(file)) {}

    void add(const std::string& kind, const std::string& candidate);  ///< "left out, its time is not above 0"
    void say(const std::string& sentence);                            ///< about the file

    [[nodiscard]] std::vector<std::string> sentences() const;

private:
    struct kind_count {
        std::string kind, first;
        std::size_t count = 0;
    };
    std::string file_;
    std::vector<std::string> sentences_;
    std::vector<kind_count> kinds_;
};

/// Passes each object of a JSON array to `read`, with its number; a cut or damaged one is reported as "`word` 7".
/// Returns false if the array is not closed.
bool read_objects(std::string_view array, const char* word, foreign_diagnostics& diagnostics,
                  const std::function<void(const nlohmann::ordered_json& object, std::size_t number)>& read);

class foreign_run {
public:
    foreign_run(foreign_diagnostics& diagnostics, std::string_view content_hash)
        : diagnostics_(diagnostics), hash_(content_hash)
    {
    }

    run_info info;
    own_facts facts;  ///< what launchbox itself has written into the file, and the workload

    /// Replaces an earlier candidate with the same parameters. A candidate that cannot be stored is left out.
    void add(stored_result result);

    [[nodiscard]] bool empty() const { return results_.empty(); }

    /// The run numbered `number`, with one type for all values of a parameter.
    recorded_run finish(std::int64_t number);

private:
    void unify_types();

    foreign_diagnostics& diagnostics_;
    std::string hash_;
    std::vector<stored_result> results_;
    std::map<std::string, std::size_t> places_;
};

/// The value of a tuning parameter or a problem size. A type that launchbox does not have (a list) becomes its JSON
/// text.
parameter_value foreign_value(const nlohmann::ordered_json& value);

/// Why a candidate without a `foreign_time` is left out.
inline constexpr const char* no_foreign_time = "left out, since the time is not between a femtosecond and 30 years";

/// In nanoseconds, if it is above 0 and in the range of possible times.
std::optional<double> foreign_time(const nlohmann::ordered_json& value, double nanoseconds_per_unit);

/// Adds a quantity if `value` is a number, or a list of valid numbers. A name that launchbox does not allow is
/// converted: "GFLOP/s" becomes GFLOP_s; nvml_energy becomes energy in joules and nvml_power power in watts, as in
/// Kernel Tuner.
void add_foreign_quantity(measurement& measured, const std::string& name, const nlohmann::ordered_json& value);

/// The samples of a measured candidate: those of a list, else `only`. False if there is neither. Oddities are added to
/// `diagnostics` for `candidate`. `mean`: the mean according to the file, in nanoseconds.
bool read_foreign_samples(const nlohmann::ordered_json* list, double nanoseconds_per_unit, std::optional<double> only,
                          std::optional<double> mean, measurement& measured, foreign_diagnostics& diagnostics,
                          const std::string& candidate);
/// A cost in seconds; 0 if the value is not a possible cost.
double foreign_cost(const nlohmann::ordered_json& object, const char* name, double seconds_per_unit);

/// "2023-12-22 09:53:48.691683+00:00" and its kind as "2023-12-22T09:53:48.691683Z"; anything else stays as it is.
std::string foreign_timestamp(const std::string& text);

/// Of a failed candidate: the outcome that its reason starts with, as launchbox writes it ("hang: ..."), or
/// `otherwise`.
void set_failure(measurement& measured, const std::string& reason, outcome otherwise);

}  // namespace launchbox
