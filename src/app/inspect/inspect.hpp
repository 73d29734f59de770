// Inspects the kernels of the user's inputs: alone, compared with another build, or as several compilers make them.
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

/// Compares the files of the request with `other`. A kernel that only one side has is a result. Throws `error` if
/// neither side has a kernel that matches, if reading was interrupted, and as `refuse_debug_and_release`.
inspected_builds inspect_builds(kernel_request request, const std::string& other, const listener& news = {});

/// Throws `error` if a debug build would be compared with a release build.
void refuse_debug_and_release(const kernel_diff& diff);

/// A compiler with its flags: one column of the comparison.
struct compiler_variant {
    std::string nvcc;
    std::optional<std::string> flags = {};  ///< as they are shown; none: those of the request alone
    std::vector<std::string> words = {};    ///< the flags one by one
};

struct variant_result {
    compiler_result made;
    exit_status status = exit_status::done;
};

/// The kernels that one variant makes of the sources; if it makes none or not all, the result contains the reason.
/// Throws `error` if it was interrupted.
variant_result inspect_variant(const compiler_variant& variant, kernel_request request, const listener& news = {});

}  // namespace launchbox
