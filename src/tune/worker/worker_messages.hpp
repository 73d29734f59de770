// The protocol between the tool and a worker at a GPU: one JSON object per line.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "tune/types/measurement.hpp"
#include "tune/worker/gpu_worker.hpp"

namespace launchbox {

/// The phase that a worker enters; each has its own time limit. Repeated during long work, to show that it is alive.
enum class worker_phase {
    ready,    ///< it has a GPU and waits for a task
    load,     ///< module and buffers
    verify,   ///< the first launch
    check,    ///< what it left behind
    measure,  ///< launches that are timed
};
inline constexpr std::size_t worker_phase_count = 5;
std::string phase_line(worker_phase phase);
/// The phase that a message announces; `nullopt`: it is an answer. Throws `error` for an unknown phase.
std::optional<worker_phase> phase_in(const nlohmann::ordered_json& message);

std::string task_line(const gpu_task& task);
std::string answer_line(const measurement& answer);

/// Throw `error` for a malformed line.
gpu_task task_of(const std::string& line);
struct worker_message {
    std::optional<worker_phase> phase;
    measurement answer;  ///< without `phase`
};
worker_message message_of(const std::string& line);

}  // namespace launchbox
