// Text for a forced include (nvcc -include) that gives chosen kernels another launch attribute without an edit of their
// source, or makes the compiler tell where every kernel is written.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "image/kernel_info.hpp"
#include "image/launch_attribute.hpp"

namespace launchbox {

/// What a kernel gets instead of its own attribute.
struct injected_bound {
    source_location declared_at;                                 ///< its __global__
    std::optional<source_location> attribute_at = std::nullopt;  ///< its own __launch_bounds__ or __maxnreg__
    launch_attribute attribute = {};                             ///< empty: it loses its own
};

/// All kernels declared there get the attribute; everything else stays as it is. Of a location's file the name without
/// its folders counts, so that it also holds in a build that reaches the file by another path. The text works for a
/// whole program, host and device: `nvcc -include FILE a.cu b.cu`.
///
/// Of __maxnreg__ injected at a __global__, a kernel in the same line of another file gets __maxnreg__(255): the
/// largest number, which changes nothing unless the flags have -maxrregcount.
///
/// A unit does not compile with it where another file has a kernel with an attribute of its own at the same line, and
/// __launch_bounds__ would turn into __maxnreg__ or the other way round: the compiler cannot leave that one alone.
/// Throws `error` where two of the bounds contradict each other in the same way.
std::string injection_header(const std::vector<injected_bound>& bounds);

enum class census_of { declarations, attributes };

/// Makes every kernel of a unit tell in its launch bound where it is written: the line in `.maxntid`, and
/// `census_hash(__FILE__)` in `.minnctapersm`. Of declarations the place of `__global__`; of attributes the place of
/// the kernel's own __launch_bounds__ or __maxnreg__, and nothing for a kernel that has none.
std::string census_header(census_of kind);

/// 1 to 2^30.
int census_hash(std::string_view file);

}  // namespace launchbox
