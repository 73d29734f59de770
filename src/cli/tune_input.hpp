// The spec that the user names: ours, or a T1 problem that is made into one.
#pragma once

#include <optional>
#include <string>

#include "tune/tune_spec.hpp"

namespace launchbox::cli {

/// What was not taken over of a T1 problem goes to standard error. With `write_spec` (a file, "-": standard output) the
/// spec that was made is written, and there is none to tune.
std::optional<tune_spec> read_spec(const std::string& file, const std::string& write_spec);

}  // namespace launchbox::cli
