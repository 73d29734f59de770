// On what a spec is to be measured here: GPUs, the processor, or a record.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <CLI/CLI.hpp>

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gpu/driver.hpp"
#include "support/error.hpp"
#include "tune/build/kernel_builder.hpp"
#include "tune/run/backend.hpp"
#include "tune/space/search_space.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/types/results.hpp"

namespace launchbox::cli {

struct backend_request {
    std::string architecture;  ///< --arch; empty: that of each GPU
    std::vector<int> gpus;     ///< --gpu; empty: all
    gpu_list elsewhere;        ///< GPUs of other machines, one of a kind: modules are built for them, not measured here
    std::string replay;        ///< a store or its JSON; empty: really measured
    bool build_only = false;
    builder_options builder;
    std::filesystem::path folder;  ///< for what is built; it outlives the backends
};

/// A backend with what it needs, and the names that the constraints may use on it.
struct planned_backend {
    tune_backend backend;
    named_constants limits;
};

struct planned_backends {
    std::unique_ptr<kernel_builder> builder;  ///< of a [kernel]; all backends use it
    std::vector<planned_backend> backends;
};

/// GPUs that are alike share a backend. Throws `error` with status `missing` when the spec needs a GPU or a compiler
/// and there is none, with what can be done instead. `spec` must outlive the backends.
planned_backends plan_backends(const tune_spec& spec, const backend_request& request);

/// How `tune` works where other processes have the GPUs.
struct tune_elsewhere {
    std::function<void(CLI::App& verb)> add_options;
    /// In place of `plan_backends`.
    std::function<planned_backends(const tune_spec&, const backend_request&)> plan;
    /// Of a process that does what another asks: in place of the whole verb. Empty: this is the one that asks.
    std::function<exit_status(const tune_spec&, const backend_request&)> serve;
};

/// A hash of the spec's sources as they are now, whatever the architecture, and whichever release of its compiler.
/// Throws `error` where it needs a compiler to say which files a kernel includes and there is none.
std::string own_sources_of(const tune_spec& spec, const builder_options& compiler);

/// Whether a run's results are of the spec's sources as they are now. What it returns throws as `own_sources_of` does;
/// the spec must outlive it.
std::function<bool(const run_info&)> has_sources_of(const tune_spec& spec);

}  // namespace launchbox::cli
