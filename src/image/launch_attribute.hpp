// What a kernel's declaration tells the compiler about launches: __launch_bounds__ or __maxnreg__.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace launchbox {

/// One attribute; nvcc rejects both on the same kernel. All 0: no attribute.
struct launch_attribute {
    int threads = 0;             ///< __launch_bounds__: threads of a block, from 1; 0: not given
    int min_blocks = 0;          ///< its second argument, wanted resident blocks of an SM; 0: not given
    int max_cluster_blocks = 0;  ///< its third argument, from sm_90 on; 0: not given
    int max_registers = 0;       ///< __maxnreg__: registers of a thread; 0: not given

    [[nodiscard]] bool empty() const { return threads == 0 && max_registers == 0; }
    friend bool operator==(const launch_attribute&, const launch_attribute&) = default;
};

/// In source form: "__launch_bounds__(256, 2)", "__maxnreg__(64)"; empty for no attribute.
std::string attribute_source(const launch_attribute& attribute);

}  // namespace launchbox
