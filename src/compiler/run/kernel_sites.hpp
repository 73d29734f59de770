// Where the kernels of a unit are defined, as the compiler reports it: it sees through templates and macros.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compiler/run/nvcc_run.hpp"
#include "compiler/run/unit_compiler.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// Files are spelled as in `__FILE__`. If a macro defines the kernel, its line is that of the macro's use; all
/// instantiations of a template have the line of the template.
struct kernel_site {
    std::string kernel;  ///< as the linker knows it
    std::optional<source_location>
        declared_at;  ///< the __global__ of its last declaration, including explicit instantiations
    std::optional<source_location> attribute_at;  ///< its own __launch_bounds__ or __maxnreg__, if any
    std::string diagnostic = {};                  ///< why no attribute can be injected here; empty if one can

    friend bool operator==(const kernel_site&, const kernel_site&) = default;
};

struct kernel_census {
    std::vector<kernel_site> sites;   ///< one per kernel
    std::vector<std::string> errors;  ///< of the compiler, if the unit does not compile with the census
};

/// `declarations` and `attributes`: the unit compiled with the two texts of `census_header`; `files`: the unit's files.
kernel_census read_census(const nvcc_output& declarations, const nvcc_output& attributes,
                          const std::vector<std::string>& files, const nvcc_job& unit);

}  // namespace launchbox
