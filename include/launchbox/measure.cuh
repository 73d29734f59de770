// launchbox: GPU timing, also printed in the form that `launchbox tune` reads.
// SPDX-License-Identifier: Apache-2.0
//
//     const auto m = launchbox::measure([&](cudaStream_t s) { scale<<<blocks, 256, 0, s>>>(data, n); });
//     launchbox::print_measurement(m);  // {"launchbox":"measurement/1","time_ms":[0.0412,...],...}
//
// Each sample begins with the L2 flushed, and does not contain the launch latency. A kernel that fails is reported in
// the result, not by an exception.
//
// Needs the CUDA runtime (12.0 or later) and nvcc, since it defines a kernel.
#pragma once

#if __cplusplus < 202002L
#error "launchbox/measure.cuh needs C++20: compile with -std=c++20"
#elif !defined(__CUDACC__)
#error "launchbox/measure.cuh holds a kernel: compile this file with nvcc, as a .cu"
#else

#include <cuda_runtime_api.h>

#include <cstdint>
#include <functional>
#include <type_traits>

#include <launchbox/detail/measure/measure_series.cuh>
#include <launchbox/measurement.hpp>
#include <launchbox/measurement_options.cuh>

#pragma GCC visibility push(hidden)  // see launch.cuh
namespace launchbox {

/// Measures the work that `callable(stream)` launches into the stream. Work in other streams counts only if `stream`
/// waits for it; the stream must not be capturing. A failing kernel, and a `launch_error` from `callable` or `prepare`,
/// are reported in the result; other exceptions pass through. Throws `std::invalid_argument` for invalid options.
/// Changes no setting of the device and needs no special permissions.
template <class Callable>
static measurement_result measure(Callable&& callable, const measurement_options& options = {})
{
    static_assert(std::is_invocable_v<Callable&, cudaStream_t>,
                  "launchbox::measure: the callable takes the stream: [&](cudaStream_t stream) { ... }");
    using type = std::remove_reference_t<Callable>;
    const detail::timed_call call{
        .function = [](const void* what,
                       cudaStream_t stream) { (*static_cast<type*>(const_cast<void*>(what)))(stream); },
        .what = __builtin_addressof(callable)};
    return detail::measure_call(call, options);
}

}  // namespace launchbox
#pragma GCC visibility pop

#endif
