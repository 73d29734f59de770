// launchbox: the launch boxes of MGPU 1.x under their original names, for kernels that were written with them.
// SPDX-License-Identifier: Apache-2.0
//
//     template <typename Tuning>
//     MGPU_LAUNCH_BOUNDS void square(int* data, int count)
//     {
//         typedef MGPU_LAUNCH_PARAMS Params;  // Params::NT, Params::VT and Params::OCC are constants
//     }
//     typedef mgpu::LaunchBoxVT<128, 7, 4, 256, 9, 5, 256, 15, 3> Tuning;
//     const int2 launch = Tuning::GetLaunchParams(context);  // NT and VT; without a context, GetLaunchParams()
// In MGPU the third row, Sm35, is for 3.5 and newer. Current compilers support nothing older, so host and device always
// use this row. For rows of newer architectures, use launch_box.cuh.
#pragma once

#ifdef MGPU_LAUNCH_BOUNDS
#error "launchbox/mgpu_launch_box.cuh replaces MGPU's device/launchbox.cuh: include one of the two"
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 350
#error "launchbox/mgpu_launch_box.cuh is for 3.5 and newer: older architectures had other rows in MGPU"
#endif

#include <launchbox/launch_box.cuh>

#include <type_traits>

#include <vector_functions.h>

// MGPU's names, for kernels that are templates with a parameter `Tuning`.
#define MGPU_SM_TAG Sm35
#define MGPU_LAUNCH_PARAMS typename Tuning::MGPU_SM_TAG
#define MGPU_LAUNCH_BOUNDS __global__ __launch_bounds__(Tuning::MGPU_SM_TAG::NT, Tuning::MGPU_SM_TAG::OCC)

namespace mgpu {

/// One row given as numbers: threads per block, items per thread, wanted resident blocks on an SM (0: not given).
template <int Threads, int Items, int MinBlocks>
struct LaunchParamsVT {
    enum { NT = Threads, VT = Items, OCC = MinBlocks };
};

/// MGPU's constants as a row of launch_box.cuh.
struct launch_row {
    int threads, items, min_blocks;
};

/// Rows of any types with the constants NT and OCC, also VT if GetLaunchParams is used, and any others. A row that is
/// left out equals the one before.
template <typename Sm20_, typename Sm30_ = Sm20_, typename Sm35_ = Sm30_>
struct LaunchBox {
    typedef Sm20_ Sm20;
    typedef Sm30_ Sm30;
    typedef Sm35_ Sm35;
    typedef Sm35_ Params;  ///< the row that is used

    /// The same row as a table of launch_box.cuh: `launchbox::row_for<Tuning::table>(kernel)` checks the kernel's
    /// launch bound against it, and a body can have it as its `tuning`.
    struct table : launchbox::only<launch_row{static_cast<int>(Sm35_::NT), static_cast<int>(Sm35_::VT),
                                              static_cast<int>(Sm35_::OCC)}> {};

    /// NT and VT of the row that kernels are compiled with.
    static int2 GetLaunchParams() { return make_int2(Sm35_::NT, Sm35_::VT); }

    /// The same; MGPU asked the context for the architecture.
    template <typename Context>
    static int2 GetLaunchParams(Context&&)
    {
        static_assert(
            !std::is_arithmetic_v<std::remove_cvref_t<Context>>,
            "GetLaunchParams: a number may not be the architecture that the kernel was compiled for; leave it "
            "out");
        return GetLaunchParams();
    }
};

/// The same with rows given as numbers: threads, items and min_blocks for sm_20, sm_30 and sm_35. Rows that are left
/// out equal the one before.
template <int NT_SM20, int VT_SM20, int OCC_SM20 = 0, int NT_SM30 = NT_SM20, int VT_SM30 = VT_SM20,
          int OCC_SM30 = OCC_SM20, int NT_SM35 = NT_SM30, int VT_SM35 = VT_SM30, int OCC_SM35 = OCC_SM30>
struct LaunchBoxVT : LaunchBox<LaunchParamsVT<NT_SM20, VT_SM20, OCC_SM20>, LaunchParamsVT<NT_SM30, VT_SM30, OCC_SM30>,
                               LaunchParamsVT<NT_SM35, VT_SM35, OCC_SM35>> {};

}  // namespace mgpu
