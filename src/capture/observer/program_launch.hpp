// A launch that the program is about to make, and why it cannot be captured.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda.h>

#include <array>
#include <string>

#include "capture/observer/launch_capture.hpp"

namespace launchbox {

struct launch_capture::launch {
    CUfunction function = nullptr;
    std::array<unsigned, 3> grid{}, block{}, cluster{1, 1, 1};
    unsigned dynamic_shared = 0;
    CUstream stream = nullptr;
    void** parameters = nullptr;
    void** extra = nullptr;
    bool cooperative = false;
    bool early = false;            ///< programmatic dependent launch: may begin before the previous kernel ends
    std::string other_attributes;  ///< numbers of attributes that a replay cannot set
    const char* name = nullptr;

    /// Reads the parameters of one of the driver's launch calls.
    static launch of_call(CUpti_CallbackId id, const CUpti_CallbackData& call);
    void take_attribute(const CUlaunchAttribute& attribute);
};

/// Ends the capture, not the program.
struct cannot_capture {
    std::string why;
};

}  // namespace launchbox
