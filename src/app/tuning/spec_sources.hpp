// The files that the results of a spec depend on: when one changes, older results do not hold.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "tune/build/kernel_builder.hpp"
#include "tune/spec/tune_spec.hpp"
#include "tune/types/results.hpp"

namespace launchbox {

/// All that the spec names, from here, whether they are there or not.
std::vector<std::string> files_of(const tune_spec& spec);

/// Of the files that commands, arguments and references name, and of `more`, which the compiler of a [program] reads.
/// Throws `error` where one that `sources` names is not there.
std::string hash_of_named_files(const tune_spec& spec, const std::vector<std::filesystem::path>& more = {});

/// Names one of these files, and of `more`, that has changed since; empty: none has. To be made before the hash is, so
/// that what changes in between is noticed.
std::function<std::string()> watch_sources(const tune_spec& spec, std::vector<std::filesystem::path> more);

/// A hash of the spec's sources as they are now, whatever the architecture, and whichever release of its compiler.
/// Throws `error` where it needs a compiler to say which files a kernel includes and there is none.
std::string own_sources_of(const tune_spec& spec, const builder_options& compiler);

/// Whether a run's results are of the spec's sources as they are now. What it returns throws as `own_sources_of` does;
/// the spec must outlive it.
std::function<bool(const run_info&)> has_sources_of(const tune_spec& spec);

}  // namespace launchbox
