// Finds host code that depends on __CUDA_ARCH__, which only device code has.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "advice/lint/source_view.hpp"
#include "compiler/run/source_unit.hpp"

namespace launchbox {

/// A file as written, before preprocessing.
struct linted_file {
    std::string name;
    const source_view* view = nullptr;
};

/// A name that has different values for the host and an architecture.
struct chosen_name {
    std::string name;
    source_location place;  ///< of the host's definition
    std::int64_t host_value = 0, device_value = 0;
    std::string device_condition;  ///< "where __CUDA_ARCH__ >= 900", "for sm_90"
};

/// `files`: the source first, then its includes. `more`: further names known to differ, such as those of
/// `names_that_differ`.
std::vector<diagnosis> lint_cuda_arch(const std::vector<linted_file>& files, const std::vector<chosen_name>& more = {});

/// The names used by host code in these files whose values differ between the passes of the preprocessor, however they
/// depend on __CUDA_ARCH__.
std::vector<chosen_name> names_that_differ(const std::vector<linted_file>& files, const source_view& host,
                                           const source_unit& unit);

}  // namespace launchbox
