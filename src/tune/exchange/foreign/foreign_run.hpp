// One run put together from what another tuner has recorded; what cannot be used is counted and named.
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

/// Counts what was left out or is doubtful: one sentence a kind, however many candidates it concerns.
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

/// Gives each object of a JSON array to `read`, with its number; what is cut off or damaged is named as "`word` 7".
/// False: the array is not closed.
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

    /// One that is here already, by its parameters, is replaced. One that is not fit to be stored is left out.
    void add(stored_result result);

    [[nodiscard]] bool empty() const { return results_.empty(); }

    /// The run, with one type for all values of a parameter, as its number `number`.
    recorded_run finish(std::int64_t number);

private:
    void unify_types();

    foreign_diagnostics& diagnostics_;
    std::string hash_;
    std::vector<stored_result> results_;
    std::map<std::string, std::size_t> places_;
};

/// Of a tuning parameter or a problem size. What is none of ours (a list) is its JSON as text.
parameter_value foreign_value(const nlohmann::ordered_json& value);

/// Why a candidate without a `foreign_time` is left out.
inline constexpr const char* no_foreign_time = "left out, since the time is not between a femtosecond and 30 years";

/// In nanoseconds, if it is above 0 and can be a time.
std::optional<double> foreign_time(const nlohmann::ordered_json& value, double nanoseconds_per_unit);

/// One more quantity, where `value` is a number or a list of numbers that can be one. What is no name of ours becomes
/// one: "GFLOP/s" is GFLOP_s; nvml_energy is energy in joules and nvml_power power in watts, as Kernel Tuner has them.
void add_foreign_quantity(measurement& measured, const std::string& name, const nlohmann::ordered_json& value);

/// The samples of a measured candidate: those of a list, else `only`. False: there is neither. What is odd about them
/// is added to `diagnostics` for `candidate`. `mean`: what the file has for them, in nanoseconds.
bool read_foreign_samples(const nlohmann::ordered_json* list, double nanoseconds_per_unit, std::optional<double> only,
                          std::optional<double> mean, measurement& measured, foreign_diagnostics& diagnostics,
                          const std::string& candidate);
/// Seconds of a cost; what is no cost is none.
double foreign_cost(const nlohmann::ordered_json& object, const char* name, double seconds_per_unit);

/// "2023-12-22 09:53:48.691683+00:00" and its kind as "2023-12-22T09:53:48.691683Z"; anything else stays as it is.
std::string foreign_timestamp(const std::string& text);

/// Of a failed candidate: the outcome that its reason starts with, as launchbox writes it ("hang: ..."), or
/// `otherwise`.
void set_failure(measurement& measured, const std::string& reason, outcome otherwise);

}  // namespace launchbox
