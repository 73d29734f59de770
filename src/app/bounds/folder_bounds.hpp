// The launch bounds to write into the sources of a folder.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "app/bounds/source_bounds.hpp"

namespace launchbox {

/// `request.file` is a folder: each of its sources (.cu) is swept, those without a kernel are left out. Says which
/// files are read. Throws `error` where there is none, or no kernel that is wanted.
source_bounds find_bounds_in_folder(const source_bounds_request& request, const listener& news = {});

/// Of a source or of a folder.
source_bounds find_all_bounds(const source_bounds_request& request, const listener& news = {});

}  // namespace launchbox
