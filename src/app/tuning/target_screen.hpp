// What is known of a candidate on an architecture of which there is no GPU here: its limits, and what the compiler
// makes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <launchbox/compute_capability.hpp>

#include <memory>
#include <optional>
#include <string>

#include "image/kernel_info.hpp"
#include "tune/spec/tune_spec.hpp"

namespace launchbox {

class target_screen {
public:
    /// `compiles`: the spec's sources exist, and candidates of a [kernel] are compiled. Throws `error` for an
    /// architecture without limits, and if no compiler is found.
    target_screen(tune_spec spec, const compute_capability& target, bool compiles);
    ~target_screen();

    /// Why the candidate cannot run there on some workload of the spec; empty: no reason is known.
    [[nodiscard]] std::string why_not(const assignment& candidate) const;

    /// "40 registers, 3 blocks resident on an SM"; empty: it was not compiled.
    [[nodiscard]] std::string compiled_text(const assignment& candidate) const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

}  // namespace launchbox
