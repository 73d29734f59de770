// The state of a candidate before anything was launched.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tune/types/measurement.hpp"

namespace launchbox {

enum class build_status {
    built,
    rejected,  ///< not built, or built and not to be launched: it cannot run, or the spec does not want it
    compile_error,
    compile_timeout,  ///< stopped: it took too long or too much memory
};

constexpr build_status last_of(build_status)
{
    return build_status::compile_timeout;
}

/// "built", "compile error": as words_of(outcome) has them.
std::string_view words_of(build_status status);
/// "built", "compile_error": as name_of(outcome) has them.
std::string_view name_of(build_status status);

/// The outcome of a candidate that is settled without a measurement. Not for `built`, whose outcome needs a
/// measurement.
outcome outcome_of(build_status status);

/// The build's status for a candidate with this outcome: one that was measured, or failed when launched, was built.
build_status build_status_of(outcome what);

}  // namespace launchbox
