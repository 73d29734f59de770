// Kernels of the user's inputs, inspected: alone, against those of another build, and as several compilers make them.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/inspect/kernel_diff.hpp"
#include "app/input/kernel_input.hpp"
#include "report/kernels/compilers_report.hpp"
#include "report/kernels/kernels_report.hpp"

namespace launchbox {

struct inspected_files {
    kernel_input input;  ///< without its kernels: their names alone can be hundreds of megabytes
    inspection found;
};

inspected_files inspect_kernels(const kernel_request& request, const listener& news = {});

/// Two builds. `diff` points into the other two.
struct inspected_builds {
    inspected_files before, after;
    kernel_diff diff;
};

/// The files of the request against `other`. A kernel that only one side has is a result: `error` where neither has one
/// of the pattern, where reading was interrupted, and as `refuse_debug_and_release`.
inspected_builds inspect_builds(kernel_request request, const std::string& other, const listener& news = {});

/// Throws `error` where a debug build would be compared with a release build.
void refuse_debug_and_release(const kernel_diff& diff);

/// A compiler and flags of it: a column where there are several.
struct compiler_variant {
    std::string nvcc;
    std::optional<std::string> flags = {};  ///< as they are shown; none: those of the request alone
    std::vector<std::string> words = {};    ///< the flags one by one
};

struct variant_result {
    compiler_result made;
    exit_status status = exit_status::done;
};

/// What one variant makes of the sources; why it makes nothing, or not all, is in the result. Throws `error` where it
/// was interrupted.
variant_result inspect_variant(const compiler_variant& variant, kernel_request request, const listener& news = {});

}  // namespace launchbox
