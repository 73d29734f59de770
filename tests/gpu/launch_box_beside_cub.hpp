// A scan of CUB and a body of launch_box in one translation unit, and their outcomes; see
// launch_box_beside_cub_test.cpp.
#pragma once

namespace launchbox::beside_cub {

inline constexpr int count = 1 << 20;

struct outcome {
    const char* returned = "";      ///< name of the error that the call returned, or that launch_box threw
    const char* synchronised = "";  ///< and of the synchronising call after it
    int wrong = 0;                  ///< of `count` results
};
outcome scan_with_cub();
outcome add_with_launch_box();

/// cudaFuncAttributes::ptxVersion of the body's kernel, the architecture it was really compiled for (as it reports
/// itself), and CUB_VERSION.
struct versions {
    int ptx = 0, compiled_for = 0, cub = 0;
};
versions versions_here();

}  // namespace launchbox::beside_cub
