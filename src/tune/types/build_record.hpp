// The result of building a candidate, as it passes from the compiler to the table of builds.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <tuple>

#include "image/kernel_info.hpp"
#include "support/fields.hpp"
#include "tune/types/measurement.hpp"

namespace launchbox {

/// The state of a candidate before anything was launched.
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

struct build_record {
    build_status status = build_status::built;
    std::string reason = {};                 ///< one line; empty when it is built
    std::optional<kernel_info> kernel = {};  ///< its name as the driver wants it; `nullopt`: none, or a program
    std::string code = {};                   ///< equal for modules that do the same when launched alike
    std::string log = {};                    ///< all that the compiler said
    double compile_seconds = 0;              ///< of wall time; of the first time, when it comes from the cache
    bool from_cache = false;
    std::string machine_failure = {};  ///< what the machine lacked: it is not the candidate's, and may go away
};
constexpr auto fields_of(const build_record&)
{
    using of = build_record;
    return std::tuple(field("status", &of::status), field("reason", &of::reason), field("kernel", &of::kernel),
                      field("code", &of::code), field("log", &of::log), field("compile_seconds", &of::compile_seconds),
                      field("from_cache", &of::from_cache), field("machine_failure", &of::machine_failure));
}

}  // namespace launchbox
