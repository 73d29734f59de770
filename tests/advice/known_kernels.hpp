// Kernels with figures for tests that need several of them.
#pragma once

#include <string>

#include "advice/inspect/inspected_kernel.hpp"

namespace launchbox {

/// A kernel of which everything is known and that does not spill.
inline inspected_kernel known_kernel(const std::string& name, int registers = 40,
                                     const std::string& architecture = "sm_90")
{
    kernel_info info;
    info.name = name;
    set_architecture(info, architecture);
    info.source = {"lib.so", "fatbin at byte 64", ""};
    info.registers = registers;
    info.spill_store_bytes = info.spill_load_bytes = info.stack_frame_bytes = info.static_shared_bytes = 0;
    info.barriers = 1;
    info.code_bytes = 1000;
    info.code_hash = 1;
    info.toolkit_version = 130;
    return inspected(info, name + "()", name, 256);
}

inline bool has(const std::string& text, const std::string& words)
{
    return text.find(words) != std::string::npos;
}

}  // namespace launchbox
