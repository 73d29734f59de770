// What launch_bench.cu launches and times; rounds and ratios are launch_bench.cpp's.
#pragma once

#include <string>
#include <vector>

namespace launchbox::bench {

/// One way to launch one kernel. `batch(n)` launches it n times and gives the nanoseconds that the host took for one.
struct launch_way {
    std::string kernel;  ///< what is launched; ways of the same kernel are compared
    std::string way;     ///< "<<<>>>", "cudaLaunchKernelEx" or "launchbox::launch"
    double (*batch)(int launches) = nullptr;
};

std::vector<launch_way> launch_ways();

/// Empty where there is no GPU.
std::string gpu_name();

/// Empty, or the error that the runtime has pending at the end of a measurement.
std::string pending_error();

}  // namespace launchbox::bench
