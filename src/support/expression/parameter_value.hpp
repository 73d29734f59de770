// Values of tuning parameters and workloads: whole numbers, fractions, words, yes or no.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace launchbox {

using parameter_value = std::variant<bool, std::int64_t, double, std::string>;

/// As in a command or source: true, 256, 0.5 (the shortest text that reads back as the same number); words unchanged.
std::string parameter_text(const parameter_value& value);

/// Named values in a fixed order: a candidate (threads 256, items 11) or a workload (type int, n 1048576).
struct assignment {
    std::vector<std::pair<std::string, parameter_value>> values;

    [[nodiscard]] const parameter_value* find(const std::string& name) const;
    friend bool operator==(const assignment&, const assignment&) = default;
};

/// For people: "threads=256 items=11".
std::string parameter_text(const assignment& values);

/// For programs: equal for the same names and values in any order, and only for those, whatever characters they
/// contain.
std::string identity_of(assignment values);

/// The values of both, the second after the first.
assignment joined(assignment one, const assignment& other);

}  // namespace launchbox
