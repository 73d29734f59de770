// CUPTI, found and loaded at run time: it comes with toolkits and with Python packages, and a program that uses it
// already must not get a second one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>

namespace launchbox {

struct cupti_library {
    std::string path;     ///< of the library; empty: none was found
    std::string missing;  ///< then, what was tried

    decltype(&cuptiGetVersion) version = nullptr;
    decltype(&cuptiGetResultString) result_text = nullptr;
    decltype(&cuptiSubscribe) subscribe = nullptr;
    decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
    decltype(&cuptiEnableCallback) enable_callback = nullptr;
    decltype(&cuptiActivityRegisterCallbacks) register_buffers = nullptr;
    decltype(&cuptiActivityEnable) enable_activity = nullptr;
    decltype(&cuptiActivityDisable) disable_activity = nullptr;
    decltype(&cuptiGetGraphNodeId) node_id = nullptr;
    decltype(&cuptiActivityFlushAll) flush = nullptr;
    decltype(&cuptiActivityFlushPeriod) flush_period = nullptr;
    decltype(&cuptiActivityGetNextRecord) next_record = nullptr;
    decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = nullptr;
};

/// Loads the CUPTI that fits best: one that the process has already, then those beside its CUDA runtime, in the
/// toolkit, and in Python's packages; of the driver's release (13 for CUDA 13) before others. $LAUNCHBOX_CUPTI names
/// the only one that is tried.
cupti_library load_cupti(int driver_release);

}  // namespace launchbox
