// Text for a forced include (nvcc -include) that gives chosen kernels another launch attribute without editing their
// source, or makes the compiler report where every kernel is defined.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/kernel_info.hpp"
#include "image/launch_attribute.hpp"

namespace launchbox {

/// Replaces a kernel's own attribute.
struct injected_bound {
    source_location declared_at;                                 ///< its __global__
    std::optional<source_location> attribute_at = std::nullopt;  ///< its own __launch_bounds__ or __maxnreg__
    launch_attribute attribute = {};                             ///< empty: its own is removed
};

/// All kernels declared there get the attribute; everything else is unchanged. Files are compared by name without
/// folder, so that it also works in a build that reaches the file by another path. The text works for a whole program,
/// host and device: `nvcc -include FILE a.cu b.cu`.
///
/// If __maxnreg__ is injected at a __global__, a kernel at the same line of another file gets __maxnreg__(255): the
/// largest number, which changes nothing unless the flags have -maxrregcount.
///
/// A unit does not compile with it if a kernel in another file has an attribute of its own at the same line, and
/// __launch_bounds__ would turn into __maxnreg__ or vice versa: the compiler cannot leave that one alone. Throws
/// `error` if two of the bounds contradict each other in the same way.
std::string injection_header(const std::vector<injected_bound>& bounds);

enum class census_of { declarations, attributes };

/// Encodes in the launch bound of every kernel of a unit where it is defined: the line in `.maxntid`, and
/// `census_hash(__FILE__)` in `.minnctapersm`. For declarations, the place of `__global__`; for attributes, the place
/// of the kernel's own __launch_bounds__ or __maxnreg__, or nothing if it has none.
std::string census_header(census_of kind);

/// 1 to 2^30.
int census_hash(std::string_view file);

}  // namespace launchbox
