// Results of a check: broken limits of the budget, figures worse than in the baseline, and parts that could not be
// checked.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "advice/check/baseline_entry.hpp"
#include "advice/check/checked_kernel.hpp"

namespace launchbox {

/// A line of one of the user's files.
struct file_line {
    std::string file;
    int line = 0;  ///< from 1; 0: `file` is an option of the command line

    friend bool operator==(const file_line&, const file_line&) = default;
};

/// An error in one of the user's files, and what to write there.
struct file_error {
    int line = 0, column = 0;  ///< from 1; column 0: the whole line
    std::string what;
    std::string hint;
};

enum class check_status {
    broken,   ///< the limit does not hold, or the figure is worse than in the baseline
    unknown,  ///< a required figure is unknown
    better,   ///< the figure is better than in the baseline, or was unknown there
};

/// One finding about one kernel. A limit that holds is not a finding.
struct check_finding {
    std::size_t kernel = 0;  ///< index in `check_result::kernels`
    std::size_t copy = 0;    ///< the worst copy of the kernel, which has the figures
    std::string check;       ///< stable, for programs: "max_registers", "baseline_registers"
    check_status status = check_status::broken;
    bool fails = true;
    std::optional<double> value;  ///< `nullopt` if unknown
    std::optional<double> limit;  ///< in the budget, or the figure in the baseline
    std::string shown_value, shown_limit;
    std::string message;  ///< a sentence with its figures, without the kernel's name
    file_line set_by;     ///< where the limit is set
};

/// A rule of the budget that matches no kernel.
struct unused_rule {
    std::string pattern;  ///< "merge*", or "merge* on sm_90"
    file_line place;
    bool fails = false;
};

/// A kernel that is only in the baseline.
struct gone_kernel {
    std::string identity;
    std::string architecture;
    file_line place;
    bool fails = false;  ///< the kernel exists for other architectures, but none of its code runs on this one
    std::vector<std::string> elsewhere = {};  ///< architectures that the kernel still has code for
    baseline_entry before = {};
};

/// Something requested but not checked: an input without a kernel, a missing architecture, or a gate that compared
/// nothing.
struct unchecked_part {
    std::string file;          ///< empty for all inputs together
    std::string architecture;  ///< the requested one; empty if nothing at all was checked
    std::string why;           ///< "it holds 1 LTO-IR image (compute_90)"
    bool fails = true;
    bool is_gate = false;                   ///< `file` is a budget, a baseline or an option, not an input
    std::vector<std::string> kernels = {};  ///< short names of kernels without code for it; empty: all
};

/// A requirement for kernels: a budget, a baseline, or an option.
struct gate {
    std::string name;         ///< its file, or the option
    std::size_t decided = 0;  ///< limits and figures with a definite result
    std::size_t failing = 0;  ///< of its findings
    std::string why_nothing;  ///< if nothing was decided: "none of its 2 rules matches a kernel"
};

struct check_result {
    std::vector<checked_kernel> kernels;  ///< sorted by identity, then architecture
    std::vector<check_finding> findings;  ///< in the order of the kernels
    std::vector<unused_rule> unused_rules;
    std::vector<gone_kernel> gone;
    std::vector<std::size_t> new_kernels;  ///< not in the baseline; indices in `kernels`
    std::vector<unchecked_part> unchecked;
    std::vector<gate> gates;
    std::size_t checks = 0;              ///< limits and figures that were examined
    std::size_t ptx_only = 0;            ///< kernels not checked because they exist only as PTX
    std::size_t unlinked = 0;            ///< kernels whose figures are not final before linking
    std::size_t inputs_with_errors = 0;  ///< not completely read
    bool interrupted = false;            ///< before all inputs were read

    /// For a launch with this many threads, if the user gave a size; for rules that do not set another.
    std::function<std::int64_t(int threads)> dynamic_shared_of;

    std::string budget_file;  ///< empty if there is none
    std::size_t rules = 0;    ///< of the budget
    std::string baseline_file;
    std::size_t baseline_entries = 0;
    std::size_t renumbered = 0;  ///< kernels matched by name without hash or counter
    std::size_t renamed = 0;     ///< kernels matched with other parameters, or in another file
    std::size_t options = 0;     ///< limits given on the command line

    /// Adds each gate that passed because there was nothing to decide to `unchecked`; `allowed`: that is not a failure.
    /// If there are no kernels, the inputs are at fault, not the gates.
    void add_idle_gates(bool allowed)
    {
        for (const gate& one : gates) {
            bool fails = one.failing > 0;
            for (const unused_rule& rule : unused_rules) fails |= rule.fails && rule.place.file == one.name;
            if (kernels.empty() || one.decided > 0 || fails) continue;
            unchecked.push_back({one.name, "", one.why_nothing, !allowed, true});
        }
    }

    /// Whether some gate would have passed without deciding anything.
    [[nodiscard]] bool has_idle_gate() const
    {
        for (const unchecked_part& part : unchecked)
            if (part.is_gate && part.fails) return true;
        return false;
    }

    [[nodiscard]] std::size_t count(check_status status) const
    {
        std::size_t number = 0;
        for (const check_finding& finding : findings) number += finding.status == status ? 1 : 0;
        return number;
    }
    /// Whether everything requested was read and checked, and nothing failed.
    [[nodiscard]] bool passed() const { return !failed() && inputs_with_errors == 0 && !interrupted; }
    [[nodiscard]] bool failed() const
    {
        for (const check_finding& finding : findings)
            if (finding.fails) return true;
        for (const unused_rule& rule : unused_rules)
            if (rule.fails) return true;
        for (const unchecked_part& part : unchecked)
            if (part.fails) return true;
        for (const gone_kernel& kernel : gone)
            if (kernel.fails) return true;
        return false;
    }
};

}  // namespace launchbox
