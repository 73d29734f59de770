// Launch bounds for the sources of a folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/bounds/source_bounds.hpp"

namespace launchbox {

/// `request.file` is a folder: each of its sources (.cu) is swept; those without a kernel are left out. Lists the files
/// that are read. Throws `error` if there is no source, or no kernel that matches.
source_bounds find_bounds_in_folder(const source_bounds_request& request, const listener& news = {});

/// For a source or a folder.
source_bounds find_all_bounds(const source_bounds_request& request, const listener& news = {});

}  // namespace launchbox
