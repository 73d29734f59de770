// The parameters of a kernel and the variables in a cubin: what is needed to launch it.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace launchbox {

/// The place of a parameter in the block of all arguments.
struct parameter_place {
    std::uint32_t offset = 0, bytes = 0;

    friend bool operator==(const parameter_place&, const parameter_place&) = default;
};

/// The parameters of a kernel in order, as cuFuncGetParamInfo returns them. `nullopt` if there is no such kernel, or if
/// its parameters are invalid: one is missing or duplicated, or two overlap.
std::optional<std::vector<parameter_place>> parameters_of(std::string_view cubin, std::string_view kernel);

/// The first parameter that begins before the end of the one before it; `nullopt` if there is none.
std::optional<std::size_t> first_overlap(const std::vector<parameter_place>& parameters);

/// The names of all variables, for cuModuleGetGlobal.
std::set<std::string, std::less<>> variables_of(std::string_view cubin);

}  // namespace launchbox
