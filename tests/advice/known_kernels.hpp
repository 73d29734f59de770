// Kernels with complete figures.
#pragma once

#include <string>

#include "advice/inspect/inspected_kernel.hpp"

namespace launchbox {

/// A kernel with all figures known and no spills.
inline inspected_kernel known_kernel(const std::string& name, int registers = 40,
                                     const std::string& architecture = "sm_90")
{
    kernel_info info;
    info.name = name;
    set_architecture(info, architecture);
    info.source = {"lib.so", "fatbin at byte 64", ""};
    info.figures.registers = registers;
    info.figures.spill_store_bytes = info.figures.spill_load_bytes = info.figures.stack_frame_bytes =
        info.figures.static_shared_bytes = 0;
    info.figures.barriers = 1;
    info.figures.code_bytes = 1000;
    info.figures.code_hash = 1;
    info.toolkit_version = 130;
    info.demangled = name + "()";
    info.short_form = name;
    return inspected(info, 256);
}

inline bool has(const std::string& text, const std::string& words)
{
    return text.find(words) != std::string::npos;
}

}  // namespace launchbox
