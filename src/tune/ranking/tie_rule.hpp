// Which of the candidates that are equally fast is used.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "support/expression/parameter_value.hpp"
#include "support/sample_statistics.hpp"
#include "tune/types/results.hpp"

namespace launchbox {

/// The same binary differs by this much between calls, however precisely each call measures it: 0.4 % in the ten calls
/// each of measurements/nvidia-h100/winners.txt.
constexpr double close_enough = 0.005;

/// Whether one is certainly slower than the other by more than `close_enough`: its interval lies that far above.
bool is_slower(const sample_summary& one, const sample_summary& other);

/// What decided among equals: the first criterion in which the chosen one differs from the others.
enum class tie_reason { baseline, fewer_registers, smaller_block, smaller_values };
/// "fewer registers"
const char* words_of(tie_reason why);
/// "fewer_registers", for files.
const char* name_of(tie_reason why);

struct tied_candidate {
    sample_summary time;
    bool is_baseline = false;
    std::optional<int> registers = {};  ///< of a thread; `nullopt`: unknown, or not a kernel
    std::optional<int> threads = {};    ///< of a block; likewise
    const assignment* parameters = nullptr;
};
/// With what is known of a result's kernel.
tied_candidate tied(const stored_result& result, const sample_summary& time, bool is_baseline);

struct tie_choice {
    std::size_t chosen = 0;
    std::size_t among = 1;               ///< how many are as good as the fastest
    std::optional<tie_reason> why = {};  ///< `nullopt`: there was no choice
};

/// `equals`: the fastest and those that are not slower; not empty. The baseline stays if its median is `close_enough`
/// to the fastest, or their intervals meet, since there is no reason to leave it. Otherwise candidates whose medians
/// are `close_enough` tie: the fewest registers win, then the smallest block, then the smallest parameter values, in
/// the order of the parameters. So repeated calls choose the same one.
tie_choice choose_among_equals(const std::vector<tied_candidate>& equals);

/// Whether the tie rule prefers one to another; unknown values come last.
bool is_preferred(const tied_candidate& one, const tied_candidate& other);

/// "chosen among 3 equal ones: fewer registers"; empty if there was no choice.
std::string tie_text(const tie_choice& choice);

}  // namespace launchbox
