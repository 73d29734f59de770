// Readers for other tuners' formats. Each takes the whole text, which may be cut off anywhere.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "tune/exchange/foreign/foreign_run.hpp"
#include "tune/types/recorded_run.hpp"

namespace launchbox {

struct foreign_text {
    std::string_view text;
    std::string name;  ///< of the file, for messages
    std::string hash;  ///< of the text
};

/// Kernel Tuner's cache: one object with the candidates under "cache", times in milliseconds.
std::vector<recorded_run> read_kernel_tuner_cache(const foreign_text& file, foreign_diagnostics& diagnostics);

/// T4: candidates under "results"; the time's unit is in the metadata, or beside the time.
std::vector<recorded_run> read_t4_results(const foreign_text& file, foreign_diagnostics& diagnostics);

/// KTT's JSON output; one run per kernel. The kernels' resources are included.
std::vector<recorded_run> read_ktt_output(const foreign_text& file, foreign_diagnostics& diagnostics);

}  // namespace launchbox
