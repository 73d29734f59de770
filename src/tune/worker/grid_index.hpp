// What all kernels that the worker runs itself begin with.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

namespace launchbox {

/// PTX: the number of a thread in the grid in %i, and how many threads there are in %stride, so that each takes every
/// so-many-th element. Registers that it needs: .b32 %thread, %threads, %block, %blocks; .b64 %i, %stride, %t.
inline constexpr std::string_view grid_index = R"ptx(    mov.u32 %thread, %tid.x;
    mov.u32 %threads, %ntid.x;
    mov.u32 %block, %ctaid.x;
    mov.u32 %blocks, %nctaid.x;
    cvt.u64.u32 %t, %thread;
    mad.wide.u32 %i, %block, %threads, %t;
    mul.wide.u32 %stride, %blocks, %threads;
)ptx";

}  // namespace launchbox
