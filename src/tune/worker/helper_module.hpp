// The three kernels that the worker itself runs, as PTX, which every GPU's driver compiles for itself.
// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace launchbox {

/// PTX with these kernels:
///   launchbox_checksum(data, bytes, result): adds to *result what `checksum` (buffers.hpp) gives for the data,
///     which is aligned to 8; any number of blocks of a multiple of 32 threads.
///   launchbox_count_other(data, bytes, value, result): adds to *result how many bytes are not `value`.
///   launchbox_block(flag, nanoseconds): waits until *flag is not 0, but not longer; then it writes 2 to it.
extern const char* const helper_module_ptx;

}  // namespace launchbox
