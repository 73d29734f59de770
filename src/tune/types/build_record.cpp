// SPDX-License-Identifier: Apache-2.0
#include "tune/types/build_record.hpp"

namespace launchbox {

std::string_view words_of(build_status status)
{
    return status == build_status::built ? "built" : words_of(outcome_of(status));
}

std::string_view name_of(build_status status)
{
    return status == build_status::built ? "built" : name_of(outcome_of(status));
}

outcome outcome_of(build_status status)
{
    switch (status) {
        case build_status::built:
            break;
        case build_status::rejected:
            return outcome::rejected;
        case build_status::compile_error:
            return outcome::compile_error;
        case build_status::compile_timeout:
            return outcome::compile_timeout;
    }
    return outcome::measured;
}

build_status build_status_of(outcome what)
{
    switch (what) {
        case outcome::rejected:
            return build_status::rejected;
        case outcome::compile_error:
            return build_status::compile_error;
        case outcome::compile_timeout:
            return build_status::compile_timeout;
        default:
            return build_status::built;
    }
}

}  // namespace launchbox
