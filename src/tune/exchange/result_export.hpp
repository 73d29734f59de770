// Recorded results in the formats of other tuners: Kernel Tuner's cache and T4.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <vector>

#include "tune/types/recorded_run.hpp"

namespace launchbox {

/// The content of one file of another tuner: the results of one run on one workload, by their numbers in the run, which
/// must outlive this.
struct exported_part {
    const recorded_run* run = nullptr;
    assignment workload;
    std::vector<std::size_t> results;
};

/// In the order in which runs and workloads first occur.
std::vector<exported_part> parts_of(const recorded_run& run);

/// A closed cache that Kernel Tuner can continue: its header's order, keys as Python writes values, milliseconds.
/// Candidates lost with the device are not results and are left out, as in T4. Throws `error` if a parameter has the
/// name of one of the cache's own members.
void write_kernel_tuner_cache(const exported_part& part, std::ostream& out);

/// Schema 1.0.0, milliseconds.
void write_t4_results(const exported_part& part, std::ostream& out);

}  // namespace launchbox
