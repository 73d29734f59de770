// What a spec is measured on: GPUs of this machine, the processor, or a record.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/architectures.hpp"
#include "app/listener.hpp"
#include "gpu/driver.hpp"
#include "tune/build/kernel_builder.hpp"
#include "tune/run/backend.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

struct backend_request {
    std::optional<target> architecture;  ///< empty: that of each GPU
    std::vector<int> gpus;               ///< by their numbers; empty: all
    gpu_list elsewhere;  ///< GPUs of other machines, one of a kind: modules are built for them, not measured here
    std::string replay;  ///< a store or its JSON; empty: really measured
    bool build_only = false;
    bool opens_early = false;  ///< what takes its time to start does so while the backends are planned
    builder_options builder;
    std::filesystem::path folder;  ///< for what is built; it outlives the backends
};

/// A backend with its resources, and the names that constraints may use on it.
struct planned_backend {
    tune_backend backend;
    named_constants limits;
};

struct planned_backends {
    std::unique_ptr<kernel_builder> builder;  ///< of a [kernel]; all backends use it
    std::vector<planned_backend> backends;
};

/// GPUs that are alike share a backend. Throws `error` with status `missing` if the spec needs a GPU or a compiler and
/// there is none; the message says what can be done instead. `spec` must outlive the backends.
planned_backends plan_backends(const tune_spec& spec, const backend_request& request, const listener& news = {});

/// The same on the GPUs of other processes.
using backend_planner = std::function<planned_backends(const tune_spec&, const backend_request&, const listener& news)>;

}  // namespace launchbox
