// launchbox: the kinds of launch errors.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

/// What is wrong with a launch. For `block`, see also the obstacle of the model.
enum class launch_error_kind {
    none,
    grid,           ///< a dimension of the grid is 0 or above the limit
    block,          ///< the block cannot be launched: threads, launch bound, registers or shared memory
    cluster,        ///< the size of the cluster, or a grid that it does not divide
    cooperative,    ///< more blocks than are resident at once
    no_gpu,         ///< no GPU, or no driver for it
    no_code,        ///< the program has no code of this kernel for this GPU
    not_a_kernel,   ///< the pointer is not that of a kernel that the runtime knows
    earlier_error,  ///< the GPU was in an error before this launch
    unknown_gpu,    ///< launchbox has no limits for this compute capability; only the model needs them
    row_mismatch,   ///< a kernel with a launch box: its code was compiled with another table
    runtime,        ///< anything else: `what()` has the runtime's text
};

}  // namespace launchbox
