// The files that a spec's results depend on: when one changes, older results are stale.
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

/// All files that the spec names, relative to the current folder, whether they exist or not.
std::vector<std::string> files_of(const tune_spec& spec);

/// The files that commands, arguments and references name, and `more`, which the compiler of a [program] reads. Throws
/// `error` if a file in `sources` does not exist.
std::string hash_of_named_files(const tune_spec& spec, const std::vector<std::filesystem::path>& more = {});

/// Returns the name of one of these files, or of `more`, that has changed since; empty: none has. Create it before the
/// hash is computed, so that changes in between are noticed.
std::function<std::string()> watch_sources(const tune_spec& spec, std::vector<std::filesystem::path> more);

/// A hash of the spec's sources as they are now, independent of the architecture and the compiler's release. Throws
/// `error` if a compiler is needed to find the files that a kernel includes and there is none.
std::string own_sources_of(const tune_spec& spec, const builder_options& compiler);

/// Whether a run's results were measured with the spec's present sources. The returned function throws as
/// `own_sources_of` does; the spec must outlive it.
std::function<bool(const run_info&)> has_sources_of(const tune_spec& spec);

}  // namespace launchbox
