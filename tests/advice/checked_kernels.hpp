// Kernels with known figures, for the tests of checks.
#pragma once

#include <string>

#include "advice/check/check_result.hpp"

namespace launchbox {

/// A kernel without spills and stack, with 32 registers and a launch bound of 256 threads.
inline checked_kernel plain_kernel(const std::string& name, const std::string& architecture = "sm_90")
{
    checked_kernel kernel{{}, name};
    kernel.info.name = kernel.info.demangled = name;
    kernel.info.short_form = name.substr(0, name.find('('));
    set_architecture(kernel.info, architecture);
    kernel.info.source.file = "a.cu";
    kernel.info.figures.registers = 32;
    kernel.info.figures.spill_store_bytes = kernel.info.figures.spill_load_bytes = 0;
    kernel.info.figures.stack_frame_bytes = kernel.info.figures.static_shared_bytes = 0;
    kernel.info.figures.barriers = 0;
    kernel.info.figures.code_bytes = 1024;
    kernel.info.bounds.max_threads = {256, 1, 1};
    kernel.info.bounds.register_cap = 255;
    return kernel;
}

/// "merge sm_90 max_registers broken", one line per finding.
inline std::string findings_of(const check_result& result)
{
    std::string text;
    for (const check_finding& finding : result.findings) {
        const checked_kernel& kernel = result.kernels[finding.kernel];
        const char* status = finding.status == check_status::broken    ? "broken"
                             : finding.status == check_status::unknown ? "unknown"
                                                                       : "better";
        text += kernel.info.short_form + " " + kernel.info.architecture + " " + finding.check + " " + status +
                (finding.fails ? "" : " allowed") + "\n";
    }
    return text;
}

}  // namespace launchbox
