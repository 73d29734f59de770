// SPDX-License-Identifier: Apache-2.0
#include "tune/worker/compare/launch_history.hpp"

#include <fmt/format.h>

#include <utility>

namespace launchbox {

std::string reset_of(const std::vector<std::string>& variables)
{
    std::string list;
    for (const std::string& name : variables)
        list += fmt::format("{}{{ name = \"{}\", reset = true }}", list.empty() ? "" : ", ", name);
    return "variables = [" + list + "]";
}

void launch_history::note(std::string fault)
{
    ++launches_;
    ++judged_;
    if (fault.empty()) return;
    if (++wrong_ > 1) return;
    first_wrong_ = launches_;
    judged_before_ = judged_ - 1;
    first_fault_ = std::move(fault);
}

std::string launch_history::reason(const std::vector<std::string>& changed) const
{
    const bool all_since = wrong_ == judged_ - judged_before_;
    if (all_since && judged_before_ == 0) return first_fault_;
    const bool from_then_on = all_since && wrong_ > 1;
    std::string text = from_then_on ? fmt::format("right at first, wrong from launch {} on ({} of {} launches): {}",
                                                  first_wrong_, wrong_, judged_, first_fault_)
                                    : fmt::format("sometimes wrong: {} of {} launches, the first is launch {}: {}",
                                                  wrong_, judged_, first_wrong_, first_fault_);
    if (!changed.empty())
        text += fmt::format("; launches change {}, which is never reset: {} in [kernel] resets it before each launch",
                            fmt::join(changed, ", "), reset_of(changed));
    else if (from_then_on)
        text += "; if it counts in a variable of its own, name that in variables of [kernel] with reset = true";
    return text;
}

}  // namespace launchbox
