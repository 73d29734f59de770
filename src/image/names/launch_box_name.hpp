// The names of kernels made by launchbox/launch_box.cuh: the names of their bodies, for people, and a form that is the
// same in every build.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace launchbox {

/// A demangled name without the number for the -gencode list of its translation unit, which differs if a source is
/// compiled for one architecture at a time. Other names are returned unchanged.
std::string without_unit(std::string_view demangled);

/// `square` for `void launchbox::tuned<square, ...>(...)`, `square (size class 1)` for the kernel of its second size
/// class, `launchbox::architecture_probe` for the kernel that is never launched. `nullopt` for all other names.
std::optional<std::string> launch_box_name(std::string_view demangled);

/// Whether this is launchbox's own kernel, which is never launched.
bool is_architecture_probe(std::string_view demangled);

}  // namespace launchbox
