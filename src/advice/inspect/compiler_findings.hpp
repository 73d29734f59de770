// Messages of ptxas and nvlink about a kernel, with a remedy for the cause that they name.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "advice/inspect/diagnose.hpp"
#include "image/kernel_info.hpp"

namespace launchbox {

/// The finding in a sentence such as "(C7508) Potential Performance Loss: 'setmaxnreg' ignored; ...", using the
/// kernel's bounds if known. `kernel`: null if the sentence names none.
diagnosis loss_finding(const std::string& sentence, const kernel_info* kernel);

/// All findings in its warnings.
void add_compiler_findings(const kernel_info& kernel, std::vector<diagnosis>& findings);

}  // namespace launchbox
