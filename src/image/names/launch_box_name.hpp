// The names of kernels that launchbox/launch_box.cuh makes: their bodies' names for people, and the same from build to
// build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace launchbox {

/// A demangled name without the number for the -gencode list of its translation unit, which differs if a source is
/// compiled for one architecture at a time. Other names are returned unchanged.
std::string without_unit(std::string_view demangled);

/// `square` for `void launchbox::tuned<square, ...>(...)`, `square (size class 1)` for the kernel of its
/// second size class, `launchbox::architecture_probe` for the kernel that is never launched. nullopt for every other
/// name.
std::optional<std::string> launch_box_name(std::string_view demangled);

/// Whether this is launchbox's own kernel that is never launched.
bool is_architecture_probe(std::string_view demangled);

}  // namespace launchbox
