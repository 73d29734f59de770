// Finds CUPTI and loads it at run time: it comes with toolkits and Python packages, and a program that already uses it
// must not get a second one.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cupti.h>

#include <string>

#include "support/loaded_library.hpp"

namespace launchbox {

struct cupti_library {
    loaded_library library;
    std::string path = {};     ///< of the library; empty if none was found
    std::string missing = {};  ///< if none was found: what was tried

    decltype(&cuptiGetVersion) version = library.need("cuptiGetVersion");
    decltype(&cuptiGetResultString) result_text = library.need("cuptiGetResultString");
    decltype(&cuptiSubscribe) subscribe = library.need("cuptiSubscribe");
    decltype(&cuptiUnsubscribe) unsubscribe = library.need("cuptiUnsubscribe");
    decltype(&cuptiEnableCallback) enable_callback = library.need("cuptiEnableCallback");
    decltype(&cuptiActivityRegisterCallbacks) register_buffers = library.need("cuptiActivityRegisterCallbacks");
    decltype(&cuptiActivityEnable) enable_activity = library.need("cuptiActivityEnable");
    decltype(&cuptiActivityDisable) disable_activity = library.need("cuptiActivityDisable");
    decltype(&cuptiGetGraphNodeId) node_id = library.need("cuptiGetGraphNodeId");
    decltype(&cuptiActivityFlushAll) flush = library.need("cuptiActivityFlushAll");
    decltype(&cuptiActivityFlushPeriod) flush_period = library.need("cuptiActivityFlushPeriod");
    decltype(&cuptiActivityGetNextRecord) next_record = library.need("cuptiActivityGetNextRecord");
    decltype(&cuptiActivityGetNumDroppedRecords) dropped_records = library.need("cuptiActivityGetNumDroppedRecords");
};

/// Loads the most suitable CUPTI: one already loaded by the process, then those beside its CUDA runtime, in the
/// toolkit, and in Python packages; the driver's release (13 for CUDA 13) before others. $LAUNCHBOX_CUPTI names the
/// only one to try.
cupti_library load_cupti(int driver_release);

}  // namespace launchbox
