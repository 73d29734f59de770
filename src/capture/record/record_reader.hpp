// Reads records of observers, whether their processes ended, were killed, or still run.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "capture/record/record_format.hpp"

namespace launchbox {

/// Launches of one kernel with one shape.
struct seen_launches {
    std::string name;
    record::launch_key key{};
    std::uint64_t count = 0;
    double total_ns = 0, min_ns = 0, max_ns = 0;
    std::uint64_t first_ns = 0, last_ns = 0;
    std::vector<float> sample_ns;  ///< all times, or a sample of them; sorted
};

struct seen_note {
    record::note_kind kind{};
    std::string text;
};

struct seen_process {
    std::int32_t process = 0;
    std::vector<std::string> command;
    bool ended = false;  ///< exited, with everything written
    std::uint32_t cupti_version = 0, driver_version = 0;
    std::uint64_t dropped = 0, untimed = 0, beyond_rows = 0, modules_not_kept = 0, buffers_lost = 0;
    std::vector<record::device_block> devices;
    std::vector<record::module_block> modules;
    std::vector<seen_launches> launches;
    std::vector<seen_note> notes;
    std::string damage;  ///< why reading ended early; empty if it did not
};

/// Reads one record. Never throws because of its content: everything before damage is returned.
seen_process read_record(std::string_view bytes);

}  // namespace launchbox
